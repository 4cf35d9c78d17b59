"""Grants and charges, and what became of them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction

from dprules.ledger.chain import Entry
from dprules.ledger.charges import Part, Spent
from dprules.ledger.filters import Cost
from dprules.ledger.grants import Grant


@dataclass
class GrantState:
    """A grant, and what was taken from it.

    Charges of the whole data set add up. Of parts by one key a record is in one only, so that the largest sum of a part
    counts; parts by different keys add up (`docs/proofs/ledger.md`).
    """

    entry: Entry
    grant: Grant
    whole: Cost
    parts: dict[tuple[str, str], dict[str, Cost]] = field(default_factory=dict)
    """By key and reading, then by value."""
    held: dict[int, Counter[Cost]] = field(default_factory=dict)
    """What reservations that are open still hold."""
    closed: bool = False
    """Whether somebody has ended it."""

    @property
    def spent(self) -> Cost:
        """Return what charges have taken, of the record that pays most."""
        return self._total(self.parts)

    @property
    def reserved(self) -> Cost:
        """Return what open reservations hold."""
        none = no_cost(self.grant)
        return add_costs(
            [multiply_cost(cost, times) for one in self.held.values() for cost, times in one.items()], none
        )

    @property
    def left(self) -> Cost:
        """Return what a charge of the whole data set may still take."""
        return tuple(
            limit - spent - held
            for limit, spent, held in zip(self.grant.filter.limit, self.spent, self.reserved, strict=True)
        )

    def left_for(self, part: Part | None) -> Cost:
        """Return what a charge of a part may still take: of its key, what its own value has taken counts alone."""
        if part is None:
            return self.left
        values = self.parts.get((part.key, part.reading), {})
        others = {key: those for key, those in self.parts.items() if key != (part.key, part.reading)}
        own = values.get(part.value, no_cost(self.grant))
        taken = add_costs([self._total(others), own, self.reserved], no_cost(self.grant))
        return tuple(limit - amount for limit, amount in zip(self.grant.filter.limit, taken, strict=True))

    def take(self, cost: Cost, part: Part | None) -> None:
        """Count a charge."""
        if part is None:
            self.whole = add_costs([self.whole, cost], self.whole)
            return
        values = self.parts.setdefault((part.key, part.reading), {})
        values[part.value] = add_costs([values.get(part.value, no_cost(self.grant)), cost], cost)

    def ended(self, now: datetime) -> bool:
        """Whether it may no longer be charged."""
        return self.closed or (self.grant.until is not None and now.astimezone(UTC).date() > self.grant.until)

    def _total(self, parts: Mapping[tuple[str, str], Mapping[str, Cost]]) -> Cost:
        largest = [tuple(map(max, zip(*values.values(), strict=True))) for values in parts.values()]
        return add_costs([self.whole, *largest], self.whole)


@dataclass
class ChargeState:
    """A charge, and what became of it."""

    entry: Entry
    spent: Spent
    begun: bool = False
    digest: str | None = None

    @property
    def outcome(self) -> str:
        """What became of it, in a word or two."""
        if self.digest is not None:
            return "released"
        if self.begun and self.spent.promise.job == "stream":
            return "paid once"
        return "interrupted, or running" if self.begun else "not begun"


def no_cost(grant: Grant) -> Cost:
    """Return nothing, in the coordinates of a grant."""
    return tuple(Fraction(0) for _ in grant.filter.limit)


def add_costs(costs: Iterable[Cost], none: Cost) -> Cost:
    """Return the sum of costs that have as many coordinates as `none`."""
    amounts = [Fraction(0) for _ in none]
    for cost in costs:
        amounts = [amount + more for amount, more in zip(amounts, cost, strict=True)]
    return tuple(amounts)


def multiply_cost(cost: Cost, times: int) -> Cost:
    """Return what so many jobs cost."""
    return tuple(times * amount for amount in cost)
