from fractions import Fraction

import pytest

from dprules.accounting import Neighbours
from dprules.errors import ParameterError
from dprules.learners.streams.epoch_plan import EpochPlan
from dprules.numbers import rounded_down

EIGHTH = Fraction(1, 8)
MILLIONTH = Fraction(1, 10**6)


@pytest.mark.parametrize("neighbours", ["replace", "zero-out"])
@pytest.mark.parametrize("watch", [Fraction(0), EIGHTH])
@pytest.mark.parametrize("delta", [Fraction(0), MILLIONTH])
def test_all_fits_together_keep_to_the_budget(neighbours, watch, delta):
    plan = EpochPlan.of(Fraction(1), delta, neighbours, 100, None, watch)
    price = plan.event().curve(Neighbours.parse(neighbours))
    assert price.delta(1.0) <= rounded_down(delta)
    assert price.delta(0.99) > 0.9 * delta


def test_a_watch_that_leaves_nothing_is_refused():
    with pytest.raises(ParameterError, match="share of epsilon"):
        EpochPlan.of(Fraction(1), MILLIONTH, "replace", 100, None, Fraction(1))
