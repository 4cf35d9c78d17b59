"""SegmentWinnow: it learns, forgets, follows changes, and stays within its price."""

from fractions import Fraction

import numpy as np
import pytest

from bench import stream_examples as examples
from dprules.accounting import Neighbours
from dprules.learners.streams import DenseBlock, DrawnIndices, PrivateLearner, SegmentPolicy, Weights
from dprules.learners.streams.segment import SMALLEST_STEP
from learners.streams.margins import count_mistakes


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 4])
def test_every_segment_stays_within_epsilon(epsilon):
    """Whatever was drawn before: 4 m eta and e + 2 m eta are at most epsilon."""
    policy = SegmentPolicy.start(20, epsilon)
    random = np.random.default_rng(0)
    for _ in range(200):
        size, rate = policy.size_and_rate
        tests = max(Fraction(policy.above.noise_tilt), Fraction(policy.above.test_tilt))
        assert max(4 * size * rate, tests + 2 * size * rate) <= Fraction(epsilon)
        policy = policy.after(random.integers(0, 41, size))
    for neighbours in (Neighbours.REPLACE, Neighbours.ZERO_OUT):
        assert policy.event().curve(neighbours).pure <= Fraction(epsilon)


@pytest.mark.parametrize("unit", [1, 64])
def test_the_null_moves_by_one_example_at_most(unit):
    policy = SegmentPolicy.start(5, 2)
    scores = np.zeros(5, dtype=np.int64)
    nulls = [int(policy.draws(scores, cached, unit).scores[-1]) for cached in range(300)]
    steps = np.diff(nulls)
    assert steps.min() >= 0
    assert steps.max() <= unit


def test_it_learns_a_disjunction_and_keeps_few_weights():
    stream = examples.disjunction(200, 2, 40_000)
    learner = PrivateLearner(SegmentPolicy.start(201, 1.0))
    assert count_mistakes(learner, stream) < 2500
    assert len(learner.policy.weights.support) < 30


def test_after_a_change_of_target_it_learns_again():
    stream = examples.with_drift(examples.disjunction(100, 2, 60_000), every=30_000)
    assert count_mistakes(PrivateLearner(SegmentPolicy.start(101, 2.0)), stream) < 5000


def test_label_noise_costs_little_more_than_itself():
    noisy = examples.with_noise(examples.disjunction(100, 2, 30_000), 0.1)
    assert count_mistakes(PrivateLearner(SegmentPolicy.start(101, 2.0)), noisy) < 3000 + 2500


def test_steps_stay_finite():
    policy = SegmentPolicy.start(3, 1.0)
    for _ in range(5000):
        policy = policy.after(np.array([0]))
    assert np.isfinite(policy.weights.values).all()


def test_steps_never_die_out():
    policy = SegmentPolicy.start(3, 1.0)
    for place in range(5000):
        policy = policy.after(np.array([0 if place % 2 else 3]))  # the sign turns every time
    assert min(abs(step) for step in policy.steps.values()) == SMALLEST_STEP


def test_a_change_of_target_is_followed_however_late_it_comes():
    """200,000 noisy rounds of one target, then its complement: mistakes that the new target does not make itself."""
    flip, after, size = 200_000, 60_000, 20_000
    random = np.random.default_rng(1)
    learner = PrivateLearner(SegmentPolicy.start(31, 1.0))
    excess = 0
    for start in range(0, flip + after, size):
        bits = random.random((size, 30)) < 0.5
        noise = random.random(size) < 0.15
        positive = (bits[:, 0] | bits[:, 1]) ^ (start >= flip) ^ noise
        changes = [(0, learner.policy.weights)]

        def publish(release: DrawnIndices, changes: list[tuple[int, Weights]] = changes) -> None:
            changes.append((release.position + 1, learner.policy.weights))

        block = DenseBlock(np.where(bits, 1, -1).astype(np.int8))
        learner.learn(block, np.where(positive, 1, -1).astype(np.int8), publish)
        if start >= flip:
            ends = [place for place, _ in changes[1:]] + [size]
            for (first, weights), last in zip(changes, ends, strict=True):
                excess += int(((block.weigh(weights, first, last) > 0) != positive[first:last]).sum())
            excess -= int(noise.sum())
    assert excess < 10_000  # without a floor of the steps it is about 30,000
