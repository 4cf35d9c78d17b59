"""Codebooks: what an organisation wrote down about its columns, as a CSV file.

The first line names the fields: `column`, and any of `kind`, `values` (separated by |), `lower`, `upper`, `step`,
`label` (yes for the column to predict, whose values are then its classes) and `positive` (one of these classes).
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprules.errors import SchemaError
from dprules.schema.cells import read_number, read_truth
from dprules.schema.drafts import empty_entry
from dprules.schema.gaps import PLACEHOLDER
from dprules.schema.text_files import read_text_file

FIELDS = ("column", "kind", "values", "lower", "upper", "step", "label", "positive")
_KINDS = ("categorical", "numeric", "boolean", "date", "ignore")
_SEPARATOR = "|"
LONGEST_CELL = 131_072
"""Characters of a cell: the csv module reads no more."""


@dataclass(frozen=True, slots=True)
class Codebook:
    """What is known of columns.

    Parameters
    ----------
    columns : mapping
        The entry that each column has in a schema file; what the codebook leaves open is "?".
    label : str or None
        The column to predict, if one is marked.
    classes : tuple of str
        Its values.
    positive : str or None
        The class that is looked for, if one is named.
    """

    columns: Mapping[str, Any]
    label: str | None = None
    classes: tuple[str, ...] = ()
    positive: str | None = None


def read_codebook(path: Path, decimal: str = ".") -> Codebook:
    """Read a codebook; what it has wrong is refused with its line.

    Parameters
    ----------
    path : Path
        The file.
    decimal : str
        "," where bounds may be written 0,5.
    """
    lines = read_text_file(path).splitlines()
    head = lines[0] if lines else ""
    reader = csv.DictReader(lines, delimiter=max(",;\t", key=head.count), restkey="")
    fields = [(name or "").strip().lower() for name in _read_names(reader)]
    odd = [name for name in fields if name not in FIELDS]
    if "column" not in fields or odd or len(set(fields)) < len(fields):
        raise SchemaError(f"{path}: the first line of a codebook names {', '.join(FIELDS)}, or some of these. Mend it.")
    reader.fieldnames = fields
    columns: dict[str, Any] = {}
    label = None
    classes: tuple[str, ...] = ()
    positive = None
    for row in _read_rows(reader, path):
        where = f"{path}, line {reader.line_num}"
        cells = {name: (row[name] or "").strip() for name in fields}
        name = cells["column"]
        if not name or "" in row or name in columns or name == label:
            raise SchemaError(f"{where}: a line names one column, which no other line does, and fits the first line.")
        if _is_marked(cells.get("label", ""), where):
            if label is not None:
                raise SchemaError(f"{where}: {label!r} is marked as the label already. Mark one column.")
            label = name
            classes = _split(cells.get("values", ""))
            positive = cells.get("positive") or None
        elif cells.get("positive"):
            raise SchemaError(f"{where}: positive goes with the label, and is one of its values.")
        else:
            columns[name] = _entry(cells, where, decimal)
    if positive is not None and positive not in classes:
        raise SchemaError(f"{path}: positive must be one of the values of {label!r}. Mend it.")
    return Codebook(columns, label, classes, positive)


def _read_names(reader: "csv.DictReader[str]") -> Sequence[str | None]:
    """Return the names of the fields; none if one of them is longer than the csv module reads."""
    try:
        return reader.fieldnames or ()
    except csv.Error:
        return ()


def _read_rows(reader: "csv.DictReader[str]", path: Path) -> Iterator[dict[str, str]]:
    """Return the rows; a cell that is longer than the csv module reads is refused."""
    try:
        yield from reader
        return
    except csv.Error:
        pass
    raise SchemaError(
        f"{path}, line {reader.line_num + 1}: a cell has more than {LONGEST_CELL:,} characters. Shorten it."
    )


def _is_marked(cell: str, where: str) -> bool:
    if not cell or cell.lower() == "x":
        return bool(cell)
    truth = read_truth(cell)
    if truth is None:
        raise SchemaError(f"{where}: label must be yes, no or empty.")
    return truth


def _split(cell: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in cell.split(_SEPARATOR) if value.strip())


def _entry(cells: Mapping[str, str], where: str, decimal: str) -> Any:
    """Return the entry of one column; a kind that is left out follows from values or bounds."""
    values = _split(cells.get("values", ""))
    bounds = {key: cells[key] for key in ("lower", "upper", "step") if cells.get(key)}
    kind = cells.get("kind", "").lower() or ("categorical" if values else "numeric" if bounds else "")
    if not kind:
        return PLACEHOLDER
    if kind not in _KINDS:
        raise SchemaError(f"{where}: kind must be one of {', '.join(_KINDS)}.")
    if kind == "ignore":
        return {"ignore": True}
    entry = empty_entry(kind)
    if (values and kind != "categorical") or (bounds and kind not in ("numeric", "date")):
        raise SchemaError(f"{where}: values go with categorical columns, lower, upper and step with numbers and dates.")
    if kind == "categorical" and values:
        return {**entry, "values": list(values)}
    for key, cell in bounds.items():
        number = cell if kind == "date" and key != "step" else read_number(cell, decimal)
        if number is None:
            raise SchemaError(f"{where}: {key} must be a number such as 0.5 (0,5 with --decimal ,).")
        entry = {**entry, key: number}
    return entry
