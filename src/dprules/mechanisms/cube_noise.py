"""Noise in the cube norm: integers k with probability proportional to exp(-tilt max |k_j|), exactly."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import floor, isqrt
from typing import Final

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike, NDArray

from dprules.errors import ParameterError
from dprules.mechanisms.bits import Bits, os_bits
from dprules.mechanisms.counts import clipped_integers, geometric
from dprules.mechanisms.exact import Uniform
from dprules.numbers import Real, as_ball, rational, rounded_up

SMALLEST_TILT: Final = Fraction(1, 2**36)
_LARGEST_TILT: Final = 2**20
# With the smallest tilt a radius is then about 2^56, and one of 2^61 has probability below e^-(2^20).
MOST_COORDINATES: Final = 1 << 20


def cube_noise(sums: ArrayLike, tilt: Real, bits: Bits | None = None) -> NDArray[np.int64]:
    """Add one noise vector N to all sums together, Pr[N = k] proportional to exp(-tilt max_j |k_j|).

    Requires: 1 to 2^20 integer sums; tilt between 2^-36 and 2^20 (a float is the rational it denotes).
    Guarantee: if neighbours change no sum by more than D, it is (tilt D)-DP, however many sums there are [HT10].
    Numerics: exact. A radius R with Pr[R] proportional to (2R+1)^d e^(-tilt R) is proposed by a two-sided geometric law
    and accepted by an exact coin; then each coordinate is uniform on -R, ..., R (`docs/proofs/cube_noise.md`). Sums are
    first clipped to +-2^61, so that the result fits 64 bits.

    Running time depends on the noise, not on the sums.

    Parameters
    ----------
    sums : array of integers, of any shape
        What to release.
    tilt : int, float or Fraction
        How fast probabilities fall with the largest coordinate.
    bits : Bits, optional
        Where randomness comes from; by default the operating system's generator.

    Examples
    --------
    >>> cube_noise([10, 20, 30], tilt=1000).tolist()
    [10, 20, 30]
    >>> cube_noise([[1, 2, 3]], tilt=0.01).shape
    (1, 3)
    """
    exact = rational(tilt, "tilt")
    if not SMALLEST_TILT <= exact <= _LARGEST_TILT:
        raise ParameterError(f"tilt must lie between 2**-36 and 2**20; got {tilt}. Scale it together with the sums.")
    clipped = clipped_integers(sums, "sums")
    if not 1 <= clipped.size <= MOST_COORDINATES:
        raise ParameterError(f"sums must have 1 to 2**20 coordinates; got {clipped.size}. Release them in parts.")
    source = os_bits if bits is None else bits
    radius = _radius_law(exact, clipped.size).draw(source)
    released: NDArray[np.int64] = clipped + _uniform(radius, clipped.size, source).reshape(clipped.shape)
    return released


@dataclass(frozen=True, slots=True)
class _RadiusLaw:
    """Draws R >= 0 with Pr[R] proportional to w(R) = (2R+1)^d e^(-a R), by rejection from a two-sided geometric law.

    Attributes
    ----------
    tilt : Fraction
        a.
    dimension : int
        d.
    middle : int
        m, an integer near the mode: any would do.
    slope : Fraction
        The tilt of the proposal, below a: any would do.
    height : Fraction
        At least ln(w(R) / w(m)) + slope q for every R that is proposed after q steps.
    """

    tilt: Fraction
    dimension: int
    middle: int
    slope: Fraction
    height: Fraction

    def draw(self, bits: Bits) -> int:
        """Propose m + q or m - 1 - q until one is accepted."""
        while True:
            steps = geometric(self.slope, bits=bits)
            side, word = bits.words(2).tolist()
            radius = self.middle + steps if side >> 63 else self.middle - 1 - steps
            if radius >= 0 and Uniform(word, bits).below(partial(self._chance, radius, steps)):
                return radius

    def _chance(self, radius: int, steps: int) -> arb:
        """w(radius) / w(middle) e^(slope steps - height), which is at most 1."""
        rest = self.slope * steps - self.tilt * (radius - self.middle) - self.height
        return as_ball(Fraction(2 * radius + 1, 2 * self.middle + 1)) ** self.dimension * as_ball(rest).exp()


@lru_cache(maxsize=64)
def _radius_law(tilt: Fraction, dimension: int) -> _RadiusLaw:
    """Choose the proposal: the middle at the mode, the slope about one over the standard deviation."""
    slope = tilt / (isqrt(dimension + 2) + 1)
    with ctx.workprec(256):
        middle = max(_tops(tilt, dimension, 0), key=lambda top: float(_log_ratio(tilt, dimension, top, 0)))
        # ln(w(R) / w(m)) + slope q is such a ratio at a tilt of a - slope for R = m + q,
        heights = [_log_ratio(tilt - slope, dimension, top, middle) for top in _tops(tilt - slope, dimension, middle)]
        # and one at a + slope, less slope, for R = m - 1 - q.
        for top in _tops(tilt + slope, dimension, 0, middle - 1) if middle else ():
            heights.append(_log_ratio(tilt + slope, dimension, top, middle) - as_ball(slope))
        height = Fraction(max(rounded_up(ball) for ball in heights))
    return _RadiusLaw(tilt, dimension, middle, slope, height)


def _tops(tilt: Fraction, dimension: int, low: int, high: int | None = None) -> tuple[int, int]:
    """Return two integers, one of which has the greatest d ln(2R+1) - tilt R of all from low to high.

    The function is concave, and over the reals greatest at d/tilt - 1/2.
    """
    below = floor(dimension / tilt - Fraction(1, 2))
    first, second = (max(low, below), max(low, below + 1))
    return (first, second) if high is None else (min(first, high), min(second, high))


def _log_ratio(tilt: Fraction, dimension: int, radius: int, middle: int) -> arb:
    """ln(w(radius) / w(middle)) at a tilt."""
    ratio = as_ball(Fraction(2 * radius + 1, 2 * middle + 1))
    return dimension * ratio.log() - as_ball(tilt * (radius - middle))


def _uniform(radius: int, size: int, bits: Bits) -> NDArray[np.int64]:
    """Draw integers from -radius to radius: the leading digits of words, those beyond thrown away."""
    span = 2 * radius + 1
    values = np.empty(size, dtype=np.int64)
    filled = 0
    while filled < size and radius > 0:
        words = bits.words(size - filled) >> np.uint64(64 - span.bit_length())
        kept = words[words < span]
        values[filled : filled + len(kept)] = kept
        filled += len(kept)
    return values - radius if radius else np.zeros(size, dtype=np.int64)
