"""Cells of text as places in a block of bytes: only different ones become Python objects, and plain numbers none.

Two cells share a place if their bytes are equal, so that sharing a reading changes none. Cells that are equal may have
different places too: that costs time, and no search for a place goes on for long, whatever the cells are.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from dprules.private import Private
from dprules.tables.compiled import compiled, inlined, reads, writes
from dprules.tables.decimals import Bytes, Floats, Spots, parse_decimals
from dprules.tables.packed import Words

_MOST_TRIES = 16
"""Slots that are looked at before a cell gets a place of its own."""
FACTOR = 0x9E3779B97F4A7C15
"""2^64 over the golden ratio: products with it spread words over their highest bits."""

Read = Callable[[object], float]


class TextCells(Private):
    """Some cells of a block of bytes.

    Parameters
    ----------
    data : array
        The bytes; after the last cell there are 16 more, and their number is a multiple of eight.
    begins, ends : arrays
        Where each cell begins and ends; the end is negative where quotes inside the cell are written twice.
    """

    __slots__ = ("_begins", "_data", "_ends")

    def __init__(self, data: Bytes, begins: Spots, ends: Spots) -> None:
        self._data = data
        self._begins = begins
        self._ends = ends

    def __len__(self) -> int:
        return len(self._begins)

    def coded(self) -> tuple[Spots, list[bytes]]:
        """Return the place of each cell in a list of texts, and the texts."""
        size = len(self)
        bits = (2 * size).bit_length()
        # Memory that nobody writes to costs nothing: few different cells touch a few slots.
        table = np.zeros(1 << bits, dtype=np.int32)
        keys = np.empty(size, dtype=np.uint64)
        firsts = np.empty(size, dtype=np.int32)
        places = np.empty(size, dtype=np.int32)
        words = self._data.view(np.uint64)
        found = _share_places(words, self._begins, self._ends, table, 64 - bits, keys, firsts, places)
        return places, [self._text(first) for first in firsts[:found].tolist()]

    def numbers(self, read: Read, decimal: str = ".") -> Floats:
        """Return the number of each cell: that of its text where it is a plain decimal, otherwise what `read` returns.

        Parameters
        ----------
        read : callable
            Reads one cell; for a plain decimal it would return the same.
        decimal : str
            The decimal mark, besides the point.
        """
        found, odd = parse_decimals(self._data, self._begins, self._ends, decimal)
        if len(odd):
            places, texts = TextCells(self._data, self._begins[odd], self._ends[odd]).coded()
            found[odd] = np.array([read(text) for text in texts], dtype=np.float64)[places]
        return found

    def _text(self, cell: int) -> bytes:
        begin = self._begins[cell]
        end = self._ends[cell]
        text = self._data[begin : abs(end)].tobytes()
        return text if end >= 0 else text.replace(b'""', b'"')


@inlined
def _word_at(words: Words, at: int, size: int) -> Any:
    """Return up to eight bytes of a text that begins anywhere, and zeros for those after its end."""
    if size == 0:
        return np.uint64(0)
    shift = np.uint64(8 * (at & 7))
    low = words[at >> 3] >> shift
    # In two steps: a word cannot be shifted by 64 bits.
    high = (words[(at >> 3) + 1] << (np.uint64(63) - shift)) << np.uint64(1)
    spare = np.uint64(8 * max(0, 8 - size))
    return ((low | high) << spare) >> spare


@inlined
def _hash_text(words: Words, key: int, begin: int, size: int) -> Any:
    """Return a word whose highest bits depend on every bit of a text; `key` is its first word."""
    state = key ^ np.uint64(size)
    state = (state ^ (state >> np.uint64(32))) * np.uint64(FACTOR)
    for at in range(8, size, 8):
        state ^= _word_at(words, begin + at, size - at)
        state = (state ^ (state >> np.uint64(32))) * np.uint64(FACTOR)
    return state


@inlined
def _goes_on_alike(words: Words, one: int, other: int, size: int) -> bool:
    """Whether two texts of one size are equal after their first words."""
    for at in range(8, size, 8):
        if _word_at(words, one + at, size - at) != _word_at(words, other + at, size - at):
            return False
    return True


@compiled(
    (
        reads(types.uint64),
        reads(types.int32),
        reads(types.int32),
        writes(types.int32),
        types.int64,
        writes(types.uint64),
        writes(types.int32),
        writes(types.int32),
    )
)
def _share_places(
    words: Words, begins: Spots, ends: Spots, table: Spots, shift: int, keys: Words, firsts: Spots, places: Spots
) -> int:
    """Give cells of equal bytes the same place, note the first cell of each place, and return how many there are."""
    found = 0
    for i in range(len(begins)):
        begin = begins[i]
        size = abs(ends[i]) - begin
        key = _word_at(words, begin, size)
        slot = np.int64(_hash_text(words, key, begin, size) >> np.uint64(shift))
        place = found
        for _ in range(_MOST_TRIES):
            known = table[slot] - 1
            if known < 0:
                table[slot] = found + 1
                break
            if keys[known] == key:
                first = firsts[known]
                # An end's sign tells a text whose quotes are written twice from one that has two quotes.
                alike = abs(ends[first]) - begins[first] == size and (ends[first] < 0) == (ends[i] < 0)
                if alike and _goes_on_alike(words, begins[first], begin, size):
                    place = known
                    break
            slot = (slot + 1) & (len(table) - 1)
        if place == found:
            keys[place] = key
            firsts[place] = i
            found += 1
        places[i] = place
    return found
