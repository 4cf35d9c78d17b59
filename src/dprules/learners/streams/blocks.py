"""Examples of a stream, a block at a time: what a hypothesis says of them, and what they add to scores.

An example is a point of [-1, 1]^d and a constant coordinate 1 for the bias, which comes last. Boolean features are read
as -1 and 1. What a hypothesis says of an example depends on that example alone, to the last bit: sums run over the
hypothesis's support in one order, whatever else is in the block.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
import scipy.sparse
from numba import types
from numpy.typing import NDArray

from dprules.errors import ModelError, ParameterError
from dprules.private import Private
from dprules.schema import GRID, Conditions
from dprules.tables import Words, compiled, inlined, pack, prepare_kernels, reads, writes

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BEYOND = 1e100
"""Numbers from here on are read as missing."""
WEIGHT_GRID = 2**20
"""Steps of a weight from 0 to 1: so <w, x> is a multiple of 1/2^26, and doubles add it up without rounding."""
LARGEST_SUM = 2.0**25
"""Of all absolute weights together: 2^51 multiples of 1/2^26, which doubles hold."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A public weight for each coordinate, the bias last; few are not 0."""

    values: Floats
    support: Integers = field(init=False)
    """The features whose weight is not 0."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "support", np.flatnonzero(self.values[:-1]))

    @classmethod
    def zero(cls, dimension: int) -> "Weights":
        """All weights 0."""
        return cls(np.zeros(dimension))

    @classmethod
    def on_grid(cls, values: Floats) -> "Weights":
        """Round weights to their grid, and shrink them where their sum would leave it.

        Then <w, x> is the same number in whatever order it is added up: for dense and sparse examples, and in SQL.

        Examples
        --------
        >>> Weights.on_grid(np.array([0.5, -1e-9])).values.tolist()
        [0.5, 0.0]
        """
        total = float(np.abs(values).sum())
        shrunk = values * (LARGEST_SUM / total) if total > LARGEST_SUM else values
        # Zero without a sign: `document` keeps none, and a model must be the same text after a stop as before it.
        return cls(np.rint(shrunk * WEIGHT_GRID) / WEIGHT_GRID + 0.0)

    def document(self) -> list[list[Any]]:
        """Return pairs of a coordinate and its weight, in JSON's types."""
        return [[j, float(self.values[j])] for j in np.flatnonzero(self.values).tolist()]

    @classmethod
    def from_document(cls, dimension: int, document: Any) -> "Weights":
        """Read such pairs."""
        values = np.zeros(dimension)
        for place, weight in document:
            if not (isinstance(place, int) and 0 <= place < dimension and isfinite(weight)):
                raise ModelError("a weight of the stream is for no coordinate of it. Start a new stream.")
            values[place] = weight
        return cls(values)


class Block(Private, ABC):
    """Examples, some at a time."""

    __slots__ = ("dimension", "size")
    unit = 1
    """Coordinates are multiples of 1/unit."""

    def __init__(self, size: int, features: int) -> None:
        prepare_kernels()
        self.size = size
        self.dimension = features + 1
        """Coordinates, the bias included."""

    def __len__(self) -> int:
        return self.size

    def weigh(self, weights: "Weights", start: int = 0, stop: int | None = None) -> Floats:
        """Return <w, x> for the examples from start to stop."""
        found = np.empty((self.size if stop is None else stop) - start)
        self._dot(weights.support, weights.values, start, found)
        return found

    @abstractmethod
    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None: ...

    def add(self, rows: Integers, labels: NDArray[np.int8], totals: Integers) -> None:
        """Add unit * y x of some examples to the totals."""
        if len(rows):
            self._add(rows, labels[rows].astype(np.int64), totals[:-1])
            totals[-1] += self.unit * int(labels[rows].sum(dtype=np.int64))

    @abstractmethod
    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None: ...


class DenseBlock(Block):
    """A matrix of Booleans or numbers: x > 0 is read as 1, all else as -1."""

    __slots__ = ("_matrix",)

    def __init__(self, matrix: NDArray[Any]) -> None:
        super().__init__(*matrix.shape)
        truths = matrix if matrix.dtype == np.bool_ else are_positive(matrix)
        self._matrix = np.ascontiguousarray(truths).view(np.int8)

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        _dense_dot(self._matrix, support, weights, start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        _dense_add(self._matrix, rows, labels, totals)


class ClippedBlock(Block):
    """A matrix of numbers, clipped to [-1, 1] and rounded to multiples of 1/64; NaN is 0. Booleans are -1 and 1."""

    __slots__ = ("_matrix",)
    unit = GRID

    def __init__(self, matrix: NDArray[Any]) -> None:
        super().__init__(*matrix.shape)
        wide = matrix.astype(np.float64, copy=False)
        if matrix.dtype == np.bool_:
            wide = 2 * wide - 1
        numbers = np.where(np.abs(wide) < BEYOND, np.clip(wide, -1, 1), 0.0)  # NaN and infinity are missing
        self._matrix = np.rint(GRID * numbers).astype(np.int8, order="C")

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        _real_dot(self._matrix, support, weights, start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        totals += labels @ self._matrix[rows].astype(np.int64)


class PackedBlock(Block):
    """Boolean examples as rows of words, first feature lowest."""

    __slots__ = ("_words",)

    def __init__(self, words: Words, features: int) -> None:
        if words.ndim != 2 or words.dtype != np.uint64 or 64 * words.shape[1] < features:
            raise ParameterError("words must be a matrix of uint64 with a bit for each feature in every row.")
        super().__init__(len(words), features)
        self._words = np.ascontiguousarray(words)

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        _packed_dot(self._words, support, weights, start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        _packed_add(self._words, rows, labels, totals)


class LiteralBlock(PackedBlock):
    """Every literal that rules may ask, of both signs, packed: of a missing cell neither holds."""

    __slots__ = ()

    @classmethod
    def of(cls, held: NDArray[np.bool_]) -> "LiteralBlock":
        """Take a row for each example and a column for each literal."""
        return cls(pack(np.ascontiguousarray(held)), held.shape[1])

    def rows(self, start: int, stop: int) -> Words:
        """Return the literals of some examples: private."""
        return self._words[start:stop]

    def decide(self, rules: Conditions, start: int, stop: int) -> Integers:
        """Return the first rule that holds of each of some examples, len(rules) if none does: private."""
        found = np.empty(stop - start, dtype=np.int64)
        _first_rules(self._words[start:stop], np.ascontiguousarray(rules, dtype=np.int32), found)
        return found


class SparseBlock(Block):
    """A matrix in compressed rows: stored numbers above 0 are read as 1, all else as -1."""

    __slots__ = ("_indices", "_starts")

    def __init__(self, matrix: Any) -> None:
        rows = scipy.sparse.csr_array(matrix)
        rows.check_format(full_check=True)
        if not rows.has_canonical_format:  # a feature that is stored twice must not count twice
            rows = rows.copy()
            rows.sum_duplicates()
        super().__init__(*rows.shape)
        above = are_positive(rows.data)
        kept = np.concatenate(([0], np.cumsum(above)))
        # Types that do not depend on the numbers: kernels are compiled for these.
        self._indices = rows.indices[above].astype(np.int32, copy=False)
        self._starts = kept[rows.indptr].astype(np.int64, copy=False)

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        constant = weights[-1] - _in_order(weights[support])
        _sparse_dot(self._indices, self._starts, weights, constant, start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        totals -= labels.sum()
        _sparse_add(self._indices, self._starts, rows, labels, totals)


class ConditionBlock(Block):
    """All conditions over a block of literals: made for cached examples only, and never kept."""

    __slots__ = ("_conditions", "_literals")

    def __init__(self, literals: NDArray[np.bool_], conditions: NDArray[np.int32]) -> None:
        super().__init__(len(literals), len(conditions))
        self._literals = np.ascontiguousarray(literals)
        self._conditions = np.ascontiguousarray(conditions, dtype=np.int32)

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        _condition_dot(self._literals, self._conditions[support], weights[support], weights[-1], start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        _condition_add(self._literals, self._conditions, rows, labels, totals)


def are_positive(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which numbers are above 0; those from 1e100 on are missing, for every reader.

    Floats of 32 bits and fewer end below 1e100: of them only infinity is beyond.
    """
    narrow = numbers.dtype.kind == "f" and numbers.dtype.itemsize < 8
    known: NDArray[np.bool_] = np.isfinite(numbers) if narrow else numbers < BEYOND
    return (numbers > 0) & known


def as_block(X: Any, features: int | None = None, real: bool = False) -> Block:
    """Take what users have: a Boolean or numeric matrix, a sparse matrix, or a block."""
    if isinstance(X, Block):
        made: Block = X
    elif scipy.sparse.issparse(X):
        made = ClippedBlock(X.toarray()) if real else SparseBlock(X)
    else:
        matrix = np.asarray(X)
        if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
            raise ParameterError("X must be a two-dimensional matrix of Booleans or numbers.")
        made = ClippedBlock(matrix) if real else DenseBlock(matrix)
    if features is not None and made.dimension != features + 1:
        raise ParameterError(f"X must have {features} features, as before; got {made.dimension - 1}.")
    return made


@compiled((reads(types.float64),))
def _in_order(values: Floats) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


@compiled((reads(types.int8, 2), reads(types.int64), reads(types.float64), types.int64, writes(types.float64)))
def _dense_dot(matrix: NDArray[Any], support: Integers, weights: Floats, start: int, found: Floats) -> None:
    for i in range(len(found)):
        total = weights[-1]
        for j in support:
            total += weights[j] if matrix[start + i, j] > 0 else -weights[j]
        found[i] = total


@compiled((reads(types.int8, 2), reads(types.int64), reads(types.int64), writes(types.int64)))
def _dense_add(matrix: NDArray[Any], rows: Integers, labels: Integers, totals: Integers) -> None:
    for k in range(len(rows)):
        for j in range(len(totals)):
            totals[j] += labels[k] if matrix[rows[k], j] > 0 else -labels[k]


@compiled((reads(types.int8, 2), reads(types.int64), reads(types.float64), types.int64, writes(types.float64)))
def _real_dot(matrix: NDArray[np.int8], support: Integers, weights: Floats, start: int, found: Floats) -> None:
    for i in range(len(found)):
        total = weights[-1]
        for j in support:
            total += weights[j] * matrix[start + i, j] / GRID
        found[i] = total


@compiled((reads(types.uint64, 2), reads(types.int64), reads(types.float64), types.int64, writes(types.float64)))
def _packed_dot(words: Words, support: Integers, weights: Floats, start: int, found: Floats) -> None:
    for i in range(len(found)):
        total = weights[-1]
        for j in support:
            bit = np.int64((words[start + i, j >> 6] >> np.uint64(j & 63)) & np.uint64(1))
            total += weights[j] * (2 * bit - 1)  # no branch: bits are hard to predict
        found[i] = total


@compiled((reads(types.uint64, 2), reads(types.int64), reads(types.int64), writes(types.int64)))
def _packed_add(words: Words, rows: Integers, labels: Integers, totals: Integers) -> None:
    for k in range(len(rows)):
        for w in range(words.shape[1]):
            word = words[rows[k], w]
            for b in range(min(64, len(totals) - 64 * w)):
                totals[64 * w + b] += labels[k] * (2 * np.int64((word >> np.uint64(b)) & np.uint64(1)) - 1)


@compiled((reads(types.uint64, 2), reads(types.int32, 2), writes(types.int64)))
def _first_rules(words: Words, rules: NDArray[np.int32], found: Integers) -> None:
    for i in range(len(found)):
        found[i] = len(rules)
        for r in range(len(rules)):
            held = True
            for literal in rules[r]:
                if literal >= 0:
                    held &= (words[i, literal >> 6] >> np.uint64(literal & 63)) & np.uint64(1) != 0
            if held:
                found[i] = r
                break


@compiled(
    (
        reads(types.int32),
        reads(types.int64),
        reads(types.float64),
        types.float64,
        types.int64,
        writes(types.float64),
    )
)
def _sparse_dot(
    indices: NDArray[Any], starts: NDArray[Any], weights: Floats, constant: float, start: int, found: Floats
) -> None:
    for i in range(len(found)):
        total = constant
        for k in range(starts[start + i], starts[start + i + 1]):
            total += 2 * weights[indices[k]]
        found[i] = total


@compiled((reads(types.int32), reads(types.int64), reads(types.int64), reads(types.int64), writes(types.int64)))
def _sparse_add(
    indices: NDArray[Any], starts: NDArray[Any], rows: Integers, labels: Integers, totals: Integers
) -> None:
    for k in range(len(rows)):
        for at in range(starts[rows[k]], starts[rows[k] + 1]):
            totals[indices[at]] += 2 * labels[k]


@inlined
def _holds(literals: NDArray[np.bool_], row: int, condition: NDArray[np.int32]) -> Any:
    for literal in condition:  # noqa: SIM110
        if literal >= 0 and not literals[row, literal]:
            return False
    return True


@compiled(
    (
        reads(types.boolean, 2),
        reads(types.int32, 2),
        reads(types.float64),
        types.float64,
        types.int64,
        writes(types.float64),
    )
)
def _condition_dot(
    literals: NDArray[np.bool_], conditions: NDArray[np.int32], weights: Floats, bias: float, start: int, found: Floats
) -> None:
    for i in range(len(found)):
        total = bias
        for f in range(len(conditions)):
            total += weights[f] if _holds(literals, start + i, conditions[f]) else -weights[f]
        found[i] = total


@compiled((reads(types.boolean, 2), reads(types.int32, 2), reads(types.int64), reads(types.int64), writes(types.int64)))
def _condition_add(
    literals: NDArray[np.bool_], conditions: NDArray[np.int32], rows: Integers, labels: Integers, totals: Integers
) -> None:
    for k in range(len(rows)):
        for f in range(len(conditions)):
            totals[f] += labels[k] if _holds(literals, rows[k], conditions[f]) else -labels[k]
