"""How good a card looks on the records that it was learnt from, though classes have nothing to do with columns.

The table is filled with the records that the weights were learnt from, so that chance which moved a weight is found
again in the table. Where classes are independent of columns, the square of z is then not about 1, but about the number
of weights that chance has moved: each by its own share, the rest being noise that the table does not see again. Terms
that were chosen because they are large have been moved farther than others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from dprules.accounting import Gaussian
from dprules.learners.scorecards.groups import Grouped

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Freedom:
    """What chance could move in one descent.

    Parameters
    ----------
    weights : int
        How many weights are free: in each column one less than it has groups.
    moved : float
        How many of them chance has moved, each counted by the share of chance in what moved it.
    """

    weights: int
    moved: float

    @classmethod
    def of(cls, columns: Sequence[Grouped], shares: Sequence[float], records: float, event: Gaussian) -> "Freedom":
        """Count them, from the shares of the classes, about how many records there are, and what a descent costs."""
        # A table of many classes sees of each record whether its class leads: about half of what its scores say.
        seen = 1.0 if len(shares) == 2 else (len(shares) - 1) / 2
        chance = sum(share * (1 - share) for share in shares) / len(shares)
        # A record's residual is at most 1/2 (a vector: sqrt(1/2)); all steps together cost the event's mu.
        noise = len(columns) / float(event.mu) ** 2 * (0.25 if len(shares) == 2 else 0.5)
        moved = 0.0
        for column in columns:
            sizes = records * column.shares * chance
            moved += float(((1 - column.shares) * sizes / (sizes + noise)).sum())
        return cls(sum(column.size - 1 for column in columns), seen * moved)

    def chosen(self, before: "Freedom") -> float:
        """Return the square of z to expect where these were chosen out of those `before`, because they are large."""
        if not 0 < self.weights < before.weights:
            return self.moved
        share = self.weights / before.weights
        edge = _NORMAL.inv_cdf(1 - share / 2)
        # The mean square of a normal number, given that it is beyond the edge on either side.
        larger = 1 + 2 * edge * _NORMAL.pdf(edge) / share
        seen = before.moved / max(before.weights, 1)
        return self.moved * (1 + seen * (larger - 1))
