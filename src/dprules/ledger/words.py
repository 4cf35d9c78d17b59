"""Amounts of a budget in words."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from dprules.ledger.budgets import Budget, Cost, EpsilonDelta

DOWN = Context(prec=4, rounding=ROUND_FLOOR)
"""For what is left: what is shown must fit."""
UP = Context(prec=4, rounding=ROUND_CEILING)
"""For what is asked or spent."""
DUST = Fraction(1, 10**12)
"""What is left below this share of a grant is nothing: the tail of a double."""
_NEAREST = Context(prec=12)


@dataclass(frozen=True)
class ChargePreview:
    """What a charge would take.

    Parameters
    ----------
    grant : int
        The grant that would pay.
    cost, left : str
        What it would pay, and what would be left of it afterwards.
    """

    grant: int
    cost: str
    left: str

    def __str__(self) -> str:
        return f"Grant {self.grant} would pay {self.cost}, and have {self.left} left."


def show_cost(kind: Budget, cost: Cost, rounding: Context = UP) -> str:
    """Return what a filter takes, in words.

    Examples
    --------
    >>> from dprules.ledger.budgets import EpsilonDelta
    >>> show_cost(EpsilonDelta(1, 1e-6), (Fraction(1, 2), Fraction(0)))
    'epsilon 0.5 and delta 0'
    """
    shown = (
        show_amount(Fraction(0) if rounding is DOWN and amount < DUST * limit else amount, rounding)
        for amount, limit in zip(cost, kind.limit, strict=True)
    )
    return " and ".join(f"{name} {amount}" for name, amount in zip(kind.coordinates, shown, strict=True))


def show_guarantee(kind: Budget) -> tuple[str, str]:
    """Return the epsilon and delta that hold for everything charged to a grant, in four digits that are not below.

    Examples
    --------
    >>> from dprules.ledger.budgets import EpsilonDelta
    >>> show_guarantee(EpsilonDelta(0.3, 1e-5))
    ('0.3', '1e-05')
    """
    return show_total([kind])


def show_total(kinds: Iterable[Budget]) -> tuple[str, str]:
    """Return the same for several grants together: their guarantees add up."""
    epsilons, deltas = zip(*map(_state, kinds), strict=True)
    return show_amount(sum(epsilons, Fraction(0))), show_amount(sum(deltas, Fraction(0)))


def _state(kind: Budget) -> tuple[Fraction, Fraction]:
    if isinstance(kind, EpsilonDelta):
        return kind.limit
    epsilon, delta = kind.guarantee
    return Fraction(epsilon) * (1 + DUST), Fraction(delta)  # the twelfth digit may be rounded down


def show_amount(amount: Fraction, rounding: Context = UP) -> str:
    """Return an amount in four digits.

    Examples
    --------
    >>> show_amount(Fraction(1, 3)), show_amount(Fraction(1, 3), DOWN), show_amount(Fraction(0))
    ('0.3334', '0.3333', '0')
    >>> show_amount(Fraction(1e-5))
    '1e-05'
    """
    # Doubles are not quite the decimal numbers that people meant by them: twelve digits are.
    meant = _NEAREST.divide(Decimal(amount.numerator), Decimal(amount.denominator))
    return f"{float(rounding.plus(meant)):.4g}"
