"""Files of events: JSON lines, or CSV with a header, gzipped or not; one line is one event."""

import gzip
import io
import json
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from json.scanner import make_scanner
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from dprules.errors import DataError, FileError
from dprules.learners.streams.features import Event, Events
from dprules.learners.streams.positions import Position, identify
from dprules.private import Private
from dprules.tables import no_such_columns, split_header, split_record, strip_line_end
from dprules.tables.events import CodedEvents
from dprules.tables.lines import LONGEST

NAME: Final = re.compile(
    r".*\.(?P<kind>jsonl|ndjson|json|csv|tsv)(?:[.-][0-9][0-9TZ:._-]*)?(?P<zipped>\.gz)?", re.IGNORECASE | re.DOTALL
)
"""events.jsonl, and what becomes of it when logs are rotated: events.jsonl.1, events.jsonl-20240501.gz."""
MOST_HELD = 1 << 26
"""Bytes of lines that are held at a time."""
BUFFER = 1 << 16
PIECES = 16
"""Lines that are taken at once, before their bytes are counted."""
NEAR = 512
"""Events that are read at a time: as Python objects they fit a processor's cache."""
DEEPEST = 100
"""Brackets inside brackets of a line of JSON."""
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
"""Brackets, and texts, which may hold some."""
Encode = Callable[[Sequence[Event]], CodedEvents]
_scan: Any = make_scanner(json.JSONDecoder())  # type: ignore[arg-type]
"""Reads one JSON value from a place of a text on; `raw_decode` is the same with a frame of Python around it."""


class EventBatch(Private):
    """Events, and the position in their source after them."""

    __slots__ = ("events", "position")

    def __init__(self, events: Events, position: Position) -> None:
        self.events = events
        self.position = position


class EventFile(Private):
    """An open file of events, one a line. It may grow, be renamed and be removed; what was opened stays open.

    A line that cannot be read is an event without a label: nothing happened in that round, which still counts, since
    leaving it out would shift every later round.

    Parameters
    ----------
    path : Path
        .jsonl, .ndjson, .json (JSON lines), .csv or .tsv; after it the number or date of a rotated file, and .gz.
    needed : sequence of str
        Columns that a CSV file must have.
    grows : bool
        Whether the header of a CSV file may come later than the file.
    """

    __slots__ = (
        "_delimiter",
        "_file",
        "_first",
        "_headless",
        "_line",
        "_names",
        "_needed",
        "_number",
        "_raw",
        "_spare",
        "_start",
        "_unzipped",
        "identity",
        "path",
    )

    def __init__(self, path: Path, needed: Sequence[str] = (), *, grows: bool = False) -> None:
        if not path.exists():
            raise FileError(f"{path}: no such file. Check the name.")
        if not path.is_file():
            raise DataError(f"{path} is not a file. Name a file, or send JSON lines to -.")
        name = NAME.fullmatch(path.name)
        if name is None:
            raise DataError(
                f"{path}: not .jsonl, .ndjson, .json, .csv or .tsv, nor such a file rotated or with .gz. "
                "Rename it, or send JSON lines to -."
            )
        self.path = path
        self._raw = path.open("rb", buffering=0)
        self.identity = identify(self._raw.fileno())
        """Which file it is, whatever its name."""
        self._unzipped = _Unzipped(self._raw) if name["zipped"] else None
        self._file = io.BufferedReader(self._unzipped or self._raw, BUFFER)
        self._names: list[str] | None = None
        self._start = 0  # bytes of the header
        self._spare = False  # whether the header ends with an empty cell
        self._delimiter = b"\t" if name["kind"].lower() == "tsv" else b","
        self._number = 1
        self._line = 0
        self._first = 0  # lines of a first batch that was interrupted
        self._needed = needed
        self._headless = name["kind"].lower() in ("csv", "tsv")
        try:
            self._read_header(grows=grows)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "EventFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._raw.close()

    def _read_header(self, *, grows: bool) -> bool:
        """Read the header of a CSV file, unless it was read; return whether what follows can be read."""
        if not self._headless:
            return True
        header = self._file.readline(LONGEST + 1)
        if grows and len(header) <= LONGEST and not header.endswith(b"\n"):
            self._file.seek(0)
            return False
        if len(header) > LONGEST:
            raise DataError(f"{self.path}: the first line has more than {LONGEST >> 20} MB. Is it a file of events?")
        split = split_header(strip_line_end(header).removeprefix(b"\xef\xbb\xbf"), self._delimiter)
        if split is None or not header.strip():
            raise DataError(f"{self.path}: no header line. The first line must name the columns.")
        names = [cell.decode("utf-8", "replace") for cell in split.columns]
        if len(set(names)) < len(names):
            raise DataError(f"{self.path}: two columns have one name. Rename one, or add a header line.")
        missing_columns = [name for name in self._needed if name not in names]
        if missing_columns:
            raise DataError(no_such_columns(str(self.path), missing_columns, names))
        self._names = names
        self._spare = split.ends_empty
        self._start = len(header)
        self._headless = False
        return True

    @property
    def zipped(self) -> bool:
        """Whether it is compressed: such a file does not grow."""
        return self._unzipped is not None

    @property
    def damaged(self) -> bool:
        """Whether the compressed data that were read end early, or are damaged from there on."""
        return self._unzipped is not None and self._unzipped.damaged

    @property
    def number(self) -> int:
        """Its number in its source."""
        return self._number

    @property
    def seconds_idle(self) -> float:
        """Seconds since it was last written to."""
        return time.time() - os.fstat(self._raw.fileno()).st_mtime

    @property
    def was_cut(self) -> bool:
        """Whether it is shorter than what was read of it."""
        return not self.zipped and os.fstat(self._raw.fileno()).st_size < self._file.tell()

    def go_to(self, number: int, line: int, begun: Position | None = None) -> bool:
        """Go to the end of a line; return whether the file has that many.

        Lines are counted from the start of the file. A number of bytes would depend on what the lines say.

        Parameters
        ----------
        number : int
            Number of the file in its source.
        line : int
            Lines to skip.
        begun : Position or None
            Where a batch ends that was begun and not committed: it is offered again as it was.
        """
        self._file.seek(self._start)
        self._number = number
        self._line = line
        again = begun is not None and begun.file == number and begun.line > line
        self._first = begun.line - line if begun is not None and again else 0
        while line:
            block = self._file.peek()
            if not block:
                return False
            ends = block.count(b"\n")
            rest = block.split(b"\n", line)[-1] if ends >= line else b""
            self._file.read(len(block) - len(rest))
            line -= min(line, ends)
        return True

    def batches(self, size: int, encode: Encode) -> Iterator[EventBatch]:
        """Return the events that follow the position, in batches; whole lines only.

        Where a batch ends depends on the number of its lines, not on their lengths.

        Parameters
        ----------
        size : int
            Events of a batch.
        encode : callable
            Reads what matters off events: a few at a time, while they are near.
        """
        while self._read_header(grows=True):
            wanted = self._first or size
            self._first = 0
            parts: list[CodedEvents] = []
            while wanted:
                lines = self.read_lines(wanted)
                if not lines:
                    break
                parts.append(encode_lines(lines, self.read, encode))
                wanted -= len(lines)
                self._line += len(lines)
            if not parts:
                return
            position = Position(self._line, file=self._number, identity=self.identity)
            yield EventBatch(CodedEvents.join(parts), position)

    def read_lines(self, size: int) -> list[bytes]:
        """Return whole lines, at most `size`, fewer if they are long; a last line without an end is left for later.

        In the place of a line that is longer than `LONGEST` stands an empty one: nothing happened in that round.
        """
        take = partial(self._file.readline, LONGEST + 1)
        lines: list[bytes] = []
        taken = 0
        begun = 0  # bytes of a line whose end is still to come
        while len(lines) < size and taken < MOST_HELD:
            pieces = list(islice(iter(take, b""), min(PIECES, size - len(lines))))
            if not pieces:
                break
            if not begun and pieces[-1].endswith(b"\n") and max(map(len, pieces)) <= LONGEST:
                lines += pieces
                taken += sum(map(len, pieces))
                continue
            for piece in pieces:
                begun += len(piece)
                if piece.endswith(b"\n"):
                    lines.append(piece if begun == len(piece) <= LONGEST else b"\n")
                    taken += begun
                    begun = 0
        if begun:
            self._file.seek(-begun, io.SEEK_CUR)
        return lines

    def all_events(self, size: int) -> Iterator[Sequence[Event]]:
        """Return every event from the first on, that of a last line without an end included."""
        self._file.seek(self._start)
        while lines := self.read_lines(size):
            yield self.read(lines)
        last = self._file.readline(LONGEST + 1)
        if last:
            yield self.read([last if len(last) <= LONGEST else b""])

    def has_unfinished_line(self) -> bool:
        """Whether there is a line without an end at the place that was reached."""
        start = self._file.read(1)
        self._file.seek(-len(start), io.SEEK_CUR)
        return bool(start)

    def read(self, lines: Sequence[bytes]) -> list[Event]:
        """Return lines of this file as events."""
        return read_events(lines, self._names, self._delimiter, self._spare)


class _Unzipped(Private, io.RawIOBase):
    """The content of a gzip file; where it ends early or is damaged, it ends."""

    def __init__(self, file: Any) -> None:
        self._gzip = gzip.GzipFile(fileobj=file, mode="rb")
        self.damaged = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._gzip.seek(offset, whence)

    def tell(self) -> int:
        return self._gzip.tell()

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        try:
            data = self._gzip.read1(len(view))
        except (EOFError, OSError, zlib.error):
            self.damaged = True
            return 0
        view[: len(data)] = data
        return len(data)


def encode_lines(lines: Sequence[bytes], read: Callable[[Sequence[bytes]], list[Event]], encode: Encode) -> CodedEvents:
    """Return what matters of some lines, at least one, and keep nothing else of them."""
    return CodedEvents.join([encode(read(lines[i : i + NEAR])) for i in range(0, len(lines), NEAR)])


def read_events(
    lines: Sequence[bytes], names: Sequence[str] | None = None, delimiter: bytes = b",", spare: bool = False
) -> list[Event]:
    """Return lines as records, {} for each that cannot be read; the same as `read_event` of each, and faster."""
    if names is not None:
        return [read_event(line, names, delimiter, spare) for line in lines]
    try:
        texts = b"".join(lines).decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return [read_event(line) for line in lines]
    events = []
    for text, line in zip(texts, lines, strict=False):
        found, end = None, 0
        if not _is_deep(text):
            with suppress(ValueError, StopIteration):
                found, end = _scan(text, 0)
        # A line that is nothing but a record is done; every other is read with care.
        events.append(found if end == len(text) and type(found) is dict else read_event(line))
    return events


def _is_deep(text: str) -> bool:
    """Whether brackets nest deeper than is read: a bound of ours, since Python's depends on who calls, and from where.

    Examples
    --------
    >>> _is_deep('{"a": [1, 2], "b": "[[["}'), _is_deep("[" * 101)
    (False, True)
    """
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    depth = deepest = 0
    for bracket in _BRACKETS.findall(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(bracket, 0)
        deepest = max(deepest, depth)
    return deepest > DEEPEST


def read_event(line: bytes, names: Sequence[str] | None = None, delimiter: bytes = b",", spare: bool = False) -> Event:
    """Return one line as a record, {} if it cannot be read.

    Parameters
    ----------
    line : bytes
        With or without its line end.
    names : sequence of str or None
        Columns of a CSV file; None: the line is JSON.
    delimiter : bytes
        Of a CSV file.
    spare : bool
        Whether a cell after those of the columns may hold anything; otherwise it must be empty.

    Examples
    --------
    >>> read_event(b'{"age": 30}'), read_event(b"30,yes", ["age", "y"]), read_event(b"30,yes,7", ["age", "y"])
    ({'age': 30}, {'age': b'30', 'y': b'yes'}, {})
    """
    if names is not None:
        cells = split_record(strip_line_end(line), delimiter, len(names), spare)
        return {} if cells is None else dict(zip(names, cells, strict=True))
    try:
        text = line.decode("utf-8-sig")
        parsed: Any = None if _is_deep(text) else json.loads(text)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
