"""Charges, and what became of them."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

from dprules.accounting import Charge, Neighbours, Quote, Unit
from dprules.accounting.events import Fields
from dprules.errors import DprulesError, ModelError, RemovedError
from dprules.ledger.body import LONGEST, OWNER, EntryBody, read_cost, read_text, require_line
from dprules.ledger.budgets import Cost


@dataclass(frozen=True, slots=True)
class ChargeEntry(EntryBody, kind="charge"):
    """A charge: it stands whatever happens afterwards.

    Parameters
    ----------
    dataset : str
        Of which data set.
    grant : int
        The entry of the grant.
    terms : str
        What the job will do, in JSON; `quote` reads it. What is left is counted without that.
    cost : tuple of Fraction
        What the grant's filter takes for it.
    by : str
        Who runs the job.
    """

    dataset: str
    grant: int
    terms: str
    cost: Cost
    by: str

    def __post_init__(self) -> None:
        require_line(self.by, "by")

    @property
    def quote(self) -> Quote:
        """What the job will do, with its charges as in certificates."""
        return read_quote(self.terms)

    def fields(self) -> dict[str, Any]:
        """Return everything."""
        return {
            "dataset": self.dataset,
            "grant": self.grant,
            "promise": json.loads(self.terms),
            "cost": [str(amount) for amount in self.cost],
            "part": None,
            "reservation": None,
            "by": self.by,
        }

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        if fields.take("part") is not None:
            raise RemovedError("the ledger has a charge for a part of a data set, which dprules no longer supports.")
        if fields.take("reservation") is not None:
            raise RemovedError("the ledger has a charge from a reservation, which dprules no longer supports.")
        return cls(
            read_text(fields, "dataset"),
            fields.whole("grant"),
            json.dumps(fields.take("promise")),
            read_cost(fields.take("cost")),
            read_text(fields, "by"),
        )


class Reserved(EntryBody, kind="reservation"):
    """Room for the fits of a search, which earlier versions could hold."""

    def fields(self) -> dict[str, Any]:
        """Return nothing: no such entry is written."""
        return {}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Refuse the entry."""
        raise RemovedError("the ledger has a reservation, which dprules no longer supports.")


@dataclass(frozen=True, slots=True)
class Begun(EntryBody, kind="begun"):
    """A job has drawn its first random bit. Earlier versions wrote such entries; nothing depends on them."""

    charge: int

    def fields(self) -> dict[str, Any]:
        """Return the entry of the charge."""
        return {"charge": self.charge}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        return cls(fields.whole("charge"))


@dataclass(frozen=True, slots=True)
class Finished(EntryBody, kind="finished"):
    """What the job of a charge released is in place, and has this digest."""

    charge: int
    digest: str

    def fields(self) -> dict[str, Any]:
        """Return the entry of the charge, and the digest."""
        return {"charge": self.charge, "digest": self.digest}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        return cls(fields.whole("charge"), read_text(fields, "digest"))


@dataclass(frozen=True, slots=True)
class Closed(EntryBody, kind="closed"):
    """A grant that may not be charged any more."""

    entry: int

    def fields(self) -> dict[str, Any]:
        """Return the entry of the grant."""
        return {"entry": self.entry}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        return cls(fields.whole("entry"))


def write_quote(quote: Quote) -> str:
    """Return a quote in JSON, its charges as in certificates."""
    unit = quote.unit
    document = {
        "job": quote.job,
        "epsilon": str(quote.epsilon),
        "delta": str(quote.delta),
        "neighbours": quote.neighbours.value,
        "unit": {"column": unit.column, "rows": unit.rows, "of": unit.of},
        "charges": [charge.document() for charge in quote.charges],
    }
    return json.dumps(document)


@lru_cache(maxsize=256)
def read_quote(text: str) -> Quote:
    """Read what `write_quote` writes; anything else is refused."""
    try:
        fields = Fields(json.loads(text), OWNER)
        unit = fields.take("unit")
        made = Quote(
            str(fields.take("job"))[:LONGEST],
            fields.fraction("epsilon"),
            fields.fraction("delta"),
            Neighbours.parse(fields.take("neighbours")),
            Unit(unit["column"], unit["rows"], unit["of"]),
            tuple(Charge.from_document(charge) for charge in fields.take("charges")),
        )
        fields.require_empty()
    except (KeyError, TypeError, ValueError, ArithmeticError, RecursionError, DprulesError):
        made = None
    if made is None:
        raise ModelError("a charge of the ledger is for a job that this dprules cannot read. Use a newer one.")
    return made
