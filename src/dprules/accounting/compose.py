"""Several releases on one data set: one curve, by the best of the rules that hold."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, reduce
from math import inf, sqrt
from operator import mul

from dprules.accounting.calibrate import smallest
from dprules.accounting.concentrated import conversion
from dprules.accounting.curve import Curve, symmetric
from dprules.accounting.dominating import Losses, connect_the_dots
from dprules.accounting.events import Event
from dprules.accounting.price import price
from dprules.errors import ParameterError, PrivacyError
from dprules.numbers import Real, probability, rational, rounded_down, rounded_up

_POINTS = 1500
"""Grid points on either side of 0 for one release: more would be slower and only a little tighter."""
_NEGLIGIBLE = 1e-15
"""The mass that may be beyond the grid; it is counted in full."""


_LARGE = 1e100
_FAR = 500.0


def compose(events: Iterable[Event]) -> Curve:
    """Return the curve of all events together, chosen adaptively or not.

    Requires: one neighbour relation.
    Guarantee: `docs/proofs/composition.md`: the least of (1) sums of epsilons and deltas, (2) the sum of
    zero-concentrated bounds [BS16], (3) the product of dominating pairs [ZDW22].

    Examples
    --------
    >>> from dprules.accounting import Neighbours, Pure
    >>> once = Pure(Neighbours.ADD_REMOVE, Fraction(1, 8))
    >>> compose([once, once]).epsilon(0)
    0.25
    >>> compose([once] * 100).epsilon(1e-6) < 6.6  # the sum is 12.5
    True
    """
    events = list(events)
    prices = {event: price(event) for event in events}  # equal events share one curve, and so one grid
    curves = [prices[event] for event in events]
    if not curves:
        raise ParameterError("events must name at least one release.")
    if len({event.neighbours for event in events}) > 1:
        raise PrivacyError("Releases under different neighbours do not add up. Price them all under one relation.")
    if len(curves) == 1:
        return curves[0]
    pure = _total([curve.pure for curve in curves])
    rho = _total([curve.rho for curve in curves])
    merged = _merged(curves)
    if len(merged) == 1:
        return Curve(merged[0].forward, merged[0].backward, pure, rho)
    if pure < inf and pure > _FAR:  # beyond what exponentials can hold: the sum is all there is
        return Curve(lambda eps: float(eps < pure), lambda eps: float(eps < pure), pure, rho)
    forward = cache(lambda: _product(merged))
    backward = forward if all(map(Curve.is_symmetric, merged)) else cache(lambda: _product(_reversed(merged)))

    def bound(losses: Losses, epsilon: float) -> float:
        part = epsilon / len(curves) * (1 - 2.0**-50)
        tries = [losses.delta(epsilon), sum(curve.delta(part) for curve in curves) * (1 + 2.0**-40)]
        return min(tries if rho == inf else [*tries, conversion(Fraction(rho), epsilon)])

    return Curve(lambda eps: bound(forward(), eps), lambda eps: bound(backward(), eps), pure, rho)


def epsilon(events: Iterable[Event], delta: float) -> float:
    """Return an epsilon that holds with `delta` for all events together, rounded up; delta 0 is pure privacy."""
    return compose(events).epsilon(0.0 if delta == 0 else probability(delta, "delta"))


def delta(events: Iterable[Event], epsilon: Real) -> float:
    """Return a delta that holds with `epsilon` for all events together, rounded up."""
    return compose(events).delta(rounded_down(rational(epsilon, "epsilon", zero=True)))


def _total(costs: Sequence[float]) -> float:
    return inf if inf in costs else rounded_up(sum(map(Fraction, costs), Fraction(0)))


def _merged(curves: Sequence[Curve]) -> list[Curve]:
    """Add up releases that are better concentrated than pure: as one they lose less in the conversion."""
    concentrated = [curve for curve in curves if 2 * curve.rho < min(curve.pure, _LARGE) ** 2 * (1 - 1e-9)]
    if len(concentrated) < 2:
        return list(curves)
    rho = Fraction(_total([curve.rho for curve in concentrated]))
    others = [curve for curve in curves if curve not in concentrated]
    return [*others, symmetric(lambda eps: conversion(rho, eps), rho=float(rho))]


def _reversed(curves: Sequence[Curve]) -> list[Curve]:
    turned = {curve: curve.reversed() for curve in curves}
    return [turned[curve] for curve in curves]


def _reach(curve: Curve) -> float:
    """Beyond which losses are negligible or infinite."""
    if curve.pure < inf:
        return curve.pure
    return smallest(lambda epsilon: curve.delta(epsilon) <= curve.delta(_FAR) + _NEGLIGIBLE, start=1.0)


def _product(curves: Sequence[Curve]) -> Losses:
    reach = {curve: _reach(curve) for curve in curves}
    step = max(reach.values()) * max(1.0, sqrt(len(curves)) / 2) / _POINTS
    pairs = {curve: connect_the_dots(curve, step, most) for curve, most in reach.items()}
    return reduce(mul, (pairs[curve] for curve in curves))
