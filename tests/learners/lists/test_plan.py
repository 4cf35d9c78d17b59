"""How many rows a list needs: our bounds, the paper's, and the truth of a small instance."""

from dataclasses import replace
from math import comb, exp, lgamma, log, sqrt

import numpy as np
import pytest

from dprules.accounting import cover
from dprules.audit import Example, exact_list_law, tilted
from dprules.errors import ParameterError, PrivacyError
from dprules.learners.lists import Typical, bound_list, count_candidates


def test_candidates_are_counted():
    assert count_candidates(7, 3) == 2 * 7 + 4 * comb(7, 2) + 8 * comb(7, 3)
    for features, width in ((2, 3), (50, 11), (10**10, 1)):
        with pytest.raises(ParameterError, match="must be at most"):
            count_candidates(features, width)


def test_rows_and_error_are_two_sides_of_one_bound():
    plan = bound_list(40, 1.0, 1e-6, error=0.1)
    back = bound_list(40, 1.0, 1e-6, rows=plan.rows_needed)
    assert back.guaranteed_error == pytest.approx(0.1, rel=1e-3)
    assert plan.rows_without_privacy < plan.rows_needed < plan.paper_rows
    assert bound_list(40, 1.0, 1e-6).ratio is None
    assert bound_list(40, 1.0, 1e-6, rows=50).guaranteed_error is None


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_more_budget_needs_fewer_rows_and_the_paper_many_more(neighbours):
    plans = [bound_list(30, epsilon, 1e-6, error=0.1, neighbours=neighbours) for epsilon in (0.3, 1.0, 3.0)]
    needed = [plan.rows_needed for plan in plans]
    assert needed == sorted(needed, reverse=True)
    assert all(plan.ratio > 5 for plan in plans)


def test_the_paper_bound_by_hand():
    M, beta, error = 40, 0.025, 0.1
    private = 8 * M * log(2 * M / sqrt(beta)) * (2 * log(1e6) + 3) / error
    log2_lists = (lgamma(M + 2) + (M + 1) * log(2)) / log(2)
    learning = 64 / error * (log2_lists * log(64 / error) + log(16 / beta))
    assert bound_list(40, 1.0, 1e-6, error=error).paper_rows == pytest.approx(max(private, learning), abs=1)


def test_the_error_bound_holds_on_an_exact_law():
    """A5 against the truth: few lists of the exact law err more often on the sample than planned."""
    plan = bound_list(2, 4.0, 1e-3, failure=0.2)
    sample = [Example((True, False), 1)] * 12 + [Example((False, True), 0)] * 12  # x1 and not x1
    law = exact_list_law(sample, tilted(plan.tilt), features=2)

    def errors(rules):
        return sum(
            next(label for feature, label in rules if example.covered_by(feature)) != example.label
            for example in sample
        )

    bad = sum(p for rules, p in law.items() if errors(rules) > plan.sample_errors)
    assert bad <= plan.failure / 2


def test_the_tilt_of_a_plan_is_that_of_the_accountant():
    plan = bound_list(count_candidates(3, 2), 1.0, 1e-6)
    assert plan.tilt == cover.tilt(1.0, 1e-6, rounds=plan.candidates + 1)
    assert np.isclose(plan.paper_tilt, 1 / (4 * (log(1e6) + 1.5)))
    assert exp(plan.tilt) > 1
    assert bound_list(6, 100.0, 1e-6).paper_tilt is None


@pytest.mark.parametrize("rows", [10, 1000, 10**6])
def test_a_delta_above_one_over_rows_is_refused(rows):
    assert bound_list(20, 1.0, 1 / rows, rows=rows).rows == rows
    with pytest.raises(PrivacyError, match="publishing a record chosen at random would count as private"):
        bound_list(20, 1.0, 1.01 / rows, rows=rows)
    assert bound_list(20, 1.0, 0.1).rows is None  # nothing to compare with


def test_a_plan_in_words():
    plan = bound_list(20, 1.0, 1e-6, rows=50, error=0.1)
    [table] = plan.tables()
    assert ("50 rows", "no error below 50% is guaranteed") in table.lines
    assert "probability 0.95" in table.caption
    shown = replace(plan, typical=(Typical("<easy>", 3, 0.8, 0.7, 0.9, 0.6, 0.85, 0.95),), simulated_rows=40)
    typical, _ = shown.tables()
    assert "40 rows (more are not simulated; you have 50)" in typical.title
    assert "made-up tables with the columns of the schema, 3 of each kind" in typical.caption
    assert list(typical.lines) == [("<easy>", "0.600", "0.800", "0.700-0.900", "0.850", "0.950")]
    assert "&lt;easy&gt;" in shown._repr_html_()
    assert "<easy>" not in shown._repr_html_()
