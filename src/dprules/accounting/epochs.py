"""What lists on disjoint epochs of a stream cost, with a watch over the one in force (theory B10)."""

from collections.abc import Callable
from dataclasses import astuple
from fractions import Fraction
from functools import lru_cache
from math import inf, sqrt

from flint import ctx

from dprules.accounting import counted
from dprules.accounting.calibrate import largest
from dprules.accounting.counted import Parts
from dprules.accounting.curve import Curve, symmetric
from dprules.accounting.disk import recall
from dprules.accounting.neighbours import Neighbours
from dprules.errors import PrivacyError
from dprules.numbers import as_ball, rounded_down, rounded_up

_COARSE = 16
"""Knots of a table that only says where to look."""
_CLOSE = 3e-3
"""How near to the sharpest tilt is near enough: a search to the last digit would take seconds for each fit."""


def relation_of_fits(neighbours: Neighbours) -> Neighbours:
    """Return how the records of an epoch differ: a round in which nothing happened is a record that is missing."""
    if neighbours is Neighbours.ADD_REMOVE:
        raise PrivacyError("Streams have rounds, not a set of rows. Choose replace or zero-out neighbours.")
    return Neighbours.ADD_REMOVE if neighbours is Neighbours.ZERO_OUT else neighbours


def after_a_test(test: Fraction, fit: Curve) -> Curve:
    """Return the price of a `test`-DP release and then a fit that may depend on what it said.

    What a fit leaks at most is convex in e^epsilon, so among all tests randomised response is the worst. With D, the
    curve of the fit: p D(epsilon - test) + (1 - p) D(epsilon + test), p = e^test / (1 + e^test)
    (`docs/proofs/epochs.md`).
    """
    with ctx.workprec(128):
        told = 1 / (1 + (-as_ball(test)).exp())
        most = rounded_up(told)
        least = rounded_up(1 - told)

    def bound(epsilon: float) -> float:
        sooner = fit.at(rounded_down(Fraction(epsilon) - test))
        later = fit.at(rounded_down(Fraction(epsilon) + test))
        return min(1.0, (most * sooner + least * later) * (1 + 2.0**-48))

    return symmetric(bound, inf if fit.pure == inf else Fraction(fit.pure) + test)


@lru_cache(maxsize=256)
def tilt(epsilon: Fraction, delta: float, rounds: int, neighbours: Neighbours, test: Fraction) -> Fraction:
    """Return a tilt at which a fit of so many rules, after a test, costs at most (epsilon, delta): nearly the largest.

    Parameters
    ----------
    epsilon, delta : number
        The budget of the stream; delta may be 0.
    rounds : int
        Rules of a fit.
    neighbours : Neighbours
        Replace or zero-out.
    test : Fraction
        The epsilon of the watch, 0 if there is none.

    Examples
    --------
    >>> float(tilt(Fraction(1), 0.0, 5, Neighbours.ZERO_OUT, Fraction(0)))  # 5 draws, one of them twice and counted
    0.17391304347826086
    """
    relation = relation_of_fits(neighbours)
    parts = Parts.of(rounds)
    if test >= epsilon:
        raise PrivacyError("The watch would cost all of epsilon. Give it a smaller share.")
    if delta == 0:
        return (epsilon - test) / Fraction(counted.curve(Fraction(1), relation, rounds, parts).pure)

    def holds(value: float, most: int | None, knots: int | None) -> bool:
        fit = counted.curve(Fraction(value), relation, most, parts, knots)
        return (after_a_test(test, fit) if test else fit).delta(rounded_down(epsilon)) <= delta

    question = ("epochs", epsilon, delta, relation.value, rounds, test, *astuple(parts))
    return Fraction(recall(question, lambda value: holds(value, rounds, None), lambda: _search(holds, rounds)))


def _search(holds: Callable[[float, int | None, int | None], bool], rounds: int) -> float:
    """Return a tilt that holds, near the sharpest."""
    good = largest(lambda value: holds(value, None, None), 0.1, _CLOSE)
    bad = 2 * good
    while holds(bad, rounds, _COARSE):
        good, bad = bad, 2 * bad
    while bad / good - 1 > _CLOSE:
        middle = sqrt(good * bad)
        good, bad = (middle, bad) if holds(middle, rounds, _COARSE) else (good, middle)
    # A coarse table says where to look; only the fine one decides.
    while not holds(good, rounds, None):
        good *= 1 - _CLOSE
    return good
