"""Find the best parameter that a certified predicate allows. Nothing here can make an answer wrong, only less tight."""

from collections.abc import Callable
from math import log, sqrt
from typing import Final

from dprules.errors import PrivacyError

TOLERANCE: Final = 1e-9
_LEAST: Final = 1e-12
_MOST: Final = 1e12
_GOLDEN: Final = (sqrt(5) - 1) / 2


def largest(holds: Callable[[float], bool], start: float, tolerance: float = TOLERANCE) -> float:
    """Return nearly the largest positive number for which a downward-closed predicate holds; it does hold there.

    Examples
    --------
    >>> round(largest(lambda x: x * x <= 2, start=1.0), 6)
    1.414214
    """
    return _edge(holds, start, 2.0, tolerance)


def smallest(holds: Callable[[float], bool], start: float, tolerance: float = TOLERANCE) -> float:
    """Return nearly the smallest positive number for which an upward-closed predicate holds; it does hold there.

    Examples
    --------
    >>> round(smallest(lambda x: x * x >= 2, start=1.0), 6)
    1.414214
    """
    return _edge(holds, start, 0.5, tolerance)


def _edge(holds: Callable[[float], bool], start: float, outward: float, tolerance: float) -> float:
    """Walk from `start` to a factor-2 bracket of the edge, then halve it (in the logarithm)."""
    good = start
    while not holds(good):
        good /= outward
        if not _LEAST < good < _MOST:
            raise PrivacyError("No value meets the budget. Raise epsilon or delta.")
    bad = good * outward
    while holds(bad):
        good = bad
        bad *= outward
        if not _LEAST < bad < _MOST:
            return good
    while abs(bad / good - 1) > tolerance:
        middle = sqrt(good * bad)
        if holds(middle):
            good = middle
        else:
            bad = middle
    return good


def crossing(value: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Return nearly the largest x in [low, high] with value(x) <= target, for an increasing, costly value >= 0.

    Regula falsi in logarithms (the Illinois rule), which needs about ten evaluations where halving needs thirty; the
    answer is always a point at which the bound was seen to hold.

    Requires: value(low) <= target.
    """
    below = (low, _excess(value(low), target))
    above = (high, _excess(value(high), target))
    if above[1] <= 0:
        return high
    side = 0
    for _ in range(60):
        if above[0] / below[0] - 1 <= 1e-7:
            break
        share = below[1] / (below[1] - above[1])
        # Away from the ends: where the value is flat the chord points at an end again and again.
        at = below[0] * (above[0] / below[0]) ** min(max(share, 1e-3), 1 - 1e-3)
        excess = _excess(value(at), target)
        if excess <= 0:
            below = (at, excess)
            above = (above[0], above[1] / 2) if side < 0 else above
            side = -1
        else:
            above = (at, excess)
            below = (below[0], below[1] / 2) if side > 0 else below
            side = 1
    return below[0]


def _excess(value: float, target: float) -> float:
    return log(max(value, 1e-300)) - log(target)


def minimum(value: Callable[[float], float], low: float, high: float, steps: int = 40) -> float:
    """Return about where a unimodal function is smallest on [low, high], by golden sections.

    Examples
    --------
    >>> round(minimum(lambda x: (x - 2) ** 2, 0.0, 5.0), 4)
    2.0
    """
    width = high - low
    left = high - _GOLDEN * width
    right = low + _GOLDEN * width
    at_left = value(left)
    at_right = value(right)
    for _ in range(steps):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = value(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = value(right)
    return left if at_left <= at_right else right
