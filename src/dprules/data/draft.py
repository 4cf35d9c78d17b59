"""A first schema of a table: names and types only, unless its values are declared public."""

import numpy as np

from dprules.data.columns import Boolean, Categorical, Column, Numeric, number
from dprules.data.schema import Label, PrivateCuts, Schema
from dprules.data.table import Table
from dprules.errors import DataError

CUTS = 8
MOST_VALUES = 60
PLACEHOLDER = "?"


def draft_schema(table: Table, label: str, values_are_public: bool = False) -> Schema:
    """Draft a schema for a label column.

    Without `values_are_public` no cell is read: values, cuts and classes are placeholders to fill in by hand. With it,
    values are listed, cuts are put at quantiles, and the schema says that they were read off the data.
    """
    table.require([label])
    names = [name for name in table.names if name != label]
    if not names:
        raise DataError("the table has no column but the label. Rules need something to ask about.")
    if values_are_public:
        classes = tuple(sorted(table.distinct(label, MOST_VALUES)))
        if len(classes) < 2:
            raise DataError("the label column has fewer than two values. Name another one with --label.")
        return Schema(Label(label, classes), tuple(_filled(table, name) for name in names), values_are_public=True)
    kinds = table.types()
    return Schema(Label(label, ("negative", "positive")), tuple(_empty(name, kinds[name]) for name in names))


def _empty(name: str, kind: str) -> Column:
    if kind == "boolean":
        return Boolean(name)
    return (
        PrivateCuts(name, lower=0.0, upper=1.0, number=CUTS)
        if kind == "numeric"
        else Categorical(name, values=(PLACEHOLDER,))
    )


def _filled(table: Table, name: str) -> Column:
    values = table.distinct(name, MOST_VALUES + 1)
    if values and {value.strip().lower() for value in values} <= {"true", "false"}:
        return Boolean(name)
    read = [number(value) for value in values]
    share = sum(value is not None for value in read) / max(1, len(read))
    if share > 0.9 and len(values) > CUTS:
        cuts = quantile_cuts(table.numbers(name), CUTS)
        if cuts:
            return Numeric(name, False, cuts)
    return Categorical(name, False, tuple(values[:MOST_VALUES]) or (PLACEHOLDER,))


def quantile_cuts(values: "np.ndarray[tuple[int], np.dtype[np.float64]]", number_of_cuts: int) -> tuple[float, ...]:
    """Cuts at quantiles; a value that a third of the rows share is set aside, so that the others are told apart."""
    if len(values) == 0:
        return ()
    known, counts = np.unique(values, return_counts=True)
    rest = values[values != known[counts.argmax()]] if counts.max() > 0.3 * len(values) else values
    if len(rest) == 0:
        return ()
    levels = np.arange(1, number_of_cuts + 1) / (number_of_cuts + 1)
    return tuple(float(cut) for cut in np.unique(np.quantile(rest, levels, method="higher")) if cut > known[0])
