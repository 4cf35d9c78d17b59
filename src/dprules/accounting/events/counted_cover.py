"""A list whose rules are counted as they are drawn."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self

from dprules.accounting import counted
from dprules.accounting.counted import Parts
from dprules.accounting.curve import Curve
from dprules.accounting.events.event import Event, Fields, amount
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ModelError, ParameterError
from dprules.numbers import Real, whole

MOST_ROUNDS = 10_000
"""Rules of one list that an event may name."""


@dataclass(frozen=True, slots=True)
class CountedCover(Event, kind="counted cover"):
    """Rounds of draws, each followed by noisy counts of what the rule covers, in the end of what none does (A6).

    One record moves a score by at most 1: gains, losses and class weights in [0, 1], whatever they are, also if they
    follow from counts that were released before.

    Parameters
    ----------
    tilt : number
        The exponent of a draw.
    rounds : int
        How many rules at most.
    parts : Parts
        Tilts of the last draw and of the counts, as parts of `tilt`.
    """

    tilt: Real
    rounds: int
    parts: Parts = field(default_factory=Parts)
    label = "draws of rules with counts"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tilt", amount(self.tilt, "tilt"))
        object.__setattr__(self, "rounds", whole(self.rounds, "rounds"))
        if self.rounds > MOST_ROUNDS:
            raise ParameterError(f"rounds must be at most {MOST_ROUNDS:,}; got {self.rounds}.")
        if not isinstance(self.parts, Parts):
            raise ParameterError("parts must be Parts.")

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the price of `docs/proofs/free_counts.md`."""
        return counted.curve(Fraction(self.tilt), neighbours, self.rounds, self.parts)

    @property
    def count_tilts(self) -> tuple[Fraction, Fraction, Fraction]:
        """Tilts of the counts of a rule, of the last rule, and of the remainder."""
        parts = (self.parts.cell, self.parts.last_cell, self.parts.remainder)
        cell, last, remainder = (Fraction(self.tilt) * part for part in parts)
        return cell, last, remainder

    def fields(self) -> dict[str, Any]:
        """Return tilt, rounds and parts."""
        return {
            "tilt": str(self.tilt),
            "rounds": self.rounds,
            "last_rule": str(self.parts.last_rule),
            "cell": str(self.parts.cell),
            "last_cell": str(self.parts.last_cell),
            "remainder": str(self.parts.remainder),
        }

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        tilt = fields.fraction("tilt")
        rounds = fields.whole("rounds", most=MOST_ROUNDS)
        parts = [fields.fraction(name) for name in ("last_rule", "cell", "last_cell", "remainder")]
        try:
            return cls(tilt, rounds, Parts(*parts))
        except ParameterError as error:
            sentence = str(error)
        raise ModelError(f"a counted list of the certificate cannot be priced: {sentence}")
