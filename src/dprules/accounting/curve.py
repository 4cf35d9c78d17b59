"""A privacy curve: for every epsilon, the delta that holds with it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, exp, expm1, inf

from flint import arb, ctx

from dprules.accounting.calibrate import smallest
from dprules.errors import PrivacyError
from dprules.numbers import as_ball, rounded_down, rounded_up

Bound = Callable[[float], float]

_NOTHING = arb("1e-300")
_LONG = 2_000
"""Bits of a number that is evaluated as it is."""
_ACCURATE = 50
"""Bits of a difference that must be right before it is rounded up."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Upper bounds of the hockey-stick divergence between neighbours, in both directions.

    Parameters
    ----------
    forward : callable
        Bounds HS_epsilon(P || Q) for every epsilon >= 0. Under add-remove, P is the run that has the extra record.
    backward : callable
        Bounds HS_epsilon(Q || P); symmetric relations have forward = backward.
    pure : Fraction or float
        An epsilon that holds with delta 0, exactly; infinite if there is none.
    rho : float
        A zero-concentrated bound, infinite if there is none.
    mu_squared : Fraction or float
        The square of a mu for which N(mu, 1) and N(0, 1) dominate it in both directions; infinite if there is none.
        (The square, since squares add up, exactly.)
    """

    forward: Bound
    backward: Bound
    pure: Fraction | float = inf
    rho: float = inf
    mu_squared: Fraction | float = inf

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
            return rounded_up(Fraction(self.pure))
        if self.delta(0.0) <= delta:
            return 0.0
        found = smallest(lambda epsilon: self.delta(epsilon) <= delta, start=1.0)
        return found if self.pure == inf else min(found, rounded_up(Fraction(self.pure)))

    def is_symmetric(self) -> bool:
        """Whether the two directions are the same bound."""
        return self.forward is self.backward

    def reversed(self) -> "Curve":
        """Return the same curve with P and Q exchanged."""
        return replace(self, forward=self.backward, backward=self.forward)

    def at(self, epsilon: float) -> float:
        """Bound HS_epsilon(P || Q) for any real epsilon: below 0 it follows from the other direction."""
        if epsilon >= self.pure:
            return 0.0
        if epsilon >= 0:
            return min(1.0, self.forward(epsilon))
        backward = 0.0 if -epsilon >= self.pure else min(1.0, self.backward(-epsilon))
        return min(1.0, (-expm1(epsilon) + exp(epsilon) * backward) * (1 + 2.0**-48))

    def for_group(self, rows: int) -> "Curve":
        """Return the curve of neighbours that differ in up to `rows` records: the price of a unit of several rows.

        From P_0 to P_c in c steps, HS_(c e)(P_0 || P_c) <= sum over i < c of e^(i e) HS_e(P_i || P_(i+1)): each step
        is (p - e^(a+b) r)+ <= (p - e^a q)+ + e^a (q - e^b r)+.
        """
        if rows == 1:
            return self
        if self.mu_squared < inf:
            return gaussian(rows**2 * Fraction(self.mu_squared))  # c steps of mu are one of c mu [DRS22]
        forward = _grouped(self.forward, rows)
        backward = forward if self.is_symmetric() else _grouped(self.backward, rows)
        # (c epsilon)-DP and (c^2 rho)-zCDP [BS16, Proposition 1.9].
        return Curve(forward, backward, rows * self.pure, _times(rows**2, self.rho))


def symmetric(
    bound: Bound, pure: Fraction | float = inf, rho: float = inf, mu_squared: Fraction | float = inf
) -> Curve:
    """Return a curve whose two directions are the same."""
    return Curve(bound, bound, pure, rho, mu_squared)


def randomised_response(epsilon: Fraction, delta: Fraction = Fraction(0)) -> Curve:
    """Return the curve of the worst (epsilon, delta)-DP release: randomised response that tells all with delta [KOV15].

    Its hockey stick at e is delta + (1 - delta) (e^epsilon - e^e)+ / (e^epsilon + 1).
    """

    def bound(at: float) -> float:
        if Fraction(at) >= epsilon:
            return rounded_up(delta)
        with ctx.workprec(128):
            most = as_ball(epsilon).exp()
            spread = (most - as_ball(Fraction(at)).exp()) / (most + 1)
            return rounded_up(as_ball(delta) + as_ball(1 - delta) * spread)

    if delta > 0:
        return symmetric(bound)
    return symmetric(bound, pure=epsilon, rho=rounded_up(epsilon**2 / 2))


def gaussian(mu_squared: Fraction) -> Curve:
    """Return the curve of N(mu, 1) against N(0, 1): the same in both directions (`docs/proofs/gaussian.md`)."""
    bound = partial(gaussian_delta, _shortened(mu_squared))
    return symmetric(bound, rho=rounded_up(mu_squared / 2), mu_squared=mu_squared)


def _shortened(value: Fraction) -> Fraction:
    """Return a number with fewer digits that is a little larger: sums of many quotients grow long, and slow."""
    bits = value.denominator.bit_length() - value.numerator.bit_length() + _LONG
    if value.denominator.bit_length() <= 2 * _LONG or bits < 0:
        return value
    return Fraction(ceil(value * 2**bits), 2**bits)


def gaussian_delta(mu_squared: Fraction, epsilon: float) -> float:
    """Return Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) for any epsilon, rounded up [BW18].

    Numerics: balls, with more bits while the difference of the two drowns in its error. Both are about equal where
    mu^2 is small beside epsilon; below 1e-300 the first stands for the difference, which it exceeds.
    """
    for bits in (128, 256, 512, 1024, 2048):
        with ctx.workprec(bits):
            mu = as_ball(mu_squared).sqrt()
            at = as_ball(Fraction(epsilon))
            first = _normal(mu / 2 - at / mu)
            if first < _NOTHING:
                break
            difference = first - at.exp() * _normal(-mu / 2 - at / mu)
            if difference.rel_accuracy_bits() >= _ACCURATE:
                return min(1.0, rounded_up(difference))
    return min(1.0, rounded_up(first))


def _normal(at: arb) -> arb:
    """Phi, the law of the standard normal."""
    return (-at / arb(2).sqrt()).erfc() / 2


def _grouped(bound: Bound, rows: int) -> Bound:
    def grouped(epsilon: float) -> float:
        each = rounded_down(Fraction(epsilon) / rows)
        once = bound(each)
        return 0.0 if once == 0 else min(1.0, once * group_weight(each, rows) * (1 + 2.0**-40))

    return grouped


def group_weight(each: float, rows: int) -> float:
    """Return the sum of e^(i each) over i < rows: how many times the delta of one row a unit costs.

    The sum is (e^(rows each) - 1) / (e^each - 1). The exponent is at most 700 and rounded once, so the relative error
    is below 700 * 2^-53 + 2^-50 < 2^-43; beyond 700 the weight is infinite, so that the unit costs 1.
    """
    if rows * each > 700:
        return inf
    return float(rows) if each == 0 else expm1(rows * each) / expm1(each)


def _times(factor: int, bound: float) -> float:
    return inf if bound == inf else rounded_up(factor * Fraction(bound))
