"""Coins whose bias is the exponential of a rational."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import isnan
from typing import Any, Final, overload

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from dprules.errors import ParameterError
from dprules.mechanisms.bits import Bits, os_bits
from dprules.mechanisms.exact import UNIT_53, Uniform
from dprules.numbers import Real, approximately, as_ball

# |exp(-fl(x)) - e^-x| <= x e^-x 2^-51 + a few units in the last place of a number below 1.
_DOUBT: Final = 2.0**-46


@overload
def bernoulli_exp(x: Real, bits: Bits | None = None) -> bool: ...
@overload
def bernoulli_exp(x: ArrayLike, bits: Bits | None = None) -> NDArray[np.bool_]: ...


def bernoulli_exp(x: Real | ArrayLike, bits: Bits | None = None) -> bool | NDArray[np.bool_]:
    """Toss a coin that shows true with probability e^-x, exactly; for an array, one coin an element.

    Requires: x >= 0; integers of any size, floats (each is a rational) and Fractions.
    Numerics: exact. 53 random bits are compared with a double of bounded error; the roughly 2^-45 of cases that
    leaves open are settled by more bits and ball arithmetic (`docs/proofs/draw.md`).

    Examples
    --------
    >>> bernoulli_exp(0), bernoulli_exp(10**30)
    (True, False)
    >>> bernoulli_exp([0.0, 1e9]).tolist()
    [True, False]
    """
    source = os_bits if bits is None else bits
    if isinstance(x, int | float | Fraction) and not isinstance(x, bool):
        exact = _fraction(x)
        return bool(coins(np.array([approximately(exact)]), lambda _: exact, source)[0])
    values = np.asarray(x)
    flat = values.ravel()
    if values.dtype.kind in "iuf" and values.dtype.itemsize <= 8:
        estimates = flat.astype(np.float64)
        if not np.all(estimates >= 0) or np.isinf(estimates).any():
            raise _refusal()
        tossed = coins(estimates, lambda i: Fraction(flat[i].item()), source)
    else:
        fractions = [_fraction(item) for item in flat.tolist()]
        tossed = coins(np.array([approximately(f) for f in fractions]), fractions.__getitem__, source)
    return tossed.reshape(values.shape)


def coins(estimates: NDArray[np.float64], exact: Callable[[int], Fraction], bits: Bits) -> NDArray[np.bool_]:
    """Toss one coin of bias e^-exact(i) for each i, where estimates[i] is exact(i) to a relative 2^-51."""
    words = bits.words(len(estimates))
    uniform = (words >> np.uint64(11)) * UNIT_53
    uniform -= np.exp(-estimates)  # negative: below the bias
    result: NDArray[np.bool_] = uniform < 0
    for i in np.flatnonzero(np.abs(uniform) < _DOUBT).tolist():
        result[i] = Uniform(int(words[i]), bits).below(partial(_bias, exact(i)))
    return result


def _bias(x: Fraction) -> arb:
    return (-as_ball(x)).exp()


def _fraction(value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise ParameterError("x must hold numbers (int, float or Fraction). Convert it first.")
    if isinstance(value, float) and (isnan(value) or value == float("inf")):
        raise _refusal()
    if value < 0:
        raise _refusal()
    return Fraction(value)


def _refusal() -> ParameterError:
    return ParameterError("x must be finite and at least 0 everywhere. Clip it before tossing.")
