"""The log of a ledger: entries are read, decided on and appended by one writer after the other."""

import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from dprules.errors import DprulesError, FileError, ModelError, ParameterError, ResourceError
from dprules.ledger.body import EntryBody
from dprules.ledger.book import Book
from dprules.ledger.chain import Entry, Row, find_break, first_digest, make_row, next_digest, read_row
from dprules.ledger.postgres import PostgresStore
from dprules.ledger.sqlite import SQLiteStore
from dprules.ledger.store import CutError, Journal, SilentError, Store

ATTEMPTS = 3
"""How often an entry is written again after its connection was cut."""
_SECRET = re.compile(r"([?&][a-z]*(?:password|passwd)=)[^&]*", re.IGNORECASE)
"""Of the settings at the end of an address."""


class Log:
    """All entries of a ledger, wherever they lie.

    Parameters
    ----------
    url : str
        An SQLite file, or postgresql://user@host/database.
    """

    def __init__(self, url: str) -> None:
        self._store = open_store(url)
        self._name: str | None = None

    @property
    def name(self) -> str:
        """The ledger's name; it stays the same."""
        return self.rows()[0] if self._name is None else self._name

    def create(self) -> None:
        """Make an empty ledger with a name of its own; one that is there already is refused."""
        self._store.create(secrets.token_hex(16))

    def book(self) -> Book:
        """Return what the entries amount to; a chain that was edited is refused."""
        return understand(*self.rows())

    def require_writable(self) -> None:
        """Refuse a ledger that this account may not write; nothing is written."""
        with self._store.writing():
            pass

    def rows(self) -> tuple[str, list[Row]]:
        """Return the ledger's name and all entries as they lie there."""
        for _ in range(ATTEMPTS):
            try:
                self._name, rows = self._store.read()
            except SilentError:
                break
            except CutError:
                continue
            return self._name, rows
        raise ResourceError(_LOST)

    def write(self, decide: Callable[[Book, datetime], EntryBody], book: Book | None = None) -> Entry:
        """Write one entry, or refuse; after a lost connection its token tells whether it was written.

        Parameters
        ----------
        decide : callable
            Returns what is written, given everything before it and the time of the entry, or refuses.
        book : Book or None
            What was read before; only later entries are read then. It is changed.
        """
        token = secrets.token_hex(16)
        sent = False  # whether an entry that may have been committed was sent
        for _ in range(ATTEMPTS):
            try:
                book = self.book() if book is None else book
                with self._store.writing() as journal:
                    head = _catch_up(book, journal)
                    written = book.find(token)
                    if written is not None:  # an earlier attempt was committed after all
                        return written
                    sent = False  # the earlier attempt has ended, and its entry is not there
                    now = read_clock()
                    entry, row = _make_entry(head, now, token, decide(book, now))
                    book.add(entry)  # an entry that cannot be counted is refused, and not written
                    sent = True
                    journal.append(row)
            except SilentError:
                break
            except CutError:
                book = None
                continue
            except (ResourceError, FileError) as error:
                if not sent:
                    raise
                return self._find_out(token, error)
            return entry
        raise ResourceError(_UNKNOWN.format(token) if sent else _LOST)

    def _find_out(self, token: str, error: DprulesError) -> Entry:
        """Return the entry if it was written in spite of an error; otherwise raise the error."""
        try:
            written = self.book().find(token)
        except DprulesError:
            raise ResourceError(_UNKNOWN.format(token)) from None
        if written is None:
            raise
        return written


_LOST = "the ledger's database does not answer. Nothing was written; try again when it does."
_UNKNOWN = (
    "the ledger's database does not answer, and it is not known whether the entry with token {} was written. If "
    "`dprules ledger export` lists it, its charge stands, and nothing was released for it."
)


def _make_entry(head: tuple[int, str], now: datetime, token: str, body: EntryBody) -> tuple[Entry, Row]:
    """Return the next entry, as it will be read back."""
    row = make_row(head, now, token, body)
    entry = read_row(row)
    if entry.body != body:
        raise ModelError("the entry would not be read back as it was meant. Use plainer names.")
    return entry, row


def open_store(url: str) -> Store:
    """Return where the entries of a ledger lie."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return SQLiteStore(Path(url))
    if scheme in ("postgresql", "postgres"):
        return PostgresStore(url)
    if scheme == "sqlite":
        return SQLiteStore(Path(rest.removeprefix("/") if rest.startswith("//") else rest))
    raise ParameterError("a ledger is a file, or a URL that begins with postgresql://. Name one.")


def hide_password(url: str) -> str:
    """Return an address without its password.

    Examples
    --------
    >>> hide_password("postgresql://me:secret@host/db")
    'postgresql://me:***@host/db'
    >>> hide_password("postgresql://me@host/db?sslmode=require&password=secret")
    'postgresql://me@host/db?sslmode=require&password=***'
    """
    url = _SECRET.sub(r"\1***", url)
    scheme, mark, rest = url.partition("://")
    if not mark or "@" not in rest:
        return url
    who, _, where = rest.rpartition("@")
    user, colon, _ = who.partition(":")
    return f"{scheme}://{user}{':***' if colon else ''}@{where}"


def _catch_up(book: Book, journal: Journal) -> tuple[int, str]:
    """Add what others have written to a book that was read before; return the number and digest of the last entry."""
    known = book.entries[-1] if book.entries else None
    rows = journal.rows(1 if known is None else known.number)
    if journal.name != book.name or (known is not None and (not rows or rows[0].digest != known.digest)):
        raise ModelError("the ledger was replaced or edited while it was read. Restore a copy, and find out by whom.")
    head = (0, first_digest(book.name)) if known is None else (known.number, known.digest)
    for row in rows[0 if known is None else 1 :]:
        if row.number != head[0] + 1 or row.digest != next_digest(head[1], row.number, row.text):
            raise ModelError(_EDITED.format(row.number))
        book.add(read_row(row))
        head = (row.number, row.digest)
    return head


_EDITED = "entry {} of the ledger was changed or moved. Restore a copy, and see `dprules ledger verify`."


def understand(name: str, rows: list[Row]) -> Book:
    """Return what entries amount to, or refuse a chain that is broken."""
    broken = find_break(name, rows)
    if broken is not None:
        raise ModelError(_EDITED.format(broken))
    return Book(name, map(read_row, rows))


def read_clock() -> datetime:
    """Return the time of an entry that is written now."""
    return datetime.now(UTC)
