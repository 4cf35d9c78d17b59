"""Calibration of Gaussian noise: mu, epsilon and delta from each other (theory G1)."""

from fractions import Fraction
from functools import lru_cache
from math import log, pi, sqrt

from dprules.accounting import curve
from dprules.accounting.calibrate import largest
from dprules.numbers import Real, budget, probability, rational, rounded_down


def delta(mu: Real, epsilon: Real) -> float:
    """Return the delta that holds with `epsilon` for N(mu, 1) against N(0, 1), rounded up.

    Examples
    --------
    >>> delta(0.2367, 1.0) < 1e-6 < delta(0.2368, 1.0)
    True
    """
    return curve.gaussian(rational(mu, "mu") ** 2).delta(rounded_down(rational(epsilon, "epsilon", zero=True)))


def epsilon(mu: Real, delta: Real) -> float:
    """Return nearly the smallest epsilon that holds with `delta`, rounded up.

    Examples
    --------
    >>> round(epsilon(1.848, 1e-6), 2)
    10.0
    """
    return curve.gaussian(rational(mu, "mu") ** 2).epsilon(probability(delta, "delta"))


def mu(epsilon: Real, delta: Real) -> float:
    """Return nearly the largest mu that (epsilon, delta) allows, rounded down: the curve was seen to hold there.

    Parameters
    ----------
    epsilon : number
        At most 500.
    delta : number
        Above 0: Gaussian noise has no pure epsilon.

    Examples
    --------
    >>> [round(mu(each, 1e-6), 4) for each in (0.1, 1, 10)]
    [0.0275, 0.2367, 1.8481]
    """
    return _mu(rounded_down(budget(epsilon)), probability(delta, "delta"))


@lru_cache(maxsize=256)
def _mu(epsilon: float, delta: float) -> float:
    # Where to look. At epsilon 0 delta is nearly mu / sqrt(2 pi); zCDP says epsilon <= mu^2/2 + mu sqrt(2 ln(1/delta)).
    spread = sqrt(2 * log(1 / delta))
    start = max(delta * sqrt(2 * pi), 2 * epsilon / (spread + sqrt(spread**2 + 2 * epsilon)))

    def holds(factor: float) -> bool:
        return curve.gaussian_delta(Fraction(start * factor) ** 2, epsilon) <= delta

    return start * largest(holds, start=1.0)
