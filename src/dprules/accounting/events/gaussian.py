"""Sums of integers with rounded Gaussian noise."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, Self

from dprules.accounting.curve import Curve, gaussian
from dprules.accounting.events.event import Event, Fields, amount, refuse_zero_out
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ModelError, ParameterError
from dprules.numbers import Real, approximately, flag, rational, whole


@dataclass(frozen=True, slots=True)
class Gaussian(Event, kind="gaussian"):
    """Sums of integers with Gaussian noise, rounded (theory G1, `docs/proofs/gaussian.md`).

    Parameters
    ----------
    mu : number
        What one record more or less costs: how far it moves the sums at most (their Euclidean distance), over sigma.
    histogram : bool
        Whether no record takes anything away from any of the sums, as in histograms. Exchanging a record then costs
        sqrt(2) mu, and otherwise 2 mu.

    Examples
    --------
    >>> price = Gaussian(0.25).curve(Neighbours.ADD_REMOVE)
    >>> round(price.epsilon(1e-6), 3)
    1.061
    """

    mu: Real
    histogram: bool = False
    label = "Gaussian noise"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", amount(self.mu, "mu"))
        object.__setattr__(self, "histogram", flag(self.histogram, "histogram"))

    @classmethod
    def share(
        cls,
        total: Real,
        share: Real,
        neighbours: str | Neighbours = Neighbours.ADD_REMOVE,
        rows: int = 1,
        histogram: bool = False,
    ) -> Self:
        """Return the event that costs a share of what neighbours that differ in a unit may cost in all.

        Parameters
        ----------
        total : number
            The mu of all events together, under the relation and for units of `rows` rows
            (`dprules.accounting.gaussian.mu`).
        share : number
            The part of total^2. Shares that add up to 1 (up to the rounding of doubles) cost at most `total`.
        neighbours, rows, histogram
            The relation, the rows of a unit, and what `histogram` says above.
        """
        part = rational(share, "share")
        if part > 1:
            raise ParameterError(f"share must be at most 1; got {share}. Shares of all events add up to 1.")
        dearer = exchange_squared(Neighbours.parse(neighbours), flag(histogram, "histogram")) * whole(rows, "rows") ** 2
        # Rounded down by more than what the root and the sum of shares are off.
        return cls(sqrt(approximately(part * rational(total, "total") ** 2 / dearer)) * (1 - 2.0**-48), histogram)

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the curve of N(k mu, 1) and N(0, 1), k^2 = `exchange_squared`."""
        return gaussian(exchange_squared(neighbours, self.histogram) * Fraction(self.mu) ** 2)

    def fields(self) -> dict[str, Any]:
        """Return mu and whether it is of histograms."""
        return {"mu": str(self.mu), "histogram": self.histogram}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        histogram = fields.take("histogram")
        if not isinstance(histogram, bool):
            raise ModelError("histogram of an event must be true or false.")
        return cls(fields.fraction("mu"), histogram)


def exchange_squared(neighbours: Neighbours, histogram: bool) -> int:
    """Return the square of how much further than one record more or less the relation moves the sums."""
    refuse_zero_out(neighbours)
    if neighbours is Neighbours.ADD_REMOVE:
        return 1
    return 2 if histogram else 4
