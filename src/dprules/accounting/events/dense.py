"""Sums of disjoint batches of rounds, with noise in the cube norm."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from dprules.accounting.curve import Curve, randomised_response
from dprules.accounting.events.event import Event, Fields, amount, refuse_add_remove
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ParameterError
from dprules.numbers import Real, whole

MOST_UNITS = 10**6
"""Steps of a coordinate from 0 to 1 that an event may have."""


@dataclass(frozen=True, slots=True)
class DenseStream(Event, kind="dense stream"):
    """Sums of public disjoint batches, each with noise in the cube norm (theory B9, `docs/proofs/dense.md`).

    Parameters
    ----------
    tilt : number
        Pr[noise = k] is proportional to exp(-tilt max |k_j|).
    unit : int
        What one round adds to any sum at most.

    Examples
    --------
    >>> DenseStream(Fraction(1, 128), 64).curve(Neighbours.REPLACE).epsilon(0)
    1.0
    """

    tilt: Real
    unit: int
    label = "dense batches"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tilt", amount(self.tilt, "tilt"))
        object.__setattr__(self, "unit", whole(self.unit, "unit"))
        if self.unit > MOST_UNITS:
            raise ParameterError(f"unit must be at most {MOST_UNITS}. A grid of 1/64 has 64.")

    @classmethod
    def within(cls, epsilon: Real, unit: int, neighbours: str | Neighbours) -> Self:
        """Return the event that costs epsilon under a relation.

        Parameters
        ----------
        epsilon : number
            What the whole stream may cost, however long.
        unit : int
            What one round adds to any sum at most.
        neighbours : str or Neighbours
            Replace or zero-out.
        """
        moves = _moves(Neighbours.parse(neighbours))
        return cls(amount(epsilon, "epsilon") / (moves * whole(unit, "unit")), unit)

    def curve(self, neighbours: Neighbours) -> Curve:
        """Each round is in one batch: leaving it out moves no sum by more than `unit`, exchanging it by twice that."""
        return randomised_response(_moves(neighbours) * self.unit * Fraction(self.tilt))

    def fields(self) -> dict[str, Any]:
        """Return the tilt and the unit."""
        return {"tilt": str(self.tilt), "unit": self.unit}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        return cls(fields.fraction("tilt"), fields.whole("unit", most=MOST_UNITS))


def _moves(neighbours: Neighbours) -> int:
    """How many times what a round adds a sum may move."""
    refuse_add_remove(neighbours)
    return 2 if neighbours is Neighbours.REPLACE else 1
