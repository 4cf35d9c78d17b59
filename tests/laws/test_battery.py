"""Section E of the theory note: every claim against exact laws, and every planted fault caught by a named check."""

import pytest

from dprules.audit import CHECKS, MUTATIONS, battery

BY_NAME = {check.name: check for check in CHECKS}
HEAVY = {
    "AboveThreshold, as it runs",
    "batched, replace",
    "batched, zero-out",
    "counted list, adaptive rewards",
    "counted list, replace",
    "draw, as it runs",
    "epochs, replace",
    "guarded",
    "list, add-remove",
    "list, replace",
    "noisy counts, as they run",
    "restart",
    "segment",
    "two lists together",
}
"""Checks that take seconds: with the slow tests."""


def marked(names):
    return [pytest.param(name, marks=[pytest.mark.slow] if name in HEAVY else []) for name in names]


def test_heavy_checks_are_there():
    assert set(BY_NAME) >= HEAVY


@pytest.mark.parametrize("name", marked(BY_NAME))
def test_no_claim_is_broken(name):
    finding = BY_NAME[name].run(seed=1)
    assert finding.holds, [point for point in finding.points if not point.holds]


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTATIONS)
def test_every_planted_fault_is_caught(fault):
    mutation = MUTATIONS[fault]
    finding = BY_NAME[mutation.caught_by].run(mutation.subject)
    assert not finding.holds, f"{mutation.what}: not noticed by {mutation.caught_by}"


NEARLY_TIGHT = [
    "list, add-remove",
    "list, replace",
    "batched, zero-out",
    "scorecard, add-remove",
    "scorecard, replace",
    "scorecard, two columns",
    "card histograms, add-remove",
    "card histograms, replace",
]


@pytest.mark.parametrize("name", marked(NEARLY_TIGHT))
def test_the_claims_are_nearly_tight(name):
    assert BY_NAME[name].run().ratio > 0.8


def test_the_battery_runs_its_checks_in_order():
    assert next(battery()).name == CHECKS[0].name
    assert len(BY_NAME) == len(CHECKS)
    assert {mutation.caught_by for mutation in MUTATIONS.values()} <= set(BY_NAME)
