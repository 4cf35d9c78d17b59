"""Bit-packed kernels: choosing rows, and counts of conjunctions without making them."""

import os
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
def size_of(mask: Words) -> Any:
    """How many bits are set."""
    total = np.uint64(0)
    for w in range(len(mask)):
        total += _popcount(mask[w])
    return np.int64(total)


@_compiled
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


@_compiled
def _extract_part(columns: Words, chosen: NDArray[np.int64], result: Words, start: int, stop: int) -> None:
    for column in range(start, stop):
        for w in range(result.shape[1]):
            word = np.uint64(0)
            for k in range(min(64, len(chosen) - 64 * w)):
                at = chosen[64 * w + k]
                word |= ((columns[column, at >> 6] >> np.uint64(at & 63)) & np.uint64(1)) << np.uint64(k)
            result[column, w] = word


def extracted(columns: Words, chosen: NDArray[np.int64]) -> Words:
    """The chosen rows only, packed anew."""
    result = np.empty((len(columns), (len(chosen) + 63) // 64), dtype=np.uint64)
    cores = (os.cpu_count() or 1) if len(chosen) * len(columns) > 1_000_000 else 1
    edges = [len(columns) * i // cores for i in range(cores + 1)]
    if cores == 1:
        _extract_part(columns, chosen, result, 0, len(columns))
        return result
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(partial(_extract_part, columns, chosen, result), edges[:-1], edges[1:]))
    return result


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
