"""The learners that run have the laws that theory B says: every transcript, on short streams, in blocks of any size."""

from dataclasses import replace
from fractions import Fraction
from math import exp
from random import Random

import numpy as np
import pytest

from conftest import assert_law
from dprules.audit import exact_stream_law, stream_learners
from dprules.audit.stream_law import Round
from dprules.audit.stream_law import Tests as Law
from dprules.online.batched import Batched
from dprules.online.blocks import Dense, Real
from dprules.online.guarded import Guarded
from dprules.online.learner import PrivateLearner
from dprules.online.private import Paper
from dprules.online.segment import Segment

RUNS = 2000


def stream(seed, length=5):
    """Rounds with a constant last coordinate, as the learner adds it; one round in which nothing happened."""
    random = Random(seed)
    rounds = [Round((random.choice((-1, 1)), 1), random.choice((-1, 1))) for _ in range(length)]
    rounds[random.randrange(length)] = None
    return rounds


def doubled(rounds):
    """The same with the negative of each coordinate, which the batched learners draw from."""
    return [r and Round((*r.features, *(-x for x in r.features)), r.label) for r in rounds]


def transcript(rule, rounds, blocks, bits, kind=Dense):
    learner = PrivateLearner(rule, kind.unit, bits)
    X = np.array([r.features[:-1] if r else (1,) for r in rounds], dtype=float)
    y = np.array([r.label if r else 0 for r in rounds], dtype=np.int8)
    said, start = [None] * len(rounds), 0
    for size in blocks:
        part = slice(start, start + size)

        def published(release, start=start):
            said[start + release.position] = release.indices

        learner.learn(kind(X[part]), y[part], published)
        start += size
    return tuple(said)


def check(rule, law, rounds, bits, kind=Dense):
    blocks = ((5,), (2, 3), (1, 1, 1, 1, 1))
    runs = [transcript(rule, rounds, blocks[i % 3], bits, kind) for i in range(RUNS)]
    assert_law(runs, {key: float(p) for key, p in law.items()})


pytestmark = pytest.mark.slow
TILTS = (Fraction(1, 2), Fraction(3, 4))
TESTS = Law(exp(-0.5), exp(-0.75))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", [Dense, Real])
def test_batched(seed, kind, bits):
    rule = Batched.start(2, threshold=2, draws=2, releases=2, rate=0.5, above=TILTS)
    rounds = stream(seed)
    learner = stream_learners.Batched(4, exp(0.5), draws=2, releases=2, limit=2)
    check(rule, exact_stream_law(doubled(rounds), learner, TESTS), rounds, bits, kind)


@pytest.mark.parametrize("seed", range(2))
def test_paper(seed, bits):
    rule = Paper.start(2, threshold=2, draws=2, releases=2, rate=0.5, above=TILTS)
    rounds = stream(seed)
    learner = stream_learners.FirstOnly(4, exp(0.5), draws=2, releases=2, limit=2)
    check(rule, exact_stream_law(doubled(rounds), learner, TESTS), rounds, bits)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("epsilon", [1, 4])
def test_segment(seed, epsilon, bits):
    rule = Segment.start(2, epsilon, scale=30)
    rounds = stream(seed)
    learner = stream_learners.Segment(2, float(epsilon), scale=30.0)
    law = exact_stream_law(rounds, learner, Law(exp(-epsilon / 2), exp(-epsilon / 2)))
    check(rule, law, rounds, bits)


@pytest.mark.parametrize("seed", range(2))
def test_guarded(seed, bits):
    first = Segment.start(2, 2, scale=30)
    second = Batched.start(2, threshold=1, draws=1, releases=2, rate=0.5, above=(1, 1))
    rounds = stream(seed)
    most = 2 * first.first_threshold - 1  # one segment, then the switch
    law = exact_stream_law(
        rounds,
        stream_learners.Guarded(
            stream_learners.Segment(2, 2.0, scale=30.0),
            stream_learners.Batched(4, exp(0.5), draws=1, releases=2, limit=1),
            most,
        ),
        Law(exp(-1), exp(-1)),
    )
    check(Guarded(first, second, most), law, rounds, bits)


class SharpSegment(Segment):
    """Draws at twice the rate that it is priced for."""

    def draws(self, scores, cached, unit):
        asked = super().draws(scores, cached, unit)
        return replace(asked, tilt=2 * asked.tilt)


class KeepingSegment(Segment):
    """Keeps the scores of earlier segments."""

    forgets = False


class TruncatedBatched(Batched):
    """Adds the first cached mistake only."""

    first_only = True


@pytest.mark.parametrize("fault", [SharpSegment, KeepingSegment])
def test_a_faulty_segment_is_noticed(fault, bits):
    rounds = [Round((1, 1), 1)] * 5
    learner = stream_learners.Segment(2, 4.0, scale=60.0)
    law = exact_stream_law(rounds, learner, Law(exp(-2), exp(-2)))
    check(Segment.start(2, 4, scale=60), law, rounds, bits)
    with pytest.raises(AssertionError):
        check(fault.start(2, 4, scale=60), law, rounds, bits)


def test_a_truncated_cache_is_noticed(bits):
    rounds = [Round((1, 1), 1)] * 5
    options = {"threshold": 2, "draws": 2, "releases": 2, "rate": 0.5, "above": TILTS}
    learner = stream_learners.Batched(4, exp(0.5), draws=2, releases=2, limit=2)
    law = exact_stream_law(doubled(rounds), learner, TESTS)
    check(Batched.start(2, **options), law, rounds, bits)
    with pytest.raises(AssertionError):
        check(TruncatedBatched.start(2, **options), law, rounds, bits)
