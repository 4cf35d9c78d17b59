"""A list at the price that the paper's theorem states."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from dprules.accounting import cover
from dprules.accounting.curve import Curve
from dprules.accounting.events.event import Event, Fields, amount
from dprules.accounting.neighbours import Neighbours
from dprules.numbers import Real


@dataclass(frozen=True, slots=True)
class PaperCover(Event, kind="paper cover"):
    """DP-GreedyCover with the paper's score, priced by its theorem: tilt = epsilon / (4 (ln(1/delta) + 3/2))."""

    tilt: Real
    label = "draws of rules, the paper's accounting"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tilt", amount(self.tilt, "tilt"))

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the theorem's bound at every epsilon."""
        return cover.paper_curve(Fraction(self.tilt), neighbours)

    def fields(self) -> dict[str, Any]:
        """Return the tilt."""
        return {"tilt": str(self.tilt)}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read the tilt."""
        return cls(fields.fraction("tilt"))
