"""SegmentWinnow (theory B7): draw from the examples of the current segment, then forget them. Pure epsilon, no horizon.

e = epsilon/2; share = epsilon/4; L = ln(2d/0.03); B0 = ceil(1.2 L / min(share, 1/2)); B = B0; w = 0
round: predict sign <w, x>; if y <w, x> <= 1.25: cache (x, y)
when AboveThreshold(B, e, e) has noticed the cache: m draws at rate eta with m eta <= share from
(j, +): exp(eta s_j), (j, -): exp(-eta s_j), null: exp(L + q ln cosh eta),   s, q of this segment
each drawn feature moves its weight by a step of its own; many nulls: longer segments, few: shorter ones
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, cosh, floor, log, sqrt
from typing import Any

import numpy as np

from dprules.accounting import Event, stream
from dprules.learners.streams.blocks import Integers, Weights
from dprules.learners.streams.learner import Document
from dprules.learners.streams.private_winnow import ScoredDraws
from dprules.mechanisms import AboveThreshold
from dprules.numbers import Real, rational, whole

SMALLEST_STEP = 0.03
"""Noisy rounds turn signs for ever: without a floor steps die out, and a later change of target is not followed."""
LARGEST_STEP = 1e6
SURPRISE = 0.03
"""How often a segment of pure noise may name a feature."""


@dataclass(frozen=True)
class SegmentPolicy:
    """SegmentWinnow between two releases. Coordinate j is drawn as j, its negative as dimension + j, null last."""

    dimension: int
    epsilon: Fraction
    confidence: float = 1.25
    """Low-margin examples are cached, not only mistakes: at exactly 1 ties let a spurious feature oscillate."""
    scale: Fraction = Fraction(1)
    """Divides the first threshold; privacy holds for every threshold."""
    weights: Weights = field(default_factory=lambda: Weights.zero(1))
    steps: dict[int, float] = field(default_factory=dict)
    """The last step of each coordinate, with its sign."""
    threshold: int = 0
    first_only = False
    forgets = True

    @classmethod
    def start(cls, dimension: int, epsilon: Real, scale: Real = 1) -> "SegmentPolicy":
        """Before the first release, for so many coordinates (the bias included)."""
        empty = cls(dimension, rational(epsilon, "epsilon"), scale=rational(scale, "scale"))
        return replace(empty, weights=Weights.zero(dimension), threshold=empty.first_threshold)

    @cached_property
    def share(self) -> Fraction:
        """Epsilon of the draws of a segment, over 4."""
        return self.epsilon / 4

    @cached_property
    def level(self) -> float:
        """L: the log-weight of null."""
        return log(2 * self.dimension / SURPRISE)

    @cached_property
    def first_threshold(self) -> int:
        """B0."""
        return max(1, ceil(1.2 * self.level / min(float(self.share), 0.5) / float(self.scale)))

    @cached_property
    def above(self) -> AboveThreshold:
        """Notices that the segment has its examples."""
        return AboveThreshold(self.threshold, self.epsilon / 2, self.epsilon / 2)

    @cached_property
    def size_and_rate(self) -> tuple[int, Fraction]:
        """M and eta, with m eta at most a quarter of epsilon."""
        # At sqrt(2 L / B) null, e^L cosh(eta)^B, weighs about e^(2 L), which features of pure noise hardly reach.
        eta = min(self.share, Fraction(sqrt(2 * self.level / self.threshold)))
        size = max(1, floor(self.share / eta))
        return size, min(eta, self.share / size)

    def draws(self, scores: Integers, cached: int, unit: int) -> ScoredDraws:
        """Both signs of every coordinate, and null, whose score moves by at most 1 with an example."""
        size, rate = self.size_and_rate
        eta = float(rate)
        # q ln cosh(eta) is what q coin flips would weigh; rounded down in units of eta it moves by at most 1 a round.
        null = unit * floor(cached * log(cosh(eta)) / eta)
        prior = np.ones(2 * self.dimension + 1)
        prior[-1] = 2 * self.dimension / SURPRISE
        return ScoredDraws(np.concatenate([scores, -scores, [null]]), rate / unit, size, prior)

    def after(self, indices: Integers) -> "SegmentPolicy":
        """Move the drawn weights; the next segment is longer if null was drawn in more than half."""
        values = self.weights.values.copy()
        steps = dict(self.steps)
        size = len(indices)
        signs = np.where(indices < self.dimension, 1, -1)
        drawn = indices[indices < 2 * self.dimension]
        net = np.bincount(drawn % self.dimension, signs[indices < 2 * self.dimension], minlength=self.dimension)
        for j in np.flatnonzero(net).tolist():
            before = steps.get(j, 0.0)
            sign = 1 if net[j] > 0 else -1
            # Steps grow while the sign stays and halve when it turns: a search for each weight.
            step = abs(before or 1.0) * (1.2 if before * sign > 0 else 0.5)
            step = min(max(step, SMALLEST_STEP), LARGEST_STEP)
            steps[j] = sign * step
            values[j] += step * net[j] / size
        mostly_null = 2 * (size - len(drawn)) > size
        longer = 2 * self.threshold
        shorter = max(self.first_threshold, ceil(0.7 * self.threshold))
        return replace(self, weights=Weights.on_grid(values), steps=steps, threshold=longer if mostly_null else shorter)

    def again(self, weights: Weights) -> "SegmentPolicy":
        """Return a policy that starts afresh, with these weights in force."""
        return replace(self, weights=weights, steps={}, threshold=self.first_threshold)

    def extended(self, dimension: int, places: Integers) -> "SegmentPolicy":
        """Return the policy for more coordinates: those of before at their places, the others at 0."""
        values = np.zeros(dimension)
        values[places] = self.weights.values
        steps = {int(places[j]): step for j, step in self.steps.items()}
        return replace(self, dimension=dimension, weights=Weights(values), steps=steps)

    def document(self) -> dict[str, Any]:
        """Return weights, steps and the threshold."""
        steps = [[j, self.steps[j]] for j in sorted(self.steps)]
        return {"weights": self.weights.document(), "steps": steps, "threshold": self.threshold}

    def at(self, document: Document) -> "SegmentPolicy":
        """Return the policy with such weights, steps and threshold."""
        return replace(
            self,
            weights=Weights.from_document(self.dimension, document["weights"]),
            steps={int(j): float(step) for j, step in document["steps"]},
            threshold=whole(document["threshold"], "threshold"),
        )

    def event(self) -> Event:
        """Every segment costs max(4 m eta, e + 2 m eta), at most epsilon; together they cost one (theory B7)."""
        half = self.epsilon / 2
        return stream.event("segment", draws=1, rate=self.share, above=(half, half))
