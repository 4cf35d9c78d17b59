"""Batched DP-Winnow (theory B3, B4): every cached mistake enters the scores, which are kept; draws are the hypothesis.

round: predict sign <w, x>; if y <w, x> <= 0: cache (x, y), s += y x
when AboveThreshold(B, e1, e2) has noticed the cache, and at most K times:
m draws j with probability proportional to exp(eta s_j), over coordinates and their negatives; w = their counts
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from dprules.accounting import Event, stream
from dprules.errors import ModelError
from dprules.learners.streams.blocks import Integers, Weights
from dprules.learners.streams.learner import Document, ScoredDraws
from dprules.mechanisms import AboveThreshold
from dprules.numbers import Real, rational, whole


@dataclass(frozen=True)
class BatchedPolicy:
    """Batched DP-Winnow between two releases. Coordinate j is drawn as j, its negative as dimension + j."""

    dimension: int
    threshold: int
    size: int
    """m: draws of a release."""
    releases: int
    """K: releases that are left."""
    rate: Fraction
    """eta."""
    tests: tuple[Fraction, Fraction]
    """AboveThreshold's tilts: of its noise, and of its tests."""
    planned: int = 0
    """Releases of the whole stream: what is priced."""
    weights: Weights = field(default_factory=lambda: Weights.zero(1))
    first_only = False
    forgets = False
    confidence = 0.0
    """Mistakes are cached; a tie is a mistake."""

    @classmethod
    def start(
        cls, dimension: int, *, threshold: int, draws: int, releases: int, rate: Real, above: tuple[Real, Real]
    ) -> "BatchedPolicy":
        """Before the first release; every choice is private, and the accountant prices it."""
        tests = rational(above[0], "above"), rational(above[1], "above")
        left = whole(releases, "releases")
        made = cls(dimension, whole(threshold, "threshold"), whole(draws, "draws"), left, rational(rate, "rate"), tests)
        return replace(made, weights=Weights.zero(dimension), planned=left)

    @cached_property
    def above(self) -> AboveThreshold | None:
        """As long as releases are left."""
        return AboveThreshold(self.threshold, *self.tests) if self.releases else None

    def draws(self, scores: Integers, cached: int, unit: int) -> ScoredDraws:
        """Both signs of every coordinate: the doubling map keeps weights non-negative."""
        return ScoredDraws(np.concatenate([scores, -scores]), self.rate / unit, self.size)

    def after(self, indices: Integers) -> "BatchedPolicy":
        """The counts of the draws, negatives subtracted."""
        counts = np.bincount(indices, minlength=2 * self.dimension)
        values = (counts[: self.dimension] - counts[self.dimension :]) / self.size
        return replace(self, weights=Weights(values), releases=self.releases - 1)

    def document(self) -> dict[str, Any]:
        """Return the weights and how many releases are left."""
        return {"weights": self.weights.document(), "left": self.releases}

    def at(self, document: Document) -> "BatchedPolicy":
        """Return the policy with such weights and so many releases left."""
        left = whole(document["left"], "left", least=0)
        if left > self.planned:
            raise ModelError("the stream has more releases left than were planned. Start a new stream.")
        return replace(self, weights=Weights.from_document(self.dimension, document["weights"]), releases=left)

    def event(self) -> Event:
        """What all releases of the stream cost."""
        return stream.event("batched", draws=self.size, releases=self.planned, rate=self.rate, above=self.tests)
