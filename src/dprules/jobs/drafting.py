"""A first schema of a table: from names and types, a codebook, a public table of the same form, or public values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dprules.errors import DataError, ParameterError, PrivacyError, SchemaError
from dprules.jobs.quiet import without_sizes
from dprules.numbers import flag
from dprules.schema import (
    MOST_USUAL,
    Codebook,
    Draft,
    declarable_values,
    draft_column,
    empty_entry,
    empty_label,
    read_codebook,
)
from dprules.tables import Table, open_table, read_public_values

Found = tuple[dict[str, Any], tuple[str, ...]]
"""Entries of columns from public values, and the columns that have very many."""


@dataclass(frozen=True, slots=True)
class Source:
    """How a table is opened: its name in a database, and the form of a CSV file."""

    table: str | None = None
    delimiter: str | None = None
    multiline: bool = False


@without_sizes
def draft_schema(
    data: object,
    label: str | None = None,
    *,
    values_are_public: bool = False,
    codebook: str | Path | None = None,
    like: object = None,
    decimal: str = ".",
    table: str | None = None,
    delimiter: str | None = None,
    multiline: bool = False,
) -> Draft:
    """Draft a schema for a label column.

    Parameters
    ----------
    data : object
        A table of any kind. Without `values_are_public` only its names and types are looked at.
    label : str or None
        The column to predict; None if the codebook marks it.
    values_are_public : bool
        Declares that the values of the data may be known: they are listed, cuts are put at quantiles, and the schema
        says that they were read off the data.
    codebook : path or None
        A CSV file that says what columns hold (`dprules.schema.codebooks`). It goes before everything else.
    like : object
        A public table of the same form, such as a sample that was published: values and cuts are taken from it, and the
        schema, and with it the certificate, names it.
    decimal : str
        "," where texts of the table write 3,14.
    table, delimiter, multiline
        As for `open_table`.
    """
    if decimal not in (".", ","):
        raise ParameterError(f'decimal must be "." or ","; got {decimal!r}. Choose one.')
    source = Source(table, delimiter, multiline)
    book = Codebook({}) if codebook is None else read_codebook(Path(codebook), decimal)
    label = _choose_label(label, book)
    if flag(values_are_public, "values_are_public") and like is not None:
        raise PrivacyError("values come from the data or from a public table, not from both. Choose one.")
    with open_table(data, table, delimiter, multiline) as opened:
        opened.require([label, *book.columns])
        names = [name for name in opened.names if name != label]
        if not names:
            raise DataError("the table has no column but the label. Rules need something to ask about.")
        kinds = opened.kinds()
        first_line = opened.named_by_first_line
        found, many = _read_entries(opened, [label, *names], decimal) if values_are_public else ({}, ())
    if values_are_public and label not in found:
        raise DataError("the label column has fewer than two values. Name another one with --label.")
    options: dict[str, Any] = {"values_are_public": True} if values_are_public else {}
    if like is not None:
        found, many = _read_like(like, data, [label, *names], decimal, source)
        options["values_like"] = _name_of(like, table)
    options |= {} if decimal == "." else {"decimal": decimal}
    columns = {name: book.columns.get(name, found.get(name, empty_entry(kinds[name]))) for name in names}
    unsaid = tuple(name for name in many if name not in book.columns and (name != label or not book.classes))
    return Draft(_draft_label(label, book, found.get(label)), columns, options, first_line, unsaid)


def _choose_label(label: str | None, book: Codebook) -> str:
    """Return the column to predict, which the codebook may mark; two different ones are refused."""
    if label is not None and book.label not in (None, label):
        raise SchemaError(f"the codebook marks {book.label!r} as the label, not {label!r}. Name one of them only.")
    chosen = book.label if label is None else label
    if chosen is None:
        raise SchemaError("a schema needs the column to predict. Name it with --label, or mark it in the codebook.")
    return chosen


def _draft_label(label: str, book: Codebook, found: list[str] | None) -> dict[str, Any]:
    """Return the entry of the label: its classes by the codebook, marked there or not, or by values that are public."""
    listed = book.columns.get(label)
    values = listed.get("values") if isinstance(listed, Mapping) else None
    classes = list(book.classes) or (values if isinstance(values, list) else None) or found
    entry = empty_label(label) if classes is None else {"column": label, "classes": classes}
    return entry if book.positive is None else {**entry, "positive": book.positive}


def _read_entries(table: Table, names: Sequence[str], decimal: str) -> Found:
    """Return entries of columns, and the classes of the first one, from values that are public.

    Also return which of them list very many values.
    """
    label, *others = names
    values = read_public_values(table, names, decimal)
    drafted = [draft_column(name, *values[name], decimal) for name in others]
    entries: dict[str, Any] = {column.name: column.entry() for column in drafted if column is not None}
    for entry in entries.values():
        entry.pop("decimal", None)  # said once, for the whole schema
    classes = sorted(declarable_values(values[label][0]))
    listing = [label, *(name for name, entry in entries.items() if "values" in entry)]
    many = tuple(name for name in listing if len(values[name][0]) > MOST_USUAL)
    return entries | ({label: classes} if len(classes) > 1 else {}), many


def _read_like(like: object, data: object, names: Sequence[str], decimal: str, source: Source) -> Found:
    """Return entries from a public table; columns that it does not have stay open."""
    if _is_same(like, data):
        raise PrivacyError(
            "the public table is the data itself. If the values of the data are public, declare --values-are-public."
        )
    with open_table(like, source.table, source.delimiter, source.multiline) as opened:
        opened.require(names[:1])
        return _read_entries(opened, [name for name in names if name in opened.names], decimal)


def _is_same(like: object, data: object) -> bool:
    if isinstance(like, str | Path) and isinstance(data, str | Path):
        first = Path(like)
        second = Path(data)
        return str(like) == str(data) or (first.exists() and second.exists() and first.samefile(second))
    return like is data


def _name_of(like: object, table: str | None) -> str:
    """Return how the certificate names a public table: a file by its name, without its folder."""
    if not isinstance(like, str | Path):
        return "a data frame in memory"
    if isinstance(like, str) and urlsplit(like).scheme in ("duckdb", "postgresql", "postgres"):
        return table or "a table of a database"
    return Path(like).name
