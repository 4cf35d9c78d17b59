"""Stream learners in memory, for the estimators: features by name, labels as they come, hypotheses out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from dprules.accounting import Assumption, Certificate
from dprules.jobs.infer import infer_columns
from dprules.jobs.labels import kind_of_labels, label_cells, require_readable
from dprules.jobs.quiet import without_sizes
from dprules.learners.streams import (
    SIGNS,
    Block,
    ConditionBlock,
    ConfidentWinnow,
    DenseBlock,
    Hypothesis,
    StreamSettings,
    Weights,
    Winnow,
    as_block,
)
from dprules.mechanisms import Bits, SeededBits, os_bits
from dprules.models import Halfspace, Term
from dprules.private import Private
from dprules.schema import (
    GRID,
    MISSING,
    Clipped,
    Column,
    Conditions,
    Label,
    Literal,
    Value,
    build_conditions,
    literals_of,
)
from dprules.tables import open_table
from dprules.tables.cells import read_clipped, read_codes


def hash_name(name: str, size: int) -> int:
    """Return the coordinate of a feature that was not named in advance: a public function of its name."""
    return crc32(name.encode("utf-8", "replace")) % size


@dataclass(frozen=True)
class OnlineRequest:
    """What the features of an online estimator are: public.

    Parameters
    ----------
    columns : tuple of Column
        One for each feature, in their order.
    width : int
        1, or 2 or 3 for conditions made of both signs of Boolean features.
    """

    columns: tuple[Column, ...]
    width: int = 1
    classes: tuple[Value, ...] = ()
    """In the order of their codes; the negative one first."""

    @classmethod
    def inferred(cls, data: Any, names: Sequence[str], width: int, real: bool) -> "OnlineRequest":
        """Take columns by their types: Booleans as they are, numbers as x > 0 or clipped to [-1, 1]."""
        return cls(infer_columns(data, names, real), width)

    @property
    def real(self) -> bool:
        """Whether numbers are weighed as they are."""
        return isinstance(self.columns[0], Clipped)

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
        if plain and self.conditions is None:
            return as_block(X, len(self.columns), self.real)
        if self.real:
            return as_block(self._numbers(X), len(self.columns), True)
        return self._block(self._codes(X))

    @without_sizes
    def read_examples(self, examples: Sequence[Mapping[str, object]]) -> Block:
        """Return examples, given by the names of their features, as a block; other names are left out."""
        numbers = np.zeros((len(examples), len(self.columns)))
        codes = np.full(numbers.shape, MISSING, dtype=np.int16)
        for row, example in enumerate(examples):
            for name in example.keys() & self._places.keys():
                place = self._places[name]
                column = self.columns[place]
                if isinstance(column, Clipped):
                    numbers[row, place] = column.number(example[name])
                else:
                    codes[row, place] = column.code(example[name])
        return as_block(numbers, len(self.columns), True) if self.real else self._block(codes)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {column.name: place for place, column in enumerate(self.columns)}

    def _block(self, codes: NDArray[np.int16]) -> Block:
        """Return codes (1: above 0 or true, 0: not) as a block of features, or of conditions."""
        if self.conditions is None:
            return DenseBlock(codes == 1)
        both = np.empty((len(codes), 2 * len(self.columns)), dtype=np.bool_)
        both[:, ::2] = codes == 1
        both[:, 1::2] = codes == 0  # of a missing cell neither holds
        return ConditionBlock(both, self.conditions)

    def _codes(self, X: Any) -> NDArray[np.int16]:
        """Return the code of each cell: 1 above 0 or true, 0 not, -1 missing."""
        parts = [
            np.column_stack([read_codes(column, cells) for column, cells in zip(self.columns, batch, strict=True)])
            for batch in self._batches(X)
        ]
        return np.concatenate([np.zeros((0, len(self.columns)), dtype=np.int16), *parts])

    def _numbers(self, X: Any) -> NDArray[np.float64]:
        parts = [
            np.column_stack([read_clipped(column, cells) for column, cells in zip(self.columns, batch, strict=True)])
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

    def halfspace(self, weights: Weights, classes: tuple[Any, Any], releases: int) -> Halfspace:
        """Return weights as a model."""
        terms = []
        for j in weights.support.tolist():
            column = self.columns[j] if self.conditions is None else None
            if isinstance(column, Clipped):
                feature: tuple[Literal, ...] | Clipped = column
            elif self.conditions is None:
                feature = (self.literals[2 * j],)
            else:
                feature = tuple(self.literals[i] for i in self.conditions[j] if i >= 0)
            terms.append(Term(feature, float(weights.values[j])))
        return Halfspace.ranked(terms, float(weights.values[-1]), classes, releases)

    @property
    def unit(self) -> int:
        """Coordinates are multiples of 1/unit."""
        return GRID if self.real else 1

    @property
    def dimension(self) -> int:
        """Coordinates, the bias included."""
        return 1 + (len(self.columns) if self.conditions is None else len(self.conditions))


def read_label_codes(labels: Any, label: Label) -> NDArray[np.int16]:
    """Return the place of each label among the classes, -1 (nothing happened) for anything else."""
    if kind_of_labels(labels) != "f":  # a block whose labels are all missing is one of floats: a fact about its rows
        require_readable(labels, label)
    codes: NDArray[np.int16] = read_codes(label.column(), label_cells(labels))
    return codes


class StreamLearner(Private):
    """A private learner in memory: the released hypothesis is public, everything else is not."""

    __slots__ = ("_learner", "certificate")

    def __init__(
        self, settings: StreamSettings, request: OnlineRequest, assumptions: Sequence[Assumption], seed: int | None
    ) -> None:
        bits: Bits = os_bits if seed is None else SeededBits(seed)
        self.certificate: Certificate = settings.certificate(request, bits.secure, assumptions)
        """Charged before anything is learnt."""
        self._learner = settings.start(request, bits)

    @without_sizes
    def learn(self, block: Block, codes: NDArray[np.int16]) -> None:
        """Take labelled examples in their order."""
        self._learner.take(block, codes)

    @property
    def hypothesis(self) -> Hypothesis:
        """The one in force."""
        return self._learner.hypothesis

    @property
    def releases(self) -> int:
        """How many hypotheses have been released."""
        return self._learner.releases


class PlainLearner:
    """Winnow or ConfidentWinnow **without privacy**: the yardsticks."""

    def __init__(
        self, request: OnlineRequest, rate: float, margin: float | None = None, confidence: float | None = None
    ) -> None:
        if margin is None or confidence is None:
            self._learner = Winnow(request.dimension, rate)
        else:
            self._learner = ConfidentWinnow(request.dimension, rate, margin, confidence)

    @without_sizes
    def learn(self, block: Block, codes: NDArray[np.int16]) -> None:
        """Take labelled examples in their order; those without a label teach nothing."""
        self._learner.learn(block, SIGNS[codes])

    @property
    def hypothesis(self) -> Weights:
        """Of the hypothesis in force."""
        return self._learner.weights

    @property
    def releases(self) -> int:
        """How many updates there were."""
        return self._learner.updates
