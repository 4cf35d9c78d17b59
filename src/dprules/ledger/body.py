"""What every entry of a ledger says: a frozen value with a document form of its own, read with suspicion."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from dprules.accounting.events import Fields
from dprules.accounting.unit import is_one_line
from dprules.errors import ModelError, ParameterError
from dprules.ledger.budgets import Cost

LONGEST = 200
"""Characters of a data set's name, of who wrote an entry, and of why."""
MOST_COORDINATES = 2
"""Of what a filter counts: epsilon and delta."""
OWNER = "an entry of the ledger"
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]")
"""Control characters, spaces of no width, and what reverses the letters after it."""


class EntryBody(ABC):
    """What one entry says.

    A subclass names itself (`class Grant(EntryBody, kind="grant")`) and is read back by that name.
    """

    __slots__ = ()
    kind: ClassVar[str]
    _kinds: ClassVar[dict[str, type["EntryBody"]]] = {}

    def __init_subclass__(cls, kind: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if kind is not None:
            cls.kind = kind
        EntryBody._kinds[cls.kind] = cls

    @abstractmethod
    def fields(self) -> dict[str, Any]:
        """Return everything in JSON's types."""

    @classmethod
    @abstractmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""

    @staticmethod
    def read(kind: str, fields: Mapping[str, Any]) -> "EntryBody":
        """Read an entry of any kind; unknown kinds and fields are refused."""
        known = EntryBody._kinds.get(kind)
        if known is None:
            raise ModelError(f"{OWNER} is of a kind that this dprules does not know. Use a newer one.")
        taken = Fields(fields, OWNER)
        body = known.from_fields(taken)
        taken.require_empty()
        return body


def read_text(fields: Fields, name: str, *, empty: bool = False) -> str:
    """Read a text of one line."""
    value = fields.take(name)
    require_line(value, name, empty=empty)
    return str(value)


def read_cost(amounts: Any) -> Cost:
    """Read exact numbers, of bounded length."""
    if not isinstance(amounts, list) or not 0 < len(amounts) <= MOST_COORDINATES:
        raise ModelError(f"{OWNER} must have a cost for each coordinate of its grant.")
    return tuple(Fields({"cost": amount}, OWNER).fraction("cost") for amount in amounts)


def require_line(text: object, what: str, *, empty: bool = False) -> None:
    """Refuse a text that is long, of several lines, or nothing, or that does not look like what it is."""
    if not is_one_line(text) or len(str(text)) > LONGEST or not (empty or str(text).strip()):
        raise ParameterError(f"{what} must be one line of at most {LONGEST} characters.")
    if _UNSEEN.search(str(text)):
        raise ParameterError(f"{what} must not hold control characters, nor marks that turn or hide letters.")
