"""The account of a job whose spending a ledger records."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from dprules.accounting import Account, Event, LedgerReference, Quote
from dprules.errors import DprulesError, PrivacyError
from dprules.ledger.book import Book
from dprules.numbers import Real

if TYPE_CHECKING:
    from dprules.ledger.ledger import Ledger


class LedgerAccount(Account):
    """An account whose first charge writes the whole quote of its job into a ledger.

    Before the first charge nothing is released and nothing is owed. The entry is committed before the first mechanism
    runs, and it stands whatever happens afterwards. `Ledger.account` opens one.

    Parameters
    ----------
    ledger : Ledger
        Records the charge.
    book : Book
        What the ledger held when the quote was previewed.
    dataset : str
        The data set that pays.
    quote : Quote
        Everything that the job may charge.
    columns : collection of str
        The columns that the job reads.
    """

    def __init__(
        self, ledger: "Ledger", book: Book, dataset: str, quote: Quote, columns: Collection[str] | None
    ) -> None:
        super().__init__(quote.epsilon, quote.delta, quote.neighbours, quote.unit)
        self._ledger = ledger
        self._book: Book | None = book
        self._dataset = dataset
        self._quote = quote
        self._columns = columns
        self._reference: LedgerReference | None = None

    @property
    def reference(self) -> LedgerReference | None:
        """The entry of the ledger; None before the first charge."""
        return self._reference

    def charge_together(
        self, releases: Sequence[tuple[str, Event]], epsilon: Real | None = None, delta: Real | None = None
    ) -> None:
        """Charge several releases; the first charge also writes the quote into the ledger.

        A release that the quote does not list is refused before its mechanism runs.
        """
        super().charge_together(releases, epsilon, delta)
        try:
            self._require_quoted([name for name, _ in releases])
            if self._reference is None:
                self._reference = self._ledger.charge(
                    self._dataset, self._quote, columns=self._columns, book=self._book
                )
                self._book = None
        except BaseException:
            del self._charges[-1]
            raise

    def finish(self, digest: str) -> None:
        """Record what the job released, once it is where users find it.

        A ledger that cannot be written now does not cost the model. The next command that sees the model and the ledger
        records it then (`Ledger.settle`).
        """
        if self._reference is not None:
            with suppress(DprulesError):
                self._ledger.finish(self._reference.entry, digest)

    def _require_quoted(self, names: Sequence[str]) -> None:
        quoted = self._quote.charges
        if not quoted:  # prices depend on earlier releases: the budget alone is quoted
            return
        index = len(self._charges) - 1
        if index >= len(quoted) or self._charges[index] != quoted[index]:
            raise PrivacyError(f"{' and '.join(names)} is not in the quote that the ledger recorded.")
