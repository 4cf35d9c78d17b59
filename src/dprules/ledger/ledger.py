"""A ledger: the account of a data set that outlives the jobs which spend from it."""

import getpass
import re
from collections.abc import Collection
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path

from dprules.accounting import LedgerReference, Neighbours, Quote
from dprules.errors import DprulesError, ParameterError
from dprules.ledger.account import LedgerAccount
from dprules.ledger.body import LONGEST, EntryBody
from dprules.ledger.book import Book
from dprules.ledger.budgets import Budget
from dprules.ledger.chain import Entry
from dprules.ledger.grants import DataSet, Grant
from dprules.ledger.log import Log, hide_password, read_clock
from dprules.ledger.verification import find_problems
from dprules.ledger.words import DOWN, ChargePreview, show_cost


class Ledger:
    """Budgets of data sets, on disk or in PostgreSQL: charged before a row is read, by one job after the other.

    Parameters
    ----------
    url : str or Path
        An SQLite file, or postgresql://user@host/database.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from dprules.ledger import EpsilonDelta
    >>> with TemporaryDirectory() as folder:
    ...     ledger = Ledger.create(f"{folder}/ledger.db")
    ...     _ = ledger.register("patients", columns=["age", "ward", "readmitted"])
    ...     _ = ledger.grant("patients", EpsilonDelta(3, 1e-5), by="the officer")
    ...     [state.left[0] for state in ledger.book().grants_of("patients")]
    [Fraction(3, 1)]
    """

    def __init__(self, url: str | Path) -> None:
        if isinstance(url, Path) and url.parts[:1] in (("postgresql:",), ("postgres:",)):
            raise ParameterError("the URL of a database is a text, and no Path. Give it as it is.")
        self._url = str(url)
        self._log = Log(self._url)

    @classmethod
    def create(cls, url: str | Path) -> "Ledger":
        """Make an empty ledger; one that is there already is refused."""
        made = cls(url)
        made._log.create()
        return made

    @property
    def url(self) -> str:
        """Where it is; a password in it stays there."""
        return self._url

    def __repr__(self) -> str:
        return f"Ledger({hide_password(self._url)!r})"

    def book(self) -> Book:
        """Return everything that the ledger knows; one that was edited is refused."""
        return self._log.book()

    def register(
        self,
        name: str,
        columns: Collection[str] | None = None,
        unit: str | None = None,
        neighbours: str | Neighbours = Neighbours.ADD_REMOVE,
        *,
        stream: bool = False,
        distinct: bool = False,
    ) -> Entry:
        """Add a data set.

        Parameters
        ----------
        name : str
            What charges call it.
        columns : collection of str or None
            All columns that jobs may ask about, the label and the unit included.
        unit : str or None
            Column that says whose a row is; None: each row stands for itself.
        neighbours : str
            Of every price.
        stream : bool
            Whether it is a stream of events: its unit is a round.
        distinct : bool
            Whether it holds other people's records than the data sets that are there; not checked, but written down.
            Needed where a column has the name of one of theirs, or where columns were not said.
        """
        new = DataSet.declare(name, columns, unit, neighbours, stream=stream, distinct=distinct)
        return self._log.write(lambda book, now: book.require_new(new))

    def grant(
        self, dataset: str, budget: Budget, *, by: str | None = None, why: str = "", until: date | None = None
    ) -> Entry:
        """Allow jobs to spend from a data set.

        Parameters
        ----------
        dataset : str
            Its name.
        budget : Budget
            How much, and how it adds up: `EpsilonDelta` or `SlotBudget`.
        by, why : str
            Who grants it (the current user if left out), and what for.
        until : date or None
            The last day on which it may be charged (UTC).
        """
        if until is not None and type(until) is not date:
            raise ParameterError(f"until must be a date such as date(2027, 12, 31); got {type(until).__name__}.")
        new = Grant(dataset, budget, _current_user(by), why, until)
        budget.guarantee  # noqa: B018 - a budget that states nothing for its delta is refused

        def decide(book: Book, now: datetime) -> EntryBody:
            known = book.dataset(dataset)
            relation = getattr(budget, "neighbours", known.neighbours)
            if relation is not known.neighbours:
                raise ParameterError(f"the slots are for {relation} neighbours, the data set for {known.neighbours}.")
            if until is not None and now.date() > until:
                raise ParameterError(f"{until} is over, and nothing could be charged. Name a later day.")
            return new

        return self._log.write(decide)

    def account(self, dataset: str, quote: Quote, *, columns: Collection[str] | None = None) -> LedgerAccount:
        """Return the account of a job, or refuse a quote that the ledger cannot pay; nothing is written yet.

        Parameters
        ----------
        dataset : str
            The data set that pays.
        quote : Quote
            Everything that the job may charge.
        columns : collection of str or None
            The columns that the job reads: the data set must have them.
        """
        book = self.book()
        book.require_charge(dataset, quote, columns, _current_user(None), read_clock())
        return LedgerAccount(self, book, dataset, quote, columns)

    def preview(self, dataset: str, quote: Quote, *, columns: Collection[str] | None = None) -> ChargePreview:
        """Return what `charge` would take now, or refuse what it would refuse; nothing is written."""
        book = self.book()
        entry = book.require_charge(dataset, quote, columns, _current_user(None), read_clock())
        state = book.grants[entry.grant]
        kind = state.grant.filter
        left = tuple(rest - amount for rest, amount in zip(state.left, entry.cost, strict=True))
        return ChargePreview(entry.grant, show_cost(kind, entry.cost), show_cost(kind, left, DOWN))

    def charge(
        self,
        dataset: str,
        quote: Quote,
        *,
        columns: Collection[str] | None = None,
        by: str | None = None,
        book: Book | None = None,
    ) -> LedgerReference:
        """Write a charge, or refuse it; it stands whatever happens afterwards.

        Jobs call it through the first charge of a `LedgerAccount`.

        Parameters
        ----------
        dataset : str
            The data set that pays.
        quote : Quote
            Everything that the job may charge.
        columns : collection of str or None
            The columns that the job reads.
        by : str or None
            Who runs the job; None: the current user.
        book : Book or None
            What was read of the ledger before, so that only later entries are read.
        """
        book = self.book() if book is None else book
        who = _current_user(by)
        # Prices by curves take seconds: they are computed and cached now, while others may write.
        book.require_charge(dataset, quote, columns, who, read_clock())
        entry = self._log.write(lambda known, now: known.require_charge(dataset, quote, columns, who, now), book)
        return LedgerReference(self._log.name, dataset, entry.number, entry.digest)

    def require_writable(self) -> None:
        """Refuse a ledger that this account may not write; nothing is written."""
        self._log.require_writable()

    def close(self, entry: int) -> None:
        """End a grant: nothing more can be charged to it."""
        self._log.write(lambda book, now: book.require_close(entry))

    def finish(self, charge: int, digest: str) -> None:
        """Record that what a job released is in place."""
        self._log.write(lambda book, now: book.require_finish(charge, digest[:LONGEST]))

    def settle(self, reference: LedgerReference, digest: str) -> None:
        """Record a release whose job was stopped before it could.

        A ledger that cannot be written is left as it is.

        Parameters
        ----------
        reference : LedgerReference
            The charge that the certificate of the release names.
        digest : str
            Of the release.
        """
        with suppress(DprulesError):
            state = self.book().charges.get(reference.entry)
            if state is not None and state.entry.digest == reference.digest and state.digest is None:
                self.finish(reference.entry, digest)

    def verify(self, head: str | None = None, references: Collection[LedgerReference] = ()) -> list[str]:
        """Return what is wrong with the ledger, in sentences; nothing if every entry is where and what it was.

        Entries that were removed from the end are found only with a head that was kept, or by a certificate.

        Parameters
        ----------
        head : str or None
            The digest of an entry that must be there, as `dprules ledger show` prints it.
        references : collection of LedgerReference
            From certificates: each must be an entry.
        """
        if head is not None and re.fullmatch("[0-9a-f]{64}", head) is None:
            raise ParameterError("a head is 64 digits of 0 to 9 and a to f. Give all of them.")
        return find_problems(*self._log.rows(), head=head, references=references, clock=read_clock())


def _current_user(by: str | None) -> str:
    """Return who is logged in, unless a name is given."""
    if by is not None:
        return by
    try:
        return getpass.getuser()[:LONGEST]
    except (OSError, KeyError, ImportError):
        return "unknown"
