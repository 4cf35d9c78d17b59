"""SQLite as a private store: a commit waits for the disk, and SQLite's own words never leave."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dprules.errors import DataError, ModelError

_DISK = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
)


@contextmanager
def connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database; an error of SQLite's becomes one sentence of ours, outside its handler."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=5)
    try:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA secure_delete = ON")
        yield connection
        return
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where a damaged file has damaged names
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        error.args = ()  # whoever leaves a `with` by an error gets it as context of ours
        if isinstance(error, UnicodeDecodeError):
            error.object = b""
    finally:
        connection.close()
    if code in _DISK:
        refusal = f"{path}: the disk is full or cannot be written. Make room"
    elif code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        refusal = f"{path} is in use by another program. Stop it"
    else:
        raise ModelError(
            f"{path} is torn, or not the state of a stream. Start a new stream, and add its epsilon."
        ) from None
    raise DataError(f"{refusal}; all that was acknowledged is kept.") from None


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Commit everything inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
