"""Files of events that grow: JSON lines, or CSV with a header; one line is one event."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from dprules.errors import DataError, FileError
from dprules.learners.streams.features import Event
from dprules.private import Private
from dprules.tables import no_such_columns, split_line, strip_line_end

_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")


class Position(Private):
    """How far a source has been read: lines are public, bytes and the mark of what was read are not."""

    __slots__ = ("byte", "line", "mark")

    def __init__(self, line: int = 0, byte: int = 0, mark: str = "") -> None:
        self.line = line
        self.byte = byte
        self.mark = mark

    def __repr__(self) -> str:
        return f"<position after line {self.line}>"


class EventBatch(Private):
    """Events, and the position in their source after them."""

    __slots__ = ("events", "position")

    def __init__(self, events: Sequence[Event], position: Position) -> None:
        self.events = events
        self.position = position


class EventFile:
    """A file of events, one a line. It may grow.

    A line that cannot be read is an event without a label: nothing happened in that round, which still counts, since
    leaving it out would shift every later round.

    Parameters
    ----------
    path : Path
        .jsonl, .ndjson, .json (JSON lines), .csv or .tsv.
    needed : sequence of str
        Columns that a CSV file must have.
    """

    def __init__(self, path: Path, needed: Sequence[str] = ()) -> None:
        if not path.is_file():
            raise FileError(f"{path}: no such file. Check the name.")
        if path.suffix.lower() not in _SUFFIXES:
            raise DataError(f"{path}: not .jsonl, .ndjson, .json, .csv or .tsv. Rename it, or send JSON lines to -.")
        self.path = path
        self._names: list[str] | None = None
        self._start = 0
        self._delimiter = b"\t" if path.suffix.lower() == ".tsv" else b","
        if path.suffix.lower() in (".csv", ".tsv"):
            self._read_header(needed)

    def _read_header(self, needed: Sequence[str]) -> None:
        with self.path.open("rb") as file:
            header = file.readline()
        cells = split_line(strip_line_end(header).removeprefix(b"\xef\xbb\xbf"), self._delimiter)
        if cells is None or not header.strip():
            raise DataError(f"{self.path}: no header line. The first line must name the columns.")
        self._names = [cell.decode("utf-8", "replace") for cell in cells]
        self._start = len(header)
        if len(set(self._names)) < len(self._names):
            raise DataError(f"{self.path}: two columns have one name. Rename one, or add a header line.")
        lacking = [name for name in needed if name not in self._names]
        if lacking:
            raise DataError(no_such_columns(str(self.path), lacking, self._names))

    def batches(self, position: Position, size: int, whole_lines: bool = True) -> Iterator[EventBatch]:
        """Return events from a position on, so many at a time; the file must be the one that was read up to there.

        Parameters
        ----------
        position : Position
            Where to start.
        size : int
            Events of a batch.
        whole_lines : bool
            Whether a last line without an end is left for later: somebody may still be writing it.
        """
        with self.path.open("rb") as file:
            if position.line and not position.mark:
                raise DataError(f"{self.path}: its source was read from standard input. Give the file a --source name.")
            if self._mark(file, position.byte) != (position.mark or self._mark(file, 0)):
                raise DataError(f"{self.path} is not the file that was read before. Give a new file a --source name.")
            file.seek(max(position.byte, self._start))
            while True:
                events, byte = self._read_some(file, size, whole_lines)
                if not events:
                    return
                position = Position(position.line + len(events), byte, self._mark(file, byte))
                file.seek(byte)
                yield EventBatch(events, position)

    def has_unfinished_line(self, position: Position) -> bool:
        """Whether there is a last line without an end after a position."""
        with self.path.open("rb") as file:
            file.seek(max(position.byte, self._start))
            return bool(file.read(1))

    def _read_some(self, file: IO[bytes], size: int, whole_lines: bool) -> tuple[list[Event], int]:
        events: list[Event] = []
        byte = file.tell()
        while len(events) < size and (line := file.readline()):
            if whole_lines and not line.endswith(b"\n"):
                break
            byte = file.tell()
            events.append(read_event(line, self._names, self._delimiter))
        return events, byte

    def _mark(self, file: IO[bytes], byte: int) -> str:
        """A digest of the beginning and the end of what was read: private."""
        file.seek(0)
        digest = hashlib.sha256(file.read(min(byte, 65_536)))
        file.seek(max(0, byte - 4096))
        digest.update(file.read(min(byte, 4096)))
        return digest.hexdigest()


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
        parsed: Any = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
