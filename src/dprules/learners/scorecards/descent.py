"""A private descent: residuals are summed in integers, get exact noise, and everything else is public (theory G2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Gaussian
from dprules.learners.scorecards.groups import Grouped, offsets_of
from dprules.learners.scorecards.noise import sigma_for
from dprules.learners.scorecards.recipe import AVERAGED, MOMENTUM, steps_for
from dprules.mechanisms import Bits, gaussian
from dprules.tables import GroupedSample, Residuals, exponential_table, residual_table
from dprules.tables.residuals import STEPS, UNIT

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights by group, columns one after the other, with a column for each score; and what scores start from."""

    groups: Floats
    base: Floats

    def centred(self, columns: Sequence[Grouped]) -> "Weights":
        """Return the same scores with weights that have mean 0 in every column; the means go to the base."""
        groups, base = self.groups.copy(), self.base.copy()
        for column, (first, last) in zip(columns, offsets_of(columns), strict=True):
            mean = column.shares @ groups[first:last]
            groups[first:last] -= mean
            base += mean
        return Weights(groups, base)


@dataclass(frozen=True, slots=True)
class Target:
    """What scores are for: all of it is public.

    Parameters
    ----------
    positive : int or None
        Of two classes the one that the score speaks for; None: there is a score for each class.
    class_weights : tuple of int
        How much a record of each class counts, in parts of 1/64.
    records : float
        About how many records there are, weighted.
    """

    positive: int | None
    class_weights: tuple[int, ...]
    records: float

    @property
    def scores(self) -> int:
        """How many scores a record has."""
        return len(self.class_weights) if self.positive is None else 1

    @property
    def steepness(self) -> int:
        """The step that is safe for one column: one over the largest curvature of the loss, 1/4 or 1/2."""
        return 2 if self.positive is None else 4

    def residuals(self, weights: Floats, base: Floats) -> Residuals:
        """Return the integer residuals under some weights."""
        whole = np.rint(STEPS * weights).astype(np.int64), np.rint(STEPS * base).astype(np.int64)
        table = _table(self.positive, self.class_weights)
        return Residuals(*whole, table, np.array(self.class_weights, dtype=np.int64))


@lru_cache(maxsize=32)
def _table(positive: int | None, class_weights: tuple[int, ...]) -> NDArray[np.int32]:
    if positive is None:
        return exponential_table()
    return residual_table(np.array(class_weights, dtype=np.int64), positive)


def descend(
    sample: GroupedSample,
    columns: Sequence[Grouped],
    start: Weights,
    target: Target,
    event: Gaussian,
    bits: Bits,
    show: Callable[[int, int], None],
) -> Weights:
    """Return weights that fit the classes, after a number of steps that follows from public numbers.

    Requires: `event` has been charged.
    Guarantee: the price of `event` for everything that is returned (`docs/proofs/scorecard.md`).
    """
    steps = steps_for(target.records, float(event.mu))
    sigma = sigma_for(event, target.residuals(start.groups, start.base).longest, len(columns), steps)
    length = target.steepness / (len(columns) * target.records * UNIT)
    weights = before = start.groups
    late: list[Floats] = []
    for step in range(steps):
        show(step, steps)
        ahead = weights + step / (step + MOMENTUM) * (weights - before)
        sums = gaussian(sample.sums(target.residuals(ahead, start.base)), sigma, bits)
        before, weights = weights, ahead - length * sums
        if step >= steps - max(1, steps // AVERAGED):
            late.append(weights)
    show(steps, steps)
    return Weights(np.mean(late, axis=0), start.base).centred(columns)
