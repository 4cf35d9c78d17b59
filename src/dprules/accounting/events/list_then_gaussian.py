"""A list, and then Gaussian noise."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from dprules.accounting import list_then_gaussian
from dprules.accounting.curve import Curve
from dprules.accounting.events.cover import Cover
from dprules.accounting.events.event import Event, Fields
from dprules.accounting.events.gaussian import Gaussian
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ModelError, ParameterError, PrivacyError


@dataclass(frozen=True, slots=True)
class ListThenGaussian(Event, kind="list then gaussian"):
    """A list without counts that is drawn to its end, and only then Gaussian noise, which may depend on the list.

    Add-remove only: an exchange gains nothing by the order, and there the two are composed as events of their own.

    Parameters
    ----------
    cover : Cover
        At most 256 rounds.
    gaussian : Gaussian
        All noise after the list; squares of mu add up.
    """

    cover: Cover
    gaussian: Gaussian
    label = "draws of rules, then Gaussian noise"

    def __post_init__(self) -> None:
        if not isinstance(self.cover, Cover) or not isinstance(self.gaussian, Gaussian):
            raise ParameterError("a list then Gaussian noise is made of a Cover and a Gaussian.")
        list_then_gaussian.require_priced(self.cover.rounds, Fraction(self.cover.tilt))

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the price of `docs/proofs/list_then_gaussian.md`."""
        if neighbours is not Neighbours.ADD_REMOVE:
            raise PrivacyError(
                "A list then Gaussian noise has add-remove neighbours only. Compose the two events instead."
            )
        cover, noise = self.cover, Fraction(self.gaussian.mu)
        return list_then_gaussian.curve(Fraction(cover.tilt), max(cover.rewards), cover.rounds or 1, noise)

    def fields(self) -> dict[str, Any]:
        """Return the fields of both."""
        return {"cover": self.cover.fields(), "gaussian": self.gaussian.fields()}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read both."""
        first, second = fields.nested("cover"), fields.nested("gaussian")
        cover, gaussian = Cover.from_fields(first), Gaussian.from_fields(second)
        first.require_empty()
        second.require_empty()
        try:
            return cls(cover, gaussian)
        except ParameterError as error:
            sentence = str(error)
        raise ModelError(f"an event of the certificate cannot be priced: {sentence}")
