"""Records as users hand them over: a mapping, a series of pandas, or the rows of a data frame."""

from collections.abc import Collection, Mapping
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
    """Whether an object is a series of pandas, or of a class made from it, such as a row of a frame."""
    libraries = {kind.__module__.split(".")[0] for kind in type(record).__mro__}
    return "pandas" in libraries and getattr(record, "ndim", None) == 1


def read_frame(frame: Any, names: Collection[str] | None = None) -> tuple[int, dict[Any, list[Any]]] | None:
    """Return the number of rows of a frame, and its cells by column; None for what is not a frame.

    Each cell is as the library has it in Python. Frames inside narwhals are taken out, lazy ones are collected.

    Parameters
    ----------
    frame : object
        Of pandas, Polars or Arrow.
    names : collection of str or None
        Columns to read, those that there are; None: all.
    """
    if hasattr(frame, "to_native"):  # narwhals
        frame = frame.to_native()
    if hasattr(frame, "collect") and hasattr(frame, "collect_schema"):  # a lazy frame of Polars
        frame = frame.collect()
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):  # pandas
        columns = {name: frame.iloc[:, place] for place, name in enumerate(frame.columns)}
    elif hasattr(frame, "iter_columns"):  # Polars
        columns = {column.name: column for column in frame.iter_columns()}
    elif hasattr(frame, "column_names") and hasattr(frame, "num_rows"):  # Arrow
        columns = {name: frame.column(name) for name in frame.column_names}
    else:
        return None
    chosen = [name for name in columns if names is None or str(name) in names]
    return int(frame.shape[0]), {name: _list_cells(columns[name]) for name in chosen}


def _list_cells(column: Any) -> list[Any]:
    """Return the cells of a column; where one of them stops the library, each cell by itself."""
    name = next(name for name in ("tolist", "to_list", "to_pylist") if hasattr(column, name))
    try:
        return list(getattr(column, name)())
    except Exception:  # such as a date beyond the years of Python: its scalar is read as a missing cell
        return list(column)
