"""How many mistakes a stream learner is guaranteed to stay below."""

from itertools import pairwise
from math import log

import pytest

from dprules.accounting import stream
from dprules.errors import ParameterError, PrivacyError
from dprules.learners.streams import GuardedPolicy, StreamSettings, plan_stream


def test_stream_plans_meet_their_budget_and_theorem():
    plan = plan_stream(200, 0.25, 10**8, 1.0, 1e-6)
    batched = plan.batched
    price = stream.epsilon(
        1e-6, draws=batched.draws, releases=batched.releases, rate=batched.rate, above=(batched.above, batched.above)
    )
    assert price <= 1.0
    # Theory B4 and B11, written out: c = 1/3, z = 1/2; no segment ends early, so there are few releases.
    part = plan.failure / 4
    fewest = int(batched.threshold - log(plan.horizon / part) / batched.above)
    most = batched.threshold + log((plan.horizon // fewest + 1) / part) / batched.above
    gain = 2 / 3 * plan.margin
    assert batched.rate * most <= gain / 2
    pairs = sum(plan.horizon - release * fewest for release in range(1, plan.horizon // fewest + 1))
    assert batched.draws >= 2 * log(pairs / (2 * part)) * 9 / plan.margin**2
    updates = log(plan.coordinates) / (batched.rate * fewest * gain * 0.75)
    assert batched.releases > updates
    assert batched.life >= batched.releases * most
    assert plan.mistakes == pytest.approx(log(plan.coordinates) / (batched.rate * gain * 0.75))
    assert plan.mistakes < plan.guarded_mistakes < 3 * plan.mistakes
    assert plan.ratio > 1e6


def test_every_switch_costs_a_life_and_parameters_know_nothing_of_it():
    one, *others = [plan_stream(100, 0.5, 10**8, 1.0, 1e-6, switches=switches) for switches in (0, 1, 10)]
    assert one.mistakes == one.batched.mistakes
    for plan in others:
        assert (plan.batched, plan.guarded.batched) == (one.batched, one.guarded.batched)
        assert plan.guarded.switch_after == one.guarded.switch_after
        assert plan.mistakes == one.mistakes + plan.switches * one.batched.life
        assert plan.mistakes <= (plan.switches + 1) * one.batched.life  # theory B11
        assert plan.guarded_mistakes > plan.mistakes
        assert "one target only" in str(plan.tables()[0])
    with pytest.raises(ParameterError, match="switches"):
        plan_stream(100, 0.5, 10**8, 1.0, 1e-6, switches=-1)


def test_the_guard_s_bound_is_of_the_learner_that_runs():
    settings = StreamSettings(1.0, 1e-6, "guarded", horizon=10**6, margin=1.0)
    plan = settings.plan(101)
    policy = settings.policy(101)
    assert isinstance(policy, GuardedPolicy)
    assert policy.switch_after == plan.guarded.switch_after
    second = plan.guarded.batched
    assert (policy.second.size, policy.second.planned, policy.second.threshold) == (
        second.draws,
        second.releases,
        second.threshold,
    )


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
