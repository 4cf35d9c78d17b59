"""Records as users hand them over: a mapping, a series of pandas, or the rows of a data frame."""

from collections.abc import Mapping
from typing import Any


def as_record(record: object) -> dict[Any, Any] | None:
    """Return a record as a plain dictionary, None for what is not a record.

    Examples
    --------
    >>> as_record({"age": 30}), as_record(["age"]), as_record(None)
    ({'age': 30}, None, None)
    """
    if type(record) is dict:
        return record
    try:
        if isinstance(record, Mapping):
            return dict(record)
        if is_series(record):
            return dict(record.to_dict())  # type: ignore[attr-defined]
    except Exception:  # a record may be any object, with any methods
        return None
    return None


def is_series(record: object) -> bool:
    """Whether an object is a series of pandas, such as a row of a frame."""
    return type(record).__module__.startswith("pandas.") and getattr(record, "ndim", None) == 1


def read_frame(frame: Any) -> tuple[int, dict[Any, list[Any]]] | None:
    """Return the number of rows of a frame of pandas, Polars or Arrow, and its cells by column; None if it is none.

    Frames inside narwhals are taken out, lazy ones are collected. Each cell is as the library has it in Python.
    """
    if hasattr(frame, "to_native"):  # narwhals
        frame = frame.to_native()
    if hasattr(frame, "collect") and hasattr(frame, "collect_schema"):  # a lazy frame of Polars
        frame = frame.collect()
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):  # pandas
        names = list(frame.columns)
        return len(frame), {name: _list_cells(frame.iloc[:, place]) for place, name in enumerate(names)}
    if hasattr(frame, "iter_columns"):  # Polars
        return frame.height, {column.name: _list_cells(column) for column in frame.iter_columns()}
    if hasattr(frame, "column_names") and hasattr(frame, "num_rows"):  # Arrow
        return frame.num_rows, {name: _list_cells(frame.column(name)) for name in frame.column_names}
    return None


def _list_cells(column: Any) -> list[Any]:
    """Return the cells of a column; where one of them stops the library, each cell by itself."""
    name = next(name for name in ("tolist", "to_list", "to_pylist") if hasattr(column, name))
    try:
        return list(getattr(column, name)())
    except Exception:  # such as a date beyond the years of Python: its scalar is read as a missing cell
        return list(column)
