"""Schemas as documents: what a TOML or model file says becomes a label and columns, or a sentence with its line."""

import re
import tomllib
from typing import Any

from dprules.errors import SchemaError
from dprules.schema.columns import Boolean, Categorical, Clipped, Column, FieldError, Numeric, Positive, PrivateCuts
from dprules.schema.labels import Label

_KEYS: dict[str, set[str]] = {
    "categorical": {"values"},
    "numeric": {"cuts", "private_cuts", "bought"},
    "boolean": set(),
    "positive": set(),
    "clipped": set(),
}


class DocumentReader:
    """Turns a parsed document into a label and columns, and says where it is wrong.

    Parameters
    ----------
    text : str
        The file's text, for line numbers; empty if there is none.
    source : str
        How errors call the document.
    """

    def __init__(self, text: str, source: str) -> None:
        self._lines = text.splitlines()
        self._source = source

    def parse(self, text: str) -> dict[str, Any]:
        """Parse TOML."""
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise SchemaError(f"{self._source}: not valid TOML: {error}. Mend that line.") from None

    def label(self, entry: Any) -> Label:
        """Read the label."""
        if not isinstance(entry, dict):
            raise self._error((), "label", 'a table with the label: [label], column = "...", classes = [...]')
        self.require_keys(entry, {"column", "classes", "positive", "inferred"}, ("label",))
        positive = entry.get("positive")
        if "classes" not in entry:
            raise self._error(("label",), "classes", "a list of values")
        if positive is not None and not isinstance(positive, str | int | float):
            raise self._error(("label",), "positive", "one of the classes")
        try:
            inferred = entry.get("inferred") is True
            return Label(entry.get("column", ""), entry["classes"], positive, inferred=inferred)
        except FieldError as error:
            found = error
        raise self._error(found.place, found.key, found.rule)

    def columns(self, entries: Any) -> tuple[Column, ...]:
        """Read all columns."""
        if not isinstance(entries, dict):
            raise self._error((), "columns", "a table with columns such as [columns.age]")
        return tuple(self._column(name, entry) for name, entry in entries.items())

    def _column(self, name: str, entry: Any) -> Column:
        place = ("columns", name)
        if not isinstance(entry, dict):
            raise self._error(("columns",), name, "a table with a kind: categorical, numeric or boolean")
        kind = entry.get("kind")
        if not isinstance(kind, str) or kind not in _KEYS:
            raise self._error(place, "kind", "categorical, numeric or boolean")
        self.require_keys(entry, {"kind", "missing"} | _KEYS[kind], place)
        missing = entry.get("missing", "false")
        if missing not in ("false", "literal"):
            raise self._error(place, "missing", '"false" (no literal holds) or "literal" (missing is a literal)')
        try:
            return self._made(name, kind, entry, missing == "literal")
        except FieldError as error:
            found = error
        raise self._error(found.place, found.key, found.rule)

    def _made(self, name: str, kind: str, entry: dict[str, Any], missing: bool) -> Column:
        if kind == "categorical":
            return Categorical(name, entry.get("values", ()), missing_literal=missing)
        if kind == "numeric":
            return self._numeric(name, entry, missing)
        if kind == "boolean":
            return Boolean(name, missing_literal=missing)
        return Positive(name, missing_literal=missing) if kind == "positive" else Clipped(name, missing_literal=missing)

    def _numeric(self, name: str, entry: dict[str, Any], missing: bool) -> Column:
        place = ("columns", name)
        if ("cuts" in entry) == ("private_cuts" in entry):
            rule = "given, or private_cuts = { lower = ..., upper = ..., number = ... }; not both"
            raise FieldError(place, "cuts", rule)
        if "cuts" in entry:
            return Numeric(name, entry["cuts"], bought=entry.get("bought") is True, missing_literal=missing)
        asked = entry["private_cuts"]
        if not isinstance(asked, dict) or not {"lower", "upper"} <= set(asked) <= {"lower", "upper", "number", "step"}:
            raise FieldError(place, "private_cuts", "{ lower = ..., upper = ..., number = ..., step = ... }")
        return PrivateCuts(name, **asked, missing_literal=missing)

    def require_keys(self, entry: dict[str, Any], allowed: set[str], place: tuple[str, ...]) -> None:
        """Refuse keys that nobody reads: they are misspelt."""
        for key in entry:
            if key not in allowed:
                raise self._error(place, key, f"one of {', '.join(sorted(allowed))}")

    def _error(self, place: tuple[str, ...], key: str, rule: str) -> SchemaError:
        where = ".".join((*place, key))
        line = f", line {self._line(place, key)}" if self._lines else ""
        return SchemaError(f"{self._source}{line}: {where} must be {rule}. Mend that entry.")

    def _line(self, place: tuple[str, ...], key: str) -> int:
        """Return the line of a key, or of the table that should have it."""
        header = re.compile(r"^\s*\[" + r"\s*\.\s*".join(f"[\"']?{re.escape(p)}[\"']?" for p in place))
        start = next((i for i, line in enumerate(self._lines) if place and header.match(line)), 0)
        wanted = re.compile(rf'^\s*(\[[^\]]*)?["\']?{re.escape(key)}["\']?\s*[=\]]')
        return 1 + next((i for i in range(start, len(self._lines)) if wanted.match(self._lines[i])), start)
