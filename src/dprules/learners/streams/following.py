"""Which lines of which files come next: a file that is read once, and a file that is followed through rotation.

Everything here is decided by names, identities and numbers of lines, never by what lines say.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Literal, NamedTuple, Protocol

from dprules.errors import DataError, FileError
from dprules.learners.streams.event_files import NAME, EventBatch, EventFile
from dprules.learners.streams.features import Event
from dprules.learners.streams.positions import Position, identify_path
from dprules.private import Private
from dprules.tables.events import CodedEvents

LINGER = 60.0
"""Seconds for which a renamed file is read on: its writer may be late to open the new one."""
UNFINISHED = "{}: the last line has no line end yet and was left for later."
DAMAGED = "{}: its compressed data end early or are damaged; what comes before was learned."
OTHER_FILE = (
    "{} is another file than the one that was learned as this source. "
    "Pass --new if all its lines are new, or --copy if it continues that file."
)
TOO_SHORT = "{} has fewer lines than were learned of it. Restore it, or pass another --source if all its lines are new."
Say = Callable[[str], None]
"""Takes a sentence for the user."""
Replacement = Literal["new", "copy"]
"""What a file is that has taken the place of another one in its source: new lines, or a copy that goes on."""
_ROTATED = re.compile(r"(?P<mark>[.-])(?P<stamp>[0-9][0-9TZ:._-]*?)(?P<zipped>\.gz)?", re.IGNORECASE)
_LONGEST_COUNT = 5
"""Digits: a stamp with more of them is a date. Counts grow with age, dates shrink."""


class Learned(Protocol):
    """What a stream has learned of one source."""

    def files(self) -> list[Position]:
        """Return up to where each file was learned, in the order in which they were begun."""
        ...

    def encode(self, events: Sequence[Event]) -> CodedEvents:
        """Read what matters off events."""
        ...

    def begun(self) -> Position | None:
        """Return where a batch ends that was begun and not committed."""
        ...

    def record(self, position: Position) -> None:
        """Keep the position of a file of which nothing new was learned yet."""
        ...


def read_file(
    file: EventFile, learned: Learned, size: int, say: Say, replacement: Replacement | None = None
) -> Iterator[EventBatch]:
    """Return the lines of a file that were not learned yet, in batches.

    Parameters
    ----------
    file : EventFile
        An open file.
    learned : Learned
        What was learned of its source.
    size : int
        Events of a batch.
    say : callable
        Receives sentences for the user.
    replacement : "new", "copy" or None
        What the file is if its source has other files; None: it is refused.
    """
    start = _find_start(file, learned.files(), replacement)
    if not file.go_to(start.file, start.line, learned.begun()):
        raise DataError(TOO_SHORT.format(file.path))
    _record_copy(file, start, learned)
    yield from file.batches(size, learned.encode)
    if start.line:
        say(f"{file.path}: the first {start.line:,} lines were learned before and were skipped.")
    if file.damaged:
        say(DAMAGED.format(file.path))
    elif file.has_unfinished_line():
        say(UNFINISHED.format(file.path))


def _record_copy(file: EventFile, start: Position, learned: Learned) -> None:
    """Make a copy known at once, also if it has no new lines: repeated later, it must not continue another file."""
    if start.line and start.identity != file.identity:
        learned.record(Position(start.line, file=start.file, identity=file.identity))


def _find_start(file: EventFile, files: list[Position], replacement: Replacement | None) -> Position:
    """Return where to go on in a file; refuse one that has taken the place of another."""
    for position in files:
        if position.identity == file.identity:
            return position
    number = 1 + max((position.file for position in files), default=0)
    if replacement == "copy":
        if not files:
            raise DataError(f"{file.path}: nothing was learned of this source. Leave out --copy.")
        return Position(files[-1].line, file=number)
    if files and replacement is None:
        raise DataError(OTHER_FILE.format(file.path))
    return Position(file=number)


class ListedFile(NamedTuple):
    """A file that is followed, or that it was rotated to."""

    path: Path
    identity: str
    scheme: str = ""  # how rotated files are named: "." or "-", and counts or dates; empty for the followed file
    order: tuple[int, ...] = ()  # grows with time
    zipped: bool = False


def list_files(path: Path) -> list[ListedFile]:
    """Return the files that a log was rotated to, the oldest first, and then the one that has its name.

    A compressed file beside a plain one of the same stamp is being written, and is left out.
    """
    before = None
    while (listed := _list_once(path)) != before:  # a rotation renames one file after the other
        before = listed
    return listed


def _list_once(path: Path) -> list[ListedFile]:
    current: list[ListedFile] = []
    with suppress(FileNotFoundError):
        current = [ListedFile(path, identify_path(path))]
    rotated: dict[tuple[str, tuple[int, ...]], ListedFile] = {}
    others: list[Path] = []
    with suppress(FileNotFoundError):
        others = list(path.parent.iterdir())
    for other in others:
        name = _ROTATED.fullmatch(other.name.removeprefix(path.name))
        if name is None or not other.name.startswith(path.name) or not NAME.fullmatch(other.name):
            continue
        numbers = tuple(int(digits) for digits in re.findall("[0-9]+", name["stamp"]))
        counts = len(numbers) == 1 and len(name["stamp"]) <= _LONGEST_COUNT
        order = (-numbers[0],) if counts else numbers
        scheme = name["mark"] + ("count" if counts else "date")
        with suppress(FileNotFoundError):
            if other.is_file() and (not name["zipped"] or (scheme, order) not in rotated):
                entry = ListedFile(other, identify_path(other), scheme, order, bool(name["zipped"]))
                rotated[scheme, order] = entry
    same = {entry.identity for entry in current}  # the name may be a link to a file with a date
    return [rotated[key] for key in sorted(rotated) if rotated[key].identity not in same] + current


class Follower(Private):
    """Follows a file by its name.

    Files come in the order of the rotation, from the newest one that was learned on. A file is known by its identity,
    which stays when it is renamed. A compressed file is a copy of another one, so it is never read here.

    Parameters
    ----------
    path : Path
        The file; it must exist at the start.
    needed : sequence of str
        Columns that a CSV file must have.
    learned : Learned
        What was learned of the source up to now.
    say : callable
        Receives sentences for the user.
    replacement : "new", "copy" or None
        What the file is if none of the files that were learned is left; None: it is refused.
    """

    __slots__ = (
        "_ahead",
        "_copies",
        "_file",
        "_last",
        "_learned",
        "_named",
        "_needed",
        "_numbers",
        "_old",
        "_path",
        "_replacement",
        "_say",
        "_seen",
        "_started",
    )

    def __init__(
        self, path: Path, needed: Sequence[str], learned: Learned, say: Say, replacement: Replacement | None = None
    ) -> None:
        self._path = path
        self._needed = needed
        self._learned = learned
        self._say = say
        self._replacement = replacement
        self._started = False
        self._copies = False
        """Whether the next file continues the newest one that was learned."""
        self._file: EventFile | None = None
        self._last: str | None = None
        """Identity of the newest file that was read."""
        self._ahead: set[str] = set()
        """Files that came after it when it was last listed."""
        self._old: dict[str, tuple[EventFile, float]] = {}
        """By identity: files that were renamed, and when they are closed."""
        self._numbers: dict[str, int] = {}
        """By identity: numbers of files that were opened here, and may have no line yet."""
        self._seen: set[str] | None = None
        """Rotated files that existed while the newest file that was read still had the name."""
        self._named: set[str] = set()
        """Rotated files that were named as left alone."""
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
        """Return what has come since the last look; each batch must be learned before the next is asked for."""
        if not self._started:
            yield from self._resume(size)
        yield from self._read_old(size)
        while file := self._file or self._open_next():
            if file.was_cut:
                raise DataError(
                    f"{file.path} was cut while it was followed. Rotate it by renaming; "
                    "if all lines that it has now are new, pass another --source."
                )
            yield from file.batches(size, self._learned.encode)
            if self._is_current(file):
                return
            yield from file.batches(size, self._learned.encode)  # it was written to until it was renamed
            self._retire(file)

    def _resume(self, size: int) -> Iterator[EventBatch]:
        """Go on where the source was left: first what was still written to files that were renamed."""
        files = self._learned.files()
        if not files:
            self._started = True
            return
        known = {position.identity for position in files}
        listed = list_files(self._path)
        identities = {entry.identity for entry in listed}
        current = next((entry.identity for entry in listed if not entry.scheme), "")
        self._last = current if current in known else files[-1].identity
        self._copies = self._replacement == "copy" and self._last not in identities
        self._find_unread(listed)  # refuses before a line is learned
        self._started = True
        for entry in listed:
            file = self._open(entry.identity) if entry.identity in known else None
            if file is None:
                continue
            if entry.identity == self._last:
                self._begin(file)
            elif self._go_to_start(file):
                yield from file.batches(size, self._learned.encode)
                self._retire(file)
            else:
                self._say(TOO_SHORT.format(file.path))
                file.close()

    def _find_unread(self, listed: list[ListedFile]) -> list[ListedFile]:
        """Return the files that come after the newest one that was read, the oldest first; refuse to guess."""
        current = [entry for entry in listed if not entry.scheme]
        if self._last is None or self._last in {entry.identity for entry in current}:
            return current if self._last is None else []
        last = next((entry for entry in listed if entry.identity == self._last), None)
        ahead = next((entry for entry in listed if entry.identity in self._ahead), None)
        if last is None and ahead is None:
            return self._find_after_gone(listed)
        if last is not None:
            later = [entry for entry in listed if entry.scheme == last.scheme and entry.order > last.order]
        else:  # it was removed while it was read, and what came after it was not
            later = [entry for entry in listed if ahead and entry.scheme == ahead.scheme and entry.order >= ahead.order]
        later = [entry for entry in later if entry.scheme] + current
        self._ahead = {entry.identity for entry in later}
        known = self._known()
        copies = [entry for entry in later if entry.zipped and entry.identity not in known]
        if copies:
            self._refuse_to_guess(copies)
            return current
        return later

    def _find_after_gone(self, listed: list[ListedFile]) -> list[ListedFile]:
        """Return what comes after a file that was removed or compressed."""
        known = self._known() | (self._seen or set())
        later = [entry for entry in listed if entry.scheme and entry.identity not in known]
        # One new compressed file is its copy. More of them, or a plain one, hold lines that were never read.
        if self._seen is None or len(later) > 1 or any(not entry.zipped for entry in later):
            self._refuse_to_guess(later)
        return [entry for entry in listed if not entry.scheme]

    def _refuse_to_guess(self, unsure: list[ListedFile]) -> None:
        """Refuse, unless the user has said what the file is that has the name now."""
        if self._replacement == "new" or self._copies:
            return
        if not unsure:
            raise DataError(OTHER_FILE.format(self._path))
        raise DataError(
            f"{self._path}: cannot tell which of these files hold lines that were not learned: "
            f"{', '.join(str(entry.path) for entry in unsure)}. Learn those first, with --source and --copy or --new; "
            f"or pass --new to continue with {self._path}."
        )

    def _known(self) -> set[str]:
        return {position.identity for position in self._learned.files()} | self._numbers.keys()

    def _open_next(self) -> EventFile | None:
        """Begin the oldest file that was not read; nothing if there is none."""
        while unread := self._find_unread(list_files(self._path)):
            file = self._open(unread[0].identity)
            if file is not None:
                self._begin(file)
                return file
        return None

    def _open(self, identity: str) -> EventFile | None:
        """Open a file whatever its name is by now; nothing if it is gone."""
        if identity in self._old:
            return self._old.pop(identity)[0]
        while entry := next((entry for entry in list_files(self._path) if entry.identity == identity), None):
            with suppress(FileNotFoundError, FileError):  # renamed just now
                file = EventFile(entry.path, self._needed, grows=True)
                if file.identity == identity:
                    return file
                file.close()
        return None

    def _begin(self, file: EventFile) -> None:
        """Read a file from now on."""
        self._file = file
        if not self._go_to_start(file):
            raise DataError(TOO_SHORT.format(file.path))
        self._last = file.identity
        self._ahead.discard(file.identity)
        self._copies = False

    def _go_to_start(self, file: EventFile) -> bool:
        """Go to where a file is to be continued; return whether it has that many lines."""
        files = self._learned.files()
        start = _find_start(file, files, "copy" if self._copies else "new")
        if file.identity not in {position.identity for position in files}:
            start.file = self._numbers.setdefault(file.identity, 1 + max([start.file - 1, *self._numbers.values()]))
        if not file.go_to(start.file, start.line, self._learned.begun()):
            return False
        _record_copy(file, start, self._learned)
        return True

    def _is_current(self, file: EventFile) -> bool:
        """Whether a file still has the name; between renaming it and making it anew nothing has."""
        listed = list_files(self._path)
        current = next((entry for entry in listed if not entry.scheme), None)
        if current is None:
            return True
        if current.identity != file.identity:
            return False
        known = self._known() | self._named
        left = [entry for entry in listed if entry.identity not in known]
        if left:
            names = ", ".join(str(entry.path) for entry in left)
            self._say(f"Not learned, because rotated before the file that is followed: {names}.")
        self._seen = {entry.identity for entry in listed}
        self._named |= {entry.identity for entry in left}
        return True

    def _retire(self, file: EventFile) -> None:
        """Read a renamed file on for a while, unless it has not been written to for that long."""
        if file is self._file:
            self._file = None
            if file.path == self._path:
                self._say(f"{self._path} was rotated; the new file is followed.")
        if file.seconds_idle > LINGER:
            self._close(file)
        else:
            self._old[file.identity] = (file, time.monotonic() + LINGER)

    def _read_old(self, size: int) -> Iterator[EventBatch]:
        """Return what was still written to files that were renamed."""
        for identity, (file, end) in list(self._old.items()):
            lines = 0
            if not file.was_cut:
                for batch in file.batches(size, self._learned.encode):
                    lines += len(batch.events)
                    yield batch
            if lines:
                self._old[identity] = (file, time.monotonic() + LINGER)
            elif time.monotonic() > end:
                del self._old[identity]
                self._close(file)

    def _close(self, file: EventFile) -> None:
        if file.has_unfinished_line():
            self._say(UNFINISHED.format(file.path))
        file.close()
