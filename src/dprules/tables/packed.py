"""Bit-packed kernels: choosing rows, and counts of conjunctions without making them."""

from functools import partial
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from dprules.tables.compiled import compiled
from dprules.tables.threads import count_cores, in_threads

Words = NDArray[np.uint64]
BLOCK = 504
"""Words of a column that are counted before the next block: the columns of a block stay in the cache."""
WORTH_THREADS = 500_000
"""Words to count from which on several threads pay."""


def _count_bits(typing_context: Any, word: Any) -> Any:
    """The processor's own instruction."""
    return types.uint64(types.uint64), lambda context, builder, signature, arguments: builder.ctpop(arguments[0])


_popcount: Any = intrinsic(_count_bits)


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


@compiled
def _transpose_part(rows: Words, columns: Words) -> None:
    """Write the columns of a matrix of bits, 64 by 64 of them at a time (Hacker's Delight, 7-3)."""
    square = np.empty(64, dtype=np.uint64)
    for high in range(columns.shape[1]):
        size = min(64, len(rows) - 64 * high)
        for w in range(rows.shape[1]):
            square[:] = np.uint64(0)
            for i in range(size):
                square[i] = rows[64 * high + i, w]
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
    _transpose_part(rows, columns)
    return columns


@compiled
def size_of(mask: Words) -> Any:
    """How many bits are set."""
    total = np.uint64(0)
    for w in range(len(mask)):
        total += _popcount(mask[w])
    return np.int64(total)


@compiled
def positions(mask: Words) -> NDArray[np.int64]:
    """The positions of the bits that are set."""
    found = np.empty(size_of(mask), dtype=np.int64)
    k = 0
    for w in range(len(mask)):
        word = mask[w]
        while word:
            low = word & (~word + np.uint64(1))
            found[k] = 64 * w + _popcount(low - np.uint64(1))
            k += 1
            word ^= low
    return found


@compiled
def _extract_part(columns: Words, chosen: NDArray[np.int64], result: Words, start: int, stop: int) -> None:
    for column in range(start, stop):
        for w in range(result.shape[1]):
            word = np.uint64(0)
            for k in range(min(64, len(chosen) - 64 * w)):
                at = chosen[64 * w + k]
                word |= ((columns[column, at >> 6] >> np.uint64(at & 63)) & np.uint64(1)) << np.uint64(k)
            result[column, w] = word


def extract_rows(columns: Words, chosen: NDArray[np.int64]) -> Words:
    """Return the chosen rows only, packed anew."""
    result = np.empty((len(columns), (len(chosen) + 63) // 64), dtype=np.uint64)
    cores = count_cores() if len(chosen) * len(columns) > 1_000_000 else 1
    edges = [len(columns) * i // cores for i in range(cores + 1)]
    if cores == 1:
        _extract_part(columns, chosen, result, 0, len(columns))
        return result
    in_threads(partial(_extract_part, columns, chosen, result), edges[:-1], edges[1:])
    return result


@compiled
def _meet(column: Words, start: int, masks: Words, found: Words, size: int) -> None:
    """Both masks and a block of a column."""
    for w in range(size):
        found[0, w] = column[start + w] & masks[0, w]
        found[1, w] = column[start + w] & masks[1, w]


@compiled
def _sum_and_carry(a: int, b: int, c: int) -> Any:
    """A full adder on every bit."""
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@compiled
def _size_of_block(words: Words, mask: Words) -> Any:
    """|words and mask| for a whole block: adders turn seven words into three before their bits are counted."""
    ones, twos, fours = np.uint64(0), np.uint64(0), np.uint64(0)
    step = BLOCK // 7
    for w in range(step):
        a, b = words[w] & mask[w], words[w + step] & mask[w + step]
        c, d = words[w + 2 * step] & mask[w + 2 * step], words[w + 3 * step] & mask[w + 3 * step]
        e, f = words[w + 4 * step] & mask[w + 4 * step], words[w + 5 * step] & mask[w + 5 * step]
        g = words[w + 6 * step] & mask[w + 6 * step]
        # Carry-save adders: seven words of weight 1 become one each of weights 1, 2 and 4.
        low, carry = _sum_and_carry(a, b, c)
        more, again = _sum_and_carry(d, e, f)
        one, last = _sum_and_carry(low, more, g)
        two, four = _sum_and_carry(carry, again, last)
        ones += _popcount(one)
        twos += _popcount(two)
        fours += _popcount(four)
    return ones + np.uint64(2) * twos + np.uint64(4) * fours


@compiled
def _add_sizes(column: Words, start: int, masks: Words, size: int, counts: NDArray[np.int64]) -> None:
    """Add the sizes of both masks and a block of a column."""
    words = column[start : start + size]
    for side in range(2):
        mask = masks[side]
        if size == BLOCK:
            total = _size_of_block(words, mask)
        else:
            total = np.uint64(0)
            for w in range(size):
                total += _popcount(words[w] & mask[w])
        counts[side] += np.int64(total)


@compiled
def _count_part(
    columns: Words, planes: Words, conditions: NDArray[np.int32], counts: NDArray[np.int64], begin: int, end: int
) -> None:
    """Write the counts of the words from begin to end, for two planes."""
    counts[:] = 0
    masks = np.empty((2, BLOCK), dtype=np.uint64)
    one, two = masks.copy(), masks.copy()
    for start in range(begin, end, BLOCK):
        size = min(BLOCK, end - start)
        masks[:, :size] = planes[:, start : start + size]
        first = second = -1
        for f in range(len(conditions)):
            i, j, k = conditions[f, 0], conditions[f, 1], conditions[f, 2]
            if j < 0:
                _add_sizes(columns[i], start, masks, size, counts[f])
                continue
            if i != first:
                _meet(columns[i], start, masks, one, size)
                first, second = i, -1
            if k < 0:
                _add_sizes(columns[j], start, one, size, counts[f])
                continue
            if j != second:
                _meet(columns[j], start, one, two, size)
                second = j
            _add_sizes(columns[k], start, two, size, counts[f])


def count_masked(columns: Words, planes: Words, conditions: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return |condition and plane| for two planes, on all cores; a condition is three sorted columns, -1: none."""
    words = columns.shape[1]
    cores = count_cores() if words * len(conditions) > WORTH_THREADS else 1
    edges = [words * core // cores for core in range(cores + 1)]
    found = np.zeros((cores, len(conditions), 2), dtype=np.int64)
    if cores == 1:
        _count_part(columns, planes, conditions, found[0], 0, words)
    else:
        in_threads(partial(_count_part, columns, planes, conditions), found, edges[:-1], edges[1:])
    total: NDArray[np.int64] = found.sum(axis=0)
    return total
