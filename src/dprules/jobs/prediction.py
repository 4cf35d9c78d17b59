"""What a released model says of new rows, whatever they come in."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.models import Halfspace, Model, RuleList
from dprules.schema import Clipped
from dprules.tables import Table, open_table, read_columns, read_matrix
from dprules.tables.cells import read_clipped, read_codes


def predict(
    model: Model, data: object, table: str | None = None, delimiter: str | None = None, multiline: bool = False
) -> NDArray[Any]:
    """Return the label of each row. Predictions on private rows are private.

    Parameters
    ----------
    model : RuleList or Halfspace
        Of a released model that verifies.
    data : object
        A file, a URL, a frame, an Ibis table, a dictionary of columns, or a list of dictionaries.
    table, delimiter, multiline
        As for `open_table`.
    """
    if isinstance(data, list | tuple):
        return np.array(model.predict(data))
    with open_table(data, table, delimiter, multiline) as opened:
        return predict_table(model, opened)


def predict_table(model: Model, table: Table) -> NDArray[Any]:
    """Return the label of each row of an open table."""
    if isinstance(model, RuleList):
        return model.labels_at(predict_places(model, table))
    sums = weigh_table(model, table)
    return np.array(model.classes)[(sums > 0).astype(np.int64)]


def predict_places(model: RuleList, data: object) -> NDArray[np.int64]:
    """Return the index of the rule that decides each row; the number of rules is the default."""
    with open_table(data) as table:
        parts = [model.decide_codes(codes) for codes in read_matrix(table, model.columns)]
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def weigh_table(model: Halfspace, table: Table) -> NDArray[np.float64]:
    """Return the sum of each row: the bias, and each term by the codes or numbers of its columns."""
    names = [column.name for column in model.columns]
    parts = [np.zeros(0)]
    for size, cells in table.batches(names):
        codes = {c.name: read_codes(c, cells[c.name]) for c in model.columns if not isinstance(c, Clipped)}
        total = np.full(size, model.bias)
        for term in model.terms:
            if isinstance(term.feature, Clipped):
                total += term.weight * read_clipped(term.feature, cells[term.feature.name])
                continue
            held = np.ones(size, dtype=np.bool_)
            for literal in term.feature:
                held &= literal.truth()[codes[literal.column.name]]
            total += np.where(held, term.weight, -term.weight)
        parts.append(total)
    return np.concatenate(parts)


def read_table_columns(
    data: object, names: Sequence[str], table: str | None = None, delimiter: str | None = None, multiline: bool = False
) -> list[list[str | None]]:
    """Return whole columns as text, in the order of the rows: private."""
    with open_table(data, table, delimiter, multiline) as opened:
        return read_columns(opened, names)
