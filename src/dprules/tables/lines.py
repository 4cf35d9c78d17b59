"""Lines of CSV: one physical line is one record, so that no record can swallow or split others.

A line ends at a line feed, with or without a carriage return before it. A cell is text without the delimiter, or text
between double quotes in which a quote is written twice. A line whose quotes do not balance, whose quoted cells go on
after their end, or that has another number of cells than the header is left out; so is an empty line, and one that is
longer than a public bound.

`split_line` says so in Python; `tokenize` does the same to megabytes at once, and a test holds one against the other.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.tables.compiled import compiled

_QUOTE = 34
_RETURN = 13
_FEED = 10
LONGEST = 1 << 24
"""Bytes of the longest line that is read: longer ones are left out."""

Places = NDArray[np.int64]
Bytes = NDArray[np.uint8]


def split_line(line: bytes, delimiter: bytes = b",") -> list[bytes] | None:
    """Return the cells of one line without its line end, None if it is left out.

    Examples
    --------
    >>> split_line(b'a,"b ""c"", d",')
    [b'a', b'b "c", d', b'']
    >>> split_line(b'5" pipe,3') is None
    True
    """
    if not line or line.count(b'"') % 2:
        return None
    cells: list[bytes] = []
    at = 0
    while True:
        if line[at : at + 1] == b'"':
            stop = at + 1
            while line[stop : stop + 1] != b'"' or line[stop : stop + 2] == b'""':
                if stop >= len(line):
                    return None
                stop += 2 if line[stop : stop + 2] == b'""' else 1
            cells.append(line[at + 1 : stop].replace(b'""', b'"'))
            at = stop + 1
            if line[at : at + 1] not in (b"", delimiter):
                return None
        else:
            found = line.find(delimiter, at)
            stop = len(line) if found < 0 else found
            cells.append(line[at:stop])
            at = stop
        if at >= len(line):
            return cells
        at += 1


def strip_line_end(line: bytes) -> bytes:
    """Return a line without its line feed and the carriage return before it."""
    if line.endswith(b"\r\n"):
        return line[:-2]
    return line.removesuffix(b"\n")


@compiled
def _end_of_record(data: Bytes, start: int, multiline: bool) -> int:
    """Where the line feed of a record is, -1 if it is not in the data."""
    quoted = False
    for at in range(start, len(data)):
        if data[at] == _QUOTE and multiline:
            quoted = not quoted
        if data[at] == _FEED and not quoted:
            return at
    return -1


@compiled
def _split_record(
    data: Bytes, start: int, stop: int, delimiter: int, slots: Places, begins: Places, ends: Places
) -> bool:
    """Note where the wanted cells of a record begin and end; false if the record is left out.

    A quoted cell that has quotes inside is noted with its end negated.
    """
    quotes = 0
    for at in range(start, stop):
        quotes += data[at] == _QUOTE
    if start == stop or quotes % 2:
        return False
    cell = 0
    at = start
    while True:
        if cell == len(slots):
            return False
        slot = slots[cell]
        if at < stop and data[at] == _QUOTE:
            end = at + 1
            inner = False
            while end < stop and (data[end] != _QUOTE or (end + 1 < stop and data[end + 1] == _QUOTE)):
                if data[end] == _QUOTE:
                    inner = True
                    end += 1
                end += 1
            if end >= stop or (end + 1 < stop and data[end + 1] != delimiter):
                return False
            if slot >= 0:
                begins[slot] = at + 1
                ends[slot] = -end if inner else end
            at = end + 1
        else:
            end = at
            while end < stop and data[end] != delimiter:
                end += 1
            if slot >= 0:
                begins[slot] = at
                ends[slot] = end
            at = end
        cell += 1
        if at >= stop:
            return cell == len(slots)
        at += 1


@compiled
def _tokenize(
    data: Bytes, delimiter: int, slots: Places, multiline: bool, whole: bool, longest: int, begins: Places, ends: Places
) -> tuple[int, int]:
    """Note the cells of all records; return how many were kept, and where the first unfinished one begins."""
    kept = 0
    start = 0
    while start < len(data):
        feed = _end_of_record(data, start, multiline)
        if feed < 0 and not whole:
            break
        stop = len(data) if feed < 0 else feed
        after = stop + 1
        fits = stop - start <= longest
        # \r\n ends a line as \n does; any other carriage return is part of a cell.
        if feed >= 0 and stop > start and data[stop - 1] == _RETURN:
            stop -= 1
        if fits and _split_record(data, start, stop, delimiter, slots, begins[kept], ends[kept]):
            kept += 1
        start = after
    return kept, min(start, len(data))


@compiled
def _gather(data: Bytes, begins: Places, ends: Places, offsets: Places, texts: Bytes) -> int:
    """Copy cells one after the other, and double quotes inside once."""
    size = 0
    for i in range(len(begins)):
        offsets[i] = size
        end = abs(ends[i])
        at = begins[i]
        while at < end:
            texts[size] = data[at]
            size += 1
            at += 2 if ends[i] < 0 and data[at] == _QUOTE else 1
    offsets[len(begins)] = size
    return size


class TokenizedLines(Private):
    """The wanted cells of a block of lines, as places in its bytes."""

    __slots__ = ("_begins", "_data", "_ends", "rest")

    def __init__(self, data: Bytes, begins: Places, ends: Places, rest: int) -> None:
        self._data = data
        self._begins = begins
        self._ends = ends
        self.rest = rest
        """Where the first unfinished record begins."""

    def __len__(self) -> int:
        return len(self._begins)

    def column(self, slot: int) -> tuple[Places, Bytes]:
        """Return offsets and bytes of a column, as Arrow has them."""
        begins = np.ascontiguousarray(self._begins[:, slot])
        ends = np.ascontiguousarray(self._ends[:, slot])
        offsets = np.empty(len(begins) + 1, dtype=np.int64)
        texts = np.empty(int((np.abs(ends) - begins).sum()), dtype=np.uint8)
        size = _gather(self._data, begins, ends, offsets, texts)
        return offsets, texts[:size]


def tokenize(
    data: bytes,
    delimiter: bytes,
    wanted: Sequence[int],
    width: int,
    multiline: bool,
    whole: bool,
    longest: int = LONGEST,
) -> TokenizedLines:
    """Find the wanted cells of every record in a block of bytes.

    Parameters
    ----------
    data : bytes
        Lines, the first from its beginning.
    delimiter : bytes
        One byte.
    wanted : sequence of int
        Places of cells in a record.
    width : int
        Cells that a record must have.
    multiline : bool
        Whether a line end inside quotes belongs to the cell.
    whole : bool
        Whether the data ends with its last record; otherwise an unfinished one is left for the next block.
    longest : int
        Bytes up to a record's line feed: whether a longer one is whole in a block would depend on those before it.
    """
    block = np.frombuffer(data, dtype=np.uint8)
    slots = np.full(width, -1, dtype=np.int64)
    slots[list(wanted)] = np.arange(len(wanted))
    most = data.count(b"\n") + 1
    begins = np.zeros((most, max(1, len(wanted))), dtype=np.int64)
    ends = np.zeros_like(begins)
    kept, rest = _tokenize(block, delimiter[0], slots, multiline, whole, longest, begins, ends)
    return TokenizedLines(block, begins[:kept], ends[:kept], rest)
