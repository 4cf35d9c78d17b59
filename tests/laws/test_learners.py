"""The learners that run have the laws that theory B says: every transcript, on short streams, in blocks of any size."""

from collections.abc import Sequence
from contextlib import nullcontext
from fractions import Fraction
from math import exp
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from conftest import assert_law
from dprules.audit import (
    BatchedLaw,
    FirstOnlyLaw,
    GuardedLaw,
    Law,
    Round,
    SegmentLaw,
    ThresholdLaw,
    exact_stream_law,
)
from dprules.learners.streams import (
    BatchedPolicy,
    ClippedBlock,
    DenseBlock,
    GuardedPolicy,
    PaperPolicy,
    Policy,
    PrivateLearner,
    ScoredDraws,
    SegmentPolicy,
)
from dprules.mechanisms import Bits

RUNS = 2500
SEEDS = [0, pytest.param(1, marks=pytest.mark.slow)]
BLOCKS = ((5,), (2, 3), (1, 1, 1, 1, 1), (0, 0, 0, 0, 0), (0, 2, 0, 1))
"""How a stream of five rounds may be cut; 0 is a single round, without a block."""
TILTS = (Fraction(1, 2), Fraction(3, 4))
TESTS = ThresholdLaw(exp(-0.5), exp(-0.75))
OPTIONS = {"threshold": 2, "draws": 1, "releases": 2, "rate": 0.5, "above": TILTS}
"""Lives of two releases: five rounds hold up to three of them."""
Rounds = Sequence[Round | None]


def stream(seed: int, length: int = 5) -> Rounds:
    """Rounds with a constant last coordinate, as the learner adds it; one round in which nothing happened."""
    random = Random(seed)
    rounds: list[Round | None] = [Round((random.choice((-1, 1)), 1), random.choice((-1, 1))) for _ in range(length)]
    rounds[random.randrange(length)] = None
    return rounds


def doubled(rounds: Rounds) -> Rounds:
    """The same with the negative of each coordinate, which the batched learners draw from."""
    return [r and Round((*r.features, *(-x for x in r.features)), r.label) for r in rounds]


def take_one(
    learner: PrivateLearner, kind: type[DenseBlock] | type[ClippedBlock], row: NDArray[np.float64], label: int
) -> tuple[int, ...] | None:
    """Take a single round as the estimators do."""
    says = float(kind(row).weigh(learner.policy.weights)[0])
    cached = label != 0 and label * says <= learner.policy.confidence
    return learner.take_one(row if cached else None, label, lambda rows: kind(np.vstack(rows)))


def transcript(
    policy: Policy, rounds: Rounds, blocks: Sequence[int], bits: Bits, kind: type[DenseBlock] | type[ClippedBlock]
) -> tuple[object, ...]:
    """One run: None, or what was released, for each round."""
    learner = PrivateLearner(policy, kind.unit, bits)
    X = np.array([r.features[:-1] if r else (1,) for r in rounds], dtype=float)
    y = np.array([r.label if r else 0 for r in rounds], dtype=np.int8)
    said: list[object] = [None] * len(rounds)
    start = 0
    for size in blocks:
        part = slice(start, start + max(size, 1))
        if size == 0:
            said[start] = take_one(learner, kind, X[part], int(y[start]))
            start += 1
            continue

        def publish(release, start=start):
            said[start + release.position] = release.indices

        learner.learn(kind(X[part]), y[part], publish)
        start += size
    return tuple(said)


def check(
    policy: Policy, law: Law, rounds: Rounds, bits: Bits, kind: type[DenseBlock] | type[ClippedBlock] = DenseBlock
) -> None:
    """The runs of a policy have a law, however the stream is cut."""
    runs = [transcript(policy, rounds, BLOCKS[i % len(BLOCKS)], bits, kind) for i in range(RUNS)]
    assert_law(runs, {key: float(p) for key, p in law.items()})


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", [DenseBlock, ClippedBlock])
def test_batched(seed, kind, bits):
    rounds = stream(seed)
    learner = BatchedLaw(4, exp(0.5), draws=1, releases=2, limit=2)
    law = exact_stream_law(doubled(rounds), learner, TESTS)
    check(BatchedPolicy.start(2, **OPTIONS), law, rounds, bits, kind)


@pytest.mark.parametrize("seed", SEEDS)
def test_paper(seed, bits):
    rounds = stream(seed)
    learner = FirstOnlyLaw(4, exp(0.5), draws=2, releases=2, limit=2)
    check(
        PaperPolicy.start(2, **(OPTIONS | {"draws": 2})),
        exact_stream_law(doubled(rounds), learner, TESTS),
        rounds,
        bits,
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("epsilon", [1, 4])
def test_segment(seed, epsilon, bits):
    rounds = stream(seed)
    learner = SegmentLaw(2, float(epsilon), scale=30.0)
    law = exact_stream_law(rounds, learner, ThresholdLaw(exp(-epsilon / 2), exp(-epsilon / 2)))
    check(SegmentPolicy.start(2, epsilon, scale=30), law, rounds, bits)


@pytest.mark.parametrize("seed", SEEDS)
def test_guarded(seed, bits):
    first = SegmentPolicy.start(2, 2, scale=30)
    second = BatchedPolicy.start(2, threshold=1, draws=1, releases=2, rate=0.5, above=(1, 1))
    rounds = stream(seed)
    switch_after = 2 * first.first_threshold - 1  # one segment, then the switch
    learner = GuardedLaw(
        SegmentLaw(2, 2.0, scale=30.0), BatchedLaw(4, exp(0.5), draws=1, releases=2, limit=1), switch_after
    )
    law = exact_stream_law(rounds, learner, ThresholdLaw(exp(-1), exp(-1)))
    check(GuardedPolicy(first, second, switch_after), law, rounds, bits)


class SharpSegment(SegmentPolicy):
    """Draws at twice the rate that it is priced for."""

    def draws(self, scores, cached, unit):
        asked = super().draws(scores, cached, unit)
        return ScoredDraws(asked.scores, 2 * asked.tilt, asked.size, asked.prior)


class KeepingSegment(SegmentPolicy):
    """Keeps the scores of earlier segments."""

    forgets = False


class TruncatedBatched(BatchedPolicy):
    """Adds the first cached mistake only."""

    first_only = True


class KeepingBatched(BatchedPolicy):
    """Begins a new life with the scores of the last one."""

    forgets = False


class OverhastyBatched(BatchedPolicy):
    """Tests at a lower threshold than it says."""

    @property
    def above(self):
        before = super().above
        return before and type(before)(before.threshold - 1, before.noise_tilt, before.test_tilt)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [SharpSegment, KeepingSegment])
def test_a_faulty_segment_is_noticed(fault, bits):
    rounds = [Round((1, 1), 1)] * 5
    law = exact_stream_law(rounds, SegmentLaw(2, 4.0, scale=60.0), ThresholdLaw(exp(-2), exp(-2)))
    check(SegmentPolicy.start(2, 4, scale=60), law, rounds, bits)
    with pytest.raises(AssertionError):
        check(fault.start(2, 4, scale=60), law, rounds, bits)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [TruncatedBatched, OverhastyBatched])
def test_a_faulty_batched_learner_is_noticed(fault, bits):
    rounds = [Round((1, 1), 1)] * 5
    learner = BatchedLaw(4, exp(0.5), draws=1, releases=2, limit=2)
    law = exact_stream_law(doubled(rounds), learner, TESTS)
    check(BatchedPolicy.start(2, **OPTIONS), law, rounds, bits)
    with pytest.raises(AssertionError):
        check(fault.start(2, **OPTIONS), law, rounds, bits)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [BatchedPolicy, KeepingBatched])
def test_a_life_of_one_release_and_scores_that_are_kept(kind, bits):
    rounds = [Round((-1, 1), 1), Round((1, 1), -1)] * 2
    law = exact_stream_law(doubled(rounds), BatchedLaw(4, exp(0.5), draws=1, releases=1, limit=1), TESTS)
    policy = kind.start(2, **(OPTIONS | {"threshold": 1, "releases": 1}))
    with nullcontext() if kind is BatchedPolicy else pytest.raises(AssertionError):
        runs = [transcript(policy, rounds, (2, 2), bits, DenseBlock) for _ in range(2 * RUNS)]
        assert_law(runs, {key: float(p) for key, p in law.items()})
