"""Any rho-zCDP release."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Self

from dprules.accounting.curve import Curve, symmetric
from dprules.accounting.events.event import Event, Fields, amount
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.zcdp import conversion
from dprules.numbers import Real, rounded_up


@dataclass(frozen=True, slots=True)
class Concentrated(Event, kind="concentrated"):
    """Any rho-zCDP release [BS16]."""

    rho: Real
    label = "a concentrated release"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", amount(self.rho, "rho"))

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the conversion of [CKS20]."""
        rho = Fraction(self.rho)
        return symmetric(partial(conversion, rho), rho=rounded_up(rho))

    def fields(self) -> dict[str, Any]:
        """Return rho."""
        return {"rho": str(self.rho)}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read rho."""
        return cls(fields.fraction("rho"))
