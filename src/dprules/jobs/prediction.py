"""What a released model says of new rows, whatever they come in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.jobs.quiet import without_sizes
from dprules.models import Model, Read, Released, read_released
from dprules.models.model import Numbers
from dprules.private import Private
from dprules.schema import Clipped, Label, Value, is_series
from dprules.tables import Table, open_table
from dprules.tables.cells import Cells, read_clipped, read_codes, read_texts


@without_sizes
def predict(
    model: Model | Released,
    data: object,
    table: str | None = None,
    delimiter: str | None = None,
    multiline: bool = False,
) -> NDArray[Any]:
    """Return the label of each row. Predictions on private rows are private.

    Parameters
    ----------
    model : Model or Released
        Of a released model that verifies; also a fitted estimator, or the path of a model file.
    data : object
        A file, a URL, a frame, an Ibis table, a dictionary of columns, a list of dictionaries, or one row: a dictionary
        or a series.
    table, delimiter, multiline
        As for `open_table`.
    """
    if not isinstance(model, Model):
        released = read_released(model)
        return released.as_declared(predict(released.model, data, table, delimiter, multiline))
    if isinstance(data, list | tuple | Mapping) or is_series(data):
        return model.predict(data)
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
    figures : dict of lists
        Scores and probabilities, by the names of their columns.
    left_out : int
        Lines that cannot be read and have no prediction.
    """

    __slots__ = ("copied", "figures", "labels", "left_out")

    def __init__(
        self, labels: list[Any], copied: list[list[str | None]], figures: dict[str, list[float]], left_out: int = 0
    ) -> None:
        self.labels = labels
        self.copied = copied
        self.figures = figures
        self.left_out = left_out


@without_sizes
def predict_beside(
    model: Model,
    data: object,
    keep: Sequence[str] = (),
    table: str | None = None,
    delimiter: str | None = None,
    multiline: bool = False,
    likely: Sequence[Value] = (),
) -> PredictedRows:
    """Return the label of each row beside columns of the same row, from one reading: a view may have no order.

    Parameters
    ----------
    model : Model
        Of a released model that verifies.
    data : object
        As for `predict`, but for lists of dictionaries.
    keep : sequence of str
        Columns to copy.
    table, delimiter, multiline
        As for `open_table`.
    likely : sequence of str or number
        Classes whose probabilities are wanted too, with the scores that they follow from; none: labels only.
    """
    found = PredictedRows([], [[] for _ in keep], _figures(model, model.read_rows([]), 0, likely))
    with open_table(data, table, delimiter, multiline) as opened:
        for batch in predict_batches(model, opened, keep):
            found.labels += batch.labels.tolist()
            for name, figures in _figures(model, batch.read, batch.size, likely).items():
                found.figures[name] += figures
            for column, name in zip(found.copied, keep, strict=True):
                column += read_texts(batch.cells[name])
        found.left_out = opened.left_out
    return found


def list_likely(label: Label) -> tuple[Value, ...]:
    """Return the classes whose probabilities say everything: the positive one of two, or all."""
    if len(label.classes) != 2:
        return tuple(label.classes)
    return (label.classes[-1] if label.positive is None else label.positive,)


def _figures(model: Model, read: Read, size: int, likely: Sequence[Value]) -> dict[str, list[float]]:
    """Return columns with the probabilities of some classes, and with scores where the model has any."""
    if not likely:
        return {}
    shares = model.probabilities(read, size)
    found = {f"probability_{value}": shares[:, model.classes.index(value)].tolist() for value in likely}
    if not model.has_scores:
        return found
    scores = model.scores(read, size)
    if scores.ndim == 1:
        return found | {"score": scores.tolist()}
    return found | {f"score_{value}": scores[:, place].tolist() for place, value in enumerate(model.classes)}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PredictedBatch(Private):
    """The answers of some rows by their places, their labels, what was read of them, and their cells."""

    size: int
    places: NDArray[np.int64]
    labels: NDArray[Any]
    read: Read
    cells: Mapping[str, Cells]


def predict_batches(model: Model, table: Table, others: Sequence[str] = ()) -> Iterator[PredictedBatch]:
    """Return the answers of the rows of an open table, some at a time, with the cells of other columns."""
    names = list(dict.fromkeys([*(column.name for column in model.columns), *others]))
    for size, cells in table.batches(names):
        read = _read(model, cells)
        places = model.decide(read, size)
        yield PredictedBatch(size, places, model.labels_at(places), read, cells)


@without_sizes
def predict_places(model: Model, data: object, names: Sequence[str] | None = None) -> NDArray[np.int64]:
    """Return the place of each row's answer among the answers of the model.

    Parameters
    ----------
    model : Model
        What predicts.
    data : object
        A table of any kind.
    names : sequence of str or None
        What the model calls the columns of the table, in their order: then they are taken by their places. None: by
        their own names.
    """
    return np.concatenate([np.zeros(0, dtype=np.int64), *_ask(model, data, names, model.decide)])


@without_sizes
def predict_probabilities(model: Model, data: object, names: Sequence[str] | None = None) -> NDArray[np.float64]:
    """Return how likely each class is for each row, in the order of the model's classes; as `predict_places`."""
    none = np.zeros((0, len(model.classes)))
    return np.concatenate([none, *_ask(model, data, names, model.probabilities)])


@without_sizes
def predict_scores(model: Model, data: object, names: Sequence[str] | None = None) -> Numbers:
    """Return the sum that decides each row: one a row for two classes, otherwise one for each class."""
    none = model.decision_function([])
    return np.concatenate([none, *_ask(model, data, names, model.scores)])


def _ask(
    model: Model, data: object, names: Sequence[str] | None, question: Callable[[Read, int], NDArray[Any]]
) -> list[NDArray[Any]]:
    """Return what a model answers, some rows at a time; columns by their places where names are given."""
    if names is None and (isinstance(data, list | tuple | Mapping) or is_series(data)):
        rows = model.open_rows(data)
        return [question(model.read_rows(rows), rows.size)]
    with open_table(data) as table:
        at_place = {} if names is None else dict(zip(names, table.names, strict=True))
        own_names = {column.name: at_place.get(column.name, column.name) for column in model.columns}
        return [
            question(_read(model, {name: cells[own] for name, own in own_names.items()}), size)
            for size, cells in table.batches(list(own_names.values()))
        ]


def _read(model: Model, cells: Mapping[str, Cells]) -> Read:
    """Return what a model needs of the cells of some rows: codes, or numbers of columns that are weighed."""
    return {
        column.name: (read_clipped if isinstance(column, Clipped) else read_codes)(column, cells[column.name])
        for column in model.columns
    }
