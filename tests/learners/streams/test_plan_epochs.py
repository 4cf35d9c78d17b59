from math import lgamma, log, sqrt

import pytest

from dprules.accounting import cover
from dprules.errors import ParameterError, PrivacyError
from dprules.learners.streams.plan_epochs import bound_mistakes, expected_errors_bound, plan_epochs


def test_the_theorem_of_the_note():
    """Doubling epochs: never above n0 + 2 f log2(1 + T / n0)."""
    tilt = cover.tilt(1.0, 1e-6, "replace")
    each = expected_errors_bound(50, tilt)
    lam = 51 * log(2) + lgamma(52)
    errors, spread = (lam + 51) / tilt, lam + 1
    assert each == pytest.approx(errors + spread + sqrt(spread**2 + 2 * errors * spread))
    for first in (500, 5_000, 8_000):
        closed = first + 2 * each * log(1 + 10**6 / first, 2)
        assert 0.5 * closed < bound_mistakes(each, first, 10**6, 10**6) <= closed
    assert bound_mistakes(each, 8_000, 10**6, 10**6) < 62_500  # about what the note says


def test_epochs_that_do_not_grow_cost_as_much_each():
    free, capped = (bound_mistakes(100.0, 1000, 10**6, most) for most in (10**6, 1000))
    assert capped == 1000 + 999 * 100
    assert free < capped


def test_no_bound_exceeds_the_rounds():
    for features in (1, 1_000):
        for horizon in (1, 10, 100_000):
            assert plan_epochs(features, horizon, 1.0, 1e-6).mistakes <= horizon
    assert plan_epochs(10, 10**18, 1.0, 1e-6).mistakes < 10**6


def test_more_budget_fewer_mistakes():
    one = plan_epochs(20, 10**6, 1.0, 1e-6)
    assert plan_epochs(20, 10**6, 4.0, 1e-6).mistakes < one.mistakes
    assert plan_epochs(20, 10**6, 1.0, 1e-6, "zero-out").mistakes < one.mistakes
    assert plan_epochs(20, 10**6, 1.0, 1e-6, memory=10_000).mistakes > one.mistakes


def test_what_cannot_be_planned_is_refused():
    with pytest.raises(ParameterError, match="features"):
        plan_epochs(0, 100, 1.0, 1e-6)
    with pytest.raises(PrivacyError, match="replace or zero-out"):
        plan_epochs(5, 100, 1.0, 1e-6, "add-remove")
