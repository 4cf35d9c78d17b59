"""A histogram with two-sided geometric noise."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from dprules.accounting.curve import Curve, randomised_response
from dprules.accounting.events.event import Event, Fields, amount, refuse_zero_out
from dprules.accounting.neighbours import Neighbours
from dprules.numbers import Real


@dataclass(frozen=True, slots=True)
class Counts(Event, kind="counts"):
    """One histogram over disjoint cells with two-sided geometric noise (`dprules.mechanisms.noisy_counts`).

    A record is in one cell, so one record more costs the tilt; an exchange may touch two cells and costs it twice.
    """

    tilt: Real
    label = "noisy counts"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tilt", amount(self.tilt, "tilt"))

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the curve of a (touched cells * tilt)-DP release."""
        refuse_zero_out(neighbours)
        return randomised_response(cells_touched(neighbours) * Fraction(self.tilt))

    def fields(self) -> dict[str, Any]:
        """Return the tilt."""
        return {"tilt": str(self.tilt)}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read the tilt."""
        return cls(fields.fraction("tilt"))


def cells_touched(neighbours: Neighbours) -> int:
    """Return how many of disjoint cells one change of a record may touch."""
    return 1 if neighbours is Neighbours.ADD_REMOVE else 2
