"""Batched DP-Winnow (theory B3, B4, B11): every cached mistake enters the scores; draws are the hypothesis.

round: predict sign <w, x>; if y <w, x> <= 0: cache (x, y), s += y x
when AboveThreshold(B, e1, e2) has noticed the cache:
m draws j with probability proportional to exp(eta s_j), over coordinates and their negatives; w = their counts
after K releases, which are a life: s = 0, and the next life begins with w in force
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from dprules.accounting import Event, stream
from dprules.errors import ModelError
from dprules.learners.streams.blocks import Integers, Weights
from dprules.learners.streams.learner import Document
from dprules.learners.streams.private_winnow import ScoredDraws
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
    """Releases that are left of the life in force."""
    rate: Fraction
    """eta."""
    tests: tuple[Fraction, Fraction]
    """AboveThreshold's tilts: of its noise, and of its tests."""
    planned: int = 0
    """K: releases of a life, which is what is priced: a round enters one life only."""
    weights: Weights = field(default_factory=lambda: Weights.zero(1))
    first_only = False
    least = 1
    """Releases that are left at the least: a life that ends begins another."""
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

    @property
    def forgets(self) -> bool:
        """After the last release of a life."""
        return self.releases == 1

    @cached_property
    def above(self) -> AboveThreshold | None:
        """There is always another release."""
        return AboveThreshold(self.threshold, *self.tests)

    def draws(self, scores: Integers, cached: int, unit: int) -> ScoredDraws:
        """Both signs of every coordinate: the doubling map keeps weights non-negative."""
        return ScoredDraws(np.concatenate([scores, -scores]), self.rate / unit, self.size)

    def after(self, indices: Integers) -> "BatchedPolicy":
        """Return the policy with the drawn weights and one release less, or with a new life."""
        return replace(self, weights=self.weigh(indices), releases=self.releases - 1 or self.planned)

    def weigh(self, indices: Integers) -> Weights:
        """Return the counts of the draws, negatives subtracted."""
        counts = np.bincount(indices, minlength=2 * self.dimension)
        return Weights((counts[: self.dimension] - counts[self.dimension :]) / self.size)

    def document(self) -> dict[str, Any]:
        """Return the weights and how many releases are left of the life in force."""
        return {"weights": self.weights.document(), "left": self.releases}

    def at(self, document: Document) -> "BatchedPolicy":
        """Return the policy with such weights and so many releases left."""
        left = whole(document["left"], "left", least=self.least)
        if left > self.planned:
            raise ModelError("the stream has more releases left than were planned. Start a new stream.")
        return replace(self, weights=Weights.from_document(self.dimension, document["weights"]), releases=left)

    def event(self) -> Event:
        """Return what a life costs, and with it all of them."""
        return stream.event("batched", draws=self.size, releases=self.planned, rate=self.rate, above=self.tests)
