"""Find the best parameter that a certified predicate allows."""

from collections.abc import Callable
from math import log, sqrt
from typing import Final

from scipy.optimize import brentq

from dprules.errors import PrivacyError

TOLERANCE: Final = 1e-9
_LEAST: Final = 1e-12
_MOST: Final = 1e12


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
        good, bad = bad, bad * outward
        if not _LEAST < bad < _MOST:
            return good
    while abs(bad / good - 1) > tolerance:
        middle = sqrt(good * bad)
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good


def crossing(value: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Return nearly the largest x in [low, high] with value(x) <= target, for an increasing, costly value >= 0.

    Requires: value(low) <= target. Root finding in logarithms, then steps back until the bound holds.
    """
    if value(high) <= target:
        return high

    def excess(x: float) -> float:
        return log(max(value(x), 1e-300)) - log(target)

    found: float = brentq(excess, low, high, rtol=1e-7, xtol=1e-12)
    while value(found) > target and found > low:
        found = max(low, found * (1 - 1e-7))
    return found
