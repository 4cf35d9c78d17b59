"""Data sets that have a budget, and permissions to spend from it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any, Self

from dprules.accounting import Neighbours, Unit
from dprules.accounting.events import Fields
from dprules.accounting.unit import is_one_line
from dprules.errors import ModelError, ParameterError
from dprules.files import digest
from dprules.ledger.body import EntryBody, read_text, require_line
from dprules.ledger.budgets import Budget

MOST_COLUMNS = 20_000
"""Columns of a data set."""


@dataclass(frozen=True, slots=True)
class DataSet(EntryBody, kind="data set"):
    """A data set that has a budget.

    Parameters
    ----------
    name : str
        What charges call it.
    columns : tuple of str or None
        All columns that jobs may ask about, the label and the unit included; None: not said.
    unit : Unit
        Whose privacy the budget is for; its rows are a matter of each job.
    neighbours : Neighbours
        The relation of every price.
    distinct : bool
        Whether it was declared to hold other people's records than the data sets before it.
    """

    name: str
    columns: tuple[str, ...] | None
    unit: Unit
    neighbours: Neighbours
    distinct: bool = False

    def __post_init__(self) -> None:
        require_line(self.name, "the name of a data set")
        if self.columns is not None and len(self.columns) > MOST_COLUMNS:
            raise ParameterError(f"a data set has at most {MOST_COLUMNS:,} columns.")

    @classmethod
    def declare(
        cls,
        name: str,
        columns: Collection[str] | None,
        unit: str | None,
        neighbours: str | Neighbours,
        *,
        stream: bool,
        distinct: bool,
    ) -> "DataSet":
        """Return a data set as users declare it (`Ledger.register`), or refuse what makes no sense."""
        relation = Neighbours.parse(neighbours)
        if relation is (Neighbours.ADD_REMOVE if stream else Neighbours.ZERO_OUT):
            raise ParameterError(
                "neighbours of a table are add-remove or replace, those of a stream replace or zero-out. Choose one."
            )
        whose = Unit(unit, 1, "round" if stream else "row")
        every = None if columns is None else tuple(sorted({*columns, *([] if unit is None else [unit])}))
        return cls(name, every, whose, relation, distinct)

    @property
    def fingerprint(self) -> str | None:
        """Return a digest of the names of its columns, whatever their order; None if they were not said."""
        return None if self.columns is None else digest(sorted(self.columns))

    def may_be(self, other: "DataSet") -> bool:
        """Whether nothing shows that the other is not the same table: one may ask about a part of the columns."""
        if self.columns is None or other.columns is None:
            return True
        return not {name.casefold() for name in self.columns}.isdisjoint(name.casefold() for name in other.columns)

    def fields(self) -> dict[str, Any]:
        """Return everything, and the fingerprint for readers."""
        return {
            "name": self.name,
            "columns": None if self.columns is None else list(self.columns),
            "fingerprint": self.fingerprint,
            "unit": {"column": self.unit.column, "of": self.unit.of},
            "neighbours": self.neighbours.value,
            "distinct": self.distinct,
        }

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        columns = fields.take("columns")
        if not (columns is None or (isinstance(columns, list) and all(map(is_one_line, columns)))):
            raise ModelError("the columns of a data set must be a list of names.")
        unit = fields.take("unit")
        made = cls(
            read_text(fields, "name"),
            None if columns is None else tuple(columns),
            Unit(unit["column"], 1, unit["of"]),
            Neighbours.parse(fields.take("neighbours")),
            fields.take("distinct") is True,
        )
        if fields.take("fingerprint") != made.fingerprint:
            raise ModelError("the fingerprint of a data set is not that of its columns.")
        return made


@dataclass(frozen=True, slots=True)
class Grant(EntryBody, kind="grant"):
    """Permission to spend.

    Parameters
    ----------
    dataset : str
        Of which data set.
    filter : Budget
        How much, and how it adds up.
    by, why : str
        Who granted it, and what for.
    until : date or None
        The last day on which it may be charged (UTC).
    """

    dataset: str
    filter: Budget
    by: str
    why: str = ""
    until: date | None = None

    def __post_init__(self) -> None:
        require_line(self.by, "by")
        require_line(self.why, "why", empty=True)

    def fields(self) -> dict[str, Any]:
        """Return everything."""
        return {
            "dataset": self.dataset,
            "filter": self.filter.document(),
            "by": self.by,
            "why": self.why,
            "until": None if self.until is None else self.until.isoformat(),
        }

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        until = fields.take("until")
        return cls(
            read_text(fields, "dataset"),
            Budget.from_document(fields.take("filter")),
            read_text(fields, "by"),
            read_text(fields, "why", empty=True),
            None if until is None else date.fromisoformat(until),
        )
