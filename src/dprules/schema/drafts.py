"""A first schema of a table: from names and types, or from values that its owner has declared public."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dprules.errors import SchemaError
from dprules.schema.cells import read_number, tabulate_values
from dprules.schema.columns import Boolean, Categorical, Column, Numeric, PrivateCuts
from dprules.schema.labels import Label
from dprules.schema.schema import Schema

CUTS = 8
"""Cuts of a numeric column whose values are public."""
MOST_LISTED = 60
"""Values of a column that a draft lists."""
PLACEHOLDER_BOUND = 999_999_999.0
"""Bounds of a number that are to be filled in."""
PLACEHOLDER = "?"
"""Text that begins with it is to be filled in: a schema that has some is refused."""


def draft_from_kinds(label: str, kinds: Mapping[str, str]) -> Schema:
    """Draft a schema from column names and kinds alone: values, bounds and classes are placeholders.

    Parameters
    ----------
    label : str
        The column to predict.
    kinds : mapping
        "boolean", "numeric" or "categorical" for each other column.
    """
    columns = tuple(_empty(name, kind) for name, kind in kinds.items())
    return Schema(Label(label, (f"{PLACEHOLDER}no", f"{PLACEHOLDER}yes")), columns)


def _empty(name: str, kind: str) -> Column:
    if kind == "boolean":
        return Boolean(name)
    if kind == "numeric":
        return PrivateCuts(name, lower=-PLACEHOLDER_BOUND, upper=PLACEHOLDER_BOUND)
    return Categorical(name, (PLACEHOLDER,))


def draft_column(name: str, values: Sequence[str], numbers: NDArray[np.float64]) -> Column:
    """Draft a column from its values, most frequent first, and its numbers: only for `values_are_public`."""
    if values and {value.lower() for value in values} <= {"true", "false"}:
        return Boolean(name)
    share = sum(read_number(value) is not None for value in values) / max(1, len(values))
    if share > 0.9 and len(values) > CUTS:
        cuts = quantile_cuts(numbers, CUTS)
        if cuts:
            return Numeric(name, cuts)
    return Categorical(name, declarable_values(values) or (PLACEHOLDER,))


def declarable_values(values: Sequence[str]) -> tuple[str, ...]:
    """Return the first values that can be declared together: of several forms of one value ("1", "1.0") the first."""
    kept: list[str] = []
    known: set[str] = set()
    for value in values:
        try:
            forms = set(tabulate_values([value]))
        except ValueError:
            continue
        if not forms & known and len(kept) < MOST_LISTED:
            kept.append(value)
            known |= forms
    return tuple(kept)


def quantile_cuts(numbers: NDArray[np.float64], number_of_cuts: int) -> tuple[float, ...]:
    """Return cuts at quantiles; a number that a third of the rows share is set aside, so that others are told apart."""
    if len(numbers) == 0:
        return ()
    known, counts = np.unique(numbers, return_counts=True)
    common = known[counts.argmax()]
    rest = numbers[numbers != common] if counts.max() > 0.3 * len(numbers) else numbers
    if len(rest) == 0:
        return ()
    levels = np.arange(1, number_of_cuts + 1) / (number_of_cuts + 1)
    return tuple(float(cut) for cut in np.unique(np.quantile(rest, levels, method="higher")) if cut > known[0])


def refuse_placeholders(schema: Schema) -> None:
    """Refuse a draft that has not been filled in."""
    gaps = [f"the classes of {schema.label.name}"] if _has_placeholder(schema.label.classes) else []
    for column in schema.columns:
        if isinstance(column, Categorical) and _has_placeholder(column.values):
            gaps.append(f"the values of {column.name}")
        if isinstance(column, PrivateCuts) and column.upper == PLACEHOLDER_BOUND == -column.lower:
            gaps.append(f"the bounds of {column.name}")
    if gaps:
        raise SchemaError(f"{', '.join(gaps)} are still the placeholders of the draft. Fill them in.")


def _has_placeholder(values: Sequence[object]) -> bool:
    return values == (PLACEHOLDER,) or set(values) == {f"{PLACEHOLDER}no", f"{PLACEHOLDER}yes"}
