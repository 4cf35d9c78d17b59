"""Bit-packed kernels: transposition, and counts of conjunctions without making them."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

Words = NDArray[np.uint64]
BLOCK = 512
"""Words of a column that are counted before the next block: the columns of a block stay in the cache."""

_compiled = njit(cache=True, error_model="numpy", boundscheck=False, nogil=True)


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


@_compiled
def positions(mask: Words) -> NDArray[np.int64]:
    """The positions of the bits that are set."""
    total = np.uint64(0)
    for w in range(len(mask)):
        total += _popcount(mask[w])
    found = np.empty(np.int64(total), dtype=np.int64)
    k = 0
    for w in range(len(mask)):
        word = mask[w]
        while word:
            low = word & (~word + np.uint64(1))
            found[k] = 64 * w + _popcount(low - np.uint64(1))
            k += 1
            word ^= low
    return found


@_compiled
def _transpose_64(block: Words) -> None:
    """Transpose 64 x 64 bits in place, halves of halves."""
    width = np.uint64(32)
    mask = np.uint64(0x00000000FFFFFFFF)
    while width:
        step = np.int64(width)
        k = np.int64(0)
        while k < 64:
            swap = ((block[k] >> width) ^ block[k + step]) & mask
            block[k] ^= swap << width
            block[k + step] ^= swap
            k = (k + step + 1) & ~step
        width >>= np.uint64(1)
        mask ^= mask << width


@_compiled
def _transpose_part(matrix: Words, result: Words, start: int, stop: int) -> None:
    """Transpose the words `start` to `stop` of every row; 64 rows of the result are written together."""
    rows, size = matrix.shape[0], result.shape[0]
    block = np.empty(64, dtype=np.uint64)
    for across in range(start, stop):
        for down in range(result.shape[1]):
            for k in range(64):
                row = 64 * down + k
                block[k] = matrix[row, across] if row < rows else np.uint64(0)
            _transpose_64(block)
            for k in range(min(64, size - 64 * across)):
                result[64 * across + k, down] = block[k]


@_compiled
def _gather_part(rows: Words, chosen: NDArray[np.int64], result: Words, start: int, stop: int) -> None:
    """Transpose the chosen rows 64 start to 64 stop."""
    size = result.shape[0]
    block = np.empty(64, dtype=np.uint64)
    for down in range(start, stop):
        for across in range(rows.shape[1]):
            for k in range(64):
                at = 64 * down + k
                block[k] = rows[chosen[at], across] if at < len(chosen) else np.uint64(0)
            _transpose_64(block)
            for k in range(min(64, size - 64 * across)):
                result[64 * across + k, down] = block[k]


def transposed(matrix: Words, size: int) -> Words:
    """Turn rows into columns: the result has `size` rows."""
    result = np.empty((size, (matrix.shape[0] + 63) // 64), dtype=np.uint64)
    in_parts(partial(_transpose_part, matrix, result), (size + 63) // 64)
    return result


def gathered(rows: Words, chosen: NDArray[np.int64], size: int) -> Words:
    """Columns (as `transposed`) of the chosen rows only."""
    result = np.empty((size, (len(chosen) + 63) // 64), dtype=np.uint64)
    in_parts(partial(_gather_part, rows, chosen, result), result.shape[1])
    return result


def in_parts(task: Callable[[int, int], None], size: int) -> None:
    """Run a task on ranges of [0, size), one a core; the kernels release the interpreter's lock."""
    cores = min(os.cpu_count() or 1, max(1, size // 256))
    edges = [size * i // cores for i in range(cores + 1)]
    if cores == 1:
        task(0, size)
        return
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(task, edges[:-1], edges[1:]))


@_compiled
def add_counts(
    columns: Words, plane: Words, features: NDArray[np.int32], factor: int, counts: NDArray[np.int64]
) -> None:
    """Add factor * |feature and plane| to counts, for features given as sorted triples of columns (-1: none)."""
    words = columns.shape[1]
    one = np.empty(BLOCK, dtype=np.uint64)
    two = np.empty(BLOCK, dtype=np.uint64)
    for start in range(0, words, BLOCK):
        size = min(BLOCK, words - start)
        first = second = -1
        for f in range(len(features)):
            i, j, k = features[f, 0], features[f, 1], features[f, 2]
            if i != first:
                for w in range(size):
                    one[w] = columns[i, start + w] & plane[start + w]
                first, second = i, -1
            total = np.uint64(0)
            if j < 0:
                for w in range(size):
                    total += _popcount(one[w])
            elif k < 0:
                for w in range(size):
                    total += _popcount(one[w] & columns[j, start + w])
            else:
                if j != second:
                    for w in range(size):
                        two[w] = one[w] & columns[j, start + w]
                    second = j
                for w in range(size):
                    total += _popcount(two[w] & columns[k, start + w])
            counts[f] += factor * np.int64(total)
