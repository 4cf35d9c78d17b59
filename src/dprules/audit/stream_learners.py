"""The private Winnows as theory B states them, for their exact laws."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import product
from math import ceil, cosh, exp, floor, log, prod, sqrt

from dprules.audit.law import Number
from dprules.audit.stream_law import Round, StreamLaw, Vector

Segments = Sequence[Sequence[Round]]
"""Cached examples by segment, the current one last."""


@dataclass(frozen=True, slots=True)
class BatchedLaw:
    """Theory B3 and B11: every mistake of a life is in the scores; after K releases a new life begins.

    Parameters
    ----------
    dimension : int
        How many coordinates there are.
    growth : Fraction or float
        e^eta: what one unit of score multiplies a weight by.
    draws : int
        m, the draws of a release.
    releases : int
        K, the releases of a life.
    limit : int
        The threshold of every segment.
    hypothesis : tuple of numbers
        In force: how often each coordinate was drawn at the last release; empty before the first.
    done : int
        Releases of the current life so far.
    """

    dimension: int
    growth: Number
    draws: int
    releases: int
    limit: int
    hypothesis: tuple[float, ...] = ()
    done: int = 0

    def threshold(self) -> int | None:
        """Return the limit: there is always another life."""
        return self.limit

    def caches(self, example: Round) -> bool:
        """Whether it is a mistake: of the uniform hypothesis to begin with, then of the draws; ties are mistakes."""
        weights = self.hypothesis or (1,) * self.dimension
        return sum(w * x for w, x in zip(weights, example.term, strict=True)) <= 0

    def entering(self, segment: Sequence[Round]) -> Sequence[Round]:
        """Return which cached examples of a segment enter the scores: all."""
        return segment

    def scored(self, segments: Segments) -> Segments:
        """Return the segments that the draws see: those of the current life."""
        return segments[len(segments) - self.done - 1 :]

    def count_release(self) -> int:
        """Return the releases of the life in force after one more; the last one of a life begins the next."""
        return (self.done + 1) % self.releases

    def release(self, segments: Segments) -> Iterator[tuple[Vector, Number, "BatchedLaw"]]:
        """Yield all outcomes of draws with weights growth^score."""
        entering = [example.term for segment in self.scored(segments) for example in self.entering(segment)]
        scores = reduce(_add, entering, (0,) * self.dimension)
        weights = [self.growth**score for score in scores]
        for indices, probability in _outcomes(weights, self.draws):
            counts = tuple(indices.count(j) for j in range(self.dimension))
            yield indices, probability, replace(self, hypothesis=counts, done=self.count_release())


@dataclass(frozen=True, slots=True)
class FirstOnlyLaw(BatchedLaw):
    """The paper's Algorithm 3: the first cached mistake of a segment enters, an empty cache adds nothing; one life."""

    def threshold(self) -> int | None:
        """Return the limit as long as releases are left."""
        return self.limit if self.done < self.releases else None

    def count_release(self) -> int:
        """Return the releases so far, with one more."""
        return self.done + 1

    def entering(self, segment: Sequence[Round]) -> Sequence[Round]:
        """Return the first cached example alone."""
        return segment[:1]


@dataclass(frozen=True, slots=True)
class SegmentLaw:
    """Theory B7 with its default rule. Index j < d is (j, +), d <= j < 2d is (j - d, -), 2d is null.

    Parameters
    ----------
    dimension : int
        d, how many coordinates there are.
    epsilon : float
        The price of a segment: half for AboveThreshold, a quarter for m eta.
    scale : float
        Divides the default threshold, so that a short stream fires at all; privacy holds for every threshold.
    margin : float
        Examples with a margin of at most this are cached.
    weights, steps, signs : tuple
        The hypothesis, and the last step and its sign for every coordinate; empty before the first release.
    limit : int
        The threshold of the current segment; 0 before the first release.
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
        """B0 = 1.2 L / min(epsilon / 4, 1/2), over the scale."""
        return max(1, ceil(1.2 * self.level / min(self.epsilon / 4, 0.5) / self.scale))

    def threshold(self) -> int:
        """Return B, the threshold of the current segment."""
        return self.limit or self.first_limit

    def caches(self, example: Round) -> bool:
        """Whether its margin is low; it need not be a mistake."""
        weights = self.weights or (0.0,) * self.dimension
        return sum(w * x for w, x in zip(weights, example.term, strict=True)) <= self.margin

    def rate(self) -> tuple[int, float]:
        """Return m and eta, with m eta at most epsilon/4."""
        share = self.epsilon / 4
        eta = min(share, sqrt(2 * self.level / self.threshold()))
        draws = max(1, floor(share / eta))
        return draws, min(eta, share / draws)

    def scored(self, segments: Segments) -> Sequence[Round]:
        """Return which cached examples the draws see: the current segment's."""
        return segments[-1]

    def release(self, segments: Segments) -> Iterator[tuple[Vector, Number, "SegmentLaw"]]:
        """Yield all outcomes of draws from the scores, their negatives, and null."""
        draws, eta = self.rate()
        cached = self.scored(segments)
        scores = reduce(_add, [example.term for example in cached], (0,) * self.dimension)
        # The null's score grows by 0 or 1 with an example, since ln cosh eta <= eta.
        null = exp(self.level + eta * floor(len(cached) * log(cosh(eta)) / eta))
        weights = [exp(eta * s) for s in scores] + [exp(-eta * s) for s in scores] + [null]
        for indices, probability in _outcomes(weights, draws):
            yield indices, probability, self.after(indices, draws)

    def after(self, indices: Vector, draws: int) -> "SegmentLaw":
        """Return the learner after a release: drawn weights move, and thresholds follow the nulls.

        Parameters
        ----------
        indices : tuple of int
            What was drawn.
        draws : int
            How many draws that was.
        """
        d = self.dimension
        weights = list(self.weights or (0.0,) * d)
        steps = list(self.steps or (1.0,) * d)
        signs = list(self.signs or (0,) * d)
        for j in range(d):
            net = indices.count(j) - indices.count(j + d)
            if net == 0:
                continue
            sign = 1 if net > 0 else -1
            steps[j] = max(0.03, steps[j] * (1.2 if sign == signs[j] else 0.5))
            signs[j] = sign
            weights[j] += steps[j] * net / draws
        limit = max(self.first_limit, ceil(0.7 * self.threshold()))
        if 2 * indices.count(2 * d) > draws:
            limit = 2 * self.threshold()
        return replace(self, weights=tuple(weights), steps=tuple(steps), signs=tuple(signs), limit=limit)


@dataclass(frozen=True, slots=True)
class GuardedLaw:
    """Theory B8 and B11: segment until its thresholds would exceed `switch_after`, batched for one life, and again.

    The batched learner works on doubled features (x, -x), so that its weights may stay non-negative. Whoever begins
    has the last hypothesis in force until its own first release.

    Parameters
    ----------
    first : SegmentLaw
        The learner before the switch.
    second : BatchedLaw
        The learner after it, on doubled features.
    switch_after : int
        The sum of thresholds that the first learner may open.
    opened : int
        That sum so far; 0 when the first learner begins again.
    """

    first: SegmentLaw
    second: BatchedLaw
    switch_after: int
    opened: int = 0

    def threshold(self) -> int | None:
        """Return the next segment's threshold, if the guard allows one; the batched learner's otherwise."""
        return self.second.threshold() if self._has_switched() else self.first.threshold()

    def caches(self, example: Round) -> bool:
        """Whether the learner in force caches it."""
        return self.second.caches(_double(example)) if self._has_switched() else self.first.caches(example)

    def release(self, segments: Segments) -> Iterator[tuple[Vector, Number, StreamLaw]]:
        """Yield the outcomes of the learner in force, which sees no segments of the other one."""
        if self._has_switched():
            doubled = [[_double(example) for example in segment] for segment in segments]
            for indices, probability, second in self.second.release(doubled):
                yield indices, probability, self._after_batched(second)
            return
        opened = self.opened + self.first.threshold()
        zeros = (0.0,) * self.first.dimension
        for indices, probability, first in self.first.release(segments):
            second = replace(self.second, hypothesis=(*(first.weights or zeros), *zeros))
            yield indices, probability, replace(self, first=first, second=second, opened=opened)

    def _after_batched(self, second: BatchedLaw) -> "GuardedLaw":
        """Return what follows a release of the batched learner: the end of its life begins the first one afresh."""
        if second.done:
            return replace(self, second=second)
        d = self.first.dimension
        weights = tuple((second.hypothesis[j] - second.hypothesis[j + d]) / second.draws for j in range(d))
        first = replace(self.first, weights=weights, steps=(), signs=(), limit=0)
        return replace(self, first=first, second=second, opened=0)

    def _has_switched(self) -> bool:
        return self.opened + self.first.threshold() > self.switch_after


def _double(example: Round) -> Round:
    return Round((*example.features, *(-x for x in example.features)), example.label)


def _add(a: Vector, b: Vector) -> Vector:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _outcomes(weights: Sequence[Number], size: int) -> Iterator[tuple[Vector, Number]]:
    """Yield every sequence of `size` independent draws and its probability."""
    total = sum(weights)
    for indices in product(range(len(weights)), repeat=size):
        yield indices, prod((weights[i] / total for i in indices), start=Fraction(1))
