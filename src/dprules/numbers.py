"""Exact rationals, enclosures of reals, and rounding to the safe side."""

import re
from fractions import Fraction
from math import inf, isfinite, nextafter
from numbers import Rational
from typing import SupportsFloat, cast

import numpy as np
from flint import arb, fmpq

from dprules.errors import ParameterError

Real = int | float | Fraction
SMALLEST = Fraction(1, 10**100)
LARGEST = 500


def rational(value: object, name: str, *, zero: bool = False) -> Fraction:
    """Read a public number as the exact rational that it is; positive, or at least 0 if `zero`.

    Examples
    --------
    >>> rational(0.5, "tilt"), rational(Fraction(1, 3), "tilt")
    (Fraction(1, 2), Fraction(1, 3))
    """
    rule = "at least 0" if zero else "positive"
    if isinstance(value, np.number):
        value = value.item()
    # Of the usual types nothing is asked: whether something is SupportsFloat takes 20 microseconds.
    usual = type(value) in (Fraction, float, int)
    if not usual and (isinstance(value, bool | np.bool_ | np.ndarray) or not isinstance(value, SupportsFloat)):
        raise ParameterError(f"{name} must be a number; got {type(value).__name__}. Give an int, float or Fraction.")
    if not isinstance(value, Rational):
        number = float(cast(SupportsFloat, value))
        if not isfinite(number):
            raise ParameterError(f"{name} must be finite; got {value}. Give a number that is {rule}.")
        value = number
    exact = Fraction(value)
    if exact < 0 or (exact == 0 and not zero):
        raise ParameterError(f"{name} must be {rule}; got {value}. Give a number that is {rule}.")
    return exact


def as_asked(value: object, name: str, *, zero: bool = False) -> Fraction:
    """Read what a job asks for: the double, or the decimal number that people mean by it, whichever is less.

    Ten jobs that ask for 0.1 then fit a grant of 1, and one that asks for 0.1 + 0.2 a grant of 0.3.

    Examples
    --------
    >>> as_asked(0.1, "epsilon"), as_asked(0.1 + 0.2, "epsilon"), as_asked(Fraction(1, 3), "epsilon")
    (Fraction(1, 10), Fraction(3, 10), Fraction(1, 3))
    """
    exact = rational(value, name, zero=zero)
    meant = Fraction(f"{float(exact):.12g}") if isinstance(value, float | np.floating) else exact
    return min(exact, _as_written(value, exact), meant)


def as_granted(value: object, name: str, *, zero: bool = False) -> Fraction:
    """Read what is granted: the double, or the decimal number that people write for it, whichever is more.

    Examples
    --------
    >>> as_granted(0.3, "epsilon"), as_granted(1, "epsilon")
    (Fraction(3, 10), Fraction(1, 1))
    """
    exact = rational(value, name, zero=zero)
    return max(exact, _as_written(value, exact))


def _as_written(value: object, exact: Fraction) -> Fraction:
    written = value.item() if isinstance(value, np.number) else value
    return Fraction(repr(written)) if isinstance(written, float) else exact


def whole(value: object, name: str, least: int = 1) -> int:
    """Read a public integer of at least `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{name} must be an integer of at least {least}; got {value!r}. Give a whole number.")
    return int(value)


def flag(value: object, name: str) -> bool:
    """Read a public yes or no; nothing else counts as true, least of all the text "no".

    Examples
    --------
    >>> flag(True, "public"), flag(np.False_, "public")
    (True, False)
    """
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False; got {value!r}. Give one of them.")
    return bool(value)


def probability(value: object, name: str) -> float:
    """Read a probability strictly between 0 and 1, and not absurdly small."""
    read = rational(value, name, zero=True)
    if not SMALLEST <= read < 1:
        raise ParameterError(
            f"{name} must lie strictly between 0 and 1; got {_shown(read)}. Give at least {float(SMALLEST):g}."
        )
    return float(read)


def budget(value: object, name: str = "epsilon") -> Fraction:
    """Read an epsilon: positive, and within what can still be called a budget."""
    read = rational(value, name)
    if not SMALLEST <= read <= LARGEST:
        raise ParameterError(
            f"{name} must lie between {float(SMALLEST):g} and {LARGEST}; got {_shown(read)}. 1 is usual."
        )
    return read


_MEMORY = re.compile(r"([0-9]{1,12}(?:[.][0-9]{1,6})?) ?([kMGT]?)(i?)B?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
LEAST_MEMORY = 256_000_000
"""Bytes that a fit needs however few rows there are."""


def read_memory(value: object, name: str = "memory") -> int:
    """Read an amount of memory as bytes.

    Examples
    --------
    >>> read_memory("2GB"), read_memory("512 MiB"), read_memory(10**9)
    (2000000000, 536870912, 1000000000)
    """
    found = _MEMORY.fullmatch(str(value).strip()) if isinstance(value, str | int) else None
    if found is None or isinstance(value, bool):
        raise ParameterError(f"{name} must be an amount such as 2GB or 512MiB; got {value!r}. Give one.")
    base = 1024 if found[3] else 1000
    size = int(Fraction(found[1]) * base ** _POWERS[found[2].lower()])
    if size < LEAST_MEMORY:
        raise ParameterError(f"{name} must be at least 256MB; got {value!r}. Python and its libraries need that much.")
    return size


def _shown(number: Fraction) -> str:
    """Write a number in a few digits, also one that no double can hold."""
    try:
        return f"{float(number):.6g}"
    except OverflowError:
        return f"about 10^{len(str(number.numerator // number.denominator)) - 1}"


def as_ball(value: Fraction) -> arb:
    """Enclose a rational at the working precision."""
    return arb(fmpq(value.numerator, value.denominator))


def approximately(value: Fraction) -> float:
    """Round to the nearest double; beyond the largest double, to the largest."""
    try:
        return float(value)
    except OverflowError:
        return float(np.finfo(np.float64).max)


def rounded_up(value: arb | Fraction) -> float:
    """Return a double that is at least the value and next to it."""
    if isinstance(value, Fraction):
        nearest = approximately(value)
        return nearest if Fraction(nearest) >= value else nextafter(nearest, inf)
    return 0.0 if value == 0 else nextafter(float(value.upper()), inf)


def rounded_down(value: Fraction) -> float:
    """Return a double that is at most the value and next to it."""
    nearest = approximately(value)
    return nearest if Fraction(nearest) <= value else nextafter(nearest, -inf)
