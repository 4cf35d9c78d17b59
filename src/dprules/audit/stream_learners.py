"""The private Winnows as theory B states them, for their exact laws."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import product
from math import cosh, exp, floor, log, prod, sqrt

from dprules.audit.law import Number
from dprules.audit.stream_law import Learner, Round, Vector


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
