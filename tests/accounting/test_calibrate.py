import pytest

from dprules.accounting.calibrate import crossing, largest, smallest
from dprules.errors import PrivacyError


@pytest.mark.parametrize("edge", [1e-6, 0.3, 7.0, 1e5])
def test_edges_hold_on_the_safe_side(edge):
    low = largest(lambda x: x <= edge, start=1.0)
    assert edge * (1 - 1e-8) < low <= edge
    high = smallest(lambda x: x >= edge, start=1.0)
    assert edge <= high < edge * (1 + 1e-8)
    found = crossing(lambda x: x**3, edge**3, edge / 2, edge * 3)
    assert edge * (1 - 1e-6) < found <= edge * (1 + 1e-15)


def test_an_impossible_budget_is_refused():
    with pytest.raises(PrivacyError, match="No value meets the budget"):
        largest(lambda x: False, start=1.0)


def test_a_bound_that_always_holds_ends_the_walk():
    assert largest(lambda x: True, start=1.0) > 1e11
    assert crossing(lambda x: 0.0, 1.0, 0.5, 2.0) == 2.0
