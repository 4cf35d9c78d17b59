"""The log of a ledger: entries are read, decided on and appended by one writer after the other."""

import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from dprules.errors import ModelError, ParameterError, ResourceError
from dprules.ledger.body import EntryBody
from dprules.ledger.book import Book
from dprules.ledger.chain import Entry, Row, find_break, last_of, make_row, next_digest, read_row
from dprules.ledger.postgres import PostgresStore
from dprules.ledger.sqlite import SQLiteStore
from dprules.ledger.store import CutError, Journal, Store

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
            except CutError:
                continue
            return self._name, rows
        raise ResourceError("the connection to the ledger was cut. Nothing has run; try again.")

    def write(self, decide: Callable[[Book, datetime], EntryBody]) -> Entry:
        """Write one entry, or refuse; after a cut connection its token tells whether it was written.

        Parameters
        ----------
        decide : callable
            Says what is written, given everything before it and the time of the entry, or refuses.
        """
        token = secrets.token_hex(16)
        for _ in range(ATTEMPTS):
            # Most is read while others may write; then only what came in between.
            name, rows = self.rows()
            book = understand(name, rows)
            try:
                with self._store.writing() as journal:
                    rows = _catch_up(book, journal)
                    written = book.find(token)
                    if written is not None:  # an earlier attempt was committed after all
                        return written
                    now = read_clock()
                    body = decide(book, now)
                    row = make_row(last_of(name, rows), now, token, body)
                    entry = read_row(row)
                    if entry.body != body:
                        raise ModelError("the entry would not be read back as it was meant. Use plainer names.")
                    book.add(entry)  # what nobody could count is refused, and not written
                    journal.append(row)
            except CutError:
                continue
            return entry
        raise ResourceError(
            f"the connection to the ledger was cut, and whether an entry with token {token} was written is not known. "
            "Nothing has run; `dprules ledger show` tells."
        )


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


def _catch_up(book: Book, journal: Journal) -> list[Row]:
    """Add what others have written to a book that was read before; return the last row, and what came after it."""
    known = [Row(entry.number, "", entry.digest) for entry in book.entries[-1:]]
    since = book.entries[-1].number if book.entries else 1
    rows = journal.rows(since)
    first = rows[: len(known)]
    if journal.name != book.name or [row.digest for row in first] != [row.digest for row in known]:
        raise ModelError("the ledger was replaced or edited while it was read. Nothing has run; see who did.")
    before = last_of(book.name, known)
    for row in rows[len(known) :]:
        if row.number != before[0] + 1 or row.digest != next_digest(before[1], row.number, row.text):
            raise ModelError(_EDITED.format(row.number))
        book.add(read_row(row))
        before = (row.number, row.digest)
    return rows


_EDITED = (
    "entry {} of the ledger is not what was written, or not where. Nothing has run; restore a copy, and see "
    "`dprules ledger verify`."
)


def understand(name: str, rows: list[Row]) -> Book:
    """Return what entries amount to, or refuse a chain that is broken."""
    broken = find_break(name, rows)
    if broken is not None:
        raise ModelError(_EDITED.format(broken))
    return Book(name, map(read_row, rows))


def read_clock() -> datetime:
    """Return the time of an entry that is written now."""
    return datetime.now(UTC)
