"""Geometric noise, exactly, and counts that carry it."""

from fractions import Fraction
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprules.errors import ParameterError
from dprules.mechanisms.bernoulli_exp import coins
from dprules.mechanisms.bits import Bits, os_bits
from dprules.numbers import Real, approximately, rational, whole

_EDGE = 1 << 61
_SMALLEST_TILT = Fraction(1, 2**50)


@overload
def geometric(tilt: Real, size: None = None, bits: Bits | None = None) -> int: ...
@overload
def geometric(tilt: Real, size: int, bits: Bits | None = None) -> NDArray[np.int64]: ...


def geometric(tilt: Real, size: int | None = None, bits: Bits | None = None) -> int | NDArray[np.int64]:
    """Draw non-negative integers with Pr[value >= x] = e^(-tilt x), exactly.

    Requires: tilt of at least 2^-50: then noise beyond 2^61 has probability below e^-2048, and sums fit 64 bits.
    Numerics: exact. With 2^k tilt in [1, 2) or k = 0, the value is 2^k q + r: q counts successes of a coin of bias
    e^(-2^k tilt), r is uniform on [0, 2^k) and kept with probability e^(-tilt r) (`docs/proofs/above_threshold.md`).

    Examples
    --------
    >>> geometric(1000)
    0
    >>> geometric(0.1, size=3).shape
    (3,)
    """
    exact = rational(tilt, "tilt")
    if exact < _SMALLEST_TILT:
        raise ParameterError("tilt must be at least 2**-50. Noise this wide would drown every count.")
    source = os_bits if bits is None else bits
    low = 0
    while exact * 2**low < 1:
        low += 1
    values = _remainders(exact, low, 1 if size is None else whole(size, "size", least=0), source)
    values += _successes(exact * 2**low, len(values), source) << low
    return int(values[0]) if size is None else values


def noisy_counts(counts: ArrayLike, tilt: Real, bits: Bits | None = None) -> NDArray[np.int64]:
    """Add two-sided geometric noise, Pr[noise = x] proportional to e^(-tilt |x|), to integer counts.

    Guarantee: tilt-DP for neighbours that change one count by one; (2 tilt)-DP if they move one example from one
    count to another [GRS12].
    Numerics: exact; counts are first clipped to +-2^61, so that the sum fits 64 bits.

    Examples
    --------
    >>> noisy_counts([10, 20], tilt=1000).tolist()
    [10, 20]
    """
    clipped = clipped_integers(counts, "counts")
    noise = geometric(tilt, 2 * clipped.size, bits)
    released: NDArray[np.int64] = clipped + (noise[::2] - noise[1::2]).reshape(clipped.shape)
    return released


def clipped_integers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Read integers and clip them to +-2^61, so that noise can be added in 64 bits."""
    read = np.asarray(values)
    if read.dtype.kind not in "iu":
        raise ParameterError(f"{name} must be integers of at most 64 bits. Round or scale them first.")
    clipped: NDArray[np.int64] = np.clip(read, -_EDGE, _EDGE).astype(np.int64)
    return clipped


def _remainders(tilt: Fraction, low: int, size: int, bits: Bits) -> NDArray[np.int64]:
    values = np.zeros(size, dtype=np.int64)
    pending = np.arange(size if low else 0)
    while len(pending):
        tried = (bits.words(len(pending)) >> np.uint64(64 - low)).astype(np.int64)
        exact = [tilt * remainder for remainder in tried.tolist()]
        # Pr[r] is proportional to e^(-tilt r) on [0, 2^low): uniform r, kept with probability e^(-tilt r).
        kept = coins(np.array([approximately(x) for x in exact]), exact.__getitem__, bits)
        values[pending[kept]] = tried[kept]
        pending = pending[~kept]
    return values


def _successes(tilt: Fraction, size: int, bits: Bits) -> NDArray[np.int64]:
    values = np.zeros(size, dtype=np.int64)
    running = np.arange(size)
    while len(running):
        running = running[coins(np.full(len(running), approximately(tilt)), lambda _: tilt, bits)]
        values[running] += 1
    return values
