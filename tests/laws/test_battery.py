"""Section E of the theory note: every claim against exact laws, and every planted fault caught by a named check."""

import pytest

from dprules.audit import CHECKS, MUTATIONS, battery

BY_NAME = {check.name: check for check in CHECKS}


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("seed", [1])
def test_no_claim_is_broken(name, seed):
    finding = BY_NAME[name].run(seed=seed)
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


@pytest.mark.parametrize("name", NEARLY_TIGHT)
def test_the_claims_are_nearly_tight(name):
    assert BY_NAME[name].run().ratio > 0.8


def test_the_battery_runs_its_checks_in_order():
    assert next(battery()).name == CHECKS[0].name
    assert len(BY_NAME) == len(CHECKS)
    assert {mutation.caught_by for mutation in MUTATIONS.values()} <= set(BY_NAME)
