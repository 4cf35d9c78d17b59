"""Counted lists: the code that runs has the law of theory A6, outcome by outcome, and the law is within its price."""

from fractions import Fraction
from math import exp, prod

import numpy as np
import pytest

from dprules.accounting import CountedCover, Neighbours
from dprules.accounting.counted import Parts
from dprules.audit import (
    CountedLaw,
    CountTilts,
    Example,
    Gains,
    both_ways,
    hockey_stick,
    largest_loss,
    show_count,
    show_every_side,
    show_side,
    tilted,
)
from dprules.learners.lists.counted_cover import counted_cover
from dprules.learners.lists.remaining import TRUE, Remaining
from dprules.learners.lists.scores import UNIT, Score
from dprules.tables import PackedSample
from learners.lists.samples import FEATURES, ROWS, examples_of, sample_of

HALF = Fraction(1, 2)
TILT = 0.7
PARTS = Parts(Fraction(3, 4), Fraction(2, 5), Fraction(1, 5), Fraction(4, 5))
"""All different, so that none can stand in for another."""
UNEVEN = [*ROWS, *ROWS[:1] * 2, ((False, False), 0)]


def up_or_not(here, there, tilt):
    """A coarse release of a count that a walk can exhaust: one more if the noise is positive."""
    above = exp(-tilt) / (1 + exp(-tilt))
    return {here: 1 - above, here + 1: above}


class Walk:
    """Noise that takes the first outcome of every release, then the next ones: all runs, one after another."""

    def __init__(self, tilt=TILT):
        self._tilt = tilt
        self._ahead = []
        self._taken = []

    def start(self):
        self._taken = []

    def _take(self, options):
        """Take what was planned, or the first option; remember what else there is."""
        chosen = self._ahead[len(self._taken)] if len(self._taken) < len(self._ahead) else 0
        self._taken.append((chosen, options))
        return options[chosen][0]

    @property
    def probability(self):
        return prod(options[chosen][1] for chosen, options in self._taken)

    def goes_on(self):
        """Plan the next run: the last release that has another outcome takes it."""
        while self._taken and self._taken[-1][0] + 1 == len(self._taken[-1][1]):
            self._taken.pop()
        if not self._taken:
            return False
        self._ahead = [chosen for chosen, _ in self._taken]
        self._ahead[-1] += 1
        return True

    def pick(self, scores, prior, part):
        weights = prior * np.exp(float(part) * self._tilt * scores / UNIT)
        return self._take([(index, p) for index, p in enumerate(weights / weights.sum()) if p > 0])

    def count(self, counts, part):
        options = [up_or_not(int(count), 0, float(part) * self._tilt) for count in counts]
        return tuple(self._take(list(law.items())) for law in options)


def law_of_the_code(make, rounds, schedule, parts=PARTS, noise=None):
    """Run the learner in all ways that its noise may fall."""
    walk = noise or Walk()
    law = {}
    going = True
    while going:
        walk.start()
        cells = counted_cover(make(), rounds, schedule, walk, parts)
        rules = tuple(cell.drawn for cell in cells[:rounds])
        outcome = (rules, tuple(cell.counts for cell in cells))
        law[outcome] = law.get(outcome, 0.0) + walk.probability
        going = walk.goes_on()
    return law


def law_of_the_theory(rows, rounds, adapt, parts=PARTS, labels=2, **options):
    tilts = CountTilts(parts.last_rule, parts.cell, parts.last_cell, parts.remainder)
    law = CountedLaw(TILT, tilted(TILT), rounds, tilts, 2, labels, show=up_or_not, adapt=adapt, **options)
    return law(examples_of(rows), (), ())


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    assert sum(found.values()) == pytest.approx(1)
    for outcome, probability in expected.items():
        assert found[outcome] == pytest.approx(probability, rel=1e-9), outcome


def falling(round_, shown):
    """Choose gain and loss by what was shown of the round before."""
    if not shown:
        return Gains(Fraction(1, 4), Fraction(1))
    return Gains(Fraction(1), HALF) if sum(shown[-1]) % 2 else Gains(HALF, Fraction(1))


def as_schedule(adapt):
    """The same choice for the code that runs."""
    return lambda round_, cells: Score(*adapt(round_, [cell.counts for cell in cells]))


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("rows", [UNEVEN, ROWS[:1], []], ids=["uneven", "one row", "no row"])
def test_the_code_that_runs_has_the_exact_law(rounds, rows):
    found = law_of_the_code(lambda: Remaining(sample_of(rows), FEATURES), rounds, as_schedule(falling))
    assert_same(found, law_of_the_theory(rows, rounds, falling))


@pytest.mark.slow
def test_three_rounds_have_the_exact_law():
    """One condition more than there are: the third round has nothing left but the constant true."""
    rows = UNEVEN[:3]
    found = law_of_the_code(lambda: Remaining(sample_of(rows), FEATURES), 3, as_schedule(falling))
    assert_same(found, law_of_the_theory(rows, 3, falling))


def test_weights_a_prior_and_three_classes_have_the_exact_law():
    rows = [((True, False), 2), ((True, True), 0), ((False, True), 1), ((False, True), 1)]
    weights = (Fraction(1), Fraction(1, 4), Fraction(3, 64))
    prior = (2.0, 0.5, 1.0)
    found = law_of_the_code(
        lambda: Remaining(sample_of(rows, classes=3), FEATURES, np.array(prior), weights), 1, as_schedule(falling)
    )
    assert_same(found, law_of_the_theory(rows, 1, falling, labels=3, class_weights=weights, prior=prior))


class Forgetful(PackedSample):
    """Covered records stay in the sample."""

    def cover(self, condition):
        covered, _ = super().cover(condition)
        nothing = covered.cover(condition)[1]
        return nothing, self


class CountsAgain(Walk):
    """Counts with the tilt of the remainder whatever is counted."""

    def count(self, counts, part):
        return super().count(counts, PARTS.remainder)


class DrawsAlike(Walk):
    """Draws the last rule like every other."""

    def pick(self, scores, prior, part):
        return super().pick(scores, prior, Fraction(1))


@pytest.mark.parametrize("fault", [CountsAgain, DrawsAlike])
def test_noise_of_another_part_is_noticed(fault):
    make = lambda: Remaining(sample_of(UNEVEN), FEATURES)  # noqa: E731
    with pytest.raises(AssertionError):
        assert_same(
            law_of_the_code(make, 1, as_schedule(falling), noise=fault()), law_of_the_theory(UNEVEN, 1, falling)
        )


def test_records_that_are_counted_twice_are_noticed():
    rows = [((True, True), 1), ((True, False), 0)]
    matrix = np.array([held for held, _ in rows])
    labels = np.array([label for _, label in rows], dtype=np.int16)
    found = law_of_the_code(
        lambda: Remaining(Forgetful.from_booleans(matrix, labels, 2), FEATURES), 2, as_schedule(falling)
    )
    with pytest.raises(AssertionError):
        assert_same(found, law_of_the_theory(rows, 2, falling))


COMMON = [Example((True,), 0), Example((False,), 1)]
RULE = CountTilts(Fraction(9, 10), HALF, Fraction(1, 4), Fraction(1))


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ([Example((True,), 1)], []),
        ([Example((False,), 0)], []),
        ([Example((True,), 0)], [Example((True,), 1)]),
        ([Example((True,), 0)], [Example((False,), 1)]),
        ([Example((True,), 0)], [Example((False,), 0)]),
    ],
)
def test_showing_a_side_tells_as_much_as_the_noisy_count(own, other):
    """What the audit leaves out has the same odds: no divergence changes."""
    pairs = []
    for show in (show_side, show_every_side, show_count):
        law = CountedLaw(1.0, tilted(1.0), 1, RULE, features=1, show=show)
        pairs.append((law(COMMON, own, other), law(COMMON, other, own)))
    assert len(pairs[0][0]) < len(pairs[1][0]) < len(pairs[2][0])
    for epsilon in (0.0, 0.3, 1.0, 1.2):
        side, every, count = (both_ways(hockey_stick, p, q, epsilon) for p, q in pairs)
        assert side == pytest.approx(count, abs=1e-10)
        assert every == pytest.approx(count, abs=1e-10)
    side, every, count = (both_ways(largest_loss, p, q) for p, q in pairs)
    assert side == pytest.approx(count)
    assert every == pytest.approx(count)


@pytest.mark.parametrize("neighbours", [Neighbours.ADD_REMOVE, Neighbours.REPLACE])
def test_noisy_counts_themselves_are_within_the_price(neighbours):
    """The full law, with the noise as it is, for a record that a rule, the constant or no rule covers."""
    curve = CountedCover(Fraction(1), 1).curve(neighbours)
    law = CountedLaw(1.0, tilted(1.0), 1, RULE, features=1, show=show_count)
    beside = [Example((True,), 0)] if neighbours is Neighbours.REPLACE else []
    for one in (Example((True,), 1), Example((False,), 1)):
        laws = law(COMMON, [one], beside), law(COMMON, beside, [one])
        for epsilon in (0.0, 0.5, 1.0, 1.5):
            assert both_ways(hockey_stick, *laws, epsilon) <= curve.delta(epsilon) * (1 + 1e-9)


def test_the_constant_in_the_round_of_a_rule_has_the_noise_of_a_rule():
    """Limit (b) of theory A6: never that of the remainder."""
    law = law_of_the_code(lambda: Remaining(sample_of(ROWS[:1]), FEATURES), 2, as_schedule(falling))
    ended = {outcome: p for outcome, p in law.items() if outcome[0] == ((TRUE, 1),)}
    shown_more = sum(p for outcome, p in ended.items() if outcome[1][0][1] == 2) / sum(ended.values())
    noise = exp(-float(PARTS.cell) * TILT)
    assert shown_more == pytest.approx(noise / (1 + noise))
