"""Columns of a table: how a value becomes a small code, and which literals can be asked of it.

A code says which declared value (or interval between cuts) a cell has; MISSING is everything else: empty, undeclared,
unreadable. The same rule runs on one Python value (`code`) and as an expression of the table engine (`expression`).
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import ibis
import ibis.expr.types as ir

MISSING: Final = -1
Value = str | int | float

_NUMBER: Final = r"^\s*[+-]?([0-9]{1,200}(\.[0-9]{0,200})?|\.[0-9]{1,200})([eE][+-]?[0-9]{1,2})?\s*$"
"""Text that every engine reads as a number without an error."""
_SPACE: Final = " \t\n\r\v\f"
_TRUE: Final = ("true", "t", "yes", "y", "1", "1.0")
_FALSE: Final = ("false", "f", "no", "n", "0", "0.0")


@dataclass(frozen=True, slots=True)
class Column(ABC):
    """A named column. With `missing_literal`, "is missing" is a literal; otherwise a missing cell makes all false."""

    name: str
    missing_literal: bool = False

    @property
    @abstractmethod
    def size(self) -> int:
        """How many codes there are, MISSING aside."""

    @abstractmethod
    def code(self, value: object) -> int:
        """Return the code of one value."""

    @abstractmethod
    def expression(self, table: ir.Table) -> ir.Value:
        """Return the code as an expression of the table engine."""


@dataclass(frozen=True, slots=True)
class Categorical(Column):
    """One of a few declared values: all text, or all numbers."""

    values: tuple[Value, ...] = ()

    @property
    def size(self) -> int:
        """One code a value."""
        return len(self.values)

    @property
    def numeric(self) -> bool:
        """Whether values are compared as numbers."""
        return not any(isinstance(value, str) for value in self.values)

    def code(self, value: object) -> int:
        """Return the position of the value."""
        read = number(value) if self.numeric else text(value)
        return next((i for i, own in enumerate(self.values) if read is not None and own == read), MISSING)

    def expression(self, table: ir.Table) -> ir.Value:
        """Compare with each value in turn."""
        cell = as_number(table[self.name]) if self.numeric else table[self.name].cast("string")
        return _cases([(cell == value, i) for i, value in enumerate(self.values)])


@dataclass(frozen=True, slots=True)
class Numeric(Column):
    """A number, known by how many of the increasing cuts it reaches. Infinite values are missing."""

    cuts: tuple[float, ...] = ()

    @property
    def size(self) -> int:
        """One code an interval."""
        return len(self.cuts) + 1

    def code(self, value: object) -> int:
        """Return the number of cuts at or below the value."""
        read = number(value)
        return MISSING if read is None else bisect_right(self.cuts, read)

    def expression(self, table: ir.Table) -> ir.Value:
        """Compare with each cut in turn."""
        cell = as_number(table[self.name])
        steps = [(cell < cut, i) for i, cut in enumerate(self.cuts)]
        return _cases([(cell.isnull(), MISSING), *steps, (ibis.literal(True), len(self.cuts))])


@dataclass(frozen=True, slots=True)
class Boolean(Column):
    """True or false: Booleans, or one of true/false, t/f, yes/no, y/n, 1/0 in any case."""

    @property
    def size(self) -> int:
        """False and true."""
        return 2

    def code(self, value: object) -> int:
        """Return 1 for true and 0 for false."""
        read = str(value).strip(_SPACE).lower()
        return 1 if read in _TRUE else 0 if read in _FALSE else MISSING

    def expression(self, table: ir.Table) -> ir.Value:
        """Compare as lower-case text, word by word: a list would become a join for each column."""
        cell = table[self.name]
        if cell.type().is_boolean():
            return _cases([(cell, 1), (~cell, 0)])
        word = cell.cast("string").strip().lower()
        return _cases([(word == true, 1) for true in _TRUE] + [(word == false, 0) for false in _FALSE])


def text(value: object) -> str | None:
    """Read a cell as text: None, NaN and what cannot be written are missing."""
    try:
        if value is None or value != value:
            return None
        read = str(value).lower() if isinstance(value, bool) else str(value)
        return read.encode("utf-8", "replace").decode()
    except Exception:  # a cell may be any object
        return None


def number(value: object) -> float | None:
    """Read a cell as a finite number, or as missing."""
    try:
        read = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return read if isfinite(read) else None


def as_number(cell: Any) -> Any:
    """Read a column of the engine as finite numbers; what is not one becomes null."""
    if cell.type().is_numeric() or cell.type().is_boolean():
        read = cell.cast("float64")
    elif cell.get_backend().name == "duckdb":  # others claim to try, and fail
        read = cell.try_cast("float64")
    else:
        read = ibis.ifelse(cell.re_search(_NUMBER), cell, ibis.null("string")).cast("float64")
    return ibis.ifelse(read.isinf() | read.isnan(), ibis.null("float64"), read)


def _cases(branches: list[tuple[Any, int]]) -> ir.Value:
    return ibis.cases(*branches, else_=MISSING).cast("int16")
