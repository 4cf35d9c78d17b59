"""Private cut points by halving (theory C)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from dprules.accounting.curve import Curve, randomised_response
from dprules.accounting.events.counts import cells_touched
from dprules.accounting.events.event import Event, Fields, amount, refuse_zero_out
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ParameterError
from dprules.numbers import Real, whole

MOST_LEVELS = 20
"""Levels of halving: a grid has at most 2^20 points."""


@dataclass(frozen=True, slots=True)
class Quantiles(Event, kind="quantiles"):
    """Medians of a column, then of its two sides, and so on for `levels` levels (`dprules.learners.cuts`).

    One draw costs its tilt; the sides of a level are disjoint, so a level costs one draw under add-remove. An exchanged
    record may leave one side and enter another: two.
    """

    tilt: Real
    levels: int
    label = "private cuts"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tilt", amount(self.tilt, "tilt"))
        object.__setattr__(self, "levels", whole(self.levels, "levels"))
        if self.levels > MOST_LEVELS:
            raise ParameterError(f"levels must be at most {MOST_LEVELS}; got {self.levels}. 3 levels make 7 cuts.")

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the curve of a (levels * sides * tilt)-DP release."""
        refuse_zero_out(neighbours)
        return randomised_response(self.levels * cells_touched(neighbours) * Fraction(self.tilt))

    def fields(self) -> dict[str, Any]:
        """Return tilt and levels."""
        return {"tilt": str(self.tilt), "levels": self.levels}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read tilt and levels."""
        return cls(fields.fraction("tilt"), fields.whole("levels", most=MOST_LEVELS))
