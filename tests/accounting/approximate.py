"""Any (epsilon, delta)-DP release, for tests of composition: no mechanism of dprules has this price alone."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from dprules.accounting import Curve, Event, Neighbours
from dprules.accounting.curve import randomised_response
from dprules.accounting.events.event import Fields, amount
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
