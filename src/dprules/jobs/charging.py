"""Accounts of jobs: on their own, or recorded by a ledger."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from dprules.accounting import Account, Certificate, LedgerReference, Quote
from dprules.errors import ParameterError, PrivacyError
from dprules.ledger import ChargePreview, Ledger, LedgerAccount

LedgerLike = str | Path | Ledger
"""A ledger as users name it: a file, postgresql://user@host/database, or an open one."""


def require_ledger(ledger: LedgerLike | None, dataset: str | None) -> None:
    """Refuse a ledger without a data set, or a data set without a ledger."""
    if ledger is not None and not isinstance(ledger, str | Path | Ledger):
        raise ParameterError(f"ledger must be a file, a URL or a Ledger; got {type(ledger).__name__}.")
    if ledger is None and dataset is not None:
        raise ParameterError("`dataset` is a name in a ledger. Name the ledger with `ledger`.")
    if ledger is not None and dataset is None:
        raise ParameterError("A ledger may have several data sets. Name the one that the job reads with `dataset`.")


def open_ledger(ledger: LedgerLike) -> Ledger:
    """Return the ledger."""
    return ledger if isinstance(ledger, Ledger) else Ledger(ledger)


def open_account(
    account: Account,
    ledger: LedgerLike | None,
    dataset: str | None,
    quote: Callable[[], Quote],
    columns: Collection[str],
    *,
    secure: bool,
) -> Account:
    """Return the account of a job: a ledger's if one is named, otherwise `account`.

    A quote that the ledger cannot pay is refused, before the job reads a row.

    Parameters
    ----------
    account : Account
        For a job without a ledger.
    ledger, dataset
        Which ledger records the job, if any, and the name of the data set there.
    quote : callable
        Returns what the job may charge; called only with a ledger.
    columns : collection of str
        The columns that the job reads.
    secure : bool
        Whether the noise is unpredictable.
    """
    if ledger is None or dataset is None:
        return account
    _require_secure(secure)
    return open_ledger(ledger).account(dataset, quote(), columns=columns)


def preview_charge(
    ledger: LedgerLike | None, dataset: str | None, quote: Callable[[], Quote], columns: Collection[str]
) -> ChargePreview | None:
    """Return what a ledger would be charged, if one is named, or refuse what it would refuse; nothing is written."""
    if ledger is None or dataset is None:
        return None
    opened = open_ledger(ledger)
    opened.require_writable()
    return opened.preview(dataset, quote(), columns=columns)


@contextmanager
def naming_the_charge(account: Account) -> Iterator[None]:
    """Note on whatever ends the block that a charge of the ledger stands, if one was written."""
    try:
        yield
    except BaseException as error:
        note_charge(error, account.reference)
        raise


def note_charge(error: BaseException, reference: LedgerReference | None) -> None:
    """Add a note to an error: commands print it after their sentence."""
    if reference is not None:
        error.add_note(f"Charge {reference.entry} of the ledger stands.")


def finish(account: Account, digest: str) -> None:
    """Record in the ledger, if there is one, that what a job released is in place."""
    if isinstance(account, LedgerAccount):
        account.finish(digest)


def charge_stream(
    ledger: LedgerLike | None, dataset: str | None, certificate: Certificate, columns: Collection[str]
) -> Certificate:
    """Charge everything that a stream will ever release; return its certificate with the entry of the ledger.

    Parameters
    ----------
    ledger, dataset
        Which ledger is charged, if any.
    certificate : Certificate
        Of a stream that has read nothing yet.
    columns : collection of str
        What is asked of its events.
    """
    if ledger is None or dataset is None:
        return certificate
    _require_secure(certificate.secure)
    charges = certificate.charges
    epsilon = sum((charge.epsilon for charge in charges), Fraction(0))
    delta = sum((charge.delta for charge in charges), Fraction(0))
    quote = Quote("stream", epsilon, delta, certificate.neighbours, certificate.unit, charges)
    return replace(certificate, ledger=open_ledger(ledger).charge(dataset, quote, columns=columns))


def require_known_columns(
    reference: LedgerReference | None, ledger: LedgerLike | None, columns: Collection[str]
) -> None:
    """Refuse to ask a stream that was charged about columns that its data set has not.

    Parameters
    ----------
    reference : LedgerReference or None
        Where the stream was charged; None: nowhere.
    ledger : str, Path, Ledger or None
        The ledger.
    columns : collection of str
        What is to be asked.
    """
    if reference is None:
        return
    if ledger is None:
        raise ParameterError("the stream was charged to a ledger, which knows the columns of its data set. Name it.")
    book = open_ledger(ledger).book()
    if book.name != reference.ledger:
        raise ParameterError(
            f"the stream was charged to ledger {reference.ledger[:8]}, and this is ledger {book.name[:8]}."
        )
    book.require_columns(book.dataset(reference.dataset), columns)


def _require_secure(secure: bool) -> None:
    if not secure:
        raise PrivacyError("seeded noise is not private, whatever is charged. Leave out the seed, or the ledger.")
