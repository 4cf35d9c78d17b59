"""How much noise a charged event asks for: the only place where a sensitivity meets a price."""

from fractions import Fraction
from math import isqrt

from dprules.accounting import Gaussian
from dprules.errors import ParameterError

LARGEST_SIGMA = 2**40
_SCALE = 2**40


def sigma_for(event: Gaussian, longest: int, histograms: int = 1, steps: int = 1) -> Fraction:
    """Return the standard deviation of the noise that `event` pays for, rounded up.

    Guarantee: `docs/proofs/scorecard.md`. One record adds a vector of length at most `longest` to each of so many
    histograms at each of so many steps: together its length is longest sqrt(histograms * steps), which over sigma is at
    most the event's mu.

    Examples
    --------
    >>> sigma_for(Gaussian(Fraction(1, 4)), 1), sigma_for(Gaussian(Fraction(1, 2)), 512, 9)
    (Fraction(4, 1), Fraction(3072, 1))
    """
    sigma = longest * root_above(histograms * steps) / Fraction(event.mu)
    if sigma > LARGEST_SIGMA:
        raise ParameterError("epsilon is too small for a scorecard: its noise would drown any table. Raise it.")
    return sigma


def root_above(square: int) -> Fraction:
    """Return the square root of an integer, rounded up where it is no integer.

    Examples
    --------
    >>> root_above(9), root_above(2) ** 2 >= 2
    (Fraction(3, 1), True)
    """
    root = isqrt(square)
    return Fraction(root) if root * root == square else Fraction(isqrt(square * _SCALE**2) + 1, _SCALE)
