"""GuardedWinnow: the practice of segment, the theorem of batched, the price of the dearer one."""

from dataclasses import replace

import numpy as np
import pytest

from bench import stream_examples as examples
from dprules.accounting import GuardedStream
from dprules.errors import PrivacyError
from dprules.learners.streams import (
    BatchedPolicy,
    GuardedPolicy,
    PaperPolicy,
    PrivateLearner,
    SegmentPolicy,
    StreamSettings,
)
from learners.streams.margins import FEATURES, STREAMS, count_mistakes

OPTIONS = {"threshold": 3, "draws": 1, "releases": 5, "rate": 0.1, "above": (0.1, 0.1)}


def guarded(switch_after):
    return GuardedPolicy(SegmentPolicy.start(3, 2), BatchedPolicy.start(3, **OPTIONS), switch_after)


def test_the_switch_depends_on_thresholds_alone_and_is_for_one_life():
    first = SegmentPolicy.start(3, 2).threshold
    policy = guarded(2 * first)
    assert not policy.switched
    policy = policy.after(np.array([0, 0]))  # a feature: the next segment is as long
    assert not policy.switched
    policy = policy.after(np.array([6]))  # null: the next segment is twice as long
    assert policy.switched
    kept = policy.first.weights.values.tolist()
    assert policy.weights.values.tolist() == kept != [0, 0, 0]
    for left in range(5, 0, -1):
        assert policy.switched
        assert (policy.confidence, policy.second.releases, policy.forgets) == (0.0, left, left == 1)
        policy = policy.after(np.array([1]))
    assert not policy.switched
    assert (policy.opened, policy.first.threshold, policy.first.steps) == (0, first, {})
    assert policy.forgets
    assert policy.weights.values.tolist() == [0, 1, 0]
    assert policy.after(np.array([6])).opened == first


def test_with_a_switch_below_its_first_threshold_it_is_batched_alone():
    policy = guarded(1)
    for _ in range(12):
        assert policy.switched
        policy = policy.after(np.array([2]))


def test_it_costs_the_dearer_learner():
    event = guarded(100).event()
    assert isinstance(event, GuardedStream)
    assert event == guarded(100).after(np.array([0])).event()
    other = PaperPolicy.start(3, **OPTIONS)
    with pytest.raises(PrivacyError, match="segment and batched"):
        replace(guarded(100), second=other).event()


@pytest.mark.parametrize("name", ["disjunction", "points", "blocks"])
def test_learners_with_a_theorem_stay_within_it(name):
    stream = STREAMS[name]
    settings = StreamSettings(40.0, 1e-3, "guarded", horizon=stream.length, margin=stream.margin)
    plan = settings.plan(FEATURES + 1)
    policy = settings.policy(FEATURES + 1)
    assert isinstance(policy, GuardedPolicy)
    assert plan.mistakes < plan.paper_mistakes
    for seed in range(2):
        assert count_mistakes(PrivateLearner(policy.second), stream, seed) <= plan.mistakes
        assert count_mistakes(PrivateLearner(policy), stream, seed) <= plan.guarded_mistakes


def test_segment_fails_where_batched_and_guarded_do_not():
    """Theory B8: runs of equal examples defeat a learner that forgets; the guard notices, from public things only."""
    stream = examples.equal_blocks(400, 60_000, repeat=500)
    settings = StreamSettings(4.0, 1e-3, "guarded", horizon=stream.length, margin=1.0)
    policy = settings.policy(401)
    assert isinstance(policy, GuardedPolicy)
    forgetful = count_mistakes(PrivateLearner(policy.first), stream)
    batched = count_mistakes(PrivateLearner(policy.second), stream)
    guarded = count_mistakes(PrivateLearner(policy), stream)
    assert forgetful > 4 * batched
    assert forgetful > 2 * guarded
    assert guarded <= settings.plan(401).guarded_mistakes
