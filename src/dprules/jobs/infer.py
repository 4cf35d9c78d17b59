"""A schema for data without one: from types and names, which are public, and never from cells."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from dprules.errors import DataError
from dprules.schema import Boolean, Clipped, Column, Label, Positive, Schema, Value
from dprules.schema.cells import read_value
from dprules.tables import open_table
from dprules.tables.frames import collect_frame

LABEL = "y"


def collect_lazy(data: Any) -> Any:
    """Return a lazy frame, or one inside narwhals, as the frame that it stands for; anything else as it is."""
    return collect_frame(data)


def read_names(data: Any) -> list[str]:
    """Return the names of the columns of a frame, whatever library it is of."""
    with open_table(data) as table:
        return list(table.names)


def require_numbers(frame: Any) -> None:
    """Refuse a frame with a column that holds neither numbers nor Booleans by its type, which is public.

    Without a schema, every cell of text would be missing. Columns of objects and of Arrow's null type are not refused:
    a column of numbers gets the one from a single odd cell, the other from having no values. These are facts about
    rows.
    """
    with open_table(frame) as table:
        kinds = table.kinds()
    for (name, kind), declared in zip(kinds.items(), _types_of(frame), strict=True):
        if kind in ("categorical", "date") and not str(declared).lower().startswith("null"):
            short = re.split(r"\W", str(declared))[0]  # some types go on with their values
            raise DataError(
                f"column {name!r} holds neither numbers nor Booleans by its type ({short}). Describe the columns in "
                "a schema (schema=...), or convert it."
            )


def _types_of(frame: Any) -> Any:
    """Return the declared types of the columns of a frame, in their order."""
    if hasattr(frame, "dtypes"):  # pandas, Polars
        return frame.dtypes
    return (frame.schema() if callable(frame.schema) else frame.schema).types  # Ibis, Arrow


def infer_columns(data: Any, names: Sequence[str], real: bool = False) -> tuple[Column, ...]:
    """Return a column for each name: Booleans by their type, everything else as numbers.

    Parameters
    ----------
    data : object
        A frame, or a dictionary of columns.
    names : sequence of str
        Its columns.
    real : bool
        Whether numbers are weighed as they are, clipped to [-1, 1], instead of being read as x > 0.
    """
    if real:
        return tuple(Clipped(name) for name in names)
    with open_table(data) as table:
        kinds = table.kinds()
    return tuple(Boolean(name) if kinds[name] == "boolean" else Positive(name) for name in names)


def infer_schema(data: Any, names: Sequence[str], label: Label) -> Schema:
    """Return a schema of inferred columns and a label."""
    return Schema(label, infer_columns(data, names))


def infer_label(classes: Sequence[Any], names: Sequence[str], declared: bool) -> Label:
    """Return a label with these classes, under a name that no column has.

    Parameters
    ----------
    classes : sequence
        Declared, or read off labels.
    names : sequence of str
        Columns.
    declared : bool
        Whether the classes were given: then there must be two at least.
    """
    name = LABEL
    while name in names:
        name += "_"
    return Label(name, tuple(_plain(value) for value in classes), inferred=not declared)


def _plain(value: Any) -> Value:
    """A class as text or a number; what is neither is written as text, a moment as its cell is."""
    item = value.item() if isinstance(value, np.generic) and value.dtype.kind not in "Mm" else value
    if isinstance(item, str | int | float) and not isinstance(item, bool):
        return item
    return str(item) if isinstance(item, bool) else (read_value(item) or str(item))
