"""Several releases on one data set whose prices are fixed in advance: one curve, by the best of the rules that hold.

Mechanisms may adapt to what was released before them, their prices may not: which events are composed, and with which
parameters, must be known before the first of them runs. Where a later price depends on an earlier output, epsilons and
deltas add up instead (`dprules.accounting.Account`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, reduce
from math import inf, sqrt
from operator import mul

from dprules.accounting.calibrate import smallest
from dprules.accounting.curve import Curve, gaussian, symmetric
from dprules.accounting.events import Event
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.pairs import Losses, connect_the_dots
from dprules.accounting.zcdp import conversion
from dprules.errors import ParameterError
from dprules.numbers import Real, probability, rational, rounded_down, rounded_up

POINTS = 1500
"""Grid points on either side of 0 for one release: more would be slower and only a little tighter."""
LEAST_STEP = 2.0**-40
"""Of a grid: the exponentials of its points must differ."""
_NEGLIGIBLE = 1e-15
"""The mass that may be beyond the grid; it is counted in full."""
_LARGE = 1e100
_FAR = 500.0


def curve(events: Iterable[Event], neighbours: str | Neighbours = "add-remove", rows: int = 1) -> Curve:
    """Return the curve of all events together, for neighbours that differ in up to `rows` records.

    Requires: the events, with all their parameters, are fixed before the first of them runs.
    Guarantee: `docs/proofs/composition.md`: the least of (1) sums of epsilons and deltas, (2) the sum of
    zero-concentrated bounds [BS16], (3) the product of dominating pairs [ZDW22]. Gaussians together are one Gaussian
    (`docs/proofs/gaussian.md`).

    Examples
    --------
    >>> from dprules.accounting import Pure
    >>> once = Pure(1 / 8)
    >>> curve([once, once]).epsilon(0)
    0.25
    >>> curve([once] * 100).epsilon(1e-6) < 6.6  # the sum is 12.5
    True
    """
    relation = Neighbours.parse(neighbours)
    events = list(events)
    prices = {event: event.curve(relation) for event in events}  # equal events share one curve, and so one grid
    if all(price.mu_squared == inf for price in prices.values()):
        return curve_of_prices([prices[event] for event in events]).for_group(rows)
    # Gaussian noise has a price of its own for several records, which a composition with others would lose.
    grouped = {event: price.for_group(rows) for event, price in prices.items()}
    return curve_of_prices([grouped[event] for event in events])


def curve_of_prices(curves: Sequence[Curve]) -> Curve:
    """Return the curve of releases that are known by their curves alone."""
    if not curves:
        raise ParameterError("events must name at least one release.")
    if len(curves) == 1:
        return curves[0]
    pure = sum((each.pure for each in curves), Fraction(0))
    rho = _total([each.rho for each in curves])
    merged = _merge_concentrated(_merge_gaussian(curves))
    if len(merged) == 1:
        return replace(merged[0], pure=pure, rho=rho)
    if _FAR < pure < inf:  # beyond what exponentials can hold: the sum is all there is
        return symmetric(lambda eps: float(eps < pure), pure, rho)
    forward = cache(lambda: _product(merged))
    backward = forward if all(map(Curve.is_symmetric, merged)) else cache(lambda: _product(_reverse(merged)))

    def bound(losses: Losses, epsilon: float) -> float:
        # Rule 1 with equal parts; a little less than the part, so that the sum stays below epsilon.
        part = epsilon / len(merged) * (1 - 2.0**-50)
        tries = [losses.delta(epsilon), sum(each.delta(part) for each in merged) * (1 + 2.0**-40)]
        return min(tries if rho == inf else [*tries, conversion(Fraction(rho), epsilon)])

    return Curve(lambda eps: bound(forward(), eps), lambda eps: bound(backward(), eps), pure, rho)


def epsilon(events: Iterable[Event], delta: float, neighbours: str | Neighbours = "add-remove") -> float:
    """Return an epsilon that holds with `delta` for all events together, rounded up; delta 0 is pure privacy."""
    return curve(events, neighbours).epsilon(0.0 if delta == 0 else probability(delta, "delta"))


def delta(events: Iterable[Event], epsilon: Real, neighbours: str | Neighbours = "add-remove") -> float:
    """Return a delta that holds with `epsilon` for all events together, rounded up."""
    return curve(events, neighbours).delta(rounded_down(rational(epsilon, "epsilon", zero=True)))


def _total(costs: Sequence[float]) -> float:
    return inf if inf in costs else rounded_up(sum(map(Fraction, costs), Fraction(0)))


def _merge_gaussian(curves: Sequence[Curve]) -> Sequence[Curve]:
    """Make one of all Gaussians: squares of mu add up [DRS22], and nothing is lost."""
    squares = [Fraction(each.mu_squared) for each in curves if each.mu_squared < inf]
    others = [each for each in curves if each.mu_squared == inf]
    return curves if len(squares) < 2 else [*others, gaussian(sum(squares, Fraction(0)))]


def _merge_concentrated(curves: Sequence[Curve]) -> list[Curve]:
    """Add up releases that are better concentrated than pure: as one they lose less in the conversion."""
    known = [each for each in curves if each.mu_squared == inf]  # of a Gaussian more is known than that
    concentrated = [each for each in known if 2 * each.rho < float(min(each.pure, _LARGE)) ** 2 * (1 - 1e-9)]
    if len(concentrated) < 2:
        return list(curves)
    rho = Fraction(_total([each.rho for each in concentrated]))
    others = [each for each in curves if each not in concentrated]
    return [*others, symmetric(lambda eps: conversion(rho, eps), rho=float(rho))]


def _reverse(curves: Sequence[Curve]) -> list[Curve]:
    turned = {each: each.reversed() for each in curves}
    return [turned[each] for each in curves]


def reach_of(each: Curve) -> float:
    """Beyond which losses are negligible or infinite."""
    if each.pure < inf:
        return rounded_up(Fraction(each.pure))
    return smallest(lambda epsilon: each.delta(epsilon) <= each.delta(_FAR) + _NEGLIGIBLE, start=1.0)


def _product(curves: Sequence[Curve]) -> Losses:
    reach = {each: reach_of(each) for each in curves}
    # The sum of k losses spreads like sqrt(k): a wider step keeps the grid at about the same number of points.
    step = max(LEAST_STEP, max(reach.values()) * max(1.0, sqrt(len(curves)) / 2) / POINTS)
    pairs = {each: connect_the_dots(each, step, most) for each, most in reach.items()}
    return reduce(mul, (pairs[each] for each in curves))
