"""What a model takes as public, column by column."""

from collections.abc import Sequence
from dataclasses import dataclass

from dprules.models import Released
from dprules.schema import Categorical, Clipped, Column, Ordered, Positive, Scaled, Value, show_value

_SHOWN = 200
"""Values of one column that are shown."""
_KINDS = {Clipped.kind: "a number, clipped to [-1, 1]", Positive.kind: "a number, above 0 or not"}


@dataclass(frozen=True, slots=True)
class Declared:
    """What is known of one column.

    Parameters
    ----------
    name, kind : str
        Its name, and what it holds.
    title : str
        What is listed: values, cuts, or nothing.
    values : tuple of str
        As they are printed.
    more : int
        How many are left out.
    bought : bool
        Whether they were released by a mechanism instead of declared.
    """

    name: str
    kind: str
    title: str = ""
    values: tuple[str, ...] = ()
    more: int = 0
    bought: bool = False


def list_declared(released: Released) -> list[Declared]:
    """Return the column to predict, then those that the model asks about."""
    label = released.label
    classes = _declare(label.name, "what is predicted", "classes", label.classes, False)
    return [classes, *(_describe(column) for column in released.model.columns)]


def _describe(column: Column) -> Declared:
    kind = _KINDS.get(column.kind, column.kind)
    if column.missing_literal:
        kind += "; rules may ask whether it is missing"
    if isinstance(column, Categorical):
        return _declare(column.name, kind, "values", column.values, column.bought)
    if isinstance(column, Scaled):
        kind = f"a number from {show_value(column.lower)} to {show_value(column.upper)}, scaled to [-1, 1]"
        return Declared(show_value(column.name), kind)
    if isinstance(column, Ordered):
        return _declare(column.name, kind, "cuts", column.cuts, column.bought)
    return Declared(show_value(column.name), kind)


def _declare(name: str, kind: str, title: str, values: Sequence[Value], bought: bool) -> Declared:
    shown = tuple(show_value(value) for value in values[:_SHOWN])
    return Declared(show_value(name), kind, title, shown, max(0, len(values) - _SHOWN), bought)
