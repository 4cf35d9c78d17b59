"""What every event is: public fields, a privacy curve, and a document form of its own."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self

from dprules.accounting.curve import Curve
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ModelError, ParameterError, PrivacyError
from dprules.numbers import SMALLEST, rational

_NUMBER = re.compile(r"[0-9]{1,150}(/[1-9][0-9]{0,149})?")
"""Numbers as events write them: an integer or a quotient of two, of bounded length (sums of many stay quick)."""
_LONGEST = 10**150
_LARGEST_AMOUNT = 10**100


class Event(ABC):
    """One release, or one family of releases that is priced together: a frozen public value.

    A subclass names itself (`class Cover(Event, kind="cover")`) and is then read back from documents by that name.
    """

    __slots__ = ()
    kind: ClassVar[str]
    label: ClassVar[str] = ""
    """What the mechanism is called in a privacy statement."""
    _kinds: ClassVar[dict[str, type["Event"]]] = {}

    def __init_subclass__(cls, kind: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if kind is not None:
            cls.kind = kind
        # A class of its own only: a subclass of an event must not take over how that event is read. (A dataclass with
        # slots is made twice, the second time without `kind`, and then has it among its own names.)
        if "kind" in cls.__dict__:
            _refuse_taken_kind(cls, Event._kinds.get(cls.kind))
            Event._kinds[cls.kind] = cls

    @abstractmethod
    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the privacy curve under a neighbour relation, or refuse."""

    @abstractmethod
    def fields(self) -> dict[str, Any]:
        """Return the public fields in JSON's types; `from_fields` reads them back."""

    @classmethod
    @abstractmethod
    def from_fields(cls, fields: "Fields") -> Self:
        """Read the fields; what is not exactly as `fields` writes it is refused."""

    def document(self) -> dict[str, Any]:
        """Return the event as a JSON document."""
        return {"kind": self.kind} | self.fields()

    @staticmethod
    def from_document(document: object) -> "Event":
        """Read an event of any kind; unknown kinds, unknown fields and other spellings (2/4 for 1/2) are refused."""
        if not isinstance(document, Mapping):
            raise ModelError("an event must be a table of fields.")
        kind = Event._kinds.get(str(document.get("kind")))
        if kind is None:
            raise ModelError(f"no event is called {str(document.get('kind'))[:40]!r}: it cannot be priced.")
        fields = Fields({name: value for name, value in document.items() if name != "kind"})
        event = kind.from_fields(fields)
        fields.require_empty()
        if event.document() != dict(document):
            raise ModelError(f"an event called {event.kind!r} is not written as dprules writes it.")
        return event


class Fields:
    """Reads the fields of a document one by one, and refuses what is left.

    Parameters
    ----------
    values : mapping
        The fields as JSON holds them.
    owner : str
        What refusals call the thing that has these fields.
    """

    def __init__(self, values: Mapping[str, Any], owner: str = "an event") -> None:
        self._values = dict(values)
        self._owner = owner

    def take(self, name: str) -> Any:
        """Return a field as it is."""
        if name not in self._values:
            raise ModelError(f"{self._owner} must have {name}.")
        return self._values.pop(name)

    def fraction(self, name: str) -> Fraction:
        """Return a non-negative number that is written as text, exactly."""
        text = self.take(name)
        if not isinstance(text, str) or not _NUMBER.fullmatch(text):
            raise ModelError(f"{name} of {self._owner} must be an exact number such as '1/50'.")
        return Fraction(text)

    def whole(self, name: str, least: int = 1, most: int = 10**15) -> int:
        """Return an integer."""
        value = self.take(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ModelError(f"{name} of {self._owner} must be an integer from {least} to {most}.")
        return value

    def nested(self, name: str) -> "Fields":
        """Return a table of fields inside."""
        value = self.take(name)
        if not isinstance(value, Mapping):
            raise ModelError(f"{name} of {self._owner} must be a table of fields.")
        return Fields(value, self._owner)

    def require_empty(self) -> None:
        """Refuse fields that nobody asked for."""
        if self._values:
            raise ModelError(f"{self._owner} has an unknown field {str(next(iter(self._values)))[:40]!r}.")


def _refuse_taken_kind(new: type[Event], known: type[Event] | None) -> None:
    if known is not None and (known.__module__, known.__qualname__) != (new.__module__, new.__qualname__):
        raise TypeError(f"{known.__qualname__} is already called {new.kind!r}. Choose another kind.")


def amount(value: object, name: str, *, zero: bool = False) -> Fraction:
    """Read a public number of an event: positive (or 0 if `zero`), and such that a document can hold it.

    Parameters
    ----------
    value : object
        An int, float or Fraction from 1e-100 to 1e100 whose quotient has at most 150 digits on either side.
    name : str
        What a refusal calls it.
    zero : bool
        Whether 0 is allowed.
    """
    exact = rational(value, name, zero=zero)
    if exact and not SMALLEST <= exact <= _LARGEST_AMOUNT:
        raise ParameterError(f"{name} must lie between 1e-100 and 1e100. Give a usual number.")
    if max(exact.numerator, exact.denominator) >= _LONGEST:
        raise ParameterError(f"{name} must have at most 150 digits above and below the line. Round it.")
    return exact


def refuse_add_remove(neighbours: Neighbours) -> None:
    """Streams have rounds, whose number is public."""
    if neighbours is Neighbours.ADD_REMOVE:
        raise PrivacyError("Streams have rounds, not a set of rows. Choose replace or zero-out neighbours.")


def refuse_zero_out(neighbours: Neighbours) -> None:
    """Tables have rows, not rounds."""
    if neighbours is Neighbours.ZERO_OUT:
        raise PrivacyError("Counts of a table have no zero-out neighbours. Choose add-remove or replace.")
