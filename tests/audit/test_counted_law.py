from fractions import Fraction
from math import exp

import pytest

from dprules.audit import CountedLaw, CountTilts, Example, Gains, show_count, show_every_side, show_side, tilted

PARTS = CountTilts(Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(1))
RECORD = Example((True,), 1)


@pytest.mark.parametrize("show", [show_side, show_every_side, show_count])
@pytest.mark.parametrize("here", [0, 1, 5])
@pytest.mark.parametrize("change", [-1, 0, 1])
def test_what_a_cell_shows_is_a_law_with_odds_of_the_tilt(show, here, change):
    """Two runs whose counts differ by one have odds of e^tilt or e^-tilt for every outcome, and no others."""
    there = max(0, here + change)
    ours = show(here, there, 0.4)
    theirs = show(there, here, 0.4)
    assert sum(ours.values()) == pytest.approx(1)
    assert ours.keys() == theirs.keys()
    odds = {round(ours[outcome] / theirs[outcome], 9) for outcome in ours}
    assert odds == ({1.0} if here == there else {round(exp(0.4), 9), round(exp(-0.4), 9)})


def test_a_law_by_hand():
    """One record that the feature covers, one rule: weights e^.75 for its label, e^-.75 for the other."""
    law = CountedLaw(1.0, tilted(1.0), 1, PARTS, features=1)([], own=[RECORD], other=[])
    assert sum(law.values()) == pytest.approx(1)
    right = exp(0.75) / (2 * exp(0.75) + 2 * exp(-0.75))
    told = 1 / (1 + exp(-0.25))
    # The rule shows its side; the record is then gone, and the remainder has nothing to show.
    assert law[((0, 1),), ((None, True), (None, None))] == pytest.approx(right * told)
    assert law[((-1, 1),), ((None, False),)] == pytest.approx(right * (1 - told))
    uncovered = CountedLaw(1.0, tilted(1.0), 1, PARTS, features=1)([], own=[Example((False,), 1)], other=[])
    sides = [p for (rules, shown), p in uncovered.items() if rules == ((0, 1),) and shown[-1] == (None, True)]
    assert sum(sides) == pytest.approx(1 / (2 + exp(0.75) + exp(-0.75)) / (1 + exp(-1)))


def test_gains_losses_weights_and_a_prior_by_hand():
    weights = (Fraction(1), Fraction(1, 2))
    law = CountedLaw(
        2.0,
        tilted(2.0),
        1,
        PARTS,
        features=0,
        adapt=lambda round_, shown: Gains(Fraction(1, 2), Fraction(1, 4)),
        class_weights=weights,
        prior=(3.0,),
    )([], own=[Example((), 1)], other=[])
    # The score is 1/4 or -1/8, at 3/4 of the tilt 2; a factor that all have changes nothing.
    found = sum(p for (rules, _), p in law.items() if rules == ((-1, 1),))
    assert found == pytest.approx(exp(0.375) / (exp(0.375) + exp(-0.1875)))


def test_a_schedule_sees_what_was_shown_before():
    seen = []

    def adapt(round_, shown):
        seen.append((round_, tuple(shown)))
        return Gains()

    law = CountedLaw(1.0, tilted(1.0), 2, PARTS, features=1, show=show_every_side, adapt=adapt)
    assert sum(law([RECORD], [], []).values()) == pytest.approx(1)
    assert {round_ for round_, _ in seen} == {0, 1}
    assert {shown for round_, shown in seen if round_ == 1} == {
        ((first, second),) for first in (True, False) for second in (True, False)
    }


def test_neighbours_that_do_not_differ_have_one_law():
    law = CountedLaw(1.0, tilted(1.0), 2, PARTS, features=1)
    assert law([RECORD], [RECORD], [RECORD]) == law([RECORD, RECORD], [], [])
