"""Numbers of examples in which few features occur: those that do not are 0."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numba import types
from numpy.typing import NDArray

from dprules.learners.streams.blocks import BEYOND, Block, Floats, Integers
from dprules.schema import GRID
from dprules.tables import compiled, reads, writes


class SparseNumbers(Block):
    """A matrix of numbers in compressed rows, clipped to [-1, 1] and rounded to multiples of 1/64."""

    __slots__ = ("_indices", "_starts", "_values")
    unit = GRID

    def __init__(self, matrix: Any) -> None:
        rows = scipy.sparse.csr_array(matrix)
        rows.check_format(full_check=True)
        if not rows.has_canonical_format:  # numbers that are stored twice add up
            rows = rows.copy()
            rows.sum_duplicates()
        super().__init__(*rows.shape)
        wide = rows.data.astype(np.float64, copy=False)
        numbers = np.where(np.abs(wide) < BEYOND, np.clip(wide, -1, 1), 0.0)  # NaN and infinity are missing
        self._values = np.rint(GRID * numbers).astype(np.int8)
        self._indices = rows.indices.astype(np.int32, copy=False)
        self._starts = rows.indptr.astype(np.int64, copy=False)

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[int, int]], features: int) -> "SparseNumbers":
        """Return rows that are given by what is not 0 in them, in multiples of 1/64 from -64 to 64."""
        lengths = np.array([0, *map(len, rows)], dtype=np.int64)
        indices = np.array([place for row in rows for place in sorted(row)], dtype=np.int64)
        values = np.array([row[place] for row in rows for place in sorted(row)], dtype=np.float64)
        return cls(scipy.sparse.csr_array((values / GRID, indices, np.cumsum(lengths)), shape=(len(rows), features)))

    def _dot(self, support: Integers, weights: Floats, start: int, found: Floats) -> None:
        _numbers_dot(self._indices, self._starts, self._values, weights, start, found)

    def _add(self, rows: Integers, labels: Integers, totals: Integers) -> None:
        _numbers_add(self._indices, self._starts, self._values, rows, labels, totals)


@compiled(
    (
        reads(types.int32),
        reads(types.int64),
        reads(types.int8),
        reads(types.float64),
        types.int64,
        writes(types.float64),
    )
)
def _numbers_dot(
    indices: NDArray[Any],
    starts: NDArray[Any],
    values: NDArray[np.int8],
    weights: Floats,
    start: int,
    found: Floats,
) -> None:
    for i in range(len(found)):
        total = weights[-1]
        for k in range(starts[start + i], starts[start + i + 1]):
            total += weights[indices[k]] * values[k] / GRID
        found[i] = total


@compiled(
    (
        reads(types.int32),
        reads(types.int64),
        reads(types.int8),
        reads(types.int64),
        reads(types.int64),
        writes(types.int64),
    )
)
def _numbers_add(
    indices: NDArray[Any],
    starts: NDArray[Any],
    values: NDArray[np.int8],
    rows: Integers,
    labels: Integers,
    totals: Integers,
) -> None:
    for k in range(len(rows)):
        for at in range(starts[rows[k]], starts[rows[k] + 1]):
            totals[indices[at]] += labels[k] * values[at]
