"""What a released model says of new rows, whatever they come in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.jobs.quiet import without_sizes
from dprules.models import Halfspace, Model, RuleList
from dprules.private import Private
from dprules.schema import Clipped
from dprules.tables import Table, open_table
from dprules.tables.cells import Cells, read_clipped, read_codes, read_texts


@without_sizes
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
        parts = [batch.labels for batch in predict_batches(model, opened)]
    return np.concatenate([np.array(model.classes)[:0], *parts])


class PredictedRows(Private):
    """Predictions, and columns that were copied beside them: private.

    Parameters
    ----------
    labels : array
        The label of each row.
    copied : list of lists
        The text of each cell, column by column.
    left_out : int
        Lines that cannot be read and have no prediction.
    """

    __slots__ = ("copied", "labels", "left_out")

    def __init__(self, labels: list[Any], copied: list[list[str | None]], left_out: int = 0) -> None:
        self.labels = labels
        self.copied = copied
        self.left_out = left_out


@without_sizes
def predict_beside(
    model: Model,
    data: object,
    keep: Sequence[str] = (),
    table: str | None = None,
    delimiter: str | None = None,
    multiline: bool = False,
) -> PredictedRows:
    """Return the label of each row beside columns of the same row, from one reading: a view may have no order.

    Parameters
    ----------
    model : RuleList or Halfspace
        Of a released model that verifies.
    data : object
        As for `predict`, but for lists of dictionaries.
    keep : sequence of str
        Columns to copy.
    table, delimiter, multiline
        As for `open_table`.
    """
    found = PredictedRows([], [[] for _ in keep])
    with open_table(data, table, delimiter, multiline) as opened:
        for batch in predict_batches(model, opened, keep):
            found.labels += batch.labels.tolist()
            for column, name in zip(found.copied, keep, strict=True):
                column += read_texts(batch.cells[name])
        found.left_out = opened.left_out
    return found


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PredictedBatch(Private):
    """The labels of some rows, and their cells; `places` are the rules that decide, or the classes of a halfspace."""

    places: NDArray[np.int64]
    labels: NDArray[Any]
    cells: Mapping[str, Cells]


def predict_batches(model: Model, table: Table, others: Sequence[str] = ()) -> Iterator[PredictedBatch]:
    """Return the labels of the rows of an open table, some at a time, with the cells of other columns."""
    names = list(dict.fromkeys([*(column.name for column in model.columns), *others]))
    for size, cells in table.batches(names):
        if isinstance(model, RuleList):
            places = _decide_cells(model, size, cells)
            labels = model.labels_at(places)
        else:
            places = (_weigh_cells(model, size, cells) > 0).astype(np.int64)
            labels = np.array(model.classes)[places]
        yield PredictedBatch(places, labels, cells)


@without_sizes
def predict_places(model: RuleList, data: object, names: Sequence[str] | None = None) -> NDArray[np.int64]:
    """Return the index of the rule that decides each row; the number of rules is the default.

    Parameters
    ----------
    model : RuleList
        The list.
    data : object
        A table of any kind.
    names : sequence of str or None
        What the model calls the columns of the table, in their order: then they are taken by their places. None: by
        their own names.
    """
    wanted = [column.name for column in model.columns]
    with open_table(data) as table:
        at_place = {} if names is None else dict(zip(names, table.names, strict=True))
        own_names = {name: at_place.get(name, name) for name in wanted}
        parts = [
            _decide_cells(model, size, {name: cells[own] for name, own in own_names.items()})
            for size, cells in table.batches(list(own_names.values()))
        ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _decide_cells(model: RuleList, size: int, cells: Mapping[str, Cells]) -> NDArray[np.int64]:
    codes = np.empty((size, len(model.columns)), dtype=np.int16)
    for place, column in enumerate(model.columns):
        codes[:, place] = read_codes(column, cells[column.name])
    return model.decide_codes(codes)


def _weigh_cells(model: Halfspace, size: int, cells: Mapping[str, Cells]) -> NDArray[np.float64]:
    """Return the sum of each row: the bias, and each term by the codes or numbers of its columns."""
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
    return total
