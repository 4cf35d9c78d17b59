"""SQLite as a private store: a commit waits for the disk, and SQLite's own words never leave."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dprules.errors import DataError, ModelError, ResourceError
from dprules.private import Private

_DISK = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
)
_PRAGMAS = (
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "journal_mode = DELETE",
    "synchronous = EXTRA",
    "temp_store = MEMORY",
    "secure_delete = ON",
)
"""A rollback journal, since the other kind needs shared memory, which mounts from other machines have not."""
LARGEST_CELL = 1 << 28
"""Bytes of one cell, and of one row."""
MOST_ROWS = 1_000_000
"""Rows that a query may return: a damaged file may lead round in circles."""
PATIENCE = 5.0
"""Seconds to wait for another program that has the file."""


class Database(Private):
    """One SQLite file, open until `close`.

    Parameters
    ----------
    path : Path
        An existing file.
    """

    __slots__ = ("_connection", "_path", "_place")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = _place_of(path)
        self._require_files()
        with self._in_our_words():
            # Callers take turns by a lock of their own, so that any thread may be the one.
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE, check_same_thread=False)
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_CELL)
            for pragma in _PRAGMAS:
                self._connection.execute(f"PRAGMA {pragma}")

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._path

    def read(self, query: str, *values: Any, most: int = MOST_ROWS) -> list[tuple[Any, ...]]:
        """Return all rows of a query; a file that has more of them than `most`, or than its bytes, is torn."""
        rows: list[tuple[Any, ...]] = []
        with self._in_our_words():
            room = self._path.stat().st_size
            for row in self._connection.execute(query, values):
                rows.append(row)
                room -= sum(len(cell) for cell in row if isinstance(cell, str | bytes))
                if len(rows) > most or room < 0:
                    raise self._torn()
        return rows

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit everything inside, or nothing; nobody else writes meanwhile."""
        with self._in_our_words():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._require_place()
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        self._connection.close()

    def _roll_back(self) -> None:
        """What was written so far is undone; if even that fails, SQLite undoes it when the file is opened again."""
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            self._connection.close()

    def _require_place(self) -> None:
        """A file that was moved or replaced would take what is committed with it."""
        if _place_of(self._path) != self._place:
            raise DataError(f"{self._path} was moved or replaced while it was open. Open the stream again.")

    @contextmanager
    def _in_our_words(self) -> Iterator[None]:
        """An error of SQLite's becomes one sentence of ours, outside its handler."""
        try:
            yield
            return
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where a damaged file has damaged names
            code = getattr(error, "sqlite_errorcode", None)
            error.args = ()  # whoever leaves a `with` by an error gets it as context of ours
            if isinstance(error, UnicodeDecodeError):
                error.object = b""
        kind = sqlite3.SQLITE_CORRUPT if code is None else code & 0xFF
        if kind in _DISK:
            raise ResourceError(
                f"{self._path}: the disk is full or cannot be written. Make room; all that was acknowledged is kept."
            ) from None
        if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise DataError(
                f"{self._path} is in use by another program. Stop it; all that was acknowledged is kept."
            ) from None
        raise self._torn() from None

    def _require_files(self) -> None:
        """SQLite would wait for the other end of a pipe that has the name of one of its files."""
        beside = [self._path.with_name(f"{self._path.name}-{kind}") for kind in ("journal", "wal", "shm")]
        if any(path.exists() and not path.is_file() for path in beside):
            raise self._torn()

    def _torn(self) -> ModelError:
        return ModelError(
            f"{self._path} is torn, or not the state of a stream. Start a new stream, and add its epsilon."
        )


def _place_of(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
