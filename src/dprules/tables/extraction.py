"""Some rows of packed columns, moved together: the bits of a mask are gathered a word at a time."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from dprules.tables.compiled import compiled, inlined, reads, writes
from dprules.tables.packed import Words
from dprules.tables.threads import count_cores, in_threads

WORTH_THREADS = 100_000
"""Words to move from which on several threads pay."""


def has_bit_extraction() -> bool:
    """Whether the processor that is compiled for gathers the bits of a mask in one instruction."""
    if any(os.environ.get(name) for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")):
        return False
    return bool(binding.get_host_cpu_features().get("bmi2", False))


def _extract_bits(typing_context: Any, word: Any, mask: Any) -> Any:
    """The processor's own instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word_type = ir.IntType(64)
        kind = ir.FunctionType(word_type, [word_type, word_type])
        called = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pext.64")
        return builder.call(called, arguments)

    return types.uint64(types.uint64, types.uint64), generate


extract_bits: Any = intrinsic(_extract_bits)


@inlined
def compress_bits(word: Any, mask: Any) -> Any:
    """Gather the bits of a mask without that instruction (Hacker's Delight, 7-4)."""
    word &= mask
    zeros = ~mask << np.uint64(1)  # for each bit, whether it is above a bit that is not in the mask
    for step in range(6):
        odd = zeros ^ (zeros << np.uint64(1))
        for shift in range(1, 6):
            odd ^= odd << np.uint64(1 << shift)
        moved = odd & mask
        mask = (mask ^ moved) | (moved >> np.uint64(1 << step))
        bits = word & moved
        word = (word ^ bits) | (bits >> np.uint64(1 << step))
        zeros &= ~odd
    return word


@inlined
def _fill(bits: Any, waiting: Any, low: Any, high: Any, after: Any) -> Any:
    """Return the bits that wait for the next word, and the word that is written now."""
    filled = waiting | (bits << low)
    rest = (bits >> np.uint64(1)) >> high
    return (rest if after > np.uint64(63) else filled), filled


_gather_bits: Any = extract_bits if has_bit_extraction() else compress_bits
"""Returns the bits of a word that a mask has, side by side."""


@compiled(
    (
        reads(types.uint64, 2),
        reads(types.uint64),
        reads(types.uint64),
        writes(types.uint64, 2),
        types.int64,
        types.int64,
    )
)
def _move(columns: Words, rows: Words, sizes: Words, result: Words, start: int, stop: int) -> None:
    """Write the bits of each word one after the other, without a branch.

    Four columns at a time: where a word's bits go is worked out once for them. A word that is not full is written
    again with the next bits; the last columns may be written twice.
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


MOVED_WORD = 0.9 if has_bit_extraction() else 4.0
"""Nanoseconds, about, to move the chosen rows of a word of a column."""


def move_together(columns: Words, rows: Words) -> Words:
    """Return packed columns of the rows of a mask only."""
    sizes = np.bitwise_count(rows).astype(np.uint64)
    needed = (int(sizes.sum()) + 63) // 64
    result = np.empty((len(columns), needed + 1), dtype=np.uint64)  # the kernel writes one word more
    _in_parts(partial(_move, np.ascontiguousarray(columns), rows, sizes, result), len(columns), columns.size)
    return np.ascontiguousarray(result[:, :needed])


def _in_parts(move: Callable[[int, int], None], columns: int, words: int) -> None:
    cores = count_cores() if words > WORTH_THREADS else 1
    edges = [columns * i // cores for i in range(cores + 1)]
    if cores == 1:
        move(0, columns)
    else:
        in_threads(move, edges[:-1], edges[1:])
