from fractions import Fraction
from math import exp

import pytest

from dprules.audit import CountedLaw, CountTilts, EpochLaw, Example, ThresholdLaw, tilted
from dprules.audit.list_law import TRUE

PARTS = CountTilts(Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(1))
FIT = CountedLaw(1.0, tilted(1.0), 1, PARTS, features=1)
TESTS = ThresholdLaw(exp(-0.5), exp(-0.5))
A, B, C = Example((True,), 1), Example((False,), 0), Example((True,), 0)


def test_probabilities_add_up():
    for tests in (None, TESTS):
        law = EpochLaw(FIT, 2, tests)([A, B, C, A, B], [A, None, C, A, B])
        assert sum(law.values()) == pytest.approx(1.0)


def test_without_a_watch_epochs_are_independent():
    here, there = [A, B, C, A], [A, B, C, None]
    law = EpochLaw(FIT, 2)(here, there)
    first, second = FIT([A, B], [], []), FIT([C], [A], [])
    assert len(law) == len(first) * len(second)
    for one, p in first.items():
        for two, q in second.items():
            assert law[one, two] == pytest.approx(p * q)


def test_an_alarm_drops_the_epoch():
    """After an alarm in the first round of the second epoch the two rounds that are left are an epoch of their own."""
    law = EpochLaw(FIT, 2, TESTS)([A, B, C, A, B], [A, B, C, A, B])
    first = ((TRUE, 1),)
    shown = {said[0][1] for said in law if said[0][0] == first}
    (cells,) = shown
    entry = (first, cells)
    after = sum(mass for said, mass in law.items() if said[:2] == (entry, 0))
    # The list says 1 always and C is of class 0: one mistake at a limit of 1.
    fire = TESTS.first_fire([1, 1], 1)[0]
    assert after == pytest.approx(FIT([A, B], [], [])[entry] * fire)
    rest = {said[2:] for said in law if said[:2] == (entry, 0)}
    alarms = {said for said in rest if not isinstance(said[0], tuple)}
    assert alarms == {(0,), (0, 0), (1,)}
    assert rest - alarms == {(outcome,) for outcome in FIT([A, B], [], [])}


def test_rounds_in_which_nothing_happened_are_in_no_fit_and_no_mistake():
    law = EpochLaw(FIT, 2, TESTS)([None, None, None, None], [None, None, None, None])
    assert sum(law.values()) == pytest.approx(1.0)
    silent = sum(mass for said, mass in law.items() if len(said) == 2 and isinstance(said[1], tuple))
    assert silent == pytest.approx(1 - sum(TESTS.first_fire([0, 0], 1)))
