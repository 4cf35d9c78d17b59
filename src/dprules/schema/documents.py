"""Schemas as documents: what a TOML or model file says becomes a label and columns, or a list of gaps with lines."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from dprules.files import is_deep
from dprules.schema.columns import (
    Boolean,
    Categorical,
    Clipped,
    Column,
    Numeric,
    Positive,
    PrivateCuts,
)
from dprules.schema.dates import Date, PrivateDates
from dprules.schema.gaps import PLACEHOLDER, FieldError, Gap, GapsError, first_of, unfilled
from dprules.schema.inline import write_path
from dprules.schema.labels import Label
from dprules.schema.lines import MOST_PARTS, find_lines, has_long_key, line_of
from dprules.schema.private_values import PrivateValues
from dprules.schema.scaled import Scaled

_BOUNDS = {"lower", "upper", "step", "number"}
_KEYS: dict[str, set[str]] = {
    "categorical": {"values"},
    "numeric": {"cuts", "decimal"} | _BOUNDS,
    "date": {"cuts"} | _BOUNDS,
    "boolean": set(),
    "positive": set(),
    "clipped": set(),
    "scaled": {"lower", "upper", "decimal"},
}
_BOUGHT = ("categorical", "numeric", "date")
"""Kinds whose values or cuts may have been bought: model files say so, and nobody is told to write it."""
IGNORE = "ignore"
_KINDS = "categorical, numeric, boolean or date"
_LABEL = ("label",)
_DEEP = "it is nested too deeply"


@dataclass(frozen=True, slots=True)
class Survey:
    """What could be read of a schema, and everything that is wrong with it.

    Parameters
    ----------
    label : Label or None
        None if it is wrong.
    columns : tuple of Column
        Those that are right.
    ignored : tuple of str
        Names of columns that are not used.
    gaps : tuple of Gap
        In the order of their lines.
    """

    label: Label | None
    columns: tuple[Column, ...]
    ignored: tuple[str, ...]
    gaps: tuple[Gap, ...]


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
        """Parse TOML; what is long or deep beyond all schemas is refused."""
        try:
            document = _parse_toml(text)
        except RecursionError:
            sentence = _DEEP
        except ValueError as error:  # TOML's own are of this kind
            sentence = str(error)
        else:
            return document
        found = re.search(r"line ([0-9]+)", sentence)
        line = int(found[1]) if found else max(1, len(text.splitlines()))
        raise GapsError(self._source, [Gap("the file", f"valid TOML ({sentence})", line)])

    def read(self, document: dict[str, Any]) -> tuple[Label, tuple[Column, ...], tuple[str, ...]]:
        """Read a whole schema: its label, its columns, and the names of those that are ignored."""
        found = self.survey(document)
        if found.label is None or found.gaps:
            raise GapsError(self._source, found.gaps)
        return found.label, found.columns, found.ignored

    def survey(self, document: Mapping[str, Any]) -> Survey:
        """Read what can be read of a whole schema, and note everything that is wrong."""
        known = {"label", "columns", "decimal", "values_are_public", "values_like"}
        self._check_keys(document, known, (), "a schema")
        self._check_options(document)
        entry = document.get("label")
        label = self._read_label(entry)
        entries = document.get("columns", {})
        columns = self._read_columns(entries)
        ignored: tuple[str, ...] = ()
        if isinstance(entries, dict):
            name = entry.get("column") if isinstance(entry, dict) else None
            if isinstance(name, str) and name in entries:
                self._add(("columns",), name, "left out: it is the label, which rules may not ask about")
            ignored = tuple(name for name, entry in entries.items() if _is_ignored(entry))
            if len(ignored) == len(entries):
                self._add((), "columns", "at least one column that is not ignored: rules must ask about something")
        return Survey(label, columns, ignored, tuple(self._sorted()))

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
        return self.gap_at(path, rule)

    def gap_at(self, path: tuple[str, ...], rule: str) -> Gap:
        """Return a gap of an entry, with its line."""
        return Gap(write_path(path), rule, None if self._lines is None else line_of(path, self._lines))

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

    def _check_options(self, document: Mapping[str, Any]) -> None:
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
        self._check_keys(entry, {"column", "classes", "positive"}, _LABEL, "the label", "inferred")
        classes = entry.get("classes")
        # "?" may be a class, and so the positive one.
        is_class = isinstance(classes, list) and len(classes) > 1 and PLACEHOLDER in classes
        unread = self._find_placeholders({k: entry[k] for k in entry if k != "positive" or not is_class}, _LABEL)
        positive = None if "positive" in unread else entry.get("positive")
        if positive is not None and not isinstance(positive, str | int | float):
            self._add(_LABEL, "positive", "one of the classes")
            positive = None
        try:
            label = Label(entry.get("column", ""), classes, positive, inferred=entry.get("inferred") is True)  # type: ignore[arg-type]
        except FieldError as error:
            self._add_all(error, unread)
            return None
        return None if unread else label

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
        unread = self._find_placeholders(entry, place)
        kind = entry.get("kind")
        if not isinstance(kind, str) or kind not in _KEYS:
            if "kind" not in unread:
                self._add(place, "kind", f"{_KINDS}; or ignore = true")
            return None
        known = {"kind", "missing", IGNORE} | _KEYS[kind]
        self._check_keys(entry, known, place, f"a {kind} column", "bought" if kind in _BOUGHT else "")
        missing = entry.get("missing", "false")
        if missing not in ("false", "literal") and "missing" not in unread:
            self._add(place, "missing", '"false" (no literal holds) or "literal" (missing is a literal)')
        try:
            column = self._made(name, kind, entry, missing == "literal")
        except FieldError as error:
            self._add_all(error, unread)
            return None
        return None if unread else column

    def _made(self, name: str, kind: str, entry: dict[str, Any], missing: bool) -> Column:
        if kind == "categorical":
            return _categorical(name, entry, missing)
        if kind in ("numeric", "date"):
            return self._ordered(name, kind, entry, missing)
        if kind == "boolean":
            return Boolean(name, missing_literal=missing)
        if kind == "scaled":
            lower, upper, decimal = entry.get("lower"), entry.get("upper"), entry.get("decimal", ".")
            return Scaled(name, lower, upper, decimal=decimal, missing_literal=missing)  # type: ignore[arg-type]
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
        absent = [bound for bound in ("lower", "upper") if bound not in asked]
        private = PrivateCuts if kind == "numeric" else PrivateDates
        try:
            return private(name, **dict.fromkeys(absent), **asked, **options)  # type: ignore[arg-type]
        except FieldError as error:
            others = [one for one in error.all() if one.key not in absent]
        rule = "given: bounds and a step are all that one must know"
        raise first_of([*(FieldError(("columns", name), bound, rule) for bound in absent), *others])

    def _find_placeholders(self, entry: dict[str, Any], place: tuple[str, ...]) -> set[str]:
        """Note every field that is still the draft's, and return their keys."""
        unread = [key for key, value in entry.items() if value in (PLACEHOLDER, [PLACEHOLDER])]
        for key in unread:
            self._add(place, key, unfilled(key))
        return set(unread)

    def _check_keys(
        self, entry: Mapping[str, Any], known: set[str], place: tuple[str, ...], what: str, of_models: str = ""
    ) -> None:
        """Note keys that nobody reads: they are misspelt, or go with something else."""
        *first, last = sorted(known)
        for key in entry:
            if key not in known and key != of_models:
                near = get_close_matches(key, sorted(known), 1)
                hint = f" (did you mean {near[0]}?)" if near else ""
                self._add(place, key, f"left out: {what} has only {', '.join(first)} and {last}{hint}")

    def _add_all(self, error: FieldError, noted: set[str]) -> None:
        """Note an error of an entry and the others in it, but for fields that were noted before."""
        for one in error.all():
            if one.key not in noted:
                self._add(one.place, one.key, one.rule)

    def _add(self, place: tuple[str, ...], key: str, rule: str) -> None:
        self._gaps.append(self.gap_at((*place, key), rule))

    def _sorted(self) -> list[Gap]:
        return sorted(self._gaps, key=lambda gap: gap.line or 0)


def _parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML, or say in a ValueError why it is none, or more than a schema ever is."""
    if has_long_key(text):
        raise ValueError(f"a key has more than {MOST_PARTS} parts")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        document = None
    if document is None:
        raise ValueError("a number has too many digits")
    if is_deep(document):
        raise ValueError(_DEEP)
    return document


def _categorical(name: str, entry: dict[str, Any], missing: bool) -> Column:
    """Values that are declared, or shares that they will be bought with."""
    values = entry.get("values", ())
    if isinstance(values, dict):
        return PrivateValues.asked(name, values, missing)
    return Categorical(name, values, bought=entry.get("bought") is True, missing_literal=missing)


def _is_ignored(entry: Any) -> bool:
    return entry == IGNORE or (isinstance(entry, dict) and entry.get(IGNORE) is True)
