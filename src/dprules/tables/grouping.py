"""Equal records are counted once with their number, where there are enough of them to pay for finding them."""

from collections.abc import Iterator, Sequence
from math import comb

import numpy as np
from numba import types
from numpy.typing import NDArray

from dprules.tables.compiled import compiled, reads, writes
from dprules.tables.packed import Words
from dprules.tables.units import mixed

Integers = NDArray[np.int64]

TRIED = 1 << 16
"""Records that are looked at to see how many are equal."""
GROUPING = 100
"""What it costs to find the equal of one record, in words counted."""
PASSES = 2
"""Passes over all records that a fit makes, about."""


def is_worth_grouping(tried: Words, bases: int, width: int, classes: int) -> bool:
    """Whether fewer records save more counting than it costs to group them: only the time depends on it.

    Parameters
    ----------
    tried : array
        Some of the records.
    bases, width, classes : int
        Conjunctions of up to `width` bases are counted for each class.
    """
    if not tried.shape[1]:
        return False
    saved = 1 - len(group_rows(tried, None)[1]) / tried.shape[1]
    return bool(saved * PASSES * comb(bases, width) * classes / 64 > GROUPING)


def group_rows(words: Words, weights: Integers | None) -> tuple[Words, Integers]:
    """Return the different records, and how many records each stands for."""
    size = words.shape[1]
    rows = np.empty(size, dtype=np.int64)
    totals = np.zeros(size, dtype=np.int64)
    slots = np.full(1 << max(1, (2 * size).bit_length()), -1, dtype=np.int64)
    counted = np.ones(1, dtype=np.int64) if weights is None else weights
    words = np.ascontiguousarray(words)
    number = _group(words, counted, slots, rows, totals)
    return np.ascontiguousarray(words[:, rows[:number]]), totals[:number].copy()


@compiled(
    (
        reads(types.uint64, 2),
        reads(types.int64),
        writes(types.int64),
        writes(types.int64),
        writes(types.int64),
    )
)
def _group(words: Words, weights: Integers, slots: Integers, rows: Integers, totals: Integers) -> int:
    """Put each record into a table with open addresses; return how many different ones there are."""
    number = 0
    last = np.uint64(len(slots) - 1)
    for i in range(words.shape[1]):
        state = np.uint64(0)
        for w in range(words.shape[0]):
            state = mixed(state ^ words[w, i])
        at = state & last
        while True:
            found = slots[at]
            if found < 0:
                slots[at] = found = number
                rows[number] = i
                number += 1
                break
            same = True
            for w in range(words.shape[0]):
                same &= words[w, rows[found]] == words[w, i]
            if same:
                break
            at = (at + np.uint64(1)) & last
        totals[found] += weights[i % len(weights)]
    return number


def split_by_weight(weights: Integers) -> Iterator[NDArray[np.bool_]]:
    """Return which records have about the same weight: one of a million does not cost all others a digit each."""
    lengths = np.zeros(len(weights), dtype=np.int64)
    for digits in _DIGITS:
        lengths += weights >> digits > 0
    for length in range(len(_DIGITS) + 1):
        chosen = lengths == length
        if chosen.any():
            yield chosen


_DIGITS: Sequence[int] = (1, 2, 4, 8, 16, 32)
"""Binary digits up to which weights stay together: within a block at most half of the digits are in vain."""
