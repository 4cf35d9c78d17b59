"""A ledger: the account of a data set that outlives the jobs which spend from it."""

import getpass
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from dprules.accounting import LedgerReference, Neighbours, Quote, QuotedAccount
from dprules.errors import ParameterError
from dprules.ledger.body import LONGEST, EntryBody
from dprules.ledger.book import Book
from dprules.ledger.budgets import Budget, Cost
from dprules.ledger.chain import Entry
from dprules.ledger.grants import DataSet, Grant
from dprules.ledger.log import Log, hide_password, read_clock
from dprules.ledger.search import Search, count_fits
from dprules.ledger.verification import find_faults
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
            How much, and how it adds up: `EpsilonDelta`, `Concentrated`, `Gaussians` or `SlotBudget`.
        by, why : str
            Who grants it, and what for; whoever is logged in if left out.
        until : date or None
            The last day on which it may be charged (UTC).
        """
        if until is not None and type(until) is not date:
            raise ParameterError(f"until must be a date such as date(2027, 12, 31); got {type(until).__name__}.")
        new = Grant(dataset, budget, _whoever(by), why, until)
        budget.guarantee  # noqa: B018 - a budget that states nothing for its delta is refused

        def decide(book: Book, now: datetime) -> EntryBody:
            known = book.dataset(dataset)
            relation = getattr(budget, "neighbours", known.neighbours)
            if relation is not known.neighbours:
                raise ParameterError(f"the slots are for {relation} neighbours, the data set for {known.neighbours}.")
            if until is not None and book.now(now).date() > until:
                raise ParameterError(f"{until} is over, and nothing could be charged. Name a later day.")
            return new

        return self._log.write(decide)

    def charge(
        self,
        dataset: str,
        quote: Quote,
        *,
        columns: Collection[str] | None = None,
        reservation: int | None = None,
        resume: int | None = None,
        by: str | None = None,
    ) -> "Ticket":
        """Charge a job before it reads a row, or refuse it; the charge stands whatever happens afterwards.

        Parameters
        ----------
        dataset : str
            Its name.
        quote : Quote
            What the job will do.
        columns : collection of str or None
            What the job asks about: none may be unknown to the data set.
        reservation : int or None
            The entry that holds room for it.
        resume : int or None
            An earlier charge for the very same job, which was stopped before its first random bit.
        by : str or None
            Who runs the job; whoever is logged in if left out.
        """
        if resume is not None:
            state = self.book().require_resumable(resume, dataset, quote, columns)
            return self._ticket(state.entry, quote, dataset)
        # Prices by curves take seconds: they are found now, while others may still write.
        self.foresee(dataset, quote, columns=columns, reservation=reservation)
        who = _whoever(by)
        entry = self._log.write(lambda book, now: book.require_charge(dataset, quote, columns, reservation, who, now))
        return self._ticket(entry, quote, dataset)

    def foresee(
        self,
        dataset: str,
        quote: Quote,
        *,
        columns: Collection[str] | None = None,
        reservation: int | None = None,
    ) -> ChargePreview:
        """Return what `charge` would take now, or refuse what it would refuse; nothing is written."""
        book = self.book()
        spent = book.require_charge(dataset, quote, columns, reservation, _whoever(None), read_clock())
        state = book.grants[spent.grant]
        kind, left = state.grant.filter, state.left
        if reservation is None:
            left = tuple(rest - amount for rest, amount in zip(left, spent.cost, strict=True))
        return ChargePreview(spent.grant, show_cost(kind, spent.cost), show_cost(kind, left, DOWN))

    def require_writable(self) -> None:
        """Refuse a ledger that this account may not write; nothing is written."""
        self._log.require_writable()

    def reserve(self, search: Any, dataset: str | None = None) -> "Reservation":
        """Hold room for every fit of a search before the first: candidates times folds, and the refit.

        The estimator inside the search is told to charge the reservation, which is closed by `close` or at the end of a
        `with` block.

        Parameters
        ----------
        search : object
            `GridSearchCV` or `RandomizedSearchCV` of scikit-learn, around an estimator of dprules or a pipeline of one.
        dataset : str or None
            Its name; None: as the estimator says.
        """
        found = count_fits(search, dataset)
        who = _whoever(None)
        entry = self._log.write(
            lambda book, now: book.require_reservation(found.dataset, _costs(book, found, now), who, now)
        )
        reservation = Reservation(self._url, found.dataset, entry.number)
        found.tell(reservation)
        return reservation

    def close(self, entry: int) -> None:
        """End a grant, of which nothing more can be charged then, or free what a reservation still holds."""
        if self.book().is_open(entry):
            self._log.write(lambda book, now: book.require_close(entry))

    def begin(self, charge: int) -> None:
        """Write down that a job draws its first random bit; a second time is refused."""
        self._log.write(lambda book, now: book.require_begin(charge))

    def finish(self, charge: int, digest: str) -> None:
        """Write down what a job has released."""
        self._log.write(lambda book, now: book.require_finish(charge, digest[:LONGEST]))

    def verify(self, head: str | None = None, marks: Collection[LedgerReference] = ()) -> list[str]:
        """Return what is wrong with the ledger, in sentences; nothing if every entry is where and what it was.

        Entries that were removed from the end are found only with a head that was kept, or by a certificate.

        Parameters
        ----------
        head : str or None
            The digest of an entry that must be there, as `dprules ledger show` prints it.
        marks : collection of LedgerReference
            From certificates: each must be the mark of an entry.
        """
        if head is not None and re.fullmatch("[0-9a-f]{64}", head) is None:
            raise ParameterError("a head is 64 digits of 0 to 9 and a to f. Give all of them.")
        return find_faults(*self._log.rows(), head=head, marks=marks)

    def _ticket(self, entry: Entry, quote: Quote, dataset: str) -> "Ticket":
        return Ticket(self, quote, LedgerReference(self._log.name, dataset, entry.number, entry.digest))


@dataclass(frozen=True)
class Ticket:
    """A charge that stands: the right to run one job once.

    Parameters
    ----------
    ledger : Ledger
        Where it stands.
    quote : Quote
        What the job may do.
    mark : LedgerReference
        Its place.
    """

    ledger: Ledger
    quote: Quote
    mark: LedgerReference

    def account(self) -> QuotedAccount:
        """Return the account of the job: it takes what was promised and nothing else."""
        return self.quote.account(self.mark)

    def begin(self) -> None:
        """Write down that the first random bit is drawn; a second time is refused."""
        self.ledger.begin(self.mark.entry)

    def finish(self, digest: str) -> None:
        """Write down what was released."""
        self.ledger.finish(self.mark.entry, digest)


@dataclass(frozen=True)
class Reservation:
    """Room for the fits of a search; estimators take it as `ledger=`, also in other processes.

    Parameters
    ----------
    url : str
        Where the ledger is.
    dataset : str
        Its data set.
    entry : int
        The number of the entry.
    """

    url: str
    dataset: str
    entry: int

    def __repr__(self) -> str:
        return f"Reservation({hide_password(self.url)!r}, {self.dataset!r}, {self.entry})"

    def close(self) -> None:
        """Free what it still holds."""
        Ledger(self.url).close(self.entry)

    def __enter__(self) -> "Reservation":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _costs(book: Book, found: Search, clock: datetime) -> Counter[Cost]:
    """Return what the fits of a search take from the grants that are still open."""
    kinds = {state.grant.filter.kind for state in book.grants_of(found.dataset) if not state.ended(book.now(clock))}
    if kinds == {"slots"}:
        return Counter({(Fraction(1),): sum(found.budgets.values())})
    if kinds and "sums" not in kinds:
        raise ParameterError("fits are reserved under a grant of epsilon and delta, or of slots.")
    return found.budgets


def _whoever(by: str | None) -> str:
    """Return who is logged in, if nobody was named."""
    if by is not None:
        return by
    try:
        return getpass.getuser()[:LONGEST]
    except (OSError, KeyError, ImportError):
        return "unknown"
