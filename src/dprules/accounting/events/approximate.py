"""Any (epsilon, delta)-DP release."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from dprules.accounting.curve import Curve, randomised_response
from dprules.accounting.events.event import Event, Fields, amount
from dprules.accounting.neighbours import Neighbours
from dprules.numbers import Real, budget, probability


@dataclass(frozen=True, slots=True)
class Approximate(Event, kind="approximate"):
    """Any (epsilon, delta)-DP release: randomised response that tells all with probability delta is worst [KOV15]."""

    epsilon: Real
    delta: Real
    label = "an (epsilon, delta) release"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", budget(amount(self.epsilon, "epsilon")))
        probability(self.delta, "delta")
        object.__setattr__(self, "delta", amount(self.delta, "delta"))

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the curve of that randomised response."""
        return randomised_response(Fraction(self.epsilon), Fraction(self.delta))

    def fields(self) -> dict[str, Any]:
        """Return epsilon and delta."""
        return {"epsilon": str(self.epsilon), "delta": str(self.delta)}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read epsilon and delta."""
        return cls(fields.fraction("epsilon"), fields.fraction("delta"))
