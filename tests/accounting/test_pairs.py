from fractions import Fraction
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import Cover, Neighbours, PaperCover, Pure
from dprules.accounting.pairs import connect_the_dots

ADD = Neighbours.ADD_REMOVE


@settings(max_examples=15, deadline=None)
@given(st.floats(0.05, 1.0), st.floats(0.0, 1.0))
def test_connecting_the_dots_stays_above_the_curve(tilt, reward):
    for event in (Cover(tilt, (Fraction(reward) if reward > 1e-90 else Fraction(0),)), Pure(tilt)):
        curve = event.curve(ADD)
        for way in (curve, curve.reversed()):
            reach = float(way.pure) if way.pure < inf else way.epsilon(1e-12)
            pair = connect_the_dots(way, reach / 300, reach)
            assert pair.mass.sum() + pair.infinite == pytest.approx(1, abs=1e-9)
            for epsilon in (0.0, reach / 7, reach / 2.3):
                assert pair.delta(epsilon) >= way.at(epsilon)
                assert pair.delta(epsilon) <= way.at(epsilon) * 1.05 + 1e-9


def test_a_bound_that_is_not_convex_is_replaced_by_its_hull():
    """The truth below it is convex, so the hull is still above the truth, and a pair has it."""
    curve = PaperCover(0.01).curve(ADD)
    pair = connect_the_dots(curve, 0.005, 2.0)
    assert pair.mass.sum() + pair.infinite == pytest.approx(1, abs=1e-9)
    assert all(pair.delta(epsilon) <= curve.at(epsilon) + 1e-9 for epsilon in (0.0, 0.05, 0.1))
    assert pair.delta(0.0) <= 1


def test_pairs_multiply_as_independent_releases_do():
    curve = Pure(Fraction(1, 2)).curve(ADD)
    pair = connect_the_dots(curve, 0.5 / 200, 0.5)
    twice = pair * pair
    # Two answers agree with probability p^2 or q^2: loss +-1, and 0 otherwise.
    yes = 0.6224593312018546
    assert twice.delta(0.0) == pytest.approx(yes**2 - (1 - yes) ** 2, rel=1e-3)
    assert twice.delta(0.5) == pytest.approx(yes**2 * (1 - 0.6065306597126334), rel=1e-3)
    assert twice.delta(1.0) == pytest.approx(0.0, abs=1e-9)
