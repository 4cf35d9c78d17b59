from math import cos, exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import largest, smallest
from dprules.accounting.calibrate import crossing, minimum
from dprules.errors import PrivacyError


@pytest.mark.parametrize("edge", [1e-6, 0.3, 7.0, 1e5])
def test_edges_hold_on_the_safe_side(edge):
    low = largest(lambda x: x <= edge, start=1.0)
    assert edge * (1 - 1e-8) < low <= edge
    high = smallest(lambda x: x >= edge, start=1.0)
    assert edge <= high < edge * (1 + 1e-8)


def test_an_impossible_budget_is_refused():
    with pytest.raises(PrivacyError, match="No value meets the budget"):
        largest(lambda x: False, start=1.0)


def test_a_bound_that_always_holds_ends_the_walk():
    assert largest(lambda x: True, start=1.0) > 1e11


class Counted:
    """A costly function: counts its evaluations, and remembers where it was seen to hold."""

    def __init__(self, value):
        self.value = value
        self.seen = {}

    def __call__(self, x):
        self.seen[x] = self.value(x)
        return self.seen[x]


VALUES = {
    "cubic": lambda x: x**3,
    "exponential": lambda x: exp(-1 / x),
    "flat, then steep": lambda x: 1e-9 if x < 1.9 else exp(50 * (x - 2)),
    "a jump": lambda x: 0.0 if x < 1.3 else 5.0,
    "zero for long": lambda x: max(0.0, x - 1.5) ** 2,
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_crossing_ends_at_a_point_where_the_bound_was_seen_to_hold(value):
    counted = Counted(value)
    found = crossing(counted, 0.5, 0.5, 4.0)
    assert counted.seen[found] <= 0.5
    assert value(found * (1 + 1e-6)) > 0.5
    assert len(counted.seen) <= 62


def test_crossing_needs_few_evaluations_of_what_is_smooth():
    counted = Counted(lambda tilt: exp(-1 / tilt))
    crossing(counted, 1e-6, 0.05, 0.2)
    assert len(counted.seen) <= 15


def test_crossing_of_what_always_holds_is_the_upper_end():
    assert crossing(lambda x: 0.0, 1.0, 0.5, 2.0) == 2.0


@settings(max_examples=50, deadline=None)
@given(st.floats(0.1, 100), st.floats(1.01, 50), st.floats(0.2, 5))
def test_crossing_finds_powers(edge, width, power):
    found = crossing(lambda x: x**power, edge**power, edge / width, edge * width)
    assert edge * (1 - 1e-6) < found <= edge * (1 + 1e-12)


@settings(max_examples=50, deadline=None)
@given(st.floats(-5, 5), st.floats(0.1, 10))
def test_minimum_finds_the_bottom_of_a_valley(bottom, width):
    found = minimum(lambda x: (x - bottom) ** 2, bottom - width, bottom + 2 * width)
    assert found == pytest.approx(bottom, abs=1e-6 * width + 1e-9)


def test_minimum_of_other_shapes():
    assert minimum(cos, 0.0, 6.0) == pytest.approx(3.14159, abs=1e-4)
    assert minimum(lambda x: x, 1.0, 2.0) == pytest.approx(1.0, abs=1e-6)
    assert minimum(lambda x: -log(x), 1.0, 2.0) == pytest.approx(2.0, abs=1e-6)
    assert 1.0 <= minimum(lambda x: 0.0, 1.0, 2.0) <= 2.0


def test_minimum_evaluates_once_a_step():
    counted = Counted(lambda x: abs(x - 1))
    minimum(counted, 0.0, 3.0, steps=10)
    assert len(counted.seen) == 12
