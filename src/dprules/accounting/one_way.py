"""Upper bounds in one direction, one record more or one less, and what an exchange makes of the two (theory A3, A4)."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, log

from flint import arb, ctx

from dprules.accounting.calibrate import minimum
from dprules.accounting.rounds import Step, Steps, finite_rounds
from dprules.numbers import as_ball, rounded_down, rounded_up

MOST_ROUNDS = 256
"""Above this many rounds the bound for any number of rounds is used; it is then nearly as good."""


@dataclass(frozen=True)
class OneWay:
    """Bounds HS_epsilon(P || Q) if round j multiplies the weights of P by e^u_j at most or e^-v_j at least.

    Widths have one entry for all rounds, or one a round. With counts (theory A6) what a round covers is released
    once more, `counted_j`-DP, and what is left in the end `remainder`-DP.

    Requires: with counts, raised = lowered.
    """

    raised: tuple[Fraction, ...]
    lowered: tuple[Fraction, ...]
    rounds: int | None
    knots: int | None
    counted: tuple[Fraction, ...] = (Fraction(0),)
    remainder: Fraction = Fraction(0)

    def __call__(self, epsilon: float) -> float:
        """Return the bound at an epsilon of at least 0."""
        # Free are counts at half the width and a remainder at the width of a draw: what is sharper needs a wider one.
        released = max(2 * max(self.counted), self.remainder)
        u, v = max(*self.raised, released), max(*self.lowered, released)
        any_rounds = rounded_up(unlimited(u, v, Fraction(epsilon)))
        if not self.steps or any_rounds == 0 or epsilon > 200:
            return any_rounds
        return min(any_rounds, finite_rounds(self.steps, epsilon, self.knots, rounded_up(self.remainder)))

    @cached_property
    def steps(self) -> Steps:
        """Return every round, rounded up; empty where only the bound for any number of rounds serves."""
        widest = max(*self.raised, *self.lowered, self.remainder)
        if self.rounds is None or self.rounds > MOST_ROUNDS or widest > 20:
            return ()
        least = widest / 2**20  # wider steps cost no less; narrower ones would drown in rounding
        widths = zip(*map(self._each, (self.raised, self.lowered, self.counted)), strict=True)
        return tuple(Step(_widened(u, least), _widened(v, least), _widened(h, least)) for u, v, h in widths)

    def _each(self, widths: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        return widths * (self.rounds or 1) if len(widths) == 1 else widths


def _widened(width: Fraction, least: Fraction) -> float:
    return rounded_up(max(width, least)) if width > 0 else 0.0


def unlimited(u: Fraction, v: Fraction, epsilon: Fraction) -> arb:
    """Theory A3: the supremum of HS_epsilon(P || Q) over all data and numbers of rounds, enclosed.

    With a = e^v - 1 and c = 1 - e^-u it is (1 - e^-v) / (1 + c/a) * exp(-(epsilon + v - u) / a) from epsilon = u - v
    on, and 1 - e^epsilon + (e^u - 1) / (1 + a/c) * exp((epsilon + v - u) / c) below.
    """
    with ctx.workprec(160):
        a = as_ball(v).expm1()
        c = -(-as_ball(u)).expm1()
        beyond = as_ball(epsilon + v - u)
        if epsilon >= u - v:
            return arb(0) if v == 0 else -(-as_ball(v)).expm1() / (1 + c / a) * (-beyond / a).exp()
        certain = -as_ball(epsilon).expm1()
        return certain if u == 0 else certain + as_ball(u).expm1() / (1 + a / c) * (beyond / c).exp()


def exchange(width: Fraction, epsilon: float) -> float:
    """One record exchanged, any number of rounds: tanh(w/2) exp(-epsilon / (e^w - 1)), w = (1 + reward) tilt.

    For reward 0 it is exact: a label flip attains it. For other rewards it is an upper bound (theory A3).
    """
    with ctx.workprec(160):
        half = as_ball(width / 2)
        return rounded_up(half.tanh() * (-as_ball(Fraction(epsilon)) / as_ball(width).expm1()).exp())


def chain(add: OneWay, remove: OneWay, tilt: float, epsilon: float) -> float:
    """HS_(e1+e2)(P || R) <= HS_e1(P || Q) + e^e1 HS_e2(Q || R): the better order, and nearly the best split."""
    total = min(epsilon, 500.0)  # a smaller epsilon costs no less, and e^500 is still a double
    # The widest tables first: the splits then only read them.
    add(total)
    remove(total)
    found = _best_split(add, remove, tilt, total)
    # With reward 1 the two orders are the same.
    return found if add == remove else min(found, _best_split(remove, add, tilt, total))


def _best_split(first: OneWay, second: OneWay, tilt: float, epsilon: float) -> float:
    """Return the chain of two bounds at nearly the best of all e1 + e2 = epsilon, rounded up; every split is valid."""

    def chained(late: float) -> float:
        early = rounded_down(Fraction(epsilon) - Fraction(late))
        return (first(early) + exp(early) * second(late)) * (1 + 2.0**-48)

    def logarithm(late: float) -> float:
        return log(chained(late) + 1e-300)

    tries = [tilt, 2 * tilt, *(epsilon * k / 8 for k in range(9))]
    near = min((late for late in tries if 0 <= late <= epsilon), key=chained)
    refined = minimum(logarithm, max(0.0, near - epsilon / 8), min(epsilon, near + epsilon / 8), steps=18)
    return min(1.0, chained(near), chained(refined))
