"""A ledger in an SQLite file."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from dprules.errors import FileError, ModelError, ResourceError
from dprules.ledger.chain import FORMAT, LONGEST_ENTRY, Row
from dprules.ledger.locks import require_locks
from dprules.ledger.store import PATIENCE
from dprules.temporary import make_file

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE ledger (name TEXT NOT NULL, format TEXT NOT NULL);
    CREATE TABLE entries (number INTEGER PRIMARY KEY, text TEXT NOT NULL, digest TEXT NOT NULL UNIQUE);
    """,
)
"""From each version of the tables to the next; the file's `user_version` says how many it has seen."""
_PRAGMAS = ("journal_mode = DELETE", "synchronous = EXTRA", "trusted_schema = OFF", "cell_size_check = ON")
"""A rollback journal, since the other kind needs shared memory, which mounts from other machines have not."""
LARGEST = 200_000_000
"""Characters of all entries."""
_FIRST = -(2**63)
"""No entry has a smaller number, also where somebody has edited them."""
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_CLOSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)


class SQLiteStore:
    """One file, which every process that writes to it must be able to lock.

    Parameters
    ----------
    path : Path
        Where it is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def create(self, name: str) -> None:
        """Make an empty ledger beside its place and move it there; what is there already is refused."""
        folder = self._path.resolve().parent
        if not folder.is_dir():
            raise FileError(f"{self._path.parent}: no such folder for the ledger. Make it first.")
        require_locks(folder)
        temporary, handle = make_file(folder)
        try:
            with self._in_our_words(), closing(self._connect(temporary)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                _migrate(connection, 0)
                connection.execute("INSERT INTO ledger VALUES (?, ?)", (name, FORMAT))
                connection.execute("COMMIT")
            _put_in_place(temporary, self._path)
        except FileExistsError:
            raise FileError(f"{self._path} is there already. Name a new file for the ledger.") from None
        finally:
            with suppress(OSError):
                temporary.unlink()
            os.close(handle)  # after SQLite has closed the file: its locks would go with ours

    def read(self) -> tuple[str, list[Row]]:
        """Return the ledger's name and all entries; what a killed process left half done is undone first."""
        self._require_file()
        with self._in_our_words(), closing(self._connect(self._path)) as connection:
            connection.execute("BEGIN")
            return _read_name(connection), _read_rows(connection, _FIRST)

    @contextmanager
    def writing(self) -> Iterator["_SQLiteJournal"]:
        """Commit what is appended inside, all or nothing, one writer after the other."""
        self._require_file()
        require_locks(self._path.resolve().parent)
        with self._in_our_words(), closing(self._connect(self._path)) as connection:
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                _migrate(connection, _version(connection))
                yield _SQLiteJournal(connection)
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def _connect(self, path: Path) -> sqlite3.Connection:
        address = f"{path.resolve().as_uri()}?mode=rw"  # only to be read where it may not be written
        connection = sqlite3.connect(address, isolation_level=None, timeout=PATIENCE, uri=True)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * LONGEST_ENTRY)
        return connection

    def _require_file(self) -> None:
        if self._path.is_dir():
            raise FileError(f"{str(self._path)!r} is a folder. Name a file in it for the ledger.")
        if not self._path.is_file():
            raise FileError(f"{self._path}: no such ledger. Make it with `dprules ledger init`.")

    @contextmanager
    def _in_our_words(self) -> Iterator[None]:
        """An error of SQLite's becomes one sentence of ours."""
        try:
            yield
            return
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", None)
        except UnicodeDecodeError:
            code = None
        kind = sqlite3.SQLITE_CORRUPT if code is None else code & 0xFF
        if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise ResourceError(f"{self._path} is busy: others write to it. Try again.") from None
        if kind in _FULL:
            raise ResourceError(
                f"{self._path}: the disk is full or cannot be written. Make room, and try again."
            ) from None
        if kind in _CLOSED:
            what = "written" if os.access(self._path, os.R_OK) else "read"
            raise FileError(f"{self._path} cannot be {what}. Check its permissions.") from None
        raise ModelError(f"{self._path} is no ledger, or it is damaged. Restore it from a copy.") from None


class _SQLiteJournal:
    """What is read and written between BEGIN and COMMIT."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.name = _read_name(connection)

    def rows(self, since: int) -> list[Row]:
        return _read_rows(self._connection, since)

    def append(self, row: Row) -> None:
        self._connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (row.number, row.text, row.digest))


def _put_in_place(temporary: Path, path: Path) -> None:
    """Move a new file to its place; unlike a plain move it refuses to replace what is there."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a mount without links
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        os.replace(temporary, path)


def _read_name(connection: sqlite3.Connection) -> str:
    _require_version(_version(connection))
    _require_tables(connection)
    names = connection.execute("SELECT name, format FROM ledger").fetchmany(2)
    if len(names) != 1 or names[0][1] != FORMAT:
        raise ModelError("the file is not a ledger of dprules. Name another one.")
    return str(names[0][0])


def _read_rows(connection: sqlite3.Connection, since: int) -> list[Row]:
    query = "SELECT number, text, digest FROM entries WHERE number >= ? ORDER BY number"
    rows = connection.execute(query, (since,)).fetchall()
    return [Row(int(number), str(text), str(digest)) for number, text, digest in rows]


def _require_tables(connection: sqlite3.Connection) -> None:
    """Refuse a file whose tables are not ours: views and triggers of a stranger could run for ever."""
    made = {
        " ".join(statement.split()) for script in MIGRATIONS for statement in script.split(";") if statement.strip()
    }
    found = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchmany(len(made) + 1)
    if {" ".join(str(sql).split()) for (sql,) in found} != made:
        raise ModelError("the file is not a ledger of dprules. Name another one.")
    (size,) = connection.execute("SELECT coalesce(sum(length(text)), 0) FROM entries").fetchone()
    if not isinstance(size, int) or size > LARGEST:
        raise ModelError("the ledger is too large to be read. Begin a new one.")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _require_version(version: int) -> None:
    if version > len(MIGRATIONS):
        raise ModelError("a newer dprules has written this ledger. Use that one.")
    if version < 1:
        raise ModelError("the file is not a ledger of dprules. Name another one.")


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring the tables up to date, inside the transaction that is open."""
    if version > len(MIGRATIONS):
        _require_version(version)
    for migration in MIGRATIONS[version:]:
        for statement in filter(str.strip, migration.split(";")):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
