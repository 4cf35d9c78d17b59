"""How many mistakes a stream learner is guaranteed to stay below."""

from itertools import pairwise
from math import log

import pytest

from dprules.accounting import stream
from dprules.errors import ParameterError, PrivacyError
from dprules.learners.streams import plan_stream


def test_stream_plans_meet_their_budget_and_theorem():
    plan = plan_stream(200, 0.25, 10**8, 1.0, 1e-6)
    batched = plan.batched
    price = stream.epsilon(
        1e-6, draws=batched.draws, releases=batched.releases, rate=batched.rate, above=(batched.above, batched.above)
    )
    assert price <= 1.0
    # Theory B4, written out: c = 1/3, z = 1/2.
    part = plan.failure / 4
    most = batched.threshold + log(batched.releases / part) / batched.above
    fewest = batched.threshold - log(plan.horizon / part) / batched.above
    gain = 2 / 3 * plan.margin
    assert batched.rate * most <= gain / 2
    assert batched.draws >= 2 * log(plan.horizon * batched.releases / (2 * part)) * 9 / plan.margin**2
    updates = log(plan.coordinates) / (batched.rate * int(fewest) * gain * 0.75)
    assert batched.releases >= updates
    assert plan.mistakes == pytest.approx(log(plan.coordinates) / (batched.rate * gain * 0.75))
    assert plan.mistakes < plan.guarded_mistakes < 3 * plan.mistakes
    assert plan.ratio > 1e6


def test_mistakes_grow_as_the_theory_says():
    margins = [plan_stream(100, margin, 10**9, 1.0, 1e-6).mistakes for margin in (0.4, 0.2, 0.1)]
    assert all(4 < b / a < 10 for a, b in pairwise(margins))  # between 1/rho^2 and 1/rho^3
    budgets = [plan_stream(100, 0.2, 10**9, epsilon, 1e-6).mistakes for epsilon in (0.5, 1.0, 2.0)]
    assert budgets == sorted(budgets, reverse=True)
    zero_out = plan_stream(100, 0.2, 10**9, 1.0, 1e-6, neighbours="zero-out").mistakes
    assert zero_out < budgets[1]


def test_streams_have_no_add_remove_neighbours():
    with pytest.raises(PrivacyError, match="Choose replace or zero-out"):
        plan_stream(10, 0.5, 100, 1.0, 1e-6, neighbours="add-remove")


@pytest.mark.parametrize(("margin", "horizon"), [(0, 100), (1.5, 100), (0.5, 0), (0.5, 10**19)])
def test_parameters_that_make_no_sense_are_refused(margin, horizon):
    with pytest.raises(ParameterError):
        plan_stream(10, margin, horizon, 1.0, 1e-6)
