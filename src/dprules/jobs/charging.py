"""Charge a ledger before a job reads a row."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from dprules.accounting import Account, Certificate, LedgerReference, Quote
from dprules.errors import DprulesError, ParameterError, PrivacyError
from dprules.ledger import AnnouncedBits, ChargePreview, Ledger, Reservation, Ticket
from dprules.mechanisms import Bits
from dprules.numbers import whole
from dprules.private import Private

LedgerLike = str | Path | Ledger | Reservation
"""A ledger as users name it."""


@dataclass(frozen=True)
class Payer:
    """Which ledger a job is charged to, if any.

    Parameters
    ----------
    ledger : str, Path, Ledger, Reservation or None
        A file, postgresql://user@host/database, an open ledger, or room that was reserved in one.
    dataset : str or None
        What the data set is called there.
    resume : int or None
        An earlier charge for the very same job, which was stopped before its first random bit.
    """

    ledger: LedgerLike | None = None
    dataset: str | None = None
    resume: int | None = None

    def __post_init__(self) -> None:
        if self.ledger is not None and not isinstance(self.ledger, str | Path | Ledger | Reservation):
            raise ParameterError(f"ledger must be a file, a URL or a Ledger; got {type(self.ledger).__name__}.")
        if self.ledger is None and (self.dataset is not None or self.resume is not None):
            raise ParameterError("`dataset` and `resume` are about a ledger. Name it, too, with `ledger`.")
        if self.resume is not None:
            whole(self.resume, "resume", least=1)
        if self.ledger is not None and self._dataset is None:
            raise ParameterError("a ledger may have several data sets. Say which one the job reads, with `dataset`.")

    @property
    def _dataset(self) -> str | None:
        return self.ledger.dataset if self.dataset is None and isinstance(self.ledger, Reservation) else self.dataset

    def open(self) -> Ledger:
        """Return the ledger."""
        return self._open()[0]

    def _open(self) -> tuple[Ledger, str, int | None]:
        """Return the ledger, the data set's name and the reservation."""
        ledger, dataset = self.ledger, self._dataset
        if ledger is None or dataset is None:
            raise ParameterError("no ledger is named.")
        if isinstance(ledger, Reservation):
            return Ledger(ledger.url), dataset, ledger.entry
        return ledger if isinstance(ledger, Ledger) else Ledger(ledger), dataset, None

    def check(self, quote: Callable[[], Quote], columns: Collection[str]) -> ChargePreview | None:
        """Return what would be charged, if anything, or refuse what the ledger would refuse; nothing is written."""
        if self.ledger is None:
            return None
        ledger, dataset, reservation = self._open()
        ledger.require_writable()
        if self.resume is not None:
            ledger.book().require_resumable(self.resume, dataset, quote(), columns)
            return None
        return ledger.foresee(dataset, quote(), columns=columns, reservation=reservation)

    def pay_for_stream(self, certificate: Certificate, columns: Collection[str]) -> Certificate:
        """Charge everything that a stream will ever release; return its certificate with the place of the charge.

        Parameters
        ----------
        certificate : Certificate
            Of a stream that has read nothing yet.
        columns : collection of str
            What is asked of its events.
        """
        if self.ledger is None:
            return certificate
        _require_secure(certificate.secure)
        charges = certificate.charges
        epsilon = sum((charge.epsilon for charge in charges), Fraction(0))
        delta = sum((charge.delta for charge in charges), Fraction(0))
        quote = Quote("stream", epsilon, delta, certificate.neighbours, certificate.unit, charges)
        ticket = self._charge(quote, columns)
        ticket.begin()
        return replace(certificate, ledger=ticket.mark)

    def _charge(self, quote: Quote, columns: Collection[str]) -> Ticket:
        ledger, dataset, reservation = self._open()
        return ledger.charge(dataset, quote, columns=columns, reservation=reservation, resume=self.resume)

    @contextmanager
    def pay(
        self, account: Account, quote: Callable[[], Quote], columns: Collection[str], bits: Bits
    ) -> Iterator["Payment"]:
        """Charge the ledger, or refuse; inside, the job has an account and bits that belong to the charge.

        Parameters
        ----------
        account : Account
            Of a job without a ledger.
        quote : callable
            Says what the job will do; asked only if there is a ledger.
        columns : collection of str
            What the job asks about.
        bits : Bits
            Where the noise comes from.
        """
        if self.ledger is None:
            yield Payment(account, bits)
            return
        _require_secure(bits.secure)
        ticket = self._charge(quote(), columns)
        payment = Payment(ticket.account(), bits, ticket)
        payment.bits = AnnouncedBits(bits, payment.begin)
        try:
            yield payment
        except DprulesError as error:
            if not payment.begun:
                number = ticket.mark.entry
                use = f"the same job can use it with --resume {number} (resume={number})"
                error.args = (f"{error} Charge {number} stands and was not begun: {use}.",)
            raise


def require_known_columns(mark: LedgerReference | None, ledger: LedgerLike | None, columns: Collection[str]) -> None:
    """Refuse to ask a stream that was charged about columns that its data set has not.

    Parameters
    ----------
    mark : LedgerReference or None
        Where the stream was charged; None: nowhere.
    ledger : str, Path, Ledger or None
        The ledger.
    columns : collection of str
        What is to be asked.
    """
    if mark is None:
        return
    if ledger is None:
        raise ParameterError("the stream was charged to a ledger, which knows the columns of its data set. Name it.")
    opened = Payer(ledger, mark.dataset).open()
    book = opened.book()
    if book.name != mark.ledger:
        raise ParameterError(f"the stream was charged to ledger {mark.ledger[:8]}, and this is ledger {book.name[:8]}.")
    book.require_columns(book.dataset(mark.dataset), columns)


def _require_secure(secure: bool) -> None:
    if not secure:
        raise PrivacyError("seeded noise is not private, whatever is charged. Leave out the seed, or the ledger.")


class Payment(Private):
    """What a job may spend, and where that is written down.

    Parameters
    ----------
    account : Account
        Takes the job's charges.
    bits : Bits
        Announces its first bit to the ledger.
    ticket : Ticket or None
        The ledger's charge.
    """

    __slots__ = ("account", "begun", "bits", "ticket")

    def __init__(self, account: Account, bits: Bits, ticket: Ticket | None = None) -> None:
        self.account = account
        self.bits = bits
        self.ticket = ticket
        self.begun = False

    def begin(self) -> None:
        """Tell the ledger that random bits are drawn: from now on the charge cannot be used again."""
        self.begun = True  # also if the ledger refuses, or is cut off: somebody may have begun
        if self.ticket is not None:
            self.ticket.begin()

    def finish(self, digest: str) -> None:
        """Tell the ledger what was released; a ledger that is gone by now must not cost a model that was paid for."""
        if self.ticket is not None:
            with suppress(DprulesError):
                self.ticket.finish(digest)
