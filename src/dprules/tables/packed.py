"""Bit-packed kernels: transposing bits, and counts of conjunctions without making them."""

from functools import partial
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from dprules.tables.compiled import compiled, inlined, reads, writes
from dprules.tables.threads import count_cores, in_threads

Words = NDArray[np.uint64]
BLOCK = 512
"""Words of a column that are counted before the next block: the columns of a block stay in the cache."""
WORTH_THREADS = 500_000
"""Words to count from which on several threads pay."""


def _count_bits(typing_context: Any, word: Any) -> Any:
    """The processor's own instruction."""
    return types.uint64(types.uint64), lambda context, builder, signature, arguments: builder.ctpop(arguments[0])


popcount: Any = intrinsic(_count_bits)


def pack(bits: NDArray[np.bool_]) -> Words:
    """Pack each row of a Boolean matrix into words, first bit lowest."""
    packed = np.packbits(bits, axis=-1, bitorder="little")
    padding = -packed.shape[-1] % 8
    if padding:
        packed = np.concatenate([packed, np.zeros((*packed.shape[:-1], padding), dtype=np.uint8)], axis=-1)
    return np.ascontiguousarray(packed).view(np.uint64)


def unpack(words: Words, size: int) -> NDArray[np.bool_]:
    """Undo `pack` for one row of words."""
    return np.unpackbits(words.view(np.uint8), count=size, bitorder="little").astype(np.bool_)


@inlined
def transpose_square(square: Words) -> None:
    """Exchange rows and columns of 64 by 64 bits (Hacker's Delight, 7-3)."""
    width = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while width:
        shift = np.uint64(width)
        for i in range(64):
            if i & width == 0:
                # Exchange the upper right quarter with the lower left one.
                moved = ((square[i] >> shift) ^ square[i + width]) & mask
                square[i] ^= moved << shift
                square[i + width] ^= moved
        width >>= 1
        mask ^= mask << np.uint64(width)


@compiled((reads(types.uint64, 2), writes(types.uint64, 2)))
def _transpose_part(rows: Words, columns: Words) -> None:
    """Write the columns of a matrix of bits, 64 by 64 of them at a time."""
    square = np.empty(64, dtype=np.uint64)
    for high in range(columns.shape[1]):
        size = min(64, len(rows) - 64 * high)
        for w in range(rows.shape[1]):
            square[:] = np.uint64(0)
            for i in range(size):
                square[i] = rows[64 * high + i, w]
            transpose_square(square)
            for i in range(min(64, len(columns) - 64 * w)):
                columns[64 * w + i, high] = square[i]


def transpose(rows: Words, width: int) -> Words:
    """Return the first `width` columns of a packed matrix, each packed as `pack` does.

    Examples
    --------
    >>> matrix = np.array([[True, False], [True, True], [False, True]])
    >>> transpose(pack(matrix), 2).tolist()
    [[3], [6]]
    """
    columns = np.zeros((width, (len(rows) + 63) // 64), dtype=np.uint64)
    _transpose_part(np.ascontiguousarray(rows), columns)
    return columns


@compiled((reads(types.uint64),))
def size_of(mask: Words) -> Any:
    """How many bits are set."""
    total = np.uint64(0)
    for w in range(len(mask)):
        total += popcount(mask[w])
    return np.int64(total)


@inlined
def _meet(words: Words, one: Words, two: Words, ones: Words, twos: Words) -> None:
    """Write what words share with two masks."""
    for w in range(len(words)):
        ones[w] = words[w] & one[w]
        twos[w] = words[w] & two[w]


@inlined
def _add_sizes(words: Words, one: Words, two: Words, counts: NDArray[np.int64]) -> None:
    """Add how many bits words share with two masks. Rows that begin at 0 are what the compiler vectorises."""
    ones = np.uint64(0)
    twos = np.uint64(0)
    for w in range(len(words)):
        ones += popcount(words[w] & one[w])
        twos += popcount(words[w] & two[w])
    counts[0] += np.int64(ones)
    counts[1] += np.int64(twos)


@compiled(
    (
        reads(types.uint64, 2),
        reads(types.uint64),
        reads(types.uint64),
        reads(types.int32, 2),
        writes(types.int64, 2),
        types.int64,
        types.int64,
    )
)
def _count_part(
    columns: Words,
    plane: Words,
    other: Words,
    conditions: NDArray[np.int32],
    counts: NDArray[np.int64],
    begin: int,
    end: int,
) -> None:
    """Write the counts of the words from begin to end, for two planes."""
    counts[:] = 0
    met, met_other = np.empty(BLOCK, dtype=np.uint64), np.empty(BLOCK, dtype=np.uint64)
    both, both_other = np.empty(BLOCK, dtype=np.uint64), np.empty(BLOCK, dtype=np.uint64)
    for start in range(begin, end, BLOCK):
        stop = min(start + BLOCK, end)
        one = plane[start:stop]
        two = other[start:stop]
        first = second = -1
        for f in range(len(conditions)):
            i, j, k = conditions[f, 0], conditions[f, 1], conditions[f, 2]
            if j < 0:
                _add_sizes(columns[i, start:stop], one, two, counts[f])
                continue
            if i != first:
                _meet(columns[i, start:stop], one, two, met, met_other)
                first, second = i, -1
            if k < 0:
                _add_sizes(columns[j, start:stop], met, met_other, counts[f])
                continue
            if j != second:
                _meet(columns[j, start:stop], met, met_other, both, both_other)
                second = j
            _add_sizes(columns[k, start:stop], both, both_other, counts[f])


def count_masked(columns: Words, planes: Words, conditions: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return |condition and plane| for each plane, on all cores.

    Parameters
    ----------
    columns, planes : arrays
        Packed rows of the same number of words.
    conditions : array
        Three sorted columns each; -1: none.
    """
    columns = np.ascontiguousarray(columns)
    conditions = np.ascontiguousarray(conditions, dtype=np.int32)
    words = columns.shape[1]
    cores = count_cores() if words * len(conditions) > WORTH_THREADS else 1
    edges = [words * core // cores for core in range(cores + 1)]
    found = np.zeros((cores, len(conditions), 2), dtype=np.int64)
    total = np.empty((len(conditions), len(planes)), dtype=np.int64)
    for first in range(0, len(planes), 2):
        last = min(first + 1, len(planes) - 1)  # an odd one is counted beside itself
        count = partial(_count_part, columns, planes[first], planes[last], conditions)
        if cores == 1:
            count(found[0], 0, words)
        else:
            in_threads(count, found, edges[:-1], edges[1:])
        total[:, first : last + 1] = found.sum(axis=0)[:, : last + 1 - first]
    return total
