"""Lines of CSV: one physical line is one record, so that no record can swallow or split others.

A line ends at a line feed, with or without a carriage return before it. A cell is text without the delimiter, or text
between double quotes in which a quote is written twice. A line whose quotes do not balance, whose quoted cells go on
after their end, or that has another number of cells than the header is left out; so is an empty line, and one that is
longer than a public bound.

`split_line` says so in Python; `tokens` does the same to megabytes at once, and a test holds one against the other.
"""

LONGEST = 1 << 24
"""Bytes of the longest line that is read: longer ones are left out."""


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
