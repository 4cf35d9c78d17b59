"""Lines of CSV: one physical line is one record, so that no record can swallow or split others.

A line ends at a line feed, with or without a carriage return before it. A cell is text without the delimiter, or text
between double quotes in which a quote is written twice. A line whose quotes do not balance, whose quoted cells go on
after their end, or that has another number of cells than the header has columns is left out; so is an empty line, and
one that is longer than a public bound. An empty last cell of the header is not a column. A line may have one cell more
than there are columns: an empty one, since some programs end every line with a delimiter, or any where the header ends
with an empty cell. That cell is not read.

`split_record` says so in Python; `tokens` does the same to megabytes at once, and a test holds one against the other.
"""

from typing import NamedTuple

LONGEST = 1 << 24
"""Bytes of the longest line that is read: longer ones are left out."""


class Header(NamedTuple):
    """The columns of a CSV file, and whether its header line ends with an empty cell."""

    columns: list[bytes]
    ends_empty: bool


def split_header(line: bytes, delimiter: bytes) -> Header | None:
    """Return the columns that a header line names, None if its quotes do not balance.

    Examples
    --------
    >>> split_header(b"age,sex,", b",")
    Header(columns=[b'age', b'sex'], ends_empty=True)
    """
    cells = split_line(line, delimiter)
    if cells is None:
        return None
    ends_empty = len(cells) > 1 and not cells[-1]
    return Header(cells[:-1] if ends_empty else cells, ends_empty)


def split_record(line: bytes, delimiter: bytes, width: int, spare: bool) -> list[bytes] | None:
    """Return the cells of one line without its line end, one for each column; None if the line is left out.

    Parameters
    ----------
    line : bytes
        Without its line end.
    delimiter : bytes
        One byte.
    width : int
        Number of columns.
    spare : bool
        Whether a cell after those of the columns may hold anything: the header ends with an empty cell.

    Examples
    --------
    >>> split_record(b"1,2,", b",", 2, spare=False), split_record(b"1,2,3", b",", 2, spare=False)
    ([b'1', b'2'], None)
    """
    cells = split_line(line, delimiter)
    if cells is None or not width <= len(cells) <= width + 1:
        return None
    if len(cells) > width and cells[-1] and not spare:
        return None
    return cells[:width]


def split_line(line: bytes, delimiter: bytes = b",") -> list[bytes] | None:
    """Return all cells of one line without its line end, None if it is empty or its quotes do not balance.

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
    """Return a line without its line feed and the carriage return before it, also where the line feed is lacking."""
    return line.removesuffix(b"\n").removesuffix(b"\r")


def find_last_end(data: bytes, multiline: bool) -> int:
    """Return where the last record that ends with a line feed ends, 0 if there is none.

    Parameters
    ----------
    data : bytes
        Lines, the first from its beginning.
    multiline : bool
        Whether a line end inside quotes belongs to the cell.
    """
    end = data.rfind(b"\n") + 1
    if not multiline:
        return end
    quotes = data.count(b'"', 0, end)
    while quotes % 2:
        before = data.rfind(b"\n", 0, end - 1) + 1
        quotes -= data.count(b'"', before, end)
        end = before
    return end
