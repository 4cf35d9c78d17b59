"""What is kept of a batch before it draws: the key of its noise, and which batch it is.

A batch that was stopped must not be drawn anew, since the stop may depend on what was drawn (a full disk does). So the
key is on the disk first. It is void as soon as the state goes on, in the transaction that commits the batch's effect:
an attempt names the state that it is for, and the transaction makes another one of it.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from dprules.errors import ResourceError
from dprules.files import read_start
from dprules.learners.streams.positions import Position
from dprules.mechanisms.bits import KEY_BYTES
from dprules.private import Private

LARGEST_ATTEMPT = 1 << 20
"""Bytes of the file: sources with the longest names leave it smaller."""


class Attempt(Private):
    """A batch that was begun.

    Parameters
    ----------
    key : bytes
        Of its noise.
    digest : bytes
        Of everything that the learner reads of it.
    size : int
        Its rounds.
    source : str
        Where it comes from.
    position : Position
        Where it ends.
    """

    __slots__ = ("digest", "key", "position", "size", "source")

    def __init__(self, key: bytes, digest: bytes, size: int, source: str, position: Position) -> None:
        self.key = key
        self.digest = digest
        self.size = size
        self.source = source
        self.position = position

    def row(self) -> list[Any]:
        """Return it in JSON's types."""
        return [self.key.hex(), self.digest.hex(), self.size, self.source, position_row(self.position)]

    @classmethod
    def from_row(cls, row: list[Any]) -> "Attempt":
        """Undo `row`."""
        key, digest, size, source, position = row
        return cls(bytes.fromhex(key), bytes.fromhex(digest), size, source, position_of(position))

    @property
    def start(self) -> Position:
        """Where its source stood before it."""
        return Position(self.position.line - self.size, file=self.position.file, identity=self.position.identity)

    @classmethod
    def begin(cls, digest: bytes, size: int, source: str, position: Position) -> "Attempt":
        """Return an attempt with a fresh key."""
        return cls(os.urandom(KEY_BYTES), digest, size, source, position)


class AttemptFile(Private):
    """The last attempt, in a private file of its own.

    It is not in the database, so that whoever restores or copies the database has no key and draws a new one; of a copy
    of the whole folder the key is void, since the attempt names the file that the state is in.

    Parameters
    ----------
    path : Path
        Where it is.
    state : Path
        The file that the state is in.
    """

    __slots__ = ("_instance", "_path")

    def __init__(self, path: Path, state: Path) -> None:
        self._path = path
        self._instance = [_machine(), str(state.resolve()), state.stat().st_ino]

    def read(self, state: list[Any]) -> Attempt | None:
        """Return the attempt, if it is for this state; one that is torn was not finished, so nothing was drawn."""
        try:
            body, _, seal = read_start(self._path, LARGEST_ATTEMPT).partition(b"\n")
            if seal.rstrip(b"\0") != _seal(body):
                return None
            named, row = json.loads(body)
        except (OSError, RecursionError, TypeError, ValueError):
            return None
        return Attempt.from_row(row) if named == [*self._instance, *state] else None

    def write(self, state: list[Any], attempt: Attempt) -> None:
        """Keep an attempt: when this returns it is on the disk."""
        body = json.dumps([[*self._instance, *state], attempt.row()]).encode()
        self._overwrite(body + b"\n" + _seal(body), durable=True)

    def clear(self) -> None:
        """Overwrite the key; it is void already."""
        self._overwrite(b"", durable=False)

    def _overwrite(self, text: bytes, *, durable: bool) -> None:
        """Write in place, zeros after the text: a file that keeps its size needs less of the disk's time."""
        written = False
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                padded = text.ljust(os.fstat(handle).st_size, b"\0")
                written = os.pwrite(handle, padded, 0) == len(padded)
                if durable:
                    os.fdatasync(handle)
            finally:
                os.close(handle)
        except OSError:
            written = False
        if durable and not written:
            raise ResourceError(
                f"{self._path}: the disk is full or cannot be written. Make room; all that was acknowledged is kept."
            )


def position_row(position: Position) -> list[Any]:
    """Return a position in JSON's types, in the order of the table of sources."""
    return [position.file, position.line, position.identity]


def position_of(row: list[Any]) -> Position:
    """Undo `position_row`."""
    file, line, identity = row
    if file < 0 or line < 0:
        raise ValueError("a position is negative")
    return Position(line, file=file, identity=identity)


def _seal(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def _machine() -> str:
    """What tells this machine from others, where it says so."""
    try:
        return Path("/etc/machine-id").read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
