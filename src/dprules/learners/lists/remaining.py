"""What no rule covers yet: the candidates of the next draw, and their scores."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dprules.learners.lists.scores import Scoring, whole_weights
from dprules.private import Private
from dprules.schema import Conditions
from dprules.tables import ClassCounts, Sample

Drawn = tuple[int, int]
"""A condition (its row in Conditions, or TRUE) and a class."""
TRUE = -1


class Remaining(Private):
    """The records that are left and the conditions that may still be drawn; the constant true comes last."""

    def __init__(
        self,
        sample: Sample,
        conditions: Conditions,
        prior: NDArray[np.float64] | None = None,
        weights: Sequence[Fraction] | None = None,
    ) -> None:
        self._sample = sample
        self._conditions = conditions
        self._left = sample.counts(conditions)
        self._taken: Sample | None = None
        self._totals = sample.totals()
        self._prior = np.ones(len(conditions) + 1) if prior is None else prior.copy()
        self._weights = whole_weights(weights, sample.classes)
        self.classes = sample.classes

    @property
    def is_empty(self) -> bool:
        """Whether no record is left: private."""
        return not self._totals.any()

    @property
    def totals(self) -> ClassCounts:
        """How many records of each class are left: private."""
        return self._totals

    @property
    def prior(self) -> NDArray[np.float64]:
        """Public weights of the candidates, classes fastest; 0 for what was drawn."""
        return np.repeat(self._prior, self.classes)

    def scores(self, score: Scoring) -> NDArray[np.int64]:
        """Return the scores of all candidates: private."""
        self._count()
        return score.of_all(np.column_stack([self._left, self._totals]), self._weights)

    def _count(self) -> None:
        """Count what the last rule left, or what it took, whichever is less work; after the last rule nobody asks."""
        if self._taken is None:
            return
        taken, self._taken = self._taken, None
        if self._sample.effort(self._conditions) < taken.effort(self._conditions):
            self._left = self._sample.counts(self._conditions)
        else:
            self._left -= taken.counts(self._conditions)

    def name(self, candidate: int) -> Drawn:
        """Return a candidate as a condition and a class."""
        condition, label = divmod(candidate, self.classes)
        return (TRUE if condition == len(self._conditions) else condition), label

    def heaviest(self, counts: Sequence[int]) -> int:
        """Return the class with the largest weight times count, of equals the one with the largest count."""
        weighed = [(int(weight) * max(count, 0), count) for weight, count in zip(self._weights, counts, strict=True)]
        return weighed.index(max(weighed))

    def only_constants(self) -> None:
        """Leave nothing but the constant true."""
        self._prior[:-1] = 0

    def remove(self, condition: int) -> ClassCounts:
        """Drop a condition and what it covers, and return how many records of each class that were: private."""
        if condition == TRUE:
            covered, self._totals = self._totals, np.zeros_like(self._totals)
            return covered
        self._count()
        self._prior[condition] = 0
        covered = self._left[:, condition].copy()  # among what was left
        self._taken, self._sample = self._sample.cover(self._conditions[condition])
        self._totals = self._totals - covered
        return covered
