"""Gaussian noise on integers, rounded to integers, exactly."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import factorial
from statistics import NormalDist
from typing import Final

import numpy as np
from flint import arb, ctx, fmpz_poly
from numpy.typing import ArrayLike, NDArray

from dprules.errors import ParameterError, PrivacyError
from dprules.mechanisms.bits import Bits, Words, os_bits
from dprules.mechanisms.counts import clipped_integers
from dprules.mechanisms.exact import Uniform
from dprules.numbers import Real, approximately, as_ball, rational, rounded_up

_SMALLEST_SIGMA: Final = Fraction(1, 100)
# Then |noise| beyond 2^61 has probability below e^-(2^40), and noise and error bounds fit doubles with room to spare.
_LARGEST_SIGMA: Final = 1 << 40

# A word w, read as a signed integer, is a point of [-1/2, 1/2) in units of 2^-64, and |w| a tail of the normal law.
# Octaves 2^e <= |w| < 2^(e+1) from this one to 62 are tabulated; one word in 2^16 lies further out.
_LOWEST_OCTAVE: Final = 47
_SPLIT_BITS: Final = 5  # each octave falls into 2^5 segments
_DEGREE: Final = 7  # of the polynomial on a segment
_HALF_WIDTH: Final = 2.0 ** -(_SPLIT_BITS + 1)  # of a segment, in units of 2^e

# A double has 52 stored digits after its leading one; the exponent is written with 1023 added to it.
_REST_BITS: Final = 52 - _SPLIT_BITS
_ONE: Final = 1023 << 52
_SIGN: Final = -(1 << 63)
_CHUNK: Final = 1 << 15  # draws whose intermediate arrays stay in the processor's cache


def gaussian(sums: ArrayLike, sigma: Real, bits: Bits | None = None) -> NDArray[np.int64]:
    """Add to each integer its own K = round(Z), where Z is normal with mean 0 and standard deviation sigma.

    Requires: integer sums; sigma between 0.01 and 2^40 (a float is the rational it denotes).
    Guarantee: for integer sums this is round(sum + Z), so if neighbours change the sums by at most D in the Euclidean
    norm it is (D / sigma)-GDP, like the continuous mechanism [DRS22].
    Numerics: exact, Pr[K = k] = Phi((k + 1/2) / sigma) - Phi((k - 1/2) / sigma). One random word a sum gives Z in
    doubles with a proved error; where that leaves the rounding open, more bits are compared with Phi in ball
    arithmetic (`docs/proofs/gaussian_noise.md`). Sums are first clipped to +-2^61, so that the result fits 64 bits.

    Running time depends on the noise, not on the sums: a draw beyond 4.1 sigma, or one that falls very near to the
    border between two integers, takes longer. Time is outside the guarantee.

    Parameters
    ----------
    sums : array of integers, of any shape
        What to release.
    sigma : int, float or Fraction
        The standard deviation of the noise before rounding.
    bits : Bits, optional
        Where randomness comes from; by default the operating system's generator.

    Examples
    --------
    >>> gaussian([10, 20], sigma=0.01).tolist()
    [10, 20]
    >>> gaussian([[1, 2, 3]], sigma=1000).shape
    (1, 3)
    """
    width = rational(sigma, "sigma")
    if not _SMALLEST_SIGMA <= width <= _LARGEST_SIGMA:
        raise ParameterError(f"sigma must lie between 0.01 and 2**40; got {sigma}. Scale it together with the sums.")
    clipped = clipped_integers(sums, "sums")
    noise = _noise(width, clipped.size, os_bits if bits is None else bits)
    released: NDArray[np.int64] = clipped + noise.reshape(clipped.shape)
    return released


def _noise(sigma: Fraction, size: int, bits: Bits) -> NDArray[np.int64]:
    quantiles = _tabulate()
    words = bits.words(size)
    noise = np.empty(size, dtype=np.int64)
    for start in range(0, size, _CHUNK):
        chunk = slice(start, start + _CHUNK)
        rounded, undecided = quantiles.round(words[chunk], approximately(sigma))
        noise[chunk] = rounded
        for i in (start + undecided).tolist():
            noise[i] = _settle(int(words[i]), sigma, bits)
    return noise


def _settle(word: int, sigma: Fraction, bits: Bits) -> int:
    """The largest k with U >= Phi((k - 1/2) / sigma), where U is uniform and the word its first 64 digits."""
    uniform = Uniform(word, bits)

    def reaches(k: int) -> bool:
        return not uniform.below(partial(_distribution, Fraction(2 * k - 1, 2) / sigma))

    # Any start is right; a good one saves comparisons. It is found from the smaller tail, which doubles resolve.
    tail = (min(word, 2**64 - 1 - word) + 0.5) * 2.0**-64
    guess = round(sigma * Fraction(NormalDist().inv_cdf(tail)))
    low = guess if word < 2**63 else -guess
    step = 1
    while not reaches(low):
        low -= step
        step *= 2
    high = low + 1
    step = 1
    while reaches(high):
        low = high
        high += step
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if reaches(middle):
            low = middle
        else:
            high = middle
    return low


def _distribution(z: Fraction) -> arb:
    return _tail(-as_ball(z))


def _tail(z: arb) -> arb:
    """Pr[a standard normal exceeds z]."""
    return (z / arb(2).sqrt()).erfc() / 2


def _density(z: arb) -> arb:
    return (-z * z / 2).exp() / (2 * arb.pi()).sqrt()


@dataclass(frozen=True, slots=True)
class _Quantiles:
    """Phi^-1 in doubles, by a polynomial on every segment of tails between 2^-17 and 1/2.

    Attributes
    ----------
    coefficients : array of shape (degree + 1, segments + 2)
        Of powers of the distance to the segment's centre, in units of 2^e; the first and the last are not numbers and
        stand for everything that is not tabulated.
    error : float
        Bounds |sigma z - y| / sigma for the y computed here and the quantile z of any number that begins with the word.
    """

    coefficients: NDArray[np.float64]
    error: float

    def round(self, words: Words, sigma: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Round sigma Phi^-1(U) to integers, and name the positions where the words do not decide what it is."""
        noise = self._evaluate(words)
        noise *= sigma
        nearest = np.rint(noise)
        noise -= nearest
        np.abs(noise, out=noise)
        # 2^-50 covers the roundings of this line; what is not a number fails the comparison.
        undecided = np.flatnonzero(~(noise < 0.5 - (sigma * self.error + 2.0**-50)))
        nearest[undecided] = 0
        return nearest.astype(np.int64), undecided

    def _evaluate(self, words: Words) -> NDArray[np.float64]:
        digits = words.view(np.int64).astype(np.float64).view(np.int64)
        # The exponent and the first digits of |w| name the segment, the other digits the place in it, without error.
        segments = (digits >> _REST_BITS) & (1 << (11 + _SPLIT_BITS)) - 1
        segments -= ((1023 + _LOWEST_OCTAVE) << _SPLIT_BITS) - 1
        places = ((digits & (1 << _REST_BITS) - 1) | _ONE).view(np.float64)
        places -= 1 + _HALF_WIDTH
        values: NDArray[np.float64] = self.coefficients[-1].take(segments, mode="clip")
        for coefficient in self.coefficients[-2::-1]:
            values *= places
            values += coefficient.take(segments, mode="clip")
        # A negative w is an upper tail: the quantile changes its sign.
        values.view(np.int64)[:] ^= digits & _SIGN
        return values


@cache
def _tabulate() -> _Quantiles:
    """Make the polynomials, and bound their error, in ball arithmetic."""
    octaves = range(_LOWEST_OCTAVE, 63)
    columns = np.full((_DEGREE + 1, (len(octaves) << _SPLIT_BITS) + 2), np.nan)
    error = arb(0)
    with ctx.workprec(128):
        for row, octave in enumerate(octaves):
            for i in range(1 << _SPLIT_BITS):
                centre = 1 + (2 * i + 1) * _HALF_WIDTH
                coefficients, bound = _expand(octave, centre)
                columns[:, (row << _SPLIT_BITS) + i + 1] = coefficients
                error = error.max(bound)
    columns.setflags(write=False)  # shared by all calls
    return _Quantiles(columns, rounded_up(error))


def _expand(octave: int, centre: float) -> tuple[list[float], arb]:
    """Taylor's polynomial of Phi^-1(2^(octave - 64) s) at s = centre, and a bound of its error over a segment.

    Each step of the bound is named in `docs/proofs/gaussian_noise.md`.
    """
    scale = arb(2) ** (octave - 64)
    exact = _derivatives(_quantile(scale * centre), scale, _DEGREE)
    kept = [float(term) for term in exact]
    powers = [arb(_HALF_WIDTH) ** j for j in range(_DEGREE + 2)]
    # All derivatives are largest, in size, at the end that is further out; words known to 2^-40 reach a little further.
    furthest = _derivatives(_quantile(scale * (arb(centre) - _HALF_WIDTH - arb(2) ** -40)), scale, _DEGREE + 1)
    bound = abs(furthest[-1]) * powers[-1]
    bound += abs(furthest[1]) * (arb(2) ** -octave + arb(2) ** -53)
    for j, (term, coefficient) in enumerate(zip(exact, kept, strict=True)):
        bound += abs(term - coefficient) * powers[j]
        bound += abs(arb(coefficient)) * powers[j] * (2 * j + 5) * arb(2) ** -53
    return kept, bound


def _derivatives(z: arb, scale: arb, order: int) -> list[arb]:
    """The derivatives of s -> Phi^-1(scale s), each over its factorial, where the quantile is z.

    The n-th is P_n(z) (scale / density(z))^n with P_1 = 1, P_(n+1) = P_n' + n z P_n [SS08].
    """
    slope = scale / _density(z)
    polynomial = fmpz_poly([1])
    terms = [z]
    for n in range(1, order + 1):
        terms.append(polynomial(z) * slope**n / factorial(n))
        polynomial = polynomial.derivative() + fmpz_poly([0, n]) * polynomial
    return terms


def _quantile(tail: arb) -> arb:
    """Enclose the z with Pr[a standard normal is below z] = tail, by one interval Newton step."""
    guess = arb(NormalDist().inv_cdf(float(tail)))
    around = guess + arb(0, 2.0**-40)
    enclosure = guess - (_tail(-guess) - tail) / _density(around)
    if not around.contains_interior(enclosure):
        raise PrivacyError("a quantile of the normal law could not be enclosed; nothing was drawn. Please report this.")
    return enclosure
