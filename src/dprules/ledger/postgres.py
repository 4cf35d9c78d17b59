"""A ledger in a PostgreSQL database."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from dprules.errors import FileError, ModelError, ResourceError
from dprules.ledger.chain import FORMAT, Row
from dprules.ledger.store import PATIENCE, CutError, SilentError
from dprules.postgres import Deadline, connect, load_driver

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE dprules_ledger (name text NOT NULL, format text NOT NULL, version integer NOT NULL);
    CREATE TABLE dprules_entries (number bigint PRIMARY KEY, text text NOT NULL, digest text NOT NULL UNIQUE);
    """,
)
"""From each version of the tables to the next."""
_FIRST = -(2**63)
"""No entry has a smaller number, also where somebody has edited them."""
_LOCK = 7_304_101_922
"""The number of the lock that writers take in turn; public, and ours alone."""

SILENCE = 2 * PATIENCE
"""Longest time of one transaction, in seconds. Waiting for other writers takes at most half of it."""
_DURABLE = (
    "SELECT set_config('synchronous_commit', 'on', true) "
    "WHERE current_setting('synchronous_commit') IN ('off', 'local')"
)
"""A charge that was told to be committed must outlive a crash of the server, whatever its default is."""


class PostgresStore:
    """Two tables of a database.

    Parameters
    ----------
    url : str
        postgresql://user@host/database
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def create(self, name: str) -> None:
        """Make an empty ledger; one that is there already is refused."""
        with self._locked() as connection:
            if _is_there(connection):
                raise FileError("the database has a ledger already. Name another database, or use it.")
            for migration in MIGRATIONS:
                connection.execute(migration)
            values = (name, FORMAT, len(MIGRATIONS))
            connection.execute("INSERT INTO dprules_ledger VALUES (%s, %s, %s)", values)

    def read(self) -> tuple[str, list[Row]]:
        """Return the ledger's name and all entries, as they were at one moment."""
        with self._transaction() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return _read_name(connection), _read_rows(connection, _FIRST)

    @contextmanager
    def writing(self) -> Iterator["_PostgresJournal"]:
        """Commit what is appended inside, all or nothing, one writer after the other."""
        with self._locked() as connection:
            yield _PostgresJournal(connection)

    @contextmanager
    def _locked(self) -> Iterator[Any]:
        """Wait for one's turn. Whoever was cut off has ended by then, so that what it committed is there."""
        with self._transaction() as connection:
            # What others committed while one waited for the lock must be seen, whatever the server's default is.
            connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
            connection.execute(f"SET LOCAL lock_timeout = '{int(PATIENCE)}s'")
            connection.execute(f"SET LOCAL statement_timeout = '{2 * int(PATIENCE)}s'")
            connection.execute(_DURABLE)
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            yield connection

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        psycopg = load_driver()
        connection = self._connect(psycopg)
        deadline = Deadline(connection)
        try:
            with _translate_errors(psycopg, connection, deadline), deadline.within(SILENCE):
                try:
                    yield connection
                    connection.commit()
                except BaseException:
                    with suppress(psycopg.Error):
                        connection.rollback()
                    raise
        finally:
            deadline.close()
            with suppress(psycopg.Error):
                connection.close()

    def _connect(self, psycopg: Any) -> Any:
        try:
            return connect(self._url)
        except (psycopg.Error, ValueError, UnicodeError):
            pass
        raise FileError("the ledger's database cannot be reached. Check the URL and the server.")


@contextmanager
def _translate_errors(psycopg: Any, connection: Any, deadline: Deadline) -> Iterator[None]:
    """Turn an error of the driver, which may quote the URL, into one sentence or a `CutError`."""
    try:
        yield
        return
    except psycopg.errors.LockNotAvailable:
        raised: Exception = ResourceError("the ledger is busy: others write to it. Try again.")
    except psycopg.errors.DiskFull:
        raised = ResourceError("the disk of the ledger's database is full. Make room, and try again.")
    except psycopg.OperationalError:
        if deadline.passed:
            raised = SilentError()
        elif connection.broken or connection.closed:
            raised = CutError()
        else:
            raised = ResourceError("the ledger's database refuses to work. Check the server, and try again.")
    except psycopg.Error as error:
        if error.sqlstate in ("25006", "42501"):
            raised = FileError("the ledger's database cannot be written. Check the rights of its user.")
        else:
            raised = ModelError("the database has no ledger, or it is damaged. Make one: `dprules ledger init`.")
    raise raised


class _PostgresJournal:
    """What is read and written while one has the lock."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.name = _read_name(connection)

    def rows(self, since: int) -> list[Row]:
        return _read_rows(self._connection, since)

    def append(self, row: Row) -> None:
        values = (row.number, row.text, row.digest)
        self._connection.execute("INSERT INTO dprules_entries VALUES (%s, %s, %s)", values)


def _is_there(connection: Any) -> bool:
    return connection.execute("SELECT to_regclass('dprules_ledger')").fetchone()[0] is not None


def _read_name(connection: Any) -> str:
    if not _is_there(connection):
        raise FileError("the database has no ledger. Make one with `dprules ledger init`.")
    names = connection.execute("SELECT name, format, version FROM dprules_ledger").fetchall()
    if len(names) != 1 or names[0][1] != FORMAT:
        raise ModelError("the database has no ledger of dprules. Name another one.")
    if names[0][2] > len(MIGRATIONS):
        raise ModelError("a newer dprules has written this ledger. Use that one.")
    return str(names[0][0])


def _read_rows(connection: Any, since: int) -> list[Row]:
    query = "SELECT number, text, digest FROM dprules_entries WHERE number >= %s ORDER BY number"
    return [Row(*row) for row in connection.execute(query, (since,)).fetchall()]
