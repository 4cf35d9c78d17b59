"""Which content a file holds, whatever it is called and wherever it lies.

A *content* is the decompressed bytes of a file up to the end of a line. It is known by the SHA-256 of those bytes, and
by a trail: digests of its beginnings, after 1, 2, 3, ..., 16, 18, 20, ..., 32, 36, ... lines. (A line that is too long
to be held, in which nothing happens whatever it says, counts as an empty one.) So one pass over a file
tells whether it goes on where a known content stopped, is a beginning of one, or has been changed since. Names tell
nothing, device and inode next to nothing: logs are renamed, copied, truncated and compressed.
"""

import hashlib
from collections.abc import Callable, Sequence
from enum import Enum

from dprules.errors import ModelError
from dprules.private import Private

MARK = 16
"""Bytes of a mark of a trail."""
APART = 64
"""Two contents that share so many lines more than were learnt, and then differ, are one that was changed."""
MOST_LINES = 4096
"""Lines that are read at a time."""
MOST_HELD = 1 << 26
"""Bytes of lines after which a batch is full, however few lines it has."""
Lines = tuple[list[bytes], int]
"""Whole lines, and how many bytes of their file they are: one that is too long to be held is an empty one here."""


class Position(Private):
    """How far a source has been learnt: the number of lines is public, everything else is not.

    Parameters
    ----------
    line : int
        Lines, and so events, up to here.
    content : int
        Which content of the source; 0 for a queue and for standard input, which have lines only.
    byte : int
        Bytes of the decompressed content up to here.
    digest : str
        SHA-256 of those bytes.
    trail : bytes
        Digests of beginnings of the content.
    hint : str
        Device and inode of the file: it saves a row of the store, and decides nothing else.
    """

    __slots__ = ("byte", "content", "digest", "hint", "line", "trail")

    def __init__(
        self, line: int = 0, *, content: int = 0, byte: int = 0, digest: str = "", trail: bytes = b"", hint: str = ""
    ) -> None:
        self.line = line
        self.content = content
        self.byte = byte
        self.digest = digest
        self.trail = trail
        self.hint = hint

    def __repr__(self) -> str:
        return f"<position after line {self.line}>"


class Fingerprint(Private):
    """The digest and the trail of a content while it is read."""

    __slots__ = ("_digest", "_trail", "byte", "line")

    def __init__(self, header: bytes = b"") -> None:
        self._digest = hashlib.sha256(header)
        self._trail = bytearray()
        self.line = 0
        self.byte = len(header)

    def add(self, lines: Sequence[bytes], size: int) -> None:
        """Go on over whole lines, which are so many bytes of the file."""
        self.byte += size
        start = 0
        while start < len(lines):
            mark = next_mark(self.line)
            part = lines[start : start + mark - self.line]
            self._digest.update(b"".join(part))
            self.line += len(part)
            start += len(part)
            if self.line == mark:
                self._trail += self._digest.digest()[:MARK]

    def copy(self) -> "Fingerprint":
        """Return one that goes on by itself."""
        other = Fingerprint()
        other._digest = self._digest.copy()
        other._trail = self._trail[:]
        other.line = self.line
        other.byte = self.byte
        return other

    def reached(self, content: int, hint: str) -> Position:
        """Return the position that this is the fingerprint of."""
        digest = self._digest.hexdigest()
        return Position(self.line, content=content, byte=self.byte, digest=digest, trail=bytes(self._trail), hint=hint)

    def is_at(self, position: Position) -> bool:
        """Whether the content up to here is the one up to a position."""
        return self._digest.hexdigest() == position.digest

    def is_beginning_of(self, position: Position) -> bool:
        """Whether all marks up to here are marks of a longer content."""
        return position.trail.startswith(self._trail)


class Verdict(Enum):
    """What a file is beside the contents that are known."""

    NEW = "new"
    GOES_ON = "goes on"
    """It begins with all that was learnt of a content."""
    LEARNT = "learnt"
    """It holds nothing but the beginning of a content that was learnt."""
    CHANGED = "changed"
    """It shares lines with a content beyond the place up to where it may go on, and then differs."""
    CUT_SHORT = "cut short"
    """It begins like a content that was learnt and ends between two marks: of its last lines nobody can tell."""


class Recognised(Private):
    """What a file is, and where to go on in it."""

    __slots__ = ("content", "fingerprint", "hint", "verdict")

    def __init__(self, verdict: Verdict, content: int, hint: str, fingerprint: Fingerprint) -> None:
        self.verdict = verdict
        self.content = content
        """Number of the content, 0 of a new one."""
        self.hint = hint
        self.fingerprint = fingerprint
        """At the place to go on from."""


def next_mark(line: int) -> int:
    """Return the line of the next mark: eight of them while the lines double.

    Examples
    --------
    >>> next_mark(0), next_mark(15), next_mark(16), next_mark(17), next_mark(32)
    (1, 16, 18, 18, 36)
    """
    step = 1 << max(0, line.bit_length() - 4)
    return line - line % step + step


def recognise(read_lines: Callable[[int], Lines], known: Sequence[Position], header: bytes = b"") -> Recognised:
    """Read a file from its first line on, as far as needed to tell what it is.

    Of several contents that a file begins with, the longest is the one that it goes on with: so no line that was learnt
    is learnt again, at the price that another file with the very same beginning has it left out.

    Parameters
    ----------
    read_lines : callable
        Returns the next whole lines, at most so many, and their bytes; none at the end.
    known : sequence of Position
        Contents that were learnt from.
    header : bytes
        What comes before the first line.
    """
    for position in known:
        _require_whole(position)
    now = Fingerprint(header)
    start = now.copy()
    found = Recognised(Verdict.NEW, 0, "", start)
    longer = [position for position in known if position.line]
    shared = 0
    while longer:
        stop = min(next_mark(now.line), *(position.line for position in longer))
        if not _read_up_to(now, stop, read_lines):
            if now.line:
                found.verdict = Verdict.LEARNT if now.line == shared else Verdict.CUT_SHORT
            return found
        for position in longer:
            if position.line == stop and now.is_at(position):
                found = Recognised(Verdict.GOES_ON, position.content, position.hint, now.copy())
        longer = [p for p in longer if p.line > stop and now.is_beginning_of(p)]
        if longer:
            shared = stop
    if shared >= found.fingerprint.line + APART:
        found.verdict = Verdict.CHANGED
    return found


def _read_up_to(fingerprint: Fingerprint, line: int, read_lines: Callable[[int], Lines]) -> bool:
    """Add lines up to a number; whether there are so many."""
    while fingerprint.line < line:
        lines, size = read_lines(min(MOST_LINES, line - fingerprint.line))
        if not lines:
            return False
        fingerprint.add(lines, size)
    return True


def _require_whole(position: Position) -> None:
    """A torn row would recognise nothing, and what was learnt would be learnt again."""
    doublings = max(0, position.line.bit_length() - 4)
    marks = 8 * doublings + (position.line >> doublings)
    if len(position.trail) != MARK * marks or len(position.digest) != 2 * hashlib.sha256().digest_size:
        raise ModelError("the private state is torn: a source has no digest. Start a new stream, and add its epsilon.")
