"""A file that is followed by its name, through rotation: renamed and made anew, copied and truncated, compressed."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Protocol

from dprules.errors import DataError, FileError
from dprules.learners.streams.contents import Position, Verdict
from dprules.learners.streams.event_files import BUFFER, EventBatch, EventFile, hint_of, rotated_files
from dprules.learners.streams.features import Event
from dprules.private import Private
from dprules.tables.events import CodedEvents

LINGER = 60.0
"""Seconds for which a file that was renamed is read on: who writes it may be late to open the new one."""
UNFINISHED = "{}: the last line has no line end yet and was left for later."
DAMAGED = "{}: its compressed data end early or are damaged; what comes before was learnt."
Say = Callable[[str], None]
"""Takes a sentence for the user."""


class Learnt(Protocol):
    """What a stream has learnt of one source."""

    def contents(self) -> list[Position]:
        """Return up to where each content was learnt."""
        ...

    def encode(self, events: Sequence[Event]) -> CodedEvents:
        """Read what matters off events."""
        ...

    def begun(self) -> Position | None:
        """Return where a batch ends that was begun and not committed."""
        ...


def read_file(file: EventFile, learnt: Learnt, size: int, say: Say) -> Iterator[EventBatch]:
    """Return what was not learnt yet of a file, so many events at a time.

    Parameters
    ----------
    file : EventFile
        An open file.
    learnt : Learnt
        What was learnt of its source.
    size : int
        Events of a batch.
    say : callable
        Told sentences for the user.
    """
    verdict = file.recognise(learnt.contents(), learnt.begun())
    refuse_changed(file.path, verdict)
    first = None if verdict is Verdict.LEARNT else next(file.batches(size, learnt.encode), None)
    if first is None and verdict is not Verdict.NEW:
        say(f"{file.path}: nothing new; its lines were learnt before, under this name or another.")
    if first is not None:
        yield first
        yield from file.batches(size, learnt.encode)
    if file.damaged:
        say(DAMAGED.format(file.path))
    elif verdict is not Verdict.LEARNT and file.has_unfinished_line():
        say(UNFINISHED.format(file.path))


def refuse_changed(path: Path, verdict: Verdict) -> None:
    """Refuse a file of which some lines were learnt already, and that cannot be taken up where they end."""
    if verdict is Verdict.CHANGED:
        raise DataError(
            f"{path} begins like a file that was learnt, and goes on in another way. Put the old lines back if it was "
            "changed; if all its events are new, give it a --source name."
        )
    if verdict is Verdict.CUT_SHORT:
        raise DataError(
            f"{path} begins like a file that was learnt and ends before it, so nobody can tell whether its last lines "
            "are new. Give the whole file; if all its events are new, give it a --source name."
        )


class Follower(Private):
    """Follows a file by its name.

    The old file is finished before the new one is begun. Files that were rotated away while nobody looked are read
    first, the oldest first, if one of them is known: from that one on.

    Parameters
    ----------
    path : Path
        The file; it must be there at the start.
    needed : sequence of str
        Columns that a CSV file must have.
    learnt : Learnt
        What was learnt of the source up to now.
    say : callable
        Told sentences for the user.
    """

    __slots__ = ("_file", "_learnt", "_needed", "_old", "_path", "_say", "_seen", "_taken", "_waits")

    def __init__(self, path: Path, needed: Sequence[str], learnt: Learnt, say: Say) -> None:
        self._path = path
        self._needed = needed
        self._learnt = learnt
        self._say = say
        self._taken = 0
        self._old: dict[str, tuple[EventFile, float]] = {}
        """By device and inode: files that were renamed, and when they are given up."""
        self._file: EventFile | None = None
        self._seen = 0
        """Bytes that it had when it was recognised."""
        self._waits = False
        """Whether the file holds nothing but the beginning of what was learnt."""
        with EventFile(path, needed) as file:
            if file.zipped:
                raise DataError(f"{path} is compressed and does not grow. Leave --follow out.")

    def __enter__(self) -> "Follower":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in [self._file, *(old for old, _ in self._old.values())]:
            if file is not None:
                file.close()

    def look(self, size: int) -> Iterator[EventBatch]:
        """Return what has come since the last look; each batch must be learnt before the next is asked for."""
        yield from self._read_old(size)
        if self._file is not None and self._file.look_again():
            self._file.close()
            self._file = None
            self._say(f"{self._path} was truncated; what is written to it now is followed.")
        yield from self._read(size)
        if self._file is not None and self._was_replaced(self._file):
            self._old[self._file.hint] = (self._file, time.monotonic() + LINGER)
            self._file = None
            self._say(f"{self._path} was rotated; the new file is followed.")
            yield from self._read_old(size)
        if self._file is None and self._has_line():
            yield from self._catch_up(size)
            self._open()
            yield from self._read(size)

    def _was_replaced(self, file: EventFile) -> bool:
        """Whether another file has the name now; between renaming and making it anew there is none."""
        try:
            return hint_of(self._path.stat()) != file.hint
        except FileNotFoundError:
            return False

    def _has_line(self) -> bool:
        """Whether the file has a whole line: the header of a new CSV file comes later than the file."""
        try:
            with self._path.open("rb") as file:
                return any(b"\n" in part for part in iter(partial(file.read, BUFFER), b""))
        except FileNotFoundError:
            return False

    def _open(self) -> None:
        """Open the file that has the name now."""
        try:
            self._file = EventFile(self._path, self._needed)
        except (FileNotFoundError, FileError):  # renamed just now
            return
        self._recognise(self._file)

    def _recognise(self, file: EventFile) -> Verdict:
        verdict = file.recognise(self._learnt.contents(), self._learnt.begun(), self._taken)
        self._taken = max(self._taken, file.content)
        if file is self._file:
            self._seen = file.size
            waits = verdict in (Verdict.LEARNT, Verdict.CUT_SHORT)
            if not waits:
                refuse_changed(file.path, verdict)
            elif not self._waits:
                self._say(f"{file.path} begins with what was learnt before; waiting for more.")
            self._waits = waits
        return verdict

    def _read(self, size: int) -> Iterator[EventBatch]:
        """Return what the file under the name has now."""
        if self._file is not None and self._waits and self._file.size != self._seen:
            self._recognise(self._file)
        if self._file is not None and not self._waits:
            yield from self._file.batches(size, self._learnt.encode)

    def _read_old(self, size: int) -> Iterator[EventBatch]:
        """Return what was still written to files that were renamed."""
        for hint, (file, end) in list(self._old.items()):
            grown = False
            if not file.look_again():
                for batch in file.batches(size, self._learnt.encode):
                    grown = True
                    yield batch
            if grown:
                self._old[hint] = (file, time.monotonic() + LINGER)
            elif time.monotonic() > end:
                if file.has_unfinished_line():
                    self._say(UNFINISHED.format(file.path))
                self._old.pop(hint)[0].close()

    def _catch_up(self, size: int) -> Iterator[EventBatch]:
        """Return what was rotated away unread."""
        for path in reversed(self._unread()):
            try:
                with EventFile(path, self._needed) as file:
                    if self._recognise(file) in (Verdict.NEW, Verdict.GOES_ON):
                        yield from file.batches(size, self._learnt.encode)
            except (FileNotFoundError, FileError):
                continue

    def _unread(self) -> list[Path]:
        """Return rotated files from the youngest back to one that is known; none if none is known."""
        found: list[Path] = []
        for path in rotated_files(self._path):
            try:
                with EventFile(path, self._needed) as file:
                    if file.hint in self._old:
                        return found
                    verdict = file.recognise(self._learnt.contents())
            except (FileNotFoundError, FileError):
                continue
            if verdict in (Verdict.NEW, Verdict.GOES_ON):
                found.append(path)
            if verdict in (Verdict.CHANGED, Verdict.CUT_SHORT):
                self._say(f"{path} begins like a file that was learnt, and goes on in another way; it was left out.")
            if verdict is Verdict.GOES_ON:
                return found
        return []
