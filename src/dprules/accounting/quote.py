"""What a job will spend: computed before it reads a row."""

from dataclasses import dataclass
from fractions import Fraction

from dprules.accounting import compose
from dprules.accounting.account import Account
from dprules.accounting.certificate import Charge
from dprules.accounting.curve import Curve, randomised_response
from dprules.accounting.events import Event
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.unit import Unit


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
        """Return the quote of a job from an account that its dry run was charged to.

        Parameters
        ----------
        job : str
            What is done.
        account : Account
            With everything that the job will charge.
        fixed : bool
            Whether these charges are known before the first release; otherwise only the budget is quoted.
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

    def problems(self) -> list[str]:
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
