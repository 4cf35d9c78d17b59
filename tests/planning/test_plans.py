from itertools import pairwise
from math import comb, exp, lgamma, log, sqrt

import numpy as np
import pytest

from dprules.accounting import cover, stream
from dprules.audit.list_law import Example, exact_list_law, tilted
from dprules.errors import ParameterError, PrivacyError
from dprules.planning import conjunctions, plan_list, plan_stream


def test_candidates_are_counted():
    assert conjunctions(7, 3) == 2 * 7 + 4 * comb(7, 2) + 8 * comb(7, 3)
    with pytest.raises(ParameterError, match="width must be at most"):
        conjunctions(2, 3)


def test_rows_and_error_are_two_sides_of_one_bound():
    plan = plan_list(20, 1.0, 1e-6, error=0.1)
    back = plan_list(20, 1.0, 1e-6, rows=plan.rows_needed)
    assert back.guaranteed_error == pytest.approx(0.1, rel=1e-3)
    assert plan.rows_without_privacy < plan.rows_needed < plan.paper_rows
    assert plan_list(20, 1.0, 1e-6).ratio is None
    assert plan_list(20, 1.0, 1e-6, rows=50).guaranteed_error is None


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_more_budget_needs_fewer_rows_and_the_paper_many_more(neighbours):
    plans = [plan_list(15, epsilon, 1e-6, error=0.1, neighbours=neighbours) for epsilon in (0.3, 1.0, 3.0)]
    needed = [plan.rows_needed for plan in plans]
    assert needed == sorted(needed, reverse=True)
    assert all(plan.ratio > 5 for plan in plans)


def test_the_paper_bound_by_hand():
    M, beta, error = 40, 0.025, 0.1
    private = 8 * M * log(2 * M / sqrt(beta)) * (2 * log(1e6) + 3) / error
    log2_lists = (lgamma(M + 2) + (M + 1) * log(2)) / log(2)
    learning = 64 / error * (log2_lists * log(64 / error) + log(16 / beta))
    assert plan_list(20, 1.0, 1e-6, error=error).paper_rows == pytest.approx(max(private, learning), abs=1)


def test_the_error_bound_holds_on_an_exact_law():
    """A5 against the truth: few lists of the exact law err more often on the sample than planned."""
    plan = plan_list(1, 4.0, 1e-3, failure=0.2)
    sample = [Example((True, False), 1)] * 12 + [Example((False, True), 0)] * 12  # x1 and not x1
    law = exact_list_law(sample, tilted(plan.tilt), features=2)

    def errors(rules):
        return sum(
            next(label for feature, label in rules if example.covered_by(feature)) != example.label
            for example in sample
        )

    bad = sum(p for rules, p in law.items() if errors(rules) > plan.sample_errors)
    assert bad <= plan.failure / 2


def test_stream_plans_meet_their_budget_and_theorem():
    plan = plan_stream(200, 0.25, 10**8, 1.0, 1e-6)
    batched = plan.batched
    price = stream.epsilon(
        1e-6, draws=batched.draws, releases=batched.releases, rate=batched.rate, above=(batched.above, batched.above)
    )
    assert price <= 1.0
    # Theory B4, written out: c = 1/3, z = 1/2.
    part = plan.failure / 4
    most = batched.threshold + log(batched.releases / part) / batched.above
    fewest = batched.threshold - log(plan.horizon / part) / batched.above
    gain = 2 / 3 * plan.margin
    assert batched.rate * most <= gain / 2
    assert batched.draws >= 2 * log(plan.horizon * batched.releases / (2 * part)) * 9 / plan.margin**2
    updates = log(plan.coordinates) / (batched.rate * int(fewest) * gain * 0.75)
    assert batched.releases >= updates
    assert plan.mistakes == pytest.approx(log(plan.coordinates) / (batched.rate * gain * 0.75))
    assert plan.mistakes < plan.guarded_mistakes < 3 * plan.mistakes
    assert plan.ratio > 1e6


def test_mistakes_grow_as_the_theory_says():
    margins = [plan_stream(100, margin, 10**9, 1.0, 1e-6).mistakes for margin in (0.4, 0.2, 0.1)]
    assert all(4 < b / a < 10 for a, b in pairwise(margins))  # between 1/rho^2 and 1/rho^3
    budgets = [plan_stream(100, 0.2, 10**9, epsilon, 1e-6).mistakes for epsilon in (0.5, 1.0, 2.0)]
    assert budgets == sorted(budgets, reverse=True)
    zero_out = plan_stream(100, 0.2, 10**9, 1.0, 1e-6, neighbours="zero-out").mistakes
    assert zero_out < budgets[1]


def test_streams_have_no_add_remove_neighbours():
    with pytest.raises(PrivacyError, match="Choose replace or zero-out"):
        plan_stream(10, 0.5, 100, 1.0, 1e-6, neighbours="add-remove")


def test_the_tilt_of_a_plan_is_that_of_the_accountant():
    plan = plan_list(3, 1.0, 1e-6, width=2)
    assert plan.tilt == cover.tilt(1.0, 1e-6, rounds=plan.candidates + 1)
    assert np.isclose(plan.paper_tilt, 1 / (4 * (log(1e6) + 1.5)))
    assert exp(plan.tilt) > 1
