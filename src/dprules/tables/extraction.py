"""Some rows of packed columns moved together: bit by bit where they are few, a word at a time where they are many."""

import os
from functools import cache, partial
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from dprules.tables.compiled import compiled
from dprules.tables.packed import Words, positions, size_of
from dprules.tables.threads import count_cores, in_threads

FEW = 64
"""Below one row in so many, rows are moved bit by bit."""
WORTH_THREADS = 100_000
"""Words to move from which on several threads pay."""


def extract_rows(columns: Words, rows: Words) -> Words:
    """Return packed columns of the rows of a mask only."""
    size = int(size_of(rows))
    if size == 0:
        return np.zeros((len(columns), 0), dtype=np.uint64)
    if has_bit_extraction() and size * FEW > 64 * len(rows):
        return _extract_words(columns, rows, size)
    return _extract_bits(columns, positions(rows))


@cache
def has_bit_extraction() -> bool:
    """Whether the processor that is compiled for gathers the bits of a mask in one instruction."""
    if any(os.environ.get(name) for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")):
        return False
    return bool(binding.get_host_cpu_features().get("bmi2", False))


def _gather(typing_context: Any, word: Any, mask: Any) -> Any:
    """The processor's own instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word_type = ir.IntType(64)
        kind = ir.FunctionType(word_type, [word_type, word_type])
        called = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pext.64")
        return builder.call(called, arguments)

    return types.uint64(types.uint64, types.uint64), generate


_gather_bits: Any = intrinsic(_gather)


@compiled
def _extract_words_part(columns: Words, rows: Words, sizes: Words, result: Words, start: int, stop: int) -> None:
    """Write the bits of each word one after the other, without a branch.

    Four columns at a time: where a word's bits go is worked out once for them. What is not full is written again with
    the next bits; the last columns may be written twice.
    """
    for c in range(start, stop, 4):
        first, second = columns[c], columns[min(c + 1, stop - 1)]
        third, fourth = columns[min(c + 2, stop - 1)], columns[min(c + 3, stop - 1)]
        one, two = result[c], result[min(c + 1, stop - 1)]
        three, four = result[min(c + 2, stop - 1)], result[min(c + 3, stop - 1)]
        a = b = d = e = np.uint64(0)
        low = np.uint64(0)
        at = np.uint64(0)
        for w in range(len(rows)):
            mask = rows[w]
            high = np.uint64(63) - low
            after = low + sizes[w]
            a, one[at] = _fill(_gather_bits(first[w], mask), a, low, high, after)
            b, two[at] = _fill(_gather_bits(second[w], mask), b, low, high, after)
            d, three[at] = _fill(_gather_bits(third[w], mask), d, low, high, after)
            e, four[at] = _fill(_gather_bits(fourth[w], mask), e, low, high, after)
            at += after >> np.uint64(6)
            low = after & np.uint64(63)
        one[at], two[at], three[at], four[at] = a, b, d, e


@compiled
def _fill(bits: Any, waiting: Any, low: Any, high: Any, after: Any) -> Any:
    """Return the bits that wait for the next word, and the word that is written now."""
    filled = waiting | (bits << low)
    rest = (bits >> np.uint64(1)) >> high
    return (rest if after > np.uint64(63) else filled), filled


def _extract_words(columns: Words, rows: Words, size: int) -> Words:
    needed = (size + 63) // 64
    result = np.empty((len(columns), needed + 1), dtype=np.uint64)  # one is spare
    sizes = np.bitwise_count(rows).astype(np.uint64)
    _in_parts(partial(_extract_words_part, columns, rows, sizes, result), len(columns), columns.size)
    return result[:, :needed]


@compiled
def _extract_bits_part(columns: Words, chosen: NDArray[np.int64], result: Words, start: int, stop: int) -> None:
    for column in range(start, stop):
        for w in range(result.shape[1]):
            word = np.uint64(0)
            for k in range(min(64, len(chosen) - 64 * w)):
                at = chosen[64 * w + k]
                word |= ((columns[column, at >> 6] >> np.uint64(at & 63)) & np.uint64(1)) << np.uint64(k)
            result[column, w] = word


def _extract_bits(columns: Words, chosen: NDArray[np.int64]) -> Words:
    result = np.empty((len(columns), (len(chosen) + 63) // 64), dtype=np.uint64)
    _in_parts(partial(_extract_bits_part, columns, chosen, result), len(columns), 16 * result.size)
    return result


def _in_parts(move: Any, columns: int, words: int) -> None:
    cores = count_cores() if words > WORTH_THREADS else 1
    edges = [columns * i // cores for i in range(cores + 1)]
    if cores == 1:
        move(0, columns)
    else:
        in_threads(move, edges[:-1], edges[1:])
