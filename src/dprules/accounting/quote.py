"""What a job will spend, written down before it reads a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dprules.accounting import compose
from dprules.accounting.account import Account
from dprules.accounting.certificate import Charge
from dprules.accounting.curve import Curve, randomised_response
from dprules.accounting.events import Event
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.reference import LedgerReference
from dprules.accounting.unit import Unit
from dprules.errors import PrivacyError
from dprules.numbers import Real


@dataclass(frozen=True, slots=True)
class Quote:
    """The budget of a job, and its charges where they are known in advance.

    Parameters
    ----------
    job : str
        What is done: "fit", "evaluate", "stream".
    epsilon, delta : Fraction
        The job's budget.
    neighbours : Neighbours
        The relation of every price.
    unit : Unit
        Whose privacy is protected.
    charges : tuple of Charge
        Everything that will be charged, in its order; empty if a price will depend on what is released before it.

    Examples
    --------
    >>> from dprules.accounting import Counts
    >>> account = Account(0.5, 0)
    >>> account.charge("class counts", Counts(0.5))
    >>> Quote.of("count", account, fixed=True).curve().epsilon(0)
    0.5
    """

    job: str
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    unit: Unit
    charges: tuple[Charge, ...] = ()

    @classmethod
    def of(cls, job: str, account: Account, *, fixed: bool) -> "Quote":
        """Return the promise of a job whose rehearsal was charged to an account.

        Parameters
        ----------
        job : str
            What is done.
        account : Account
            With everything that the job will charge.
        fixed : bool
            Whether these charges are known before the first release; otherwise only the budget is promised.
        """
        charges = account.charges if fixed else ()
        return cls(job, account.epsilon, account.delta, account.neighbours, account.unit, charges)

    @property
    def events(self) -> list[Event]:
        """All events, in their order."""
        return [release.event for charge in self.charges for release in charge.releases]

    def curve(self) -> Curve:
        """Return the price of the whole job for one unit: of its charges together, or of any such (epsilon, delta)."""
        if not self.charges:
            return randomised_response(self.epsilon, self.delta)
        return compose.curve(self.events, self.neighbours, self.unit.rows)

    def faults(self) -> list[str]:
        """Return what is wrong with it, in sentences: charges that cost more than they say, or than the budget."""
        found = [
            f"{charge}: its releases, priced again, cost more"
            for charge in self.charges
            if not charge.holds(self.neighbours, self.unit)
        ]
        epsilon = sum((charge.epsilon for charge in self.charges), Fraction(0))
        delta = sum((charge.delta for charge in self.charges), Fraction(0))
        if epsilon > self.epsilon or delta > self.delta:
            found.append(f"its charges add up to epsilon {float(epsilon):g} and delta {float(delta):g}: too much")
        return found

    def account(self, mark: LedgerReference) -> "QuotedAccount":
        """Return the account of the job: it takes what was promised and nothing else."""
        return QuotedAccount(self, mark)


class QuotedAccount(Account):
    """An account of which a ledger knows in advance what will be charged to it.

    Parameters
    ----------
    promise : Quote
        What the ledger was charged.
    mark : LedgerReference
        Where; the certificate says so.
    """

    def __init__(self, promise: Quote, mark: LedgerReference) -> None:
        super().__init__(promise.epsilon, promise.delta, promise.neighbours, promise.unit)
        self._promised = promise.charges
        self._mark = mark

    @property
    def mark(self) -> LedgerReference:
        """Where the ledger was charged."""
        return self._mark

    def charge_together(
        self, releases: Sequence[tuple[str, Event]], epsilon: Real | None = None, delta: Real | None = None
    ) -> None:
        """Charge several releases; what the ledger was not told is refused, and nothing of it has run."""
        super().charge_together(releases, epsilon, delta)
        place = len(self._charges) - 1
        if self._promised and self._charges[place] != _at(self._promised, place):
            del self._charges[place]
            names = " and ".join(name for name, _ in releases)
            raise PrivacyError(f"{names} was not promised to the ledger in this form. Nothing of it has run.")


def _at(charges: Sequence[Charge], place: int) -> Charge | None:
    return charges[place] if place < len(charges) else None
