"""Made-up tables with the columns of a schema: for plans, before any data is touched. Nothing in them is private."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dprules.schema import Boolean, Categorical, Column, Date, Numeric, PrivateCuts, PrivateDates, Schema
from dprules.schema.dates import day_number, show_day
from dprules.tables.cells import read_codes, read_numbers

Truths = NDArray[np.bool_]
Labels = NDArray[np.int64]
"""Places among the classes."""
Chances = NDArray[np.float64]

VALUES = 12
"""Different values of a column whose values are to be bought."""
MISSING_SHARE = 0.1
"""Cells of a column with a literal for missing ones."""
_TRIES = 30
"""Targets that are drawn for one of which no class has nearly all rows."""
_MOST_MAJORITY = 0.85
_INFLUENCES = 12


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How made-up labels follow from made-up columns.

    Parameters
    ----------
    name : str
        In a few words.
    rules : int
        Rules of the list behind the labels; 0: many literals, each of which only makes a class likelier.
    noise : float
        Share of labels that are drawn again at random.
    """

    name: str
    rules: int
    noise: float


DIFFICULTIES = (
    Difficulty("3 clear rules", 3, 0.05),
    Difficulty("10 noisy rules", 10, 0.2),
    Difficulty("weak influences", 0, 0.0),
)


@dataclass(frozen=True, slots=True, eq=False)
class MadeUp:
    """A made-up table, and how likely each label was in each row.

    Parameters
    ----------
    table : pyarrow.Table
        Cells and labels.
    schema : Schema
        Of the table, with values and cuts in the place of those that a fit must buy: cuts at quantiles.
    chances : array of shape (rows, classes)
        How likely each class is, given the cells of the row: no model is right more often than the likeliest one.
    """

    table: pa.Table
    schema: Schema
    chances: Chances


def make_up(schema: Schema, rows: int, difficulty: Difficulty, seed: int) -> MadeUp:
    """Return a table of that shape: columns are independent, and a made-up rule with noise gives the label.

    Parameters
    ----------
    schema : Schema
        Columns, declared values and cuts; bounds where cuts are to be bought.
    rows : int
        How many.
    difficulty : Difficulty
        What the labels are made of.
    seed : int
        Of everything that is drawn.
    """
    random = np.random.default_rng(seed)
    known = schema.with_values({c.name: [f"value {i + 1}" for i in range(VALUES)] for c in schema.private_values})
    cells = {column.name: _draw_cells(column, rows, random) for column in known.columns}
    asked = known.with_cuts({c.name: _find_cuts(c, cells[c.name]) for c in known.private_cuts})
    questions = _Questions(asked, cells)
    labels, chances = _draw_labels(questions, len(schema.label.classes), difficulty, random)
    for _ in range(_TRIES):  # with few literals there may be no other
        if _is_mixed(labels):
            break
        labels, chances = _draw_labels(questions, len(schema.label.classes), difficulty, random)
    classes = pa.array(list(schema.label.classes))
    named = pa.DictionaryArray.from_arrays(pa.array(labels.astype(np.int32)), classes)
    return MadeUp(pa.table({**cells, schema.label.name: named}), asked, chances)


class _Questions:
    """The literals of a schema, and where each holds on made-up cells."""

    def __init__(self, schema: Schema, cells: Mapping[str, pa.Array]) -> None:
        self._literals = schema.literals()
        self._codes = {column.name: read_codes(column, cells[column.name]) for column in schema.columns}
        self.rows = len(next(iter(cells.values())))

    def draw(self, random: np.random.Generator) -> Truths:
        """Return where a random literal holds."""
        literal = self._literals[random.integers(len(self._literals))]
        return literal.truth()[self._codes[literal.column.name]]

    def draw_rule(self, left: Truths, random: np.random.Generator) -> Truths:
        """Return where one or two random literals hold among the rows that are left: some rows, and not too many."""
        found = left
        for _ in range(_TRIES):
            found = left & self.draw(random)
            if random.random() < 0.5:
                found &= self.draw(random)
            if 0.08 <= found.mean() <= 0.5:
                break
        return found


def _draw_cells(column: Column, rows: int, random: np.random.Generator) -> pa.Array:
    """Draw each cell for itself: from the declared values or between cuts with random weights, or within bounds."""
    if isinstance(column, PrivateCuts):
        reach = random.beta(random.uniform(1, 4), random.uniform(1, 4), rows) * (column.upper - column.lower)
        step = column.step or (column.upper - column.lower) / 1000
        numbers = column.lower + np.floor(reach / step) * step
        if not isinstance(column, PrivateDates):
            return pa.array(numbers)
        days, places = np.unique(numbers, return_inverse=True)
        return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), pa.array([*map(show_day, days)]))
    domain = _domain(column)
    weights = random.dirichlet(np.full(len(domain), 2.0))
    drawn = random.choice(len(domain), rows, p=weights).astype(np.int32)
    missing = random.random(rows) < (MISSING_SHARE if column.missing_literal else 0)
    return pa.DictionaryArray.from_arrays(pa.array(drawn, mask=missing), pa.array(domain))


def _domain(column: Column) -> list[Any]:
    """One cell for each code of a column."""
    match column:
        case Categorical(values=values):
            return list(values)
        case Date(cuts=cuts):
            return [show_day(day_number(cuts[0]) - 1), *cuts]
        case Numeric(cuts=cuts):
            return [cuts[0] - max(1.0, abs(cuts[0])), *cuts]
        case Boolean():
            return ["false", "true"]
        case _:
            return [0.0, 1.0]


def _find_cuts(column: PrivateCuts, cells: pa.Array) -> list[float]:
    """Cut the made-up numbers where the best of private cuts would: at their quantiles."""
    numbers = read_numbers(column, cells)
    ranks = np.linspace(0, 1, column.number + 2)[1:-1]
    return [float(cut) for cut in np.unique(np.quantile(numbers, ranks, method="nearest"))]


def _draw_labels(
    questions: _Questions, classes: int, difficulty: Difficulty, random: np.random.Generator
) -> tuple[Labels, Chances]:
    """Draw a target, and the label of each row with its noise; also return how likely each class was."""
    if not difficulty.rules:
        return _draw_weak_labels(questions, classes, random)
    labels: Labels = np.zeros(questions.rows, dtype=np.int64)
    left = np.ones(questions.rows, dtype=np.bool_)
    said = int(random.integers(classes))
    for _ in range(difficulty.rules):
        held = questions.draw_rule(left, random)
        labels[held] = said
        left &= ~held
        said = (said + int(random.integers(1, max(2, classes)))) % classes  # another one: the order matters
    labels[left] = said
    chances = (1 - difficulty.noise) * np.eye(classes)[labels] + difficulty.noise / classes
    again = random.random(questions.rows) < difficulty.noise
    labels[again] = random.integers(classes, size=int(again.sum()))
    return labels, chances


def _draw_weak_labels(questions: _Questions, classes: int, random: np.random.Generator) -> tuple[Labels, Chances]:
    """Draw labels from the sum of many influences, none of which decides alone."""
    scores = np.zeros((questions.rows, classes))
    for _ in range(_INFLUENCES):
        scores += np.outer(questions.draw(random) - 0.5, random.normal(0, 0.7, classes))
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances = odds / odds.sum(axis=1, keepdims=True)
    labels = (random.random((questions.rows, 1)) > np.cumsum(chances, axis=1)).sum(axis=1)
    return np.minimum(labels, classes - 1), chances


def _is_mixed(labels: Labels) -> bool:
    return bool(np.bincount(labels).max() <= _MOST_MAJORITY * len(labels))
