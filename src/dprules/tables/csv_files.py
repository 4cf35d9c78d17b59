"""CSV files: the header line alone decides how they are read, so that no row changes how the others are."""

import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pyarrow as pa

from dprules.errors import DataError, ParameterError
from dprules.tables.lines import LONGEST, split_line, strip_line_end, tokenize

DELIMITERS = (",", ";", "\t", "|")
BLOCK = 1 << 23
"""Bytes that are read at once."""
LARGEST_BLOCK = 1 << 28


class CsvFile:
    """A CSV file, compressed or not: its header is public.

    Parameters
    ----------
    path : Path
        The file.
    delimiter : str or None
        One character; None: the usual one that the header has most of.
    multiline : bool
        Whether cells may hold line ends between quotes.
    """

    def __init__(self, path: Path, delimiter: str | None = None, multiline: bool = False) -> None:
        if delimiter is not None and len(delimiter.encode()) != 1:
            raise ParameterError(f"delimiter must be one ASCII character; got {delimiter!r}. A comma is usual.")
        self._path = path
        self._multiline = multiline
        line, self._start = self._header_line()
        self._delimiter = (delimiter or _guess_delimiter(line)).encode()
        cells = split_line(line.encode(), self._delimiter)
        if cells is None:
            raise DataError(f"{path}: the header line has quotes that do not balance. Mend it.")
        self.names = tuple(cell.decode() for cell in cells)
        """The columns, in their order."""
        self.left_out = 0
        """Lines that the last reading left out: private, like the rows."""
        if len({name.lower() for name in self.names}) < len(self.names):
            raise DataError(
                f"{path}: two columns have one name (A and a are one here). Rename one in the header line, or add a "
                "header line if there is none."
            )

    def batches(self, names: Sequence[str]) -> Iterator[tuple[int, list[pa.Array]]]:
        """Return the number of records and the named columns as bytes, a block at a time."""
        place = {name: i for i, name in enumerate(self.names)}
        wanted = [place[name] for name in names]
        # Each column of a block costs some microseconds: wide tables get larger blocks.
        size = min(LARGEST_BLOCK, BLOCK * max(1, len(self.names) // 100))
        self.left_out = 0
        rest = b""
        skipping = False
        with self._opened() as file:
            file.seek(self._start)
            while True:
                block = file.read(size)
                data = rest + block
                # What follows a line that was too long belongs to it, up to its line feed.
                if skipping:
                    cut = data.find(b"\n")
                    data = data[cut + 1 :] if cut >= 0 else b""
                    skipping = cut < 0 and bool(block)
                lines = tokenize(
                    data, self._delimiter, wanted, len(self.names), self._multiline, whole=not block, longest=LONGEST
                )
                self.left_out += _count_lines(data[: lines.rest], whole=not block) - len(lines)
                yield len(lines), [_as_arrow(*lines.column(slot)) for slot in range(len(names))]
                if not block:
                    return
                rest = data[lines.rest :]
                if len(rest) > LONGEST and not self._multiline:
                    rest = b""
                    skipping = True

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        """The file's bytes; an archive that is torn is named, without its contents."""
        torn = False
        try:
            if self._path.suffix.lower() == ".gz":
                with gzip.open(self._path) as file:
                    yield file  # type: ignore[misc]
            else:
                with self._path.open("rb") as file:
                    yield file
        except (EOFError, gzip.BadGzipFile, zlib.error):
            torn = True
        if torn:
            raise DataError(f"{self._path}: not a whole gzip file. Copy it again.")

    def _header_line(self) -> tuple[str, int]:
        """Return the header, and where the records begin."""
        with self._opened() as file:
            start = file.read(LONGEST)
        line = _first_record(start, self._multiline)
        text = strip_line_end(line)
        # Before anything else: without line feeds the whole file would be the header.
        if re.search(rb"\r(?!\n)", text):
            raise DataError(f"{self._path}: lines end with a lone carriage return. Convert them to line feeds.")
        try:
            header = text.decode("utf-8-sig")
        except UnicodeDecodeError:
            header = None
        if header is None:
            raise DataError(f"{self._path}: the header is not UTF-8 text. Convert the file: iconv -t utf-8.")
        if not header.strip():
            raise DataError(f"{self._path}: no header line. The first line must name the columns.")
        return header, len(line)


def _count_lines(data: bytes, whole: bool) -> int:
    return data.count(b"\n") + int(whole and bool(data) and not data.endswith(b"\n"))


def _first_record(start: bytes, multiline: bool) -> bytes:
    if not multiline:
        return start[: start.find(b"\n") + 1] or start
    quoted = False
    for place, byte in enumerate(start):
        quoted ^= byte == ord('"')
        if byte == ord("\n") and not quoted:
            return start[: place + 1]
    return start


def _guess_delimiter(header: str) -> str:
    """The usual delimiter that the header has most of, outside quotes."""
    bare = "".join(header.split('"')[::2])
    return max(DELIMITERS, key=bare.count)


def _as_arrow(offsets: object, texts: object) -> pa.Array:
    size = len(offsets) - 1  # type: ignore[arg-type]
    return pa.Array.from_buffers(pa.large_binary(), size, [None, pa.py_buffer(offsets), pa.py_buffer(texts)])
