"""The exact law of the private Winnows on a short stream, from theory B alone: every transcript, tau summed exactly.

A transcript has one entry a round: None, or the tuple of indices that was released.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import product
from math import cosh, exp, floor, log, prod, sqrt
from typing import Protocol

from dprules.audit.law import Law, Number

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """One labelled example: features and label are -1 or 1."""

    features: Vector
    label: int

    @property
    def term(self) -> Vector:
        """What it adds to the scores."""
        return tuple(self.label * x for x in self.features)


Stream = Sequence[Round | None]
"""None is a round in which nothing happened (zero-out neighbours)."""


@dataclass(frozen=True, slots=True)
class Tests:
    """AboveThreshold's law: decay of tau (e^-e1), decay of the firing probability (e^-e2), public schedule."""

    noise: Number
    test: Number
    every: int = 1

    def first_fire(self, counts: Sequence[int], threshold: int) -> list[Number]:
        """Return the probability that the first test to fire is at each of the counts."""
        tested = [(i, count) for i, count in enumerate(counts) if (i + 1) % self.every == 0]
        fired: list[Number] = [Fraction(0)] * len(counts)
        certain = max([0, *(count - threshold for _, count in tested)])
        for tau in range(certain):  # some test may fire for sure: one tau at a time
            silent: Number = (1 - self.noise) * self.noise**tau
            for i, count in tested:
                chance = self.test ** max(0, threshold + tau - count)
                fired[i] += silent * chance
                silent = silent * (1 - chance)
        # From there on the chance is c_i w with w = test^tau: sum the polynomial in w term by term.
        silence: list[Number] = [Fraction(1)]
        for i, count in tested:
            c = self.test ** (threshold - count)
            fired[i] += c * sum(k * self._moment(power + 1, certain) for power, k in enumerate(silence))
            silence = [a - c * b for a, b in zip([*silence, 0], [0, *silence], strict=True)]
        return fired

    def _moment(self, power: int, start: int) -> Number:
        """The sum over tau >= start of Pr[tau] test^(power tau)."""
        ratio = self.noise * self.test**power
        return (1 - self.noise) * ratio**start / (1 - ratio)


class Learner(Protocol):
    """What a law needs to know of a learner: public state, the cache rule, the threshold, the release."""

    def threshold(self) -> int | None:
        """The threshold of the next segment, None if there is none."""
        ...

    def caches(self, example: Round) -> bool:
        """Whether the released hypothesis puts this example in the cache."""
        ...

    def release(self, segments: Sequence[Sequence[Round]]) -> Iterator[tuple[Vector, Number, "Learner"]]:
        """Each possible release, its probability given the cached examples by segment, and the learner after it."""
        ...


def exact_stream_law(stream: Stream, learner: Learner, tests: Tests) -> Law:
    """Return the probability of every transcript of a learner on a stream.

    Examples
    --------
    >>> learner = Batched(dimension=2, growth=Fraction(3, 2), draws=1, releases=1, limit=1)
    >>> tests = Tests(noise=Fraction(1, 2), test=Fraction(1, 2))
    >>> law = exact_stream_law([Round((1, -1), 1)], learner, tests)
    >>> sum(law.values()), law[(None,)]
    (Fraction(1, 1), Fraction(1, 3))
    """
    law: dict[Hashable, Number] = {}

    def segment(learner: Learner, past: tuple[Sequence[Round], ...], said: tuple[object, ...], mass: Number) -> None:
        limit, rest = learner.threshold(), stream[len(said) :]
        silent = (*said, *[None] * len(rest))
        if limit is None or not rest:
            law[silent] = law.get(silent, 0) + mass
            return
        cached = [example is not None and learner.caches(example) for example in rest]
        counts = [sum(cached[: i + 1]) for i in range(len(rest))]
        fired = tests.first_fire(counts, limit)
        law[silent] = law.get(silent, 0) + mass * (1 - sum(fired))
        for i, chance in enumerate(fired):
            if chance == 0:
                continue
            now = [example for example, kept in zip(rest[: i + 1], cached, strict=False) if example and kept]
            for indices, probability, after in learner.release((*past, now)):
                segment(after, (*past, now), (*said, *[None] * i, indices), mass * chance * probability)

    segment(learner, (), (), Fraction(1))
    return law


@dataclass(frozen=True, slots=True)
class Batched:
    """Theory B3: every mistake so far is in the scores. `growth` is e^eta."""

    dimension: int
    growth: Number
    draws: int
    releases: int
    limit: int
    hypothesis: Vector = ()
    done: int = 0

    def threshold(self) -> int | None:
        """As long as releases are left."""
        return self.limit if self.done < self.releases else None

    def caches(self, example: Round) -> bool:
        """A mistake: the uniform hypothesis to begin with, then the counts of the draws; ties are mistakes."""
        weights = self.hypothesis or (1,) * self.dimension
        return sum(w * x for w, x in zip(weights, example.term, strict=True)) <= 0

    def entering(self, segment: Sequence[Round]) -> Sequence[Round]:
        """Which cached examples of a segment enter the scores: all."""
        return segment

    def release(self, segments: Sequence[Sequence[Round]]) -> Iterator[tuple[Vector, Number, Learner]]:
        """Draw with weights growth^score."""
        entering = [example.term for segment in segments for example in self.entering(segment)]
        scores = reduce(_plus, entering, (0,) * self.dimension)
        weights = [self.growth**score for score in scores]
        for indices, probability in _draws(weights, self.draws):
            counts = tuple(indices.count(j) for j in range(self.dimension))
            yield indices, probability, replace(self, hypothesis=counts, done=self.done + 1)


@dataclass(frozen=True, slots=True)
class FirstOnly(Batched):
    """The paper's Algorithm 3: the first cached mistake of a segment enters; an empty cache adds nothing."""

    def entering(self, segment: Sequence[Round]) -> Sequence[Round]:
        """The first."""
        return segment[:1]


@dataclass(frozen=True, slots=True)
class Segment:
    """Theory B7 with its default rule. Index j < d is (j, +), d <= j < 2d is (j - d, -), 2d is null.

    `scale` divides the default threshold, so that a short stream fires at all; privacy holds for every threshold.
    """

    dimension: int
    epsilon: float
    scale: float = 1.0
    margin: float = 1.25
    weights: tuple[float, ...] = ()
    steps: tuple[float, ...] = ()
    signs: Vector = ()
    limit: int = 0

    @property
    def level(self) -> float:
        """L = ln(2d / 0.03)."""
        return log(2 * self.dimension / 0.03)

    @property
    def first_limit(self) -> int:
        """B0."""
        return max(1, -floor(-1.2 * self.level / min(self.epsilon / 4, 0.5) / self.scale))

    def threshold(self) -> int | None:
        """B."""
        return self.limit or self.first_limit

    def caches(self, example: Round) -> bool:
        """A low margin, not only a mistake."""
        weights = self.weights or (0.0,) * self.dimension
        return sum(w * x for w, x in zip(weights, example.term, strict=True)) <= self.margin

    def rate(self) -> tuple[int, float]:
        """Return m and eta, with m eta at most epsilon/4."""
        share = self.epsilon / 4
        eta = min(share, sqrt(2 * self.level / (self.limit or self.first_limit)))
        draws = max(1, floor(share / eta))
        return draws, min(eta, share / draws)

    def scored(self, segments: Sequence[Sequence[Round]]) -> Sequence[Round]:
        """Which cached examples the draws see: the current segment's."""
        return segments[-1]

    def release(self, segments: Sequence[Sequence[Round]]) -> Iterator[tuple[Vector, Number, Learner]]:
        """Draw from the scores, their negatives, and null."""
        draws, eta = self.rate()
        cached = self.scored(segments)
        scores = reduce(_plus, [example.term for example in cached], (0,) * self.dimension)
        null = exp(self.level + eta * floor(len(cached) * log(cosh(eta)) / eta))
        weights = [exp(eta * s) for s in scores] + [exp(-eta * s) for s in scores] + [null]
        for indices, probability in _draws(weights, draws):
            yield indices, probability, self._after(indices, draws)

    def _after(self, indices: Vector, draws: int) -> "Segment":
        d = self.dimension
        weights = list(self.weights or (0.0,) * d)
        steps, signs = list(self.steps or (1.0,) * d), list(self.signs or (0,) * d)
        for j in range(d):
            net = indices.count(j) - indices.count(j + d)
            if net:
                sign = 1 if net > 0 else -1
                steps[j] *= 1.2 if sign == signs[j] else 0.5
                signs[j] = sign
                weights[j] += steps[j] * net / draws
        limit = self.limit or self.first_limit
        mostly_null = indices.count(2 * d) > draws / 2
        after = 2 * limit if mostly_null else max(self.first_limit, -floor(-0.7 * limit))
        return replace(self, weights=tuple(weights), steps=tuple(steps), signs=tuple(signs), limit=after)


@dataclass(frozen=True, slots=True)
class Guarded:
    """Theory B8: segment until the thresholds opened so far would exceed `most`, then batched for good.

    The batched learner works on doubled features (x, -x), so that its weights may stay non-negative.
    """

    first: Segment
    second: Batched
    most: int
    opened: int = 0

    def threshold(self) -> int | None:
        """The next segment's, if the guard allows one."""
        limit = self.first.threshold()
        assert limit is not None
        return limit if self.opened + limit <= self.most else self.second.threshold()

    def caches(self, example: Round) -> bool:
        """By the learner in force."""
        return self.second.caches(_doubled(example)) if self._switched() else self.first.caches(example)

    def release(self, segments: Sequence[Sequence[Round]]) -> Iterator[tuple[Vector, Number, Learner]]:
        """By the learner in force; the second starts afresh, on the segments after the switch."""
        if self._switched():
            own = [
                [_doubled(example) for example in segment]
                for segment in segments[len(segments) - self.second.done - 1 :]
            ]
            for indices, probability, after in self.second.release(own):
                assert isinstance(after, Batched)
                yield indices, probability, replace(self, second=after)
            return
        limit = self.first.threshold()
        assert limit is not None
        for indices, probability, following in self.first.release(segments):
            assert isinstance(following, Segment)
            yield indices, probability, replace(self, first=following, opened=self.opened + limit)

    def _switched(self) -> bool:
        limit = self.first.threshold()
        assert limit is not None
        return self.opened + limit > self.most


def _doubled(example: Round) -> Round:
    return Round((*example.features, *(-x for x in example.features)), example.label)


def _plus(a: Vector, b: Vector) -> Vector:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _draws(weights: Sequence[Number], size: int) -> Iterator[tuple[Vector, Number]]:
    """Every sequence of `size` independent draws and its probability."""
    total = sum(weights)
    for indices in product(range(len(weights)), repeat=size):
        yield indices, prod((weights[i] / total for i in indices), start=Fraction(1))
