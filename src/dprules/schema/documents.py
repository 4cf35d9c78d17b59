"""Schemas as documents: what a TOML or model file says becomes a label and columns, or a list of gaps with lines."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from dprules.schema.columns import Boolean, Categorical, Clipped, Column, FieldError, Numeric, Positive, PrivateCuts
from dprules.schema.dates import Date, PrivateDates
from dprules.schema.gaps import PLACEHOLDER, Gap, GapsError, unfilled
from dprules.schema.labels import Label
from dprules.schema.lines import find_lines, line_of
from dprules.schema.private_values import PrivateValues

_BOUNDS = {"lower", "upper", "step", "number"}
_KEYS: dict[str, set[str]] = {
    "categorical": {"values", "bought"},
    "numeric": {"cuts", "bought", "decimal"} | _BOUNDS,
    "date": {"cuts", "bought"} | _BOUNDS,
    "boolean": set(),
    "positive": set(),
    "clipped": set(),
}
IGNORE = "ignore"
_KINDS = "categorical, numeric, boolean or date"
_LABEL = ("label",)


class DocumentReader:
    """Turns a parsed document into a label and columns, and says everything that is wrong with it at once.

    Parameters
    ----------
    text : str
        The file's text, for line numbers; empty if there is none.
    source : str
        How errors call the document.
    """

    def __init__(self, text: str, source: str) -> None:
        self._lines = find_lines(text) if text else None
        self._source = source
        self._gaps: list[Gap] = []
        self._decimal = "."

    def parse(self, text: str) -> dict[str, Any]:
        """Parse TOML."""
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            sentence = str(error)
        found = re.search(r"line ([0-9]+)", sentence)
        line = int(found[1]) if found else max(1, len(text.splitlines()))
        raise GapsError(self._source, [Gap("the file", f"valid TOML ({sentence})", line)])

    def read(self, document: dict[str, Any]) -> tuple[Label, tuple[Column, ...], tuple[str, ...]]:
        """Read a whole schema: its label, its columns, and the names of those that are ignored."""
        self._check_keys(document, {"label", "columns", "decimal", "values_are_public", "values_like"}, ())
        self._check_options(document)
        label = self._read_label(document.get("label"))
        entries = document.get("columns", {})
        columns = self._read_columns(entries)
        if label is not None and isinstance(entries, dict) and label.name in entries:
            self._add(("columns",), label.name, "left out: it is the label, which rules may not ask about")
        if isinstance(entries, dict) and not columns and not self._gaps:
            self._add((), "columns", "at least one column: rules must ask about something")
        if label is None or self._gaps:
            raise GapsError(self._source, self._sorted())
        return label, columns, tuple(name for name, entry in entries.items() if _is_ignored(entry))

    @staticmethod
    def names_in(document: Mapping[str, Any]) -> dict[str, bool]:
        """Return the columns that a document names, right or wrong, and whether it needs them."""
        label = document.get("label")
        columns = document.get("columns")
        named = label.get("column") if isinstance(label, dict) else None
        found = {named: True} if isinstance(named, str) and named not in ("", PLACEHOLDER) else {}
        entries = columns if isinstance(columns, dict) else {}
        return found | {name: not _is_ignored(entry) for name, entry in entries.items()}

    def gap_of(self, name: str, rule: str) -> Gap:
        """Return a gap of a column, or of the label if no column has that name."""
        path = ("columns", name)
        if self._lines is not None and path not in self._lines:
            path = ("label", "column")
        return Gap(".".join(path), rule, None if self._lines is None else line_of(path, self._lines))

    def label(self, entry: Any) -> Label:
        """Read a label alone."""
        label = self._read_label(entry)
        if label is None or self._gaps:
            raise GapsError(self._source, self._gaps)
        return label

    def columns(self, entries: Any) -> tuple[Column, ...]:
        """Read columns alone."""
        columns = self._read_columns(entries)
        if self._gaps:
            raise GapsError(self._source, self._gaps)
        return columns

    def _check_options(self, document: dict[str, Any]) -> None:
        """Note wrong keys of the whole schema, and read the decimal mark of its numbers."""
        if document.get("decimal", ".") not in (".", ","):
            self._add((), "decimal", '"." or ","')
        else:
            self._decimal = document.get("decimal", ".")
        if not isinstance(document.get("values_are_public", False), bool):
            self._add((), "values_are_public", "true or false")
        like = document.get("values_like", "a table")
        if not isinstance(like, str) or not like or not like.isprintable():
            self._add((), "values_like", "the name of a public table, on one line")

    def _read_label(self, entry: Any) -> Label | None:
        if not isinstance(entry, dict):
            self._add((), "label", 'a table with the label: [label], column = "...", classes = [...]')
            return None
        self._check_keys(entry, {"column", "classes", "positive", "inferred"}, _LABEL)
        # "?" may be a class, and so the positive one.
        if self._find_placeholders({key: entry[key] for key in entry if key != "positive"}, _LABEL):
            return None
        positive = entry.get("positive")
        if positive is not None and not isinstance(positive, str | int | float):
            self._add(_LABEL, "positive", "one of the classes")
            return None
        try:
            inferred = entry.get("inferred") is True
            return Label(entry.get("column", ""), entry.get("classes"), positive, inferred=inferred)  # type: ignore[arg-type]
        except FieldError as error:
            self._add(error.place, error.key, error.rule)
        return None

    def _read_columns(self, entries: Any) -> tuple[Column, ...]:
        if not isinstance(entries, dict):
            self._add((), "columns", "a table with columns such as [columns.age]")
            return ()
        read = [self._column(name, entry) for name, entry in entries.items() if not _is_ignored(entry)]
        return tuple(column for column in read if column is not None)

    def _column(self, name: str, entry: Any) -> Column | None:
        if entry == PLACEHOLDER:
            self._add(("columns",), name, unfilled(None))
            return None
        entry = {"kind": entry} if isinstance(entry, str) else entry
        place = ("columns", name)
        if not isinstance(entry, dict):
            self._add(("columns",), name, f"a table with a kind: {_KINDS}")
            return None
        if self._find_placeholders(entry, place):
            return None
        kind = entry.get("kind")
        if not isinstance(kind, str) or kind not in _KEYS:
            self._add(place, "kind", f"{_KINDS}; or ignore = true")
            return None
        self._check_keys(entry, {"kind", "missing", IGNORE} | _KEYS[kind], place)
        missing = entry.get("missing", "false")
        if missing not in ("false", "literal"):
            self._add(place, "missing", '"false" (no literal holds) or "literal" (missing is a literal)')
            return None
        try:
            return self._made(name, kind, entry, missing == "literal")
        except FieldError as error:
            self._add(error.place, error.key, error.rule)
        return None

    def _made(self, name: str, kind: str, entry: dict[str, Any], missing: bool) -> Column:
        if kind == "categorical":
            return _categorical(name, entry, missing)
        if kind in ("numeric", "date"):
            return self._ordered(name, kind, entry, missing)
        if kind == "boolean":
            return Boolean(name, missing_literal=missing)
        return Positive(name, missing_literal=missing) if kind == "positive" else Clipped(name, missing_literal=missing)

    def _ordered(self, name: str, kind: str, entry: dict[str, Any], missing: bool) -> Column:
        """Cuts that are declared, or bounds between which they will be bought."""
        asked = {key: entry[key] for key in entry if key in _BOUNDS}
        options: dict[str, Any] = {"missing_literal": missing}
        if kind == "numeric":
            options["decimal"] = entry.get("decimal", self._decimal)
        if "cuts" in entry:
            if asked:
                raise FieldError(("columns", name), "cuts", "left out, or lower, upper, step and number: not both")
            options["bought"] = entry.get("bought") is True
            made = Numeric if kind == "numeric" else Date
            return made(name, entry["cuts"], **options)
        for bound in ("lower", "upper"):
            if bound not in asked:
                raise FieldError(("columns", name), bound, "given: bounds and a step are all that one must know")
        private = PrivateCuts if kind == "numeric" else PrivateDates
        return private(name, **asked, **options)

    def _find_placeholders(self, entry: dict[str, Any], place: tuple[str, ...]) -> bool:
        """Note every field that is still the draft's; return whether there are any."""
        unread = [key for key, value in entry.items() if value in (PLACEHOLDER, [PLACEHOLDER])]
        for key in unread:
            self._add(place, key, unfilled(key))
        return bool(unread)

    def _check_keys(self, entry: dict[str, Any], allowed: set[str], place: tuple[str, ...]) -> None:
        """Note keys that nobody reads: they are misspelt."""
        for key in entry:
            if key not in allowed:
                self._add(place, key, f"one of {', '.join(sorted(allowed))}")

    def _add(self, place: tuple[str, ...], key: str, rule: str) -> None:
        path = (*place, key)
        line = None if self._lines is None else line_of(path, self._lines)
        self._gaps.append(Gap(".".join(path), rule, line))

    def _sorted(self) -> list[Gap]:
        return sorted(self._gaps, key=lambda gap: gap.line or 0)


def _categorical(name: str, entry: dict[str, Any], missing: bool) -> Column:
    """Values that are declared, or shares that they will be bought with."""
    values = entry.get("values", ())
    if isinstance(values, dict):
        return PrivateValues.asked(name, values, missing)
    return Categorical(name, values, bought=entry.get("bought") is True, missing_literal=missing)


def _is_ignored(entry: Any) -> bool:
    return entry == IGNORE or (isinstance(entry, dict) and entry.get(IGNORE) is True)
