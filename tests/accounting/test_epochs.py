from fractions import Fraction
from math import exp

import pytest

from dprules.accounting import CountedCover, EpochStream, Neighbours, ThresholdTilts, epochs
from dprules.accounting.counted import Parts
from dprules.accounting.curve import randomised_response
from dprules.errors import PrivacyError

STREAMS = (Neighbours.REPLACE, Neighbours.ZERO_OUT)
EIGHTH = ThresholdTilts.of((0.125, 0.125))


def stream(tilt, rules=3, watch=None):
    return EpochStream((CountedCover(tilt, rules, Parts.of(rules)),), watch)


def test_without_a_watch_a_stream_costs_its_dearest_fit():
    cheap, dear = CountedCover(0.05, 3), CountedCover(0.2, 3)
    for neighbours, table in ((Neighbours.ZERO_OUT, Neighbours.ADD_REMOVE), (Neighbours.REPLACE, Neighbours.REPLACE)):
        both = EpochStream((cheap, dear)).curve(neighbours)
        alone = dear.curve(table)
        assert both.delta(0.3) == alone.delta(0.3) > cheap.curve(table).delta(0.3)
        assert both.epsilon(0) == alone.epsilon(0)


def test_fits_may_cross():
    """Few sharp draws and many blunt ones: which of them is dearer depends on epsilon."""
    few, many = CountedCover(0.4, 1), CountedCover(0.2, 20)
    curves = [one.curve(Neighbours.ADD_REMOVE) for one in (few, many)]
    both = EpochStream((few, many)).curve(Neighbours.ZERO_OUT)
    for epsilon in (0.0, 0.3, 0.9):
        assert both.delta(epsilon) == max(curve.delta(epsilon) for curve in curves)
    assert curves[0].delta(0.1) > curves[1].delta(0.1)
    assert curves[0].delta(0.9) < curves[1].delta(0.9)


@pytest.mark.parametrize("neighbours", STREAMS)
def test_a_watch_is_composed_with_the_fit(neighbours):
    """As randomised response would be: a share of the time it has told all of its epsilon, otherwise the reverse."""
    fit = stream(0.2).curve(neighbours)
    watched = stream(0.2, watch=EIGHTH).curve(neighbours)
    told = exp(0.125) / (1 + exp(0.125))
    for epsilon in (0.05, 0.2, 0.6):
        expected = told * fit.at(epsilon - 0.125) + (1 - told) * fit.at(epsilon + 0.125)
        assert watched.delta(epsilon) == pytest.approx(expected, rel=1e-9)
        assert fit.delta(epsilon) <= watched.delta(epsilon) <= fit.at(epsilon - 0.125)
    assert watched.pure == fit.pure + Fraction(1, 8)


def test_a_test_alone_is_randomised_response():
    nothing = randomised_response(Fraction(1, 10**9))
    made = epochs.after_a_test(Fraction(1, 2), nothing)
    for epsilon in (0.0, 0.2, 0.49):
        assert made.delta(epsilon) == pytest.approx(randomised_response(Fraction(1, 2)).delta(epsilon), abs=1e-8)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("neighbours", STREAMS)
def test_tilts_meet_the_budget_and_use_it(neighbours, delta):
    for watch in (None, EIGHTH):
        test = Fraction(0) if watch is None else watch.pure
        tilt = epochs.tilt(Fraction(1), delta, 3, neighbours, test)
        assert stream(tilt, watch=watch).curve(neighbours).delta(1.0) <= delta
        assert stream(tilt * Fraction(102, 100), watch=watch).curve(neighbours).delta(1.0) > delta


def test_a_watch_that_takes_all_is_refused():
    with pytest.raises(PrivacyError, match="smaller share"):
        epochs.tilt(Fraction(1), 0.0, 3, Neighbours.REPLACE, Fraction(1))


def test_streams_have_no_added_rows():
    with pytest.raises(PrivacyError, match="replace or zero-out"):
        stream(0.2).curve(Neighbours.ADD_REMOVE)
