"""The learner that runs has the law that theory A1 says, also where no record is left; planted faults are noticed."""

import numpy as np
import pytest

from conftest import assert_law
from dprules.audit import TRUE as LAW_TRUE
from dprules.audit import exact_list_law, tilted
from dprules.learners.lists import greedy_cover
from dprules.learners.lists.remaining import TRUE
from dprules.tables import PackedSample
from learners.lists.samples import FEATURES, ROWS, examples_of, sample_of

TILT = 0.7
UNEVEN = [*ROWS, *ROWS[:1] * 2]
"""More of one class: otherwise the draw of the default would not be seen."""
SCHEDULES = [((0,), False), ((1,), False), ((0.25, 0.5, 1.0), True), ((0.5, 0.5), True), ((1,), True)]


def law_of(rows, rewards=(0,), capped=False, tilt=TILT, prior=None, labels=2):
    law = exact_list_law(
        examples_of(rows),
        tilted(tilt),
        2,
        labels,
        rewards=rewards,
        rounds=len(rewards) if capped else None,
        prior=(lambda feature: 1) if prior is None else prior,
    )
    return {rules: float(p) for rules, p in law.items()}


def run(sample, bits, rewards=(0,), capped=False, tilt=TILT, prior=None, times=2500):
    return [tuple(greedy_cover(sample, FEATURES, tilt, rewards, bits, capped, prior)) for _ in range(times)]


def test_the_constant_true_is_called_alike():
    assert LAW_TRUE == TRUE


@pytest.mark.parametrize(("rewards", "capped"), SCHEDULES)
def test_the_code_that_runs_has_the_exact_law(rewards, capped, bits):
    assert_law(run(sample_of(UNEVEN), bits, rewards, capped), law_of(UNEVEN, rewards, capped))


def test_a_public_prior_has_the_exact_law(bits):
    rows = [row for row, times in zip(ROWS, (2, 1, 3, 1), strict=True) for _ in range(times)]
    weights = {0: 2.0, 1: 0.5, LAW_TRUE: 1.0}
    law = law_of(rows, (0.5, 1.0), True, tilt=0.4, prior=weights.__getitem__)
    prior = np.array([2.0, 0.5, 1.0])
    assert_law(run(sample_of(rows), bits, (0.5, 1.0), True, tilt=0.4, prior=prior), law)


def test_three_classes_have_the_exact_law(bits):
    rows = [((True, False), 2), ((True, True), 0), ((False, True), 1)]
    assert_law(run(sample_of(rows, classes=3), bits, (0.5,)), law_of(rows, (0.5,), labels=3))


@pytest.mark.parametrize("size", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("rewards", "capped"), [((0,), False), ((0.5, 0.5, 1), True)])
def test_with_no_row_left_the_draws_go_on(size, rewards, capped, bits):
    """An empty sample must not stop early: the law is that of the empty sample, all scores 0."""
    rows = ROWS[:size]
    assert_law(run(sample_of(rows), bits, rewards, capped, times=2500), law_of(rows, rewards, capped))


class Forgetful(PackedSample):
    """Covered records stay in the sample."""

    def cover(self, condition):
        return sample_of([]), self


def stop_when_empty(found, rows):
    """Cut a list as a learner would that stops when no record is left."""
    short = []
    for condition, label in found:
        if not rows and condition != TRUE:
            return (*short, (TRUE, 0))
        short.append((condition, label))
        rows = [row for row in rows if condition != TRUE and not row[0][condition]]
    return tuple(short)


def test_a_doubled_tilt_is_noticed(bits):
    with pytest.raises(AssertionError):
        assert_law(run(sample_of(ROWS), bits, tilt=2 * TILT), law_of(ROWS))


def test_records_that_are_not_removed_are_noticed(bits):
    faulty = Forgetful.from_booleans(
        np.array([held for held, _ in ROWS]), np.array([label for _, label in ROWS], dtype=np.int16), 2
    )
    with pytest.raises(AssertionError):
        assert_law(run(faulty, bits), law_of(ROWS))


def test_a_stop_on_an_empty_sample_is_noticed(bits):
    rows = ROWS[:1]
    runs = [stop_when_empty(found, rows) for found in run(sample_of(rows), bits, times=2500)]
    with pytest.raises(AssertionError):
        assert_law(runs, law_of(rows))


def test_progress_counts_rules_and_nothing_else(bits):
    told = []
    found = greedy_cover(sample_of(ROWS), FEATURES, TILT, (0,), bits, capped=False, progress=told.append)
    assert told == list(range(1, len(found) + 1))
