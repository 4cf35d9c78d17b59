"""How good a card looks on the records that it was learnt from, though classes have nothing to do with columns.

The table is filled with the records that the weights were learnt from, so that chance which moved a weight is found
again in the table. Let r be the sums of residuals by group, of variance V under chance, and r + e what the descent saw
of them, with noise of variance N. Given that, r is a (r + e) in the mean, a = V / (V + N), whatever is made of it
later. A card with weights w has z = w.r / sqrt(w.V.w), at most the length of a (r + e) in units of sqrt(V), of which
the square is a in the mean for each weight. So the square of z is at most about the sum of a over all weights, times
the part of their variance that the terms keep: a set of values that was chosen by their weights keeps nearly all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Gaussian
from dprules.learners.scorecards.groups import Grouped, offsets_of


@dataclass(frozen=True, slots=True)
class Freedom:
    """What chance could move in one descent.

    Parameters
    ----------
    weights : int
        How many weights are free: in each column one less than it has groups, in each score but one.
    moved : float
        How many of them chance has moved, each counted by the share of chance in what moved it.
    """

    weights: int
    moved: float

    @classmethod
    def of(cls, columns: Sequence[Grouped], shares: Sequence[float], records: float, event: Gaussian) -> "Freedom":
        """Count them, from the shares of the classes, about how many records there are, and what a descent costs."""
        scores = max(len(shares) - 1, 1)
        # Of a record's residual: p (1 - p), or the mean over the directions in which several scores can differ.
        chance = sum(share * (1 - share) for share in shares) / max(scores, 2)
        # A record's residual is at most 1/2 (a vector: sqrt(1/2)); all steps together cost the event's mu.
        noise = len(columns) / float(event.mu) ** 2 * (0.25 if len(shares) == 2 else 0.5)
        moved = 0.0
        for column in columns:
            sizes = records * column.shares * chance
            moved += float(((1 - column.shares) * sizes / (sizes + noise)).sum())
        return cls(scores * sum(column.size - 1 for column in columns), scores * moved)

    def chosen(self, before: "Freedom", kept: float) -> float:
        """Return the square of z to expect where terms were chosen by the weights of `before`, and learnt once more.

        What chance left open after the first descent, 1 - a of each term, is seen a second time with fresh noise.

        Parameters
        ----------
        before : Freedom
            Of the descent that the terms were chosen by.
        kept : float
            The part of the variance of its weights that the terms keep.
        """
        first = kept * before.moved
        if not self.moved:
            return first
        left = 1 - before.moved / before.weights
        noise = self.weights / self.moved - 1
        return first + self.weights * left**2 / (left + noise) if left + noise > 0 else first


def variance_of(columns: Sequence[Grouped], weights: NDArray[np.float64]) -> float:
    """Return the variance of weights within columns, added up over columns and scores."""
    found = 0.0
    for column, (first, last) in zip(columns, offsets_of(columns), strict=True):
        own = weights[first:last]
        found += float((column.shares @ (own - column.shares @ own) ** 2).sum())
    return found
