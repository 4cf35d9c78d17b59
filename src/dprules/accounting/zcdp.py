"""From zero-concentrated privacy to (epsilon, delta)."""

from fractions import Fraction
from functools import lru_cache
from math import exp, log, log1p

from flint import ctx

from dprules.accounting.calibrate import minimum
from dprules.numbers import as_ball, rounded_up


@lru_cache(maxsize=1 << 15)
def conversion(rho: Fraction, epsilon: float) -> float:
    """Return a delta that holds with `epsilon` for every rho-zCDP release, rounded up.

    delta = exp((alpha - 1)(alpha rho - epsilon)) / (alpha - 1) * (1 - 1/alpha)^alpha holds for every alpha > 1
    [CKS20, Corollary 13]; the best alpha is searched, so the search cannot make the answer wrong.

    Examples
    --------
    >>> f"{conversion(Fraction(1, 50), 1.0):.2e}"
    '8.83e-08'
    """
    if epsilon < 0:
        return 1.0
    if rho == 0:
        return 0.0
    approximate = float(rho)

    def exponent(log_order: float) -> float:
        less = exp(log_order)
        return less * ((1 + less) * approximate - epsilon) - log(less) + (1 + less) * (log(less) - log1p(less))

    less = Fraction(exp(minimum(exponent, -30.0, 30.0)))
    with ctx.workprec(128):
        order = as_ball(1 + less)
        tail = as_ball(less / (1 + less)) ** order
        value = (as_ball(less * ((1 + less) * rho - Fraction(epsilon)))).exp() / as_ball(less) * tail
    return min(1.0, rounded_up(value))
