"""The cells of megabytes of lines, found as `lines.split_record` finds those of one.

Bytes that may end a cell or a line are marked first, 64 at a time. A line without quotes is then cut at its marks; at
those of one with quotes it is looked at what they are.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from dprules.private import Private
from dprules.tables.compiled import compiled, inlined, reads, writes
from dprules.tables.decimals import Bytes, Spots
from dprules.tables.lines import LONGEST
from dprules.tables.packed import Words, popcount
from dprules.tables.texts import TextCells

_QUOTE = 34
_RETURN = 13
_FEED = 10
_SPARE = 16
"""Bytes after the last of a block: the end of its last line, and what else of a word is read with the last cell."""

Places = NDArray[np.int64]


@compiled((reads(types.uint8), types.int64, writes(types.uint64)))
def _mark_bytes(data: Bytes, delimiter: int, marks: Words) -> Any:
    """Set a bit for each delimiter, quote and line feed, 64 bytes a word; return how many there are."""
    flags = np.zeros(64, dtype=np.uint8)
    eights = flags.view(np.uint64)
    number = np.uint64(0)
    for w in range(len(marks)):
        for k in range(64):
            byte = data[64 * w + k]
            flags[k] = (byte == delimiter) | (byte == _FEED) | (byte == _QUOTE)
        word = np.uint64(0)
        for k in range(8):
            # The product has the lowest bits of eight bytes side by side in its highest byte.
            bits = (eights[k] * np.uint64(0x0102040810204080)) >> np.uint64(56)
            word |= bits << np.uint64(8 * k)
        marks[w] = word
        number += popcount(word)
    return np.int64(number)


@inlined
def _split_plain(
    data: Bytes, marks: Words, start: int, slots: Places, row: int, begins: Spots, ends: Spots
) -> tuple[int, int, int]:
    """Note the cells of a record up to its first quote or line feed.

    Return where that is, how many cells ended before it, and where the last one begins.
    """
    w = start >> 6
    shift = np.uint64(start & 63)
    word = (marks[w] >> shift) << shift
    cell = 0
    begin = start
    while True:
        while word == 0:
            w += 1
            word = marks[w]
        low = word & (~word + np.uint64(1))
        word ^= low
        at = int(64 * w + popcount(low - np.uint64(1)))
        if data[at] == _FEED or data[at] == _QUOTE:
            return at, cell, begin
        if cell < len(slots) and slots[cell] >= 0:
            begins[slots[cell], row] = begin
            ends[slots[cell], row] = at
        cell += 1
        begin = at + 1


@inlined
def _next_mark(marks: Words, at: int) -> Any:
    """Where the first mark is that is not before a place."""
    w = at >> 6
    shift = np.uint64(at & 63)
    word = (marks[w] >> shift) << shift
    while word == 0:
        w += 1
        word = marks[w]
    return 64 * w + np.int64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))


@inlined
def _end_of_record(data: Bytes, marks: Words, start: int, size: int, multiline: bool) -> tuple[int, bool]:
    """Where the line feed of a record is, or the end of the data, and whether the record's quotes balance."""
    quoted = False
    at = _next_mark(marks, start)
    while at < size and (data[at] != _FEED or (multiline and quoted)):
        if data[at] == _QUOTE:
            quoted = not quoted
        at = _next_mark(marks, at + 1)
    return at, not quoted


@inlined
def _split_record(
    data: Bytes,
    marks: Words,
    start: int,
    stop: int,
    delimiter: int,
    slots: Places,
    row: int,
    begins: Spots,
    ends: Spots,
) -> tuple[int, bool]:
    """Note where the wanted cells of a record begin and end, whose quotes balance.

    A quoted cell that has quotes inside is noted with its end negated. Return the number of cells, 0 if there are more
    than slots or a quoted cell goes on after its end, and whether the last cell is empty.
    """
    cell = 0
    at = start
    while True:
        if cell == len(slots):
            return 0, False
        slot = slots[cell]
        if at < stop and data[at] == _QUOTE:
            begin = at + 1
            end = _next_mark(marks, begin)
            inner = False
            while end < stop and (data[end] != _QUOTE or (end + 1 < stop and data[end + 1] == _QUOTE)):
                if data[end] == _QUOTE:
                    inner = True
                    end += 1
                end = _next_mark(marks, end + 1)
            if end >= stop or (end + 1 < stop and data[end + 1] != delimiter):
                return 0, False
            if slot >= 0:
                begins[slot, row] = begin
                ends[slot, row] = -end if inner else end
            at = end + 1
        else:
            begin = at
            end = _next_mark(marks, at)
            while end < stop and data[end] != delimiter:
                end = _next_mark(marks, end + 1)
            end = min(end, stop)
            if slot >= 0:
                begins[slot, row] = begin
                ends[slot, row] = end
            at = end
        cell += 1
        if at >= stop:
            return cell, begin == end
        at += 1


@compiled(
    (
        reads(types.uint8),
        types.int64,
        reads(types.uint64),
        types.int64,
        reads(types.int64),
        types.boolean,
        types.boolean,
        types.int64,
        writes(types.int32, 2),
        writes(types.int32, 2),
    )
)
def _tokenize(
    data: Bytes,
    size: int,
    marks: Words,
    delimiter: int,
    slots: Places,
    spare: bool,
    multiline: bool,
    longest: int,
    begins: Spots,
    ends: Spots,
) -> tuple[int, int]:
    """Note the cells of all records; return how many were kept, and how many there are."""
    width = len(slots) - 1
    kept = 0
    seen = 0
    start = 0
    while start < size:
        feed, delimiters, begin = _split_plain(data, marks, start, slots, kept, begins, ends)
        # Where returns are delimiters, that of a line end is none.
        plain = data[feed] != _QUOTE and delimiter != _RETURN
        balanced = True
        if not plain:
            feed, balanced = _end_of_record(data, marks, start, size, multiline)
        stop = feed
        # \r\n ends a line as \n does; of the last line also \r alone, so that what follows a line does not change it.
        if feed > start and data[feed - 1] == _RETURN:
            stop -= 1
        fits = start < stop and feed - start <= longest and balanced
        if plain:
            cells = delimiters + 1
            empty = begin == stop
            if cells == width and slots[delimiters] >= 0:
                begins[slots[delimiters], kept] = begin
                ends[slots[delimiters], kept] = stop
        elif fits:
            cells, empty = _split_record(data, marks, start, stop, delimiter, slots, kept, begins, ends)
        else:
            cells, empty = 0, False
        kept += fits and (cells == width or (cells == width + 1 and (empty or spare)))
        seen += 1
        start = feed + 1
    return kept, seen


class TokenizedLines(Private):
    """The wanted cells of a block of lines, as places in its bytes."""

    __slots__ = ("_begins", "_data", "_ends", "left_out")

    def __init__(self, data: Bytes, begins: Spots, ends: Spots, left_out: int) -> None:
        self._data = data
        self._begins = begins
        self._ends = ends
        self.left_out = left_out
        """How many records were left out."""

    def __len__(self) -> int:
        return int(self._begins.shape[1])

    def column(self, slot: int) -> TextCells:
        """Return the cells of a column."""
        return TextCells(self._data, self._begins[slot], self._ends[slot])


def tokenize(
    data: bytes | memoryview,
    delimiter: bytes,
    wanted: Sequence[int],
    width: int,
    multiline: bool,
    longest: int = LONGEST,
    spare: bool = False,
) -> TokenizedLines:
    """Find the wanted cells of every record in a block of bytes.

    Parameters
    ----------
    data : bytes or memoryview
        Whole lines, less than 2^31 bytes; the last one may lack its line feed.
    delimiter : bytes
        One byte.
    wanted : sequence of int
        Places of cells in a record.
    width : int
        Number of columns.
    multiline : bool
        Whether a line end inside quotes belongs to the cell.
    longest : int
        Bytes up to a record's line feed: whether a longer one is whole in a block would depend on those before it.
    spare : bool
        Whether a cell after those of the columns may hold anything; otherwise it must be empty.
    """
    size = len(data)
    block = np.zeros((size + _SPARE + 63) // 64 * 64, dtype=np.uint8)
    block[:size] = np.frombuffer(data, dtype=np.uint8)
    block[size] = _FEED  # so that every line is found to end
    marks = np.empty(len(block) // 64, dtype=np.uint64)
    # Every record that is kept has a mark for each column at least, its line end included.
    most = _mark_bytes(block, delimiter[0], marks) // width + 1
    slots = np.full(width + 1, -1, dtype=np.int64)
    slots[list(wanted)] = np.arange(len(wanted))
    begins = np.empty((len(wanted), most), dtype=np.int32)
    ends = np.empty_like(begins)
    kept, seen = _tokenize(block, size, marks, delimiter[0], slots, spare, multiline, longest, begins, ends)
    return TokenizedLines(block, begins[:, :kept], ends[:, :kept], seen - kept)
