"""Any epsilon-DP release."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from dprules.accounting.curve import Curve, randomised_response
from dprules.accounting.events.event import Event, Fields, amount
from dprules.accounting.neighbours import Neighbours
from dprules.numbers import Real, budget


@dataclass(frozen=True, slots=True)
class Pure(Event, kind="pure"):
    """Any epsilon-DP release under the relation that it is priced for: randomised response dominates it [KOV15].

    Examples
    --------
    >>> Pure(1).curve(Neighbours.REPLACE).epsilon(0)
    1.0
    """

    epsilon: Real
    label = "a pure release"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", budget(amount(self.epsilon, "epsilon")))

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the curve of randomised response, whatever the relation."""
        return randomised_response(Fraction(self.epsilon))

    def fields(self) -> dict[str, Any]:
        """Return its epsilon."""
        return {"epsilon": str(self.epsilon)}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read its epsilon."""
        return cls(fields.fraction("epsilon"))
