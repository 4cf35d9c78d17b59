"""Where the entries of a ledger lie: what every store can do."""

from contextlib import AbstractContextManager
from typing import Protocol

from dprules.ledger.chain import Row

PATIENCE = 30.0
"""Seconds to wait for other writers; then an entry is refused."""


class CutError(Exception):
    """The connection was lost. The token of an entry tells whether it was committed."""


class SilentError(CutError):
    """The server did not answer in time."""


class Journal(Protocol):
    """A ledger that nobody else writes to meanwhile."""

    @property
    def name(self) -> str:
        """The ledger's name."""
        ...

    def rows(self, since: int) -> list[Row]:
        """Return the entries from a number on, in their order."""
        ...

    def append(self, row: Row) -> None:
        """Add an entry; it stands when the block is left without an error."""
        ...


class Store(Protocol):
    """A place for a ledger."""

    def create(self, name: str) -> None:
        """Make an empty ledger; one that is there already is refused."""
        ...

    def read(self) -> tuple[str, list[Row]]:
        """Return the ledger's name and all entries, as they were at one moment."""
        ...

    def writing(self) -> AbstractContextManager[Journal]:
        """Commit what is appended inside, all or nothing, one writer after the other."""
        ...
