"""One epsilon, split into named shares."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from dprules.errors import ParameterError
from dprules.numbers import Real, rational, rounded_down


@dataclass(frozen=True, slots=True)
class Budget:
    """A total (epsilon, delta) and the shares of epsilon that named parts of a fit may spend.

    Examples
    --------
    >>> budget = Budget.of(1.0, 1e-6, {"counts": 0.02, "cuts": 0.1})
    >>> budget.epsilon("counts"), round(budget.rest, 9)
    (0.02, 0.88)
    """

    total: Fraction
    delta: Fraction
    shares: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def of(cls, epsilon: Real, delta: Real, shares: Mapping[str, Real] | None = None) -> "Budget":
        """Read shares, each between 0 and 1, that leave something for the main release."""
        read = tuple((name, rational(share, f"share {name!r}")) for name, share in (shares or {}).items())
        if sum((share for _, share in read), Fraction(0)) >= 1:
            raise ParameterError("shares must sum to less than 1: the learner needs the rest. Lower them.")
        target = rational(delta, "delta", zero=True)
        if target >= 1:
            raise ParameterError(f"delta must be below 1; got {delta}. 1e-6 is usual.")
        return cls(rational(epsilon, "epsilon"), target, read)

    def epsilon(self, name: str) -> float:
        """Return the epsilon of a named share, rounded down."""
        for own, share in self.shares:
            if own == name:
                return rounded_down(self.total * share)
        names = ", ".join(own for own, _ in self.shares) or "none"
        raise ParameterError(f"no share is named {name!r}; there are: {names}. Name one of these.")

    @property
    def rest(self) -> float:
        """Return what the shares leave, rounded down."""
        return rounded_down(self.total * (1 - sum((share for _, share in self.shares), Fraction(0))))
