"""Grants and charges, and what became of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from dprules.ledger.budgets import Cost
from dprules.ledger.chain import Entry
from dprules.ledger.charges import ChargeEntry
from dprules.ledger.grants import Grant


@dataclass
class GrantState:
    """A grant, and what was taken from it."""

    entry: Entry
    grant: Grant
    spent: Cost
    closed: bool = False
    """Whether somebody has ended it."""

    @property
    def left(self) -> Cost:
        """Return what a charge may still take."""
        return tuple(limit - spent for limit, spent in zip(self.grant.filter.limit, self.spent, strict=True))

    def take(self, cost: Cost) -> None:
        """Count a charge."""
        self.spent = add_costs([self.spent, cost], self.spent)

    def ended(self, now: datetime) -> bool:
        """Whether it may no longer be charged."""
        return self.closed or (self.grant.until is not None and now.astimezone(UTC).date() > self.grant.until)


@dataclass
class ChargeState:
    """A charge, and what became of it."""

    entry: Entry
    spent: ChargeEntry
    digest: str | None = None
    """Of what was released, once that is in place."""

    @property
    def outcome(self) -> str:
        """What became of it, in a word or two."""
        return "interrupted, or running" if self.digest is None else "released"


def no_cost(grant: Grant) -> Cost:
    """Return nothing, in the coordinates of a grant."""
    return tuple(Fraction(0) for _ in grant.filter.limit)


def add_costs(costs: Iterable[Cost], none: Cost) -> Cost:
    """Return the sum of costs that have as many coordinates as `none`."""
    amounts = [Fraction(0) for _ in none]
    for cost in costs:
        amounts = [amount + more for amount, more in zip(amounts, cost, strict=True)]
    return tuple(amounts)
