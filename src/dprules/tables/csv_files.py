"""CSV files: the header line alone decides how they are read, so that no row changes how the others are."""

import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dprules.errors import DataError, ParameterError
from dprules.tables.lines import LONGEST, find_last_end, split_header, strip_line_end
from dprules.tables.tokens import TokenizedLines, tokenize

DELIMITERS = (",", ";", "\t", "|")
BLOCK = 1 << 23
"""Bytes that are read at once."""
LARGEST_BLOCK = 1 << 28
LONGEST_QUOTED = 1 << 30
"""Bytes of the longest record where line ends may be inside quotes. Places in a block are 32-bit integers."""


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
        self.line = line.encode()
        """The header, without its line end."""
        self.delimiter = (delimiter or _guess_delimiter(line)).encode()
        """One byte."""
        header = split_header(self.line, self.delimiter)
        if header is None:
            raise DataError(f"{path}: the header line has quotes that do not balance. Mend it.")
        self.names = tuple(cell.decode() for cell in header.columns)
        """The columns, in their order."""
        self.spare = header.ends_empty
        """Whether lines may have a cell after those of the columns that is not empty."""
        self._left_out: list[int] = []
        if len({name.lower() for name in self.names}) < len(self.names):
            raise DataError(
                f"{path}: two columns have one name (A and a are one here). Rename one in the header line, or add a "
                "header line if there is none."
            )

    @property
    def left_out(self) -> int:
        """Lines that the last reading left out: private, like the rows."""
        return sum(self._left_out)

    def parts(self, names: Sequence[str]) -> Iterator[Callable[[], TokenizedLines]]:
        """Return the named columns, some records at a time, as calls that find the cells: for threads to make."""
        place = {name: i for i, name in enumerate(self.names)}
        wanted = [place[name] for name in names]
        self._left_out = []
        for data in self._pieces():
            yield self._part(data, wanted)

    def _part(self, data: bytes | memoryview, wanted: Sequence[int]) -> Callable[[], TokenizedLines]:
        """Return a call, which shows nothing of the bytes it holds."""

        def find_cells() -> TokenizedLines:
            lines = tokenize(data, self.delimiter, wanted, len(self.names), self._multiline, LONGEST, self.spare)
            self._left_out.append(lines.left_out)
            return lines

        return find_cells

    def _pieces(self) -> Iterator[bytes | memoryview]:
        """Return the file's bytes, some whole records at a time; a line that is longer than any piece is left out."""
        # Each column of a piece costs some microseconds: wide tables get larger ones.
        size = min(LARGEST_BLOCK, BLOCK * max(1, len(self.names) // 100))
        rest = b""
        skipping = False
        with self._opened() as file:
            file.seek(self._start)
            while block := file.read(size):
                # What follows a line that was too long belongs to it, up to its line feed.
                start = block.find(b"\n") + 1 if skipping else 0
                skipping = skipping and start == 0
                if skipping:
                    continue
                data = rest + block[start:]
                end = find_last_end(data, self._multiline)
                yield memoryview(data)[:end]
                rest = data[end:]
                if len(rest) > (LONGEST_QUOTED if self._multiline else LONGEST):
                    self._left_out.append(1)
                    rest = b""
                    skipping = True
        yield rest

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
            start = file.read(LONGEST + 1)
        line = _first_record(start, self._multiline)
        if len(line) > LONGEST:
            raise DataError(f"{self._path}: the first line has more than {LONGEST >> 20} MB. Is it a table of text?")
        if start.startswith(b"PK\x03\x04"):
            raise DataError(f"{self._path} is a zip archive, or a spreadsheet, which is one. Save the table as CSV.")
        text = strip_line_end(line)
        # Before anything else: without line feeds the whole file would be the header.
        if re.search(rb"\r(?!\n)", text):
            raise DataError(f"{self._path}: lines end with a lone carriage return. Convert them to line feeds.")
        try:
            header = text.decode("utf-8-sig")
        except UnicodeDecodeError:
            header = None
        if header is None:
            raise DataError(
                f"{self._path}: the header is not UTF-8 text. Convert the file, from Latin-1: iconv -f latin1 -t utf-8."
            )
        if not header.strip():
            raise DataError(f"{self._path}: no header line. The first line must name the columns.")
        return header, len(line)


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
