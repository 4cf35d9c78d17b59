"""What the features of online estimators are, and how examples become blocks: by name, by place, or hashed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import nan
from operator import itemgetter
from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from dprules.jobs.online_cells import BOOLEANS, FLOATS, NUMBERS, Example, Reader, is_plain, read_steps, read_truths
from dprules.jobs.online_sums import weigh_clipped, weigh_positive
from dprules.jobs.quiet import without_sizes
from dprules.learners.streams import (
    Block,
    ConditionBlock,
    DenseBlock,
    Hypothesis,
    LiteralBlock,
    SparseNumbers,
    Weights,
    as_block,
)
from dprules.models import Halfspace, RuleList, Term
from dprules.schema import (
    GRID,
    MISSING,
    Boolean,
    Clipped,
    Column,
    Conditions,
    Literal,
    Positive,
    Value,
    as_record,
    build_conditions,
    literals_of,
)
from dprules.schema.cells import LARGEST_NUMBER
from dprules.tables import open_table, prepare_kernels
from dprules.tables.cells import read_clipped, read_codes

Says = Callable[[Example], float]
"""What a hypothesis says of an example; above 0 is the second class."""
Row = Any
"""What was read of one example: private."""
_FEW = 4
"""Up to so many features are weighed one by one."""


@dataclass(frozen=True)
class OnlineRequest:
    """What is asked of the examples of an online estimator: public.

    Parameters
    ----------
    columns : sequence of Column
        One for each feature, in their order.
    width : int
        1, or 2 or 3 for conditions made of both signs of Boolean features.
    classes : tuple
        In the order of their codes; of two, the negative one first.
    lists : bool
        Whether hypotheses are lists: then blocks hold literals.
    """

    columns: Sequence[Column]
    width: int = 1
    classes: tuple[Value, ...] = ()
    lists: bool = False

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # readers are made again

    def with_classes(self, classes: tuple[Value, ...], *, lists: bool) -> Self:
        """Return the request for a stream with these classes."""
        return replace(self, classes=classes, lists=lists)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are asked about."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def real(self) -> bool:
        """Whether numbers are weighed as they are."""
        return any(isinstance(column, Clipped) for column in self.columns)

    @property
    def unit(self) -> int:
        """Coordinates are multiples of 1/unit."""
        return GRID if self.real else 1

    @property
    def dimension(self) -> int:
        """Coordinates, the bias included."""
        return 1 + (len(self.columns) if self.conditions is None else len(self.conditions))

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """Both signs of every feature."""
        return tuple(literal for column in self.columns for literal in literals_of(column))

    @cached_property
    def conditions(self) -> Conditions | None:
        """The conditions of features, None for the features themselves."""
        return None if self.width == 1 else build_conditions(self.literals, self.width)

    @without_sizes
    def read(self, X: Any) -> Block:
        """Return examples as a block: matrices as they are, frames and objects cell by cell."""
        plain = scipy.sparse.issparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in "biuf")
        kinds = {type(column) for column in self.columns}
        if plain and self.conditions is None and not self.lists and len(kinds) == 1:
            return self._read_matrix(X, kinds.pop())
        if self.real:
            return as_block(self._numbers(X), len(self.columns), True)
        return self._make_block(self._codes(X))

    def _read_matrix(self, X: Any, kind: type[Column]) -> Block:
        """Return a matrix of Booleans or numbers as a block, read as columns of one kind read their cells."""
        if kind is Clipped and scipy.sparse.issparse(X) and X.dtype != np.bool_:
            return as_block(SparseNumbers(X), len(self.columns), True)
        if kind is Boolean and X.dtype != np.bool_:
            X = X == 1  # 0 is false, and any other number is missing
        if kind is Clipped and scipy.sparse.issparse(X):
            X = X.toarray()
        return as_block(X, len(self.columns), kind is Clipped)

    def read_one(self, example: Example) -> Row:
        """Return what is asked of an example, by the names of features; others are left out.

        An example of nothing but Booleans is bytes, one of nothing but numbers a tuple or an array: all of these are
        read when a block is made. Any other example is read now, to codes or steps of 1/64.
        """
        named = self.name_features(example) if self._numbered else example
        cells: tuple[Any, ...] = tuple(map(named.get, self._names))
        kinds = set(map(type, cells))
        if kinds == BOOLEANS and self._has_usual_truths:
            return bytes(cells)
        if kinds <= NUMBERS and self._numbers_kind is not None:
            if kinds == FLOATS:
                return cells
            with suppress(OverflowError):  # an integer beyond all floats
                return np.array(cells, dtype=np.float64)
        return [read(cell) for read, cell in zip(self._readers, cells, strict=True)]

    def read_event(self, event: object) -> Row | None:
        """Return what is asked of an event, None if it is not a record or cannot be read: nothing is learned of it."""
        try:
            example = as_record(event)
            return None if example is None else self.read_one(example)
        except Exception:  # names and cells may be any objects, with any methods
            return None

    @cached_property
    def nothing(self) -> Row:
        """What is read of an event without cells."""
        return self.read_one({})

    def read_events(self, events: Sequence[object], codes: NDArray[np.int16]) -> tuple[Block, NDArray[np.int16]]:
        """Return events as a block, and the codes of their labels: -1 for an event that cannot be read."""
        rows = [self.read_event(event) for event in events]
        block = self.make_block([self.nothing if row is None else row for row in rows])
        unread = np.array([row is None for row in rows], dtype=np.bool_)
        return block, np.where(unread, np.int16(MISSING), codes)

    def make_block(self, rows: Sequence[Row]) -> Block:
        """Return examples that were read one by one as a block."""
        steps = np.empty((len(rows), len(self.columns)), dtype=np.int16)
        places: dict[type, list[int]] = {bytes: [], tuple: [], list: []}
        for place, row in enumerate(rows):
            places[tuple if type(row) is np.ndarray else type(row)].append(place)
        for kind, chosen in places.items():
            if chosen:
                steps[chosen] = self._read_rows([rows[place] for place in chosen], kind)
        return as_block(steps / GRID, len(self.columns), True) if self.real else self._make_block(steps)

    def _read_rows(self, rows: Sequence[Row], kind: type) -> NDArray[Any]:
        """Return the codes or steps of rows that `read_one` left alike."""
        if kind is bytes:
            truths = np.frombuffer(b"".join(rows), dtype=np.int8).reshape(len(rows), -1).astype(np.int16)
            return (2 * truths - 1) * np.int16(GRID) if self.real else truths
        if kind is tuple:
            numbers = np.array(rows)
            known = np.abs(numbers) < LARGEST_NUMBER
            if self._numbers_kind is Positive:
                return np.where(known, numbers > 0, MISSING)
            clipped = np.clip(np.where(known, numbers, 0.0), -1, 1)
            return np.asarray(np.rint(GRID * clipped))
        return np.array(rows, dtype=np.int16)

    @cached_property
    def _numbers_kind(self) -> type[Column] | None:
        """How numbers are read, if all columns read them alike: clipped, or asked whether they are above 0."""
        if all(is_plain(column) for column in self.columns):
            return Clipped
        return Positive if all(isinstance(column, Positive) for column in self.columns) else None

    @cached_property
    def _has_usual_truths(self) -> bool:
        return all(isinstance(column, Boolean | Positive) or is_plain(column) for column in self.columns)

    def name_features(self, example: Example) -> Example:
        """Return an example by the names of its features: integers may stand for names that are their texts."""
        return {str(name): cell for name, cell in example.items()} if self._numbered else example

    @cached_property
    def _numbered(self) -> bool:
        return any(column.name.isdecimal() for column in self.columns)

    @cached_property
    def _names(self) -> list[str]:
        return [column.name for column in self.columns]

    @cached_property
    def _readers(self) -> list[Reader]:
        return [self._reader(column) for column in self.columns]

    def _reader(self, column: Column) -> Reader:
        if isinstance(column, Clipped):
            return read_steps(column)
        code = read_truths(column)
        return (lambda cell: GRID if code(cell) == 1 else -GRID) if self.real else code

    def prepare(self, weights: Weights) -> Says:
        """Return a function that says of one example what a block says, to the last bit."""
        if self.conditions is not None:
            return self._prepare_conditions(weights, self.conditions)
        if self._numbers_kind is None or len(weights.support) <= _FEW:
            return self._prepare_terms(weights)
        return self._prepare_numbers(weights)

    def _prepare_terms(self, weights: Weights) -> Says:
        """Return a function that weighs cells of any kind, one by one."""
        terms: list[tuple[str, float, float, Callable[[Any], float]]] = []
        for j in weights.support.tolist():
            column = self.columns[j]
            weight = float(weights.values[j])
            # A weight of NaN where floats are not simply rounded: no float takes the short way then.
            terms.append((column.name, weight, weight / GRID if is_plain(column) else nan, self._term(column, weight)))
        bias = float(weights.values[-1])
        named = self.name_features if self._numbered else None

        def says(example: Example) -> float:
            get = example.get if named is None else named(example).get
            total = bias
            for name, weight, step, other in terms:
                cell = get(name)
                if cell is True:
                    total += weight
                elif cell is False:
                    total -= weight
                elif type(cell) is float and -1.0 <= cell <= 1.0 and step == step:
                    total += step * round(GRID * cell)
                else:
                    total += other(cell)
            return total

        return says

    def _prepare_numbers(self, weights: Weights) -> Says:
        """Return a function that weighs examples of nothing but numbers at once, and others cell by cell."""
        prepare_kernels()
        pick = itemgetter(*[self.columns[j].name for j in weights.support.tolist()])
        values = weights.values[weights.support]
        bias = float(weights.values[-1])
        weigh = weigh_positive if self._numbers_kind is Positive else weigh_clipped
        one_by_one: list[Says] = []  # made when it is first needed: a new hypothesis comes often

        def says(example: Example) -> float:
            try:
                cells = pick(example)
                if NUMBERS.issuperset(map(type, cells)):
                    return weigh(np.array(cells, dtype=np.float64), values, bias)
            except (KeyError, OverflowError):
                pass
            if not one_by_one:
                one_by_one.append(self._prepare_terms(weights))
            return one_by_one[0](example)

        return says

    def _term(self, column: Column, weight: float) -> Callable[[Any], float]:
        """Return what a cell of any kind adds to a sum."""
        read = self._reader(column)
        if isinstance(column, Clipped):
            return lambda cell: weight * read(cell) / GRID
        return lambda cell: weight if read(cell) > 0 else -weight

    def _prepare_conditions(self, weights: Weights, conditions: Conditions) -> Says:
        readers = self._readers
        names = self._names
        # Literal 2j asks whether feature j has code 1, literal 2j + 1 whether it has code 0.
        terms = [
            (float(weights.values[f]), [(names[i // 2], readers[i // 2], 1 - i % 2) for i in conditions[f] if i >= 0])
            for f in weights.support.tolist()
        ]
        bias = float(weights.values[-1])

        def says(example: Example) -> float:
            get = self.name_features(example).get
            total = bias
            for weight, asked in terms:
                holds = all(read(get(name)) == code for name, read, code in asked)
                total += weight if holds else -weight
            return total

        return says

    def _make_block(self, codes: NDArray[np.int16]) -> Block:
        """Return codes (1: above 0 or true, 0: not) as a block of features, of literals, or of conditions."""
        if self.conditions is None and not self.lists:
            return DenseBlock(codes == 1)
        both = np.empty((len(codes), 2 * len(self.columns)), dtype=np.bool_)
        both[:, ::2] = codes == 1
        both[:, 1::2] = codes == 0  # of a missing cell neither holds
        if self.lists or self.conditions is None:
            return LiteralBlock.of(both)
        return ConditionBlock(both, self.conditions)

    def _codes(self, X: Any) -> NDArray[np.int16]:
        """Return the code of each cell: 1 above 0 or true, 0 not, -1 missing."""
        parts = [
            np.column_stack([read_codes(column, cells) for column, cells in zip(self.columns, batch, strict=True)])
            for batch in self._batches(X)
        ]
        return np.concatenate([np.zeros((0, len(self.columns)), dtype=np.int16), *parts])

    @without_sizes
    def read_columns(self, X: Any, names: Sequence[str]) -> dict[str, NDArray[np.int16]]:
        """Return the codes of the cells of some columns."""
        places = {name: place for place, name in enumerate(self._names) if name in names}
        batches = list(self._batches(X))
        empty = np.zeros(0, dtype=np.int16)
        return {
            name: np.concatenate([empty, *(read_codes(self.columns[place], batch[place]) for batch in batches)])
            for name, place in places.items()
        }

    def _numbers(self, X: Any) -> NDArray[np.float64]:
        """Return what each cell is weighed as."""
        parts = [
            np.column_stack([_read_numbers(column, cells) for column, cells in zip(self.columns, batch, strict=True)])
            for batch in self._batches(X)
        ]
        return np.concatenate([np.zeros((0, len(self.columns))), *parts])

    def _batches(self, X: Any) -> Iterator[list[Any]]:
        """Return the columns of a frame, or of an array, some rows at a time."""
        if scipy.sparse.issparse(X):
            X = X.toarray()
        if isinstance(X, np.ndarray):
            yield [X[:, j] for j in range(X.shape[1])]
            return
        with open_table(X) as table:
            for _, cells in table.batches(table.names):
                yield [cells[name] for name in table.names]

    def model(self, hypothesis: Hypothesis, releases: int) -> Halfspace | RuleList:
        """Return what was released as a model."""
        if not isinstance(hypothesis, Weights):
            return hypothesis
        terms = [Term(self._feature(j), float(hypothesis.values[j])) for j in hypothesis.support.tolist()]
        first, second = self.classes
        return Halfspace.ranked(terms, float(hypothesis.values[-1]), (first, second), releases)

    def _feature(self, j: int) -> tuple[Literal, ...] | Clipped:
        if self.conditions is not None:
            return tuple(self.literals[i] for i in self.conditions[j] if i >= 0)
        column = self.columns[j]
        return column if isinstance(column, Clipped) else literals_of(column)[:1]


def _read_numbers(column: Column, cells: Any) -> NDArray[np.float64]:
    if isinstance(column, Clipped):
        return read_clipped(column, cells)
    return np.where(read_codes(column, cells) == 1, 1.0, -1.0)
