"""A first schema of a table: what is known of each column, and "?" for what somebody must fill in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dprules.schema.gaps import PLACEHOLDER, Gap, GapsError
from dprules.schema.inline import write_assignment
from dprules.schema.schema import Schema

_COMPLETE = "# Everything in a schema is public. Nothing is left to fill in; `dprules schema check` checks it."
_FIRST_LINE = """\
# Names of columns come from the first line of the file. If that line is a record, these names are private: add a header
# line first, and draft again."""
_HEAD = """\
# Everything in a schema is public. Replace every "?"; `dprules schema check` lists what is left.
# Of a number, bounds and a step are all that you must know, and you know them without looking at the data: cuts are
# then bought with a small share of epsilon. Values come from a form or a codebook, or are bought too; not from rows.
#   { kind = "numeric", lower = 0, upper = 120, step = 1 }
#   { kind = "date", lower = "2020-01-01", upper = "2025-12-31", step = 7 }
#   { kind = "categorical", values = ["a", "b"] }
#   { kind = "categorical", values = { private = 0.05, delta = 0.1 } }
#   "boolean"
#   "ignore\""""
_KINDS = "categorical, numeric, boolean, date, or ignore"
_EMPTY: Mapping[str, Any] = {
    "boolean": {"kind": "boolean"},
    "numeric": {"kind": "numeric", "lower": PLACEHOLDER, "upper": PLACEHOLDER, "step": PLACEHOLDER},
    "date": {"kind": "date", "lower": PLACEHOLDER, "upper": PLACEHOLDER, "step": 1},
    "categorical": {"kind": "categorical", "values": PLACEHOLDER},
}


@dataclass(frozen=True, slots=True)
class Draft:
    """A schema that need not be complete: a schema file's entries, some of which are "?".

    Parameters
    ----------
    label : mapping
        The entry of the label.
    columns : mapping
        The entry of each other column, or "?".
    options : mapping
        Keys of the whole schema, such as `values_are_public`.
    named_by_first_line : bool
        Whether names were read off the first line of a text file, which is a record if there is no header.
    many_values : tuple of str
        Columns that have more different values, which are public, than values usually are.
    """

    label: Mapping[str, Any]
    columns: Mapping[str, Any]
    options: Mapping[str, Any]
    named_by_first_line: bool = False
    many_values: tuple[str, ...] = ()

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What must be filled in, with its line in `to_toml`."""
        try:
            Schema.from_toml(self.to_toml(), "the draft")
        except GapsError as error:
            return error.gaps
        return ()

    def schema(self) -> Schema:
        """Return the schema, if nothing is left to fill in; otherwise refuse, and name the gaps."""
        return Schema.from_toml(self.to_toml(), "the draft")

    def to_toml(self) -> str:
        """Return the text of a schema file, one line a column."""
        lines = [_HEAD if self._has_placeholders else _COMPLETE]
        lines += [_FIRST_LINE] if self.named_by_first_line else []
        lines += [write_assignment(key, value) for key, value in self.options.items()]
        lines += ["", "[label]", *(write_assignment(key, value) for key, value in self.label.items())]
        lines += ["", "[columns]"]
        for name, entry in self.columns.items():
            hint = f"  # {_KINDS}" if entry == PLACEHOLDER else ""
            lines.append(write_assignment(name, entry) + hint)
        return "\n".join(lines) + "\n"

    @property
    def _has_placeholders(self) -> bool:
        """Whether anything is left to fill in."""
        entries = [self.label, *self.columns.values()]
        fields = [field for entry in entries for field in (entry.values() if isinstance(entry, Mapping) else [entry])]
        return PLACEHOLDER in fields


def empty_entry(kind: str) -> Any:
    """Return the entry of a column of which only the kind is known, "?" if not even that is.

    Examples
    --------
    >>> empty_entry("categorical"), empty_entry("unknown")
    ({'kind': 'categorical', 'values': '?'}, '?')
    """
    return _EMPTY.get(kind, PLACEHOLDER)


def empty_label(name: str) -> dict[str, Any]:
    """Return the entry of a label whose classes are not known."""
    return {"column": name, "classes": PLACEHOLDER}
