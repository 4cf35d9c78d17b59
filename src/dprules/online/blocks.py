"""Examples of a stream, a block at a time: what a hypothesis says of them, and what they add to scores.

An example is a point of [-1, 1]^d and a constant coordinate 1 for the bias, which comes last. Boolean features are read
as -1 and 1. What a hypothesis says of an example depends on that example alone, to the last bit: sums run over the
hypothesis's support in one order, whatever else is in the block.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import numpy as np
import scipy.sparse
from numba import njit
from numpy.typing import NDArray

from dprules.data.packed import Words
from dprules.errors import ParameterError, PrivacyError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

GRID: Final = 64
"""Real features are rounded to multiples of 1/64."""

_compiled = njit(cache=True, error_model="numpy", boundscheck=False, nogil=True)


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


class Block(ABC):
    """Private examples: they show nothing of themselves."""

    __slots__ = ("dimension", "size")
    unit = 1
    """Coordinates are multiples of 1/unit."""

    def __init__(self, size: int, features: int) -> None:
        self.size = size
        self.dimension = features + 1
        """Coordinates, the bias included."""

    def __repr__(self) -> str:
        return "<private examples>"

    def __len__(self) -> int:
        return self.size

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise PrivacyError("Examples are private and cannot be copied or pickled. Publish the hypothesis instead.")

    def says(self, weights: "Weights", start: int = 0, stop: int | None = None) -> Floats:
        """<w, x> for the examples from start to stop."""
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


class Dense(Block):
    """A matrix of Booleans or numbers: x > 0 is read as 1, all else as -1."""

    __slots__ = ("_matrix",)

    def __init__(self, matrix: NDArray[Any]) -> None:
        super().__init__(*matrix.shape)
        usual = matrix.dtype.isnative and matrix.dtype.itemsize <= 8 and matrix.dtype != np.float16
        self._matrix = matrix.view(np.int8) if matrix.dtype == np.bool_ else matrix if usual else matrix > 0

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        _dense_dot(self._matrix, support, weights, start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        _dense_add(self._matrix, rows, labels, totals)


class Real(Block):
    """A matrix of numbers, clipped to [-1, 1] and rounded to multiples of 1/64; NaN is 0."""

    __slots__ = ("_matrix",)
    unit = GRID

    def __init__(self, matrix: NDArray[Any]) -> None:
        super().__init__(*matrix.shape)
        self._matrix = np.rint(GRID * np.nan_to_num(np.clip(matrix, -1, 1), copy=False)).astype(np.int8)

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        _real_dot(self._matrix, support, weights, start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        totals += labels @ self._matrix[rows].astype(np.int64)


class Packed(Block):
    """Boolean examples as rows of words, first feature lowest."""

    __slots__ = ("_words",)

    def __init__(self, words: Words, features: int) -> None:
        if words.ndim != 2 or words.dtype != np.uint64 or 64 * words.shape[1] < features:
            raise ParameterError("words must be a matrix of uint64 with a bit for each feature in every row.")
        super().__init__(len(words), features)
        self._words = words

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        _packed_dot(self._words, support, weights, start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        _packed_add(self._words, rows, labels, totals)


class Sparse(Block):
    """A matrix in compressed rows: stored numbers above 0 are read as 1, all else as -1."""

    __slots__ = ("_indices", "_starts")

    def __init__(self, matrix: Any) -> None:
        rows = scipy.sparse.csr_array(matrix)
        rows.check_format(full_check=True)
        if not rows.has_canonical_format:  # a feature that is stored twice must not count twice
            rows = rows.copy()
            rows.sum_duplicates()
        super().__init__(*rows.shape)
        if not bool((rows.data > 0).all()):
            kept = np.concatenate(([0], np.cumsum(rows.data > 0)))
            self._indices, self._starts = rows.indices[rows.data > 0], kept[rows.indptr]
        else:
            self._indices, self._starts = rows.indices, rows.indptr

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        constant = weights[-1] - _in_order(weights[support])
        _sparse_dot(self._indices, self._starts, weights, constant, start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        totals -= labels.sum()
        _sparse_add(self._indices, self._starts, rows, labels, totals)


class Conjoined(Block):
    """All conjunctions of a block of Booleans: made for cached examples only, and never kept."""

    __slots__ = ("_features", "_literals")

    def __init__(self, literals: NDArray[np.bool_], features: NDArray[np.int32]) -> None:
        super().__init__(len(literals), len(features))
        self._literals, self._features = literals, features

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        _conjoined_dot(self._literals, self._features[support], weights[support], weights[-1], start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        _conjoined_add(self._literals, self._features, rows, labels, totals)


def as_block(X: Any, features: int | None = None, real: bool = False) -> Block:
    """Take what users have: a Boolean or numeric matrix, a sparse matrix, or a block."""
    if isinstance(X, Block):
        made: Block = X
    elif scipy.sparse.issparse(X):
        made = Real(X.toarray()) if real else Sparse(X)
    else:
        matrix = np.asarray(X)
        if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
            raise ParameterError("X must be a two-dimensional matrix of Booleans or numbers.")
        made = Real(matrix) if real else Dense(matrix)
    if features is not None and made.dimension != features + 1:
        raise ParameterError(f"X must have {features} features, as before; got {made.dimension - 1}.")
    return made


@_compiled
def _in_order(values: Floats) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


@_compiled
def _dense_dot(matrix: NDArray[Any], support: Integers, weights: Floats, start: int, found: Floats) -> None:
    for i in range(len(found)):
        total = weights[-1]
        for j in support:
            total += weights[j] if matrix[start + i, j] > 0 else -weights[j]
        found[i] = total


@_compiled
def _dense_add(matrix: NDArray[Any], rows: Integers, labels: Integers, totals: Integers) -> None:
    for k in range(len(rows)):
        for j in range(len(totals)):
            totals[j] += labels[k] if matrix[rows[k], j] > 0 else -labels[k]


@_compiled
def _real_dot(matrix: NDArray[np.int8], support: Integers, weights: Floats, start: int, found: Floats) -> None:
    for i in range(len(found)):
        total = weights[-1]
        for j in support:
            total += weights[j] * matrix[start + i, j] / GRID
        found[i] = total


@_compiled
def _packed_dot(words: Words, support: Integers, weights: Floats, start: int, found: Floats) -> None:
    for i in range(len(found)):
        total = weights[-1]
        for j in support:
            bit = np.int64((words[start + i, j >> 6] >> np.uint64(j & 63)) & np.uint64(1))
            total += weights[j] * (2 * bit - 1)  # no branch: bits are hard to predict
        found[i] = total


@_compiled
def _packed_add(words: Words, rows: Integers, labels: Integers, totals: Integers) -> None:
    for k in range(len(rows)):
        for w in range(words.shape[1]):
            word = words[rows[k], w]
            for b in range(min(64, len(totals) - 64 * w)):
                totals[64 * w + b] += labels[k] * (2 * np.int64((word >> np.uint64(b)) & np.uint64(1)) - 1)


@_compiled
def _sparse_dot(
    indices: NDArray[Any], starts: NDArray[Any], weights: Floats, constant: float, start: int, found: Floats
) -> None:
    for i in range(len(found)):
        total = constant
        for k in range(starts[start + i], starts[start + i + 1]):
            total += 2 * weights[indices[k]]
        found[i] = total


@_compiled
def _sparse_add(
    indices: NDArray[Any], starts: NDArray[Any], rows: Integers, labels: Integers, totals: Integers
) -> None:
    for k in range(len(rows)):
        for at in range(starts[rows[k]], starts[rows[k] + 1]):
            totals[indices[at]] += 2 * labels[k]


@_compiled
def _holds(literals: NDArray[np.bool_], row: int, feature: NDArray[np.int32]) -> Any:
    for literal in feature:  # noqa: SIM110
        if literal >= 0 and not literals[row, literal]:
            return False
    return True


@_compiled
def _conjoined_dot(
    literals: NDArray[np.bool_], features: NDArray[np.int32], weights: Floats, bias: float, start: int, found: Floats
) -> None:
    for i in range(len(found)):
        total = bias
        for f in range(len(features)):
            total += weights[f] if _holds(literals, start + i, features[f]) else -weights[f]
        found[i] = total


@_compiled
def _conjoined_add(
    literals: NDArray[np.bool_], features: NDArray[np.int32], rows: Integers, labels: Integers, totals: Integers
) -> None:
    for k in range(len(rows)):
        for f in range(len(features)):
            totals[f] += labels[k] if _holds(literals, rows[k], features[f]) else -labels[k]
