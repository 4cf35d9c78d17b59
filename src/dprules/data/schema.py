"""The public description of a table: everything in it is public by declaration."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import tomli_w

from dprules.data.columns import Boolean, Categorical, Column, Numeric, Value
from dprules.data.literals import Literal, literals
from dprules.errors import SchemaError


@dataclass(frozen=True, slots=True)
class PrivateCuts(Column):
    """A numeric column whose cuts will be bought with a share of epsilon: quantiles within public bounds."""

    lower: float = 0.0
    upper: float = 1.0
    number: int = 8

    @property
    def size(self) -> int:
        """None until the cuts are known."""
        return 0

    def code(self, value: object) -> int:
        """Refused: there are no cuts yet."""
        raise SchemaError(f"the cuts of column {self.name!r} are private and not bought yet. Fit first.")

    def expression(self, table: Any) -> Any:
        """Refused: there are no cuts yet."""
        return self.code(None)


@dataclass(frozen=True, slots=True)
class Label:
    """The column to predict: its classes, in their order, and the positive one, if any."""

    name: str
    classes: tuple[Value, ...]
    positive: Value | None = None

    def column(self) -> Categorical:
        """The label as a column."""
        return Categorical(self.name, values=self.classes)


@dataclass(frozen=True, slots=True)
class Schema:
    """A label and the columns that rules may ask about.

    Examples
    --------
    >>> schema = Schema.from_toml('''
    ... [label]
    ... column = "income"
    ... classes = ["low", "high"]
    ... [columns.age]
    ... kind = "numeric"
    ... cuts = [30, 50]
    ... ''')
    >>> [str(literal) for literal in schema.literals()]
    ['age < 30', 'age < 50', 'age >= 30', 'age >= 50']
    """

    label: Label
    columns: tuple[Column, ...]
    values_are_public: bool = False
    """Whether values and cuts were read off the data and declared public."""

    def literals(self) -> tuple[Literal, ...]:
        """Every literal, column by column."""
        return tuple(literal for column in self.columns for literal in literals(column))

    def with_cuts(self, cuts: Mapping[str, Sequence[float]]) -> "Schema":
        """Return the schema with bought cuts in the place of private ones."""
        bought = [
            Numeric(c.name, c.missing_literal, tuple(cuts[c.name])) if isinstance(c, PrivateCuts) else c
            for c in self.columns
        ]
        return replace(self, columns=tuple(bought))

    @property
    def private_cuts(self) -> tuple[PrivateCuts, ...]:
        """The columns whose cuts are still to be bought."""
        return tuple(column for column in self.columns if isinstance(column, PrivateCuts))

    @classmethod
    def from_toml(cls, text: str, source: str = "schema") -> "Schema":
        """Read a schema; an error names the source, the line and the key."""
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise SchemaError(f"{source}: not valid TOML: {error}. Mend that line.") from None
        return _Reader(text, source).schema(document)

    @classmethod
    def from_toml_document(cls, document: dict[str, Any]) -> "Schema":
        """Read a schema from a document that was parsed already."""
        return _Reader("", "columns").schema(document)

    @classmethod
    def from_file(cls, path: str | Path) -> "Schema":
        """Read a schema file."""
        try:
            return cls.from_toml(Path(path).read_text(encoding="utf-8"), str(path))
        except UnicodeDecodeError:
            raise SchemaError(f"{path}: not UTF-8 text. Save it as UTF-8.") from None

    def to_toml(self) -> str:
        """Write the schema as TOML; `from_toml` reads it back."""
        label: dict[str, Any] = {"column": self.label.name, "classes": list(self.label.classes)}
        if self.label.positive is not None:
            label["positive"] = self.label.positive
        document: dict[str, Any] = {"values_are_public": True} if self.values_are_public else {}
        return tomli_w.dumps(document | {"label": label, "columns": {c.name: _written(c) for c in self.columns}})


def _written(column: Column) -> dict[str, Any]:
    missing = {"missing": "literal"} if column.missing_literal else {}
    match column:
        case Categorical(values=values):
            return {"kind": "categorical", "values": list(values)} | missing
        case Numeric(cuts=cuts):
            return {"kind": "numeric", "cuts": list(cuts)} | missing
        case PrivateCuts(lower=lower, upper=upper, number=number):
            return {"kind": "numeric", "private_cuts": {"lower": lower, "upper": upper, "number": number}} | missing
        case _:
            return {"kind": "boolean"} | missing


_KEYS = {"categorical": {"values"}, "numeric": {"cuts", "private_cuts"}, "boolean": set[str]()}


class _Reader:
    """Turns a TOML document into a schema, and says where it is wrong."""

    def __init__(self, text: str, source: str) -> None:
        self._lines = text.splitlines()
        self._source = source

    def schema(self, document: dict[str, Any]) -> Schema:
        self._only(document, {"label", "columns", "values_are_public"}, ())
        columns = document.get("columns")
        if not isinstance(columns, dict) or not columns:
            raise self._error((), "columns", "a table with at least one column such as [columns.age]")
        label = self._label(document.get("label"))
        if label.name in columns:
            raise self._error(("columns",), label.name, "no entry: it is the label, which rules may not ask about")
        declared = document.get("values_are_public", False)
        if not isinstance(declared, bool):
            raise self._error((), "values_are_public", "true or false")
        return Schema(label, tuple(self._column(name, entry) for name, entry in columns.items()), declared)

    def _label(self, entry: Any) -> Label:
        if not isinstance(entry, dict):
            raise self._error((), "label", 'a table with the label: [label], column = "...", classes = [...]')
        self._only(entry, {"column", "classes", "positive"}, ("label",))
        name = entry.get("column")
        if not isinstance(name, str) or not name:
            raise self._error(("label",), "column", "the name of the label column")
        classes = self._values(entry, "classes", ("label",))
        if len(classes) < 2:
            raise self._error(("label",), "classes", "at least two classes")
        positive = entry.get("positive")
        if positive is not None and positive not in classes:
            raise self._error(("label",), "positive", "one of the classes")
        return Label(name, classes, positive)

    def _column(self, name: str, entry: Any) -> Column:
        path = ("columns", name)
        if not isinstance(entry, dict):
            raise self._error(("columns",), name, "a table with a kind: categorical, numeric or boolean")
        kind = entry.get("kind")
        if not isinstance(kind, str) or kind not in _KEYS:
            raise self._error(path, "kind", "categorical, numeric or boolean")
        self._only(entry, {"kind", "missing"} | _KEYS[kind], path)
        missing = entry.get("missing", "false")
        if missing not in ("false", "literal"):
            raise self._error(path, "missing", '"false" (no literal holds) or "literal" (missing is a literal)')
        if kind == "boolean":
            return Boolean(name, missing == "literal")
        if kind == "categorical":
            return Categorical(name, missing == "literal", self._values(entry, "values", path))
        return self._numeric(name, entry, path, missing == "literal")

    def _numeric(self, name: str, entry: dict[str, Any], path: tuple[str, ...], missing: bool) -> Column:
        if ("cuts" in entry) == ("private_cuts" in entry):
            raise self._error(
                path, "cuts", "given, or private_cuts = { lower = ..., upper = ..., number = ... }; not both"
            )
        if "cuts" in entry:
            cuts = entry["cuts"]
            good = isinstance(cuts, list) and cuts and all(_is_number(c) for c in cuts)
            if not good or list(cuts) != sorted(set(cuts)):
                raise self._error(path, "cuts", "an increasing list of numbers")
            return Numeric(name, missing, tuple(float(cut) for cut in cuts))
        asked = entry["private_cuts"]
        if not isinstance(asked, dict) or set(asked) != {"lower", "upper", "number"}:
            raise self._error(path, "private_cuts", "{ lower = ..., upper = ..., number = ... }")
        lower, upper, count = asked["lower"], asked["upper"], asked["number"]
        if not (_is_number(lower) and _is_number(upper) and _apart(float(lower), float(upper))):
            raise self._error(
                path, "private_cuts", "public bounds with lower < upper, below 1e300 and not next to each other"
            )
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 64:
            raise self._error(path, "private_cuts", "a number of cuts from 1 to 64")
        return PrivateCuts(name, missing, float(lower), float(upper), count)

    def _values(self, entry: dict[str, Any], key: str, path: tuple[str, ...]) -> tuple[Value, ...]:
        values = entry.get(key)
        if not isinstance(values, list) or not values:
            raise self._error(path, key, "a list of values")
        texts, numbers = all(isinstance(v, str) for v in values), all(_is_number(v) for v in values)
        if not (texts or numbers) or len(set(values)) != len(values):
            raise self._error(path, key, "different values, all text or all numbers (integers up to 2^53)")
        return tuple(values)

    def _only(self, entry: dict[str, Any], allowed: set[str], path: tuple[str, ...]) -> None:
        for key in entry:
            if key not in allowed:
                raise self._error(path, key, f"one of {', '.join(sorted(allowed))}")

    def _error(self, path: tuple[str, ...], key: str, rule: str) -> SchemaError:
        where = ".".join((*path, key))
        return SchemaError(f"{self._source}, line {self._line(path, key)}: {where} must be {rule}. Mend that entry.")

    def _line(self, path: tuple[str, ...], key: str) -> int:
        """The line of a key, or of the table that should have it."""
        header = re.compile(r"^\s*\[" + r"\s*\.\s*".join(f"[\"']?{re.escape(p)}[\"']?" for p in path))
        start = next((i for i, line in enumerate(self._lines) if path and header.match(line)), 0)
        wanted = re.compile(rf'^\s*(\[[^\]]*)?["\']?{re.escape(key)}["\']?\s*[=\]]')
        return 1 + next((i for i in range(start, len(self._lines)) if wanted.match(self._lines[i])), start)


def _apart(lower: float, upper: float) -> bool:
    """Whether there is room for a grid of cuts."""
    return max(abs(lower), abs(upper)) < 1e300 and upper - lower > 1e-9 * max(abs(lower), abs(upper))


def _is_number(value: object) -> bool:
    """A finite number that a double holds exactly, as engines compare them."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= 2**53 if isinstance(value, int) else isfinite(value)
