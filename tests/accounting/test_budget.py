from fractions import Fraction

import pytest

from dprules.accounting import Budget
from dprules.errors import ParameterError


def test_shares_never_exceed_the_total():
    budget = Budget.of(1.0, 1e-6, {"counts": 0.02, "cuts": 0.1, "rules": 0.05})
    parts = [budget.epsilon(name) for name in ("counts", "cuts", "rules")] + [budget.rest]
    assert sum(map(Fraction, parts)) <= 1
    assert budget.rest == pytest.approx(0.83)


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        ((0, 1e-6), "epsilon must be positive"),
        ((1, 1.5), "delta must be below 1"),
        ((1, 0, {"a": 0.5, "b": 0.5}), "shares must sum to less than 1"),
        ((1, 0, {"a": 0}), "share 'a' must be positive"),
    ],
)
def test_bad_budgets_get_a_sentence(arguments, starts):
    with pytest.raises(ParameterError, match="^" + starts):
        Budget.of(*arguments)


def test_a_share_that_is_not_there():
    with pytest.raises(ParameterError, match="no share is named 'x'; there are: none"):
        Budget.of(1, 0).epsilon("x")
