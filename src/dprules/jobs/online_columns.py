"""Which columns the features of online estimators are, by their types: what is asked of a cell is public."""

from collections.abc import Sequence
from typing import Any

from dprules.errors import ParameterError
from dprules.schema import Boolean, Clipped, Column, Positive
from dprules.tables import open_table

VALUES = ("auto", "boolean", "positive", "real")
"""How features may be read."""


def choose_columns(data: Any, names: Sequence[str], values: str, asks: bool) -> tuple[Column, ...]:
    """Return a column for each name by its type, which is public, and never by its cells.

    Parameters
    ----------
    data : object or None
        A frame, or a dictionary of columns; None if only names are known.
    names : sequence of str
        Its columns.
    values : str
        "auto", "boolean", "positive" or "real".
    asks : bool
        Whether features are asked about (conditions, lists) and not weighed.
    """
    if values not in VALUES:
        raise ParameterError(f"values must be one of {', '.join(VALUES)}; got {values!r}.")
    if values == "real" and asks:
        raise ParameterError(
            "conditions are made of Boolean features. Give values='boolean' or 'positive', or width=1."
        )
    if values in ("boolean", "positive"):
        return tuple(Boolean(name) if values == "boolean" else Positive(name) for name in names)
    if values == "real" or (data is None and not asks):
        return tuple(Clipped(name) for name in names)
    if data is None:
        raise ParameterError(
            "single examples have no types, and conditions are made of Boolean features. Give values='boolean', or "
            "values='positive' to ask whether numbers are above 0."
        )
    with open_table(data) as table:
        kinds = table.kinds()
    numbers = [name for name in names if kinds[name] == "numeric"]
    if asks and numbers:
        raise ParameterError(
            f"column {numbers[0]!r} holds numbers, and conditions are made of Boolean features. Give Booleans, or "
            "values='positive' to ask whether numbers are above 0."
        )
    return tuple(Boolean(name) if asks or kinds[name] == "boolean" else Clipped(name) for name in names)
