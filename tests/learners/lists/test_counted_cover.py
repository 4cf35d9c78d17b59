"""Rules and their counts as they are drawn; `tests/laws/test_counted.py` has the law of it, outcome by outcome."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from conftest import assert_law
from dprules.accounting.counted import Parts
from dprules.audit import CountedLaw, CountTilts, Gains, tilted
from dprules.learners.lists.counted_cover import NoNoise, TiltedNoise, counted_cover
from dprules.learners.lists.remaining import TRUE, Remaining
from dprules.learners.lists.scores import Score
from learners.lists.samples import FEATURES, ROWS, examples_of, sample_of

TILT = Fraction(7, 10)
PARTS = Parts(Fraction(3, 4), Fraction(2, 5), Fraction(1, 5), Fraction(4, 5))
RUNS = 2500


def even(round_, cells):
    """Correct records and errors count alike."""
    return Score.of(1)


def adapted(round_, cells):
    """Gain and loss by whether the rule before has shown records of the first class."""
    if not cells:
        return Score(Fraction(1, 4), Fraction(1))
    return Score(Fraction(1), Fraction(1, 2)) if cells[-1].counts[0] > 1 else Score(Fraction(1, 2), Fraction(1))


def two_sides(here, there, tilt):
    """What the law says of "above 1", which is all that the test looks at."""
    above = exp(-tilt * (2 - here)) / (1 + exp(-tilt)) if here < 2 else 1 - exp(-tilt * (here - 1)) / (1 + exp(-tilt))
    return {True: above, False: 1 - above}


def expected_law(rows, rounds):
    def adapt(round_, shown):
        score = adapted(round_, [])
        if shown:
            score = Score(Fraction(1), Fraction(1, 2)) if shown[-1][0] else Score(Fraction(1, 2), Fraction(1))
        return Gains(score.gain, score.loss)

    tilts = CountTilts(PARTS.last_rule, PARTS.cell, PARTS.last_cell, PARTS.remainder)
    law = CountedLaw(float(TILT), tilted(float(TILT)), rounds, tilts, 2, show=two_sides, adapt=adapt)
    return law(examples_of(rows), (), ())


def run(rows, rounds, bits, tilt=TILT, parts=PARTS, times=RUNS):
    runs = []
    for _ in range(times):
        remaining = Remaining(sample_of(rows), FEATURES)
        cells = counted_cover(remaining, rounds, adapted, TiltedNoise(tilt, bits), parts)
        rules = tuple(cell.drawn for cell in cells[:rounds])
        runs.append((rules, tuple(tuple(count > 1 for count in cell.counts) for cell in cells)))
    return runs


@pytest.mark.parametrize("rows", [[*ROWS, *ROWS[:2]], ROWS[:1], []], ids=["six rows", "one row", "no row"])
@pytest.mark.parametrize("rounds", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_with_real_noise_it_has_the_law_of_the_theory(rows, rounds, bits):
    assert_law(run(rows, rounds, bits), expected_law(rows, rounds))


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        {"tilt": 2 * TILT},
        {"parts": Parts(Fraction(3, 4), Fraction(2, 5), Fraction(1, 5), Fraction(1, 5))},
        {"parts": Parts(Fraction(3, 4), Fraction(1, 10), Fraction(1, 5), Fraction(4, 5))},
    ],
    ids=["a doubled tilt", "a blunter remainder", "blunter cells"],
)
def test_other_noise_is_noticed(fault, bits):
    rows = ROWS * 2
    with pytest.raises(AssertionError):
        assert_law(run(rows, 2, bits, times=6000, **fault), expected_law(rows, 2))


def test_without_noise_rules_and_counts_are_those_of_the_sample():
    likelier = np.array([1.0, 1.0, 0.5])  # of equals, a condition rather than the constant
    cells = counted_cover(Remaining(sample_of(ROWS * 10), FEATURES, likelier), 2, even, NoNoise(), PARTS)
    assert [cell.drawn for cell in cells] == [(1, 0), (0, 1), (TRUE, 0)]
    assert [cell.counts for cell in cells] == [(20, 0), (0, 20), (0, 0)]
    assert [cell.part for cell in cells] == [PARTS.cell, PARTS.last_cell, PARTS.remainder]


def test_after_the_constant_nothing_is_drawn_or_counted():
    """What it covers has the noise of a rule, never that of the remainder."""
    rows = [((False, False), 1)] * 5
    for rounds, part in ((1, PARTS.last_cell), (3, PARTS.cell)):
        (cell,) = counted_cover(Remaining(sample_of(rows), FEATURES), rounds, even, NoNoise(), PARTS)
        assert cell.drawn == (TRUE, 1)
        assert cell.counts == (0, 5)
        assert cell.part == part


def test_every_record_is_counted_once(bits):
    sharp = TiltedNoise(Fraction(1000), bits)
    for _ in range(20):
        cells = counted_cover(Remaining(sample_of(ROWS), FEATURES), 3, even, sharp, PARTS)
        assert np.sum([cell.counts for cell in cells], axis=0).tolist() == sample_of(ROWS).totals().tolist()


def test_the_default_is_the_class_of_the_largest_weight_times_count():
    rows = [((True, False), 1)] * 9 + [((False, False), 0)] * 3 + [((False, False), 1)] * 2
    weights = (Fraction(1, 2), Fraction(1))
    for given, label in ((None, 0), (weights, 1)):
        remaining = Remaining(sample_of(rows), FEATURES, np.array([1.0, 0.0, 0.0]), given)
        assert counted_cover(remaining, 1, even, NoNoise(), PARTS)[-1].drawn == (TRUE, label)


def test_progress_counts_rules_and_nothing_else(bits):
    told = []
    cells = counted_cover(
        Remaining(sample_of(ROWS), FEATURES), 2, even, TiltedNoise(TILT, bits), PARTS, progress=told.append
    )
    assert told == list(range(1, len([cell for cell in cells if cell.part != PARTS.remainder]) + 1))


def test_a_schedule_sees_released_counts_only(bits):
    """What it is given are the cells that are returned."""
    seen = []

    def watch(round_, cells):
        seen.append((round_, tuple(cells)))
        return Score.of(1)

    cells = counted_cover(Remaining(sample_of(ROWS), FEATURES), 2, watch, TiltedNoise(TILT, bits), PARTS)
    assert seen == [(j, tuple(cells[:j])) for j in range(len(seen))]
