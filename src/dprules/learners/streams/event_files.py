"""Files of events: JSON lines, or CSV with a header, gzipped or not; one line is one event."""

import gzip
import io
import json
import os
import re
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
from dprules.learners.streams.contents import MOST_HELD, Fingerprint, Lines, Position, Recognised, Verdict, recognise
from dprules.learners.streams.features import Event, Events
from dprules.private import Private
from dprules.tables import no_such_columns, split_line, strip_line_end
from dprules.tables.events import CodedEvents
from dprules.tables.lines import LONGEST

NAME: Final = re.compile(
    r".*\.(?P<kind>jsonl|ndjson|json|csv|tsv)(?:[.-][0-9][0-9TZ:._-]*)?(?P<zipped>\.gz)?", re.IGNORECASE | re.DOTALL
)
"""events.jsonl, and what becomes of it when logs are rotated: events.jsonl.1, events.jsonl-20240501.gz."""
TAIL = 4096
"""Bytes before the place reached that are looked at again whenever a file has grown."""
LAST = 64
"""Lines of a batch that are kept for that."""
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
    """

    __slots__ = ("_delimiter", "_file", "_first", "_header", "_names", "_place", "_raw", "_tail", "_unzipped", "path")

    def __init__(self, path: Path, needed: Sequence[str] = ()) -> None:
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
        self._unzipped = _Unzipped(self._raw) if name["zipped"] else None
        self._file = io.BufferedReader(self._unzipped or self._raw, BUFFER)
        self._names: list[str] | None = None
        self._header = b""
        self._delimiter = b"\t" if name["kind"].lower() == "tsv" else b","
        self._tail = b""
        self._first = 0
        if name["kind"].lower() in ("csv", "tsv"):
            try:
                self._read_header(needed)
            except BaseException:
                self.close()
                raise
        self._place = Recognised(Verdict.NEW, 1, self.hint, Fingerprint(self._header))

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

    def _read_header(self, needed: Sequence[str]) -> None:
        header = self._file.readline(LONGEST + 1)
        if len(header) > LONGEST:
            raise DataError(f"{self.path}: the first line has more than {LONGEST >> 20} MB. Is it a file of events?")
        cells = split_line(strip_line_end(header).removeprefix(b"\xef\xbb\xbf"), self._delimiter)
        if cells is None or not header.strip():
            raise DataError(f"{self.path}: no header line. The first line must name the columns.")
        self._names = [cell.decode("utf-8", "replace") for cell in cells]
        self._header = header
        if len(set(self._names)) < len(self._names):
            raise DataError(f"{self.path}: two columns have one name. Rename one, or add a header line.")
        lacking = [name for name in needed if name not in self._names]
        if lacking:
            raise DataError(no_such_columns(str(self.path), lacking, self._names))

    @property
    def zipped(self) -> bool:
        """Whether it is compressed: such a file does not grow."""
        return self._unzipped is not None

    @property
    def damaged(self) -> bool:
        """Whether the compressed data that were read end early, or are damaged from there on."""
        return self._unzipped is not None and self._unzipped.damaged

    @property
    def hint(self) -> str:
        """Device and inode."""
        return hint_of(os.fstat(self._raw.fileno()))

    @property
    def size(self) -> int:
        """Bytes that it has now, compressed ones if it is compressed."""
        return os.fstat(self._raw.fileno()).st_size

    @property
    def content(self) -> int:
        """The number of its content in its source."""
        return self._place.content

    def recognise(self, known: Sequence[Position], begun: Position | None = None, taken: int = 0) -> Verdict:
        """Tell what the file is beside contents that were learnt, and go to the place from where it is to be learnt.

        Parameters
        ----------
        known : sequence of Position
            Contents that were learnt of this source.
        begun : Position or None
            Where a batch ends that was begun and not committed: it is offered again as it was.
        taken : int
            Contents up to this number have an owner, even if nothing was learnt of them yet.
        """
        self._file.seek(len(self._header))
        place = recognise(self.read_lines, known, self._header)
        if place.content == 0 or place.hint != self.hint:
            # Also a copy gets a row of its own: the file that it was copied from may go on in another way.
            place.content = 1 + max((position.content for position in known), default=taken)
            place.content = max(place.content, 1 + taken)
        again = begun is not None and begun.content == place.content and begun.line > place.fingerprint.line
        self._first = begun.line - place.fingerprint.line if begun is not None and again else 0
        self._place = place
        self._go_to(place.fingerprint.byte)
        return place.verdict

    def _go_to(self, byte: int) -> None:
        start = max(0, byte - TAIL)
        self._file.seek(start)
        self._tail = self._file.read(byte - start)

    def look_again(self) -> bool:
        """Forget what was read ahead; return whether the file was cut or changed just before the place reached."""
        self._file.detach()
        self._file = io.BufferedReader(self._raw, BUFFER)
        place = self._place.fingerprint.byte
        self._file.seek(place - len(self._tail))
        return self._file.read(len(self._tail)) != self._tail

    def batches(self, size: int, encode: Encode) -> Iterator[EventBatch]:
        """Return the events that follow the place that was recognised, so many at a time; whole lines only.

        Parameters
        ----------
        size : int
            Events of a batch.
        encode : callable
            Reads what matters off events: a few at a time, while they are near.
        """
        place = self._place
        while True:
            lines, taken = self.read_lines(self._first or size)
            if not lines:
                return
            self._first = 0
            place.fingerprint.add(lines, taken)
            self._keep_tail(lines, taken)
            yield EventBatch(
                encode_lines(lines, self.read, encode), place.fingerprint.reached(place.content, self.hint)
            )

    def _keep_tail(self, lines: list[bytes], taken: int) -> None:
        """Remember the bytes before the place reached."""
        if taken != sum(map(len, lines)):  # a line was too long to be held
            self._go_to(self._place.fingerprint.byte)
            return
        before = self._tail if len(lines) <= LAST else b""
        self._tail = (before + b"".join(lines[-LAST:]))[-TAIL:]

    def read_lines(self, size: int) -> Lines:
        """Return whole lines, at most so many, and their bytes; a last line without an end may still be written.

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
        return lines, taken

    def all_events(self, size: int) -> Iterator[Sequence[Event]]:
        """Return every event from the first on, that of a last line without an end included."""
        self._file.seek(len(self._header))
        while lines := self.read_lines(size)[0]:
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
        return read_events(lines, self._names, self._delimiter)


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


def hint_of(status: os.stat_result) -> str:
    """Return device and inode as text."""
    return f"{status.st_dev}:{status.st_ino}"


def rotated_files(path: Path) -> list[Path]:
    """Return the files that a log was rotated to, the youngest first: its name with a number or a date, and .gz."""
    found = []
    for other in path.parent.iterdir():
        rest = other.name.removeprefix(path.name)
        if other.name.startswith(path.name) and rest and NAME.fullmatch(other.name) and other.is_file():
            found.append((other.stat().st_mtime_ns, other))
    return [other for _, other in sorted(found, reverse=True)]


def read_events(lines: Sequence[bytes], names: Sequence[str] | None = None, delimiter: bytes = b",") -> list[Event]:
    """Return lines as records, {} for each that cannot be read; the same as `read_event` of each, and faster."""
    if names is not None:
        return [read_event(line, names, delimiter) for line in lines]
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


def read_event(line: bytes, names: Sequence[str] | None = None, delimiter: bytes = b",") -> Event:
    """Return one line as a record, {} if it cannot be read.

    Examples
    --------
    >>> read_event(b'{"age": 30}'), read_event(b"30,yes", ["age", "y"]), read_event(b"30,yes,7", ["age", "y"])
    ({'age': 30}, {'age': b'30', 'y': b'yes'}, {})
    """
    if names is not None:
        cells = split_line(strip_line_end(line), delimiter)
        return dict(zip(names, cells, strict=True)) if cells is not None and len(cells) == len(names) else {}
    try:
        text = line.decode("utf-8-sig")
        parsed: Any = None if _is_deep(text) else json.loads(text)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
