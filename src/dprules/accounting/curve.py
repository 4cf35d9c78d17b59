"""A privacy curve: for every epsilon, the delta that holds with it."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf

from dprules.accounting.calibrate import smallest
from dprules.errors import PrivacyError

Bound = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Curve:
    """Upper bounds of the hockey-stick divergence between neighbours, in both directions.

    `forward` bounds HS_epsilon(P || Q) and `backward` HS_epsilon(Q || P) for every epsilon >= 0. Under add-remove, P
    is the run that has the extra record; symmetric relations have forward = backward. `pure` is an epsilon that holds
    with delta 0 and `rho` a zero-concentrated bound, infinite where there is none.
    """

    forward: Bound
    backward: Bound
    pure: float = inf
    rho: float = inf

    def delta(self, epsilon: float) -> float:
        """Return a delta that holds with `epsilon`, for both directions."""
        if epsilon >= self.pure:
            return 0.0
        return min(1.0, max(self.forward(epsilon), self.backward(epsilon)))

    def epsilon(self, delta: float) -> float:
        """Return nearly the smallest epsilon that holds with `delta`, rounded up."""
        if delta == 0:
            if self.pure == inf:
                raise PrivacyError("No finite epsilon holds with delta 0. Give a delta above 0, such as 1e-6.")
            return self.pure
        if self.delta(0.0) <= delta:
            return 0.0
        return min(self.pure, smallest(lambda epsilon: self.delta(epsilon) <= delta, start=1.0))

    def is_symmetric(self) -> bool:
        """Whether the two directions are the same bound."""
        return self.forward is self.backward

    def reversed(self) -> "Curve":
        """The same curve with P and Q exchanged."""
        return Curve(self.backward, self.forward, self.pure, self.rho)

    def at(self, epsilon: float) -> float:
        """Bound HS_epsilon(P || Q) for any real epsilon: below 0 it follows from the other direction."""
        if epsilon >= self.pure:
            return 0.0
        if epsilon >= 0:
            return min(1.0, self.forward(epsilon))
        return 1 - exp(epsilon) + exp(epsilon) * (0.0 if -epsilon >= self.pure else min(1.0, self.backward(-epsilon)))


def symmetric(bound: Bound, pure: float = inf, rho: float = inf) -> Curve:
    """A curve whose two directions are the same."""
    return Curve(bound, bound, pure, rho)
