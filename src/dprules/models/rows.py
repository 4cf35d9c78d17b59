"""Rows as users hand them to a model: one record, a list of records, columns by name, or a data frame."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dprules.errors import DataError
from dprules.private import Private
from dprules.schema import as_record, is_series, read_frame

_REFUSAL = (
    "rows must be a data frame (pandas, Polars or Arrow), a dictionary or series with the cells of one row, a list of "
    "these, or a dictionary of columns."
)


class Rows(Private):
    """The cells of some columns, and whether they were given as a single record: private.

    Parameters
    ----------
    size : int
        How many rows there are.
    columns : mapping
        The cells of each column; columns that are not here are missing.
    single : bool
        Whether one record was given, and not a table of records.
    """

    __slots__ = ("_columns", "single", "size")

    def __init__(self, size: int, columns: Mapping[str, Sequence[Any]], single: bool = False) -> None:
        self.size = size
        self._columns = columns
        self.single = single

    def cells(self, name: str) -> Sequence[Any]:
        """Return the cells of a column; where there is none, all are missing."""
        return self._columns.get(name) or [None] * self.size

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        return [{name: cells[place] for name, cells in self._columns.items()} for place in range(self.size)]


def open_rows(rows: Any, names: Sequence[str]) -> Rows:
    """Return what rows have in the columns of these names.

    A dictionary whose values are all lists, arrays or series is a table of columns; any other is one row. A column that
    a row does not have is missing; a table must have every column.
    """
    record = as_record(rows)
    if record is not None and not _has_columns(record):
        return Rows(1, {name: [record.get(name)] for name in names}, single=True)
    if record is not None:
        sizes = {len(cells) for cells in record.values()}
        if len(sizes) > 1:
            raise DataError("the columns have different numbers of rows. Give one cell for each row.")
        return _take_columns(sizes.pop(), {name: list(cells) for name, cells in record.items()}, names)
    if isinstance(rows, list | tuple):
        records = [as_record(row) for row in rows]
        if any(row is None for row in records):
            raise DataError("each row of a list must be a dictionary or a series, with cells by the names of columns.")
        return Rows(len(rows), {name: [row.get(name) for row in records if row is not None] for name in names})
    frame = read_frame(rows, names)
    if frame is None:
        raise DataError(_REFUSAL)
    return _take_columns(*frame, names)


def _has_columns(record: Mapping[Any, Any]) -> bool:
    """Whether the values of a dictionary are columns: no cell is a list, an array or a series."""
    return bool(record) and all(
        isinstance(value, list | tuple | np.ndarray) or is_series(value) or hasattr(value, "to_arrow")
        for value in record.values()
    )


def _take_columns(size: int, columns: Mapping[Any, list[Any]], names: Sequence[str]) -> Rows:
    known = {str(name): cells for name, cells in columns.items()}
    absent = [name for name in names if name not in known]
    if absent:
        raise DataError(f"the rows have no column {absent[0]!r}, which the model asks about. Give a table with it.")
    return Rows(size, {name: known[name] for name in names})
