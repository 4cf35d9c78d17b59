"""The exponential mechanism: one exact draw, or many, from weights prior * exp(tilt * score)."""

from fractions import Fraction
from functools import partial
from math import log
from typing import Any, Final

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from dprules.errors import ParameterError, PrivacyError
from dprules.mechanisms.bits import Bits, os_bits
from dprules.mechanisms.exact import UNIT_53, Uniform
from dprules.numbers import Real, approximately, as_ball, rational, whole
from dprules.private import Private

Indices = NDArray[np.int64]

# The doubles below estimate each weight to a relative 2^-39 wherever it matters (`docs/proofs/draw.md`).
_SLACK: Final = 2.0**-38
# Proposals are spots below 2^62: two bits of a word are left, so that sums of ceilings cannot overflow int64.
_SPAN_BITS: Final = 62
# exp and log of weights from 1/_PRIOR_RANGE to it stay finite in doubles; one power of two brings any of them near 1.
_PRIOR_RANGE: Final = 2.0**700
# Room for the + 1 of every ceiling: up to 2^52 candidates fit.
_FILL: Final = 0.999


def draw(
    scores: ArrayLike, tilt: Real, size: int = 1, prior: ArrayLike | None = None, bits: Bits | None = None
) -> Indices:
    """Draw `size` independent indices, i with probability proportional to prior[i] * exp(tilt * scores[i]).

    Requires: integer scores of any size; a positive tilt (a float is the rational it denotes); a public prior of
    non-negative numbers, not all 0.
    Guarantee: if neighbours change scores so that the largest change minus the smallest is at most r, one draw is
    (tilt * r)-DP and (tilt^2 r^2 / 8)-zCDP [CR21]; rounds that remove what they cover cost far less
    (`dprules.accounting.cover`).
    Numerics: exact, underflow included. An integer upper bound of every weight proposes, an exact coin corrects
    (`docs/proofs/draw.md`). Running time depends on the scores.

    Examples
    --------
    >>> draw([5, 5, 5], tilt=1).item() in (0, 1, 2)
    True
    >>> draw([0, -(10**40)], tilt=0.5, size=3).tolist()
    [0, 0, 0]
    """
    proposal = _Proposal(scores, rational(tilt, "tilt"), prior)
    return proposal.draw(whole(size, "size", least=0), os_bits if bits is None else bits)


class _Proposal(Private):
    """Integers W_i >= prior_i e^(tilt (score_i - top)) S that sum to at most 2^62, and the coin that corrects them."""

    __slots__ = ("_cumulative", "_estimates", "_prior", "_scale", "_scores", "_tilt", "_top")

    def __init__(self, scores: ArrayLike, tilt: Fraction, prior: ArrayLike | None) -> None:
        self._tilt = tilt
        self._scores = _integers(scores)
        self._prior = None if prior is None else _weights(prior, len(self._scores))
        possible = self._scores if self._prior is None else self._scores[self._prior > 0]
        self._top = int(possible.max())
        weights = _negative_exponents(self._scores, self._top, tilt)
        shift = 0
        if self._prior is not None:
            weights[self._prior <= 0] = 0  # left out: a higher score must not matter
            weights += _logarithms(self._prior)
            # A power of two brings the largest weight near 1, so that the others underflow only if negligible.
            shift = -round(float(weights.max()) / log(2))
            weights += shift * log(2)
        np.exp(weights, out=weights)
        scale = _FILL * 2.0**_SPAN_BITS / float(weights.sum())
        weights *= scale
        self._scale = Fraction(scale) * Fraction(2) ** shift
        self._estimates = weights
        # W_i >= weight_i: the estimate is low by at most 2^-39 of itself, and flooring takes less than the + 1 gives.
        ceilings = (weights * (1 + _SLACK)).astype(np.int64)
        ceilings += 1 if self._prior is None else (self._prior > 0)
        self._cumulative = np.cumsum(ceilings, out=ceilings)
        if self._cumulative[-1] > 2**_SPAN_BITS:
            raise PrivacyError("the proposal of a draw exceeds its span; nothing was drawn. Please report this.")

    def draw(self, size: int, bits: Bits) -> Indices:
        chosen = np.empty(size, dtype=np.int64)
        filled = 0
        while filled < size:
            words = bits.words(2 * (size - filled)).reshape(2, -1)
            spots = (words[0] >> np.uint64(64 - _SPAN_BITS)).astype(np.int64)
            # Spots beyond the sum are thrown away: what remains is uniform over the ceilings.
            inside = spots < self._cumulative[-1]
            proposed = np.searchsorted(self._cumulative, spots[inside], side="right")
            accepted = proposed[self._accept(proposed, words[1][inside], bits)]
            chosen[filled : filled + len(accepted)] = accepted
            filled += len(accepted)
        return chosen

    def _accept(self, proposed: Indices, words: NDArray[np.uint64], bits: Bits) -> NDArray[np.bool_]:
        """Keep index i with probability (weight of i) / W_i, exactly."""
        ceilings = self._cumulative[proposed] - np.where(proposed > 0, self._cumulative[proposed - 1], 0)
        # Below this bound the exact comparison would accept, too; all others are settled exactly.
        surely = self._estimates[proposed] * (1 - 2 * _SLACK) / ceilings
        accepted: NDArray[np.bool_] = (words >> np.uint64(11)) * UNIT_53 + UNIT_53 < surely
        for k in np.flatnonzero(~accepted).tolist():
            i, ceiling = int(proposed[k]), int(ceilings[k])
            accepted[k] = Uniform(int(words[k]), bits).below(partial(self._ratio, i, ceiling))
        return accepted

    def _ratio(self, i: int, ceiling: int) -> arb:
        prior = Fraction(1) if self._prior is None else _exactly(self._prior[i])
        exponent = self._tilt * (self._top - int(self._scores[i]))
        return as_ball(prior * self._scale / ceiling) * (-as_ball(exponent)).exp()


def _integers(scores: ArrayLike) -> NDArray[Any]:
    values = scores if isinstance(scores, np.ndarray) else _listed(scores)
    if values.ndim != 1 or len(values) == 0:
        raise ParameterError("scores must be a one-dimensional array with at least one candidate.")
    if values.dtype.kind == "O" and all(isinstance(v, int) and not isinstance(v, bool) for v in values.tolist()):
        return values
    if values.dtype.kind not in "iu":
        raise ParameterError(
            "scores must be integers. For a fractional reward p/q scale the scores by q and divide the tilt."
        )
    wide = values.dtype.kind == "u" and values.dtype.itemsize == 8
    return values.astype(np.uint64 if wide else np.int64, copy=False)


def _listed(scores: ArrayLike) -> NDArray[Any]:
    """Make an array of a sequence: integers beyond 64 bits would silently become floats."""
    try:
        values = np.asarray(scores)
    except ValueError:
        return np.zeros((0, 0))
    return np.array(list(scores), dtype=object) if values.dtype.kind == "f" and values.ndim == 1 else values  # type: ignore[arg-type]


def _weights(prior: ArrayLike, size: int) -> NDArray[Any]:
    values = np.asarray(prior)
    if values.shape != (size,) or values.dtype.kind not in "iufO" or values.dtype.itemsize > 8:
        raise ParameterError("prior must hold one number for each candidate.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ParameterError("prior must be finite. Leave a candidate out with a weight of 0.")
    positive = values[values > 0]
    if len(positive) == 0 or bool((values < 0).any()):
        raise ParameterError("prior must be non-negative and not all 0. Give each candidate a public weight.")
    # As Python's own numbers, whose comparisons are exact for integers and fractions of any size.
    least, most = positive.min(), positive.max()
    if isinstance(least, np.generic):
        least, most = least.item(), most.item()
    if least < 1 / _PRIOR_RANGE or most > _PRIOR_RANGE:
        raise ParameterError("prior must lie between 2**-700 and 2**700. Scale the weights.")
    return values


def _exactly(value: Any) -> Fraction:
    return Fraction(value.item() if isinstance(value, np.generic) else value)


def _negative_exponents(scores: NDArray[Any], top: int, tilt: Fraction) -> NDArray[np.float64]:
    """-tilt * (top - score), to a relative 2^-51."""
    if scores.dtype.kind == "O":
        return np.array([-approximately(tilt * (top - score)) for score in scores.tolist()], dtype=np.float64)
    # In 64-bit arithmetic modulo 2^64 the difference is right even where int64 would overflow.
    gaps = np.uint64(top % 2**64) - scores.view(np.uint64)
    exponents: NDArray[np.float64] = gaps.astype(np.float64)
    with np.errstate(over="ignore"):
        exponents *= -approximately(tilt)
    return exponents


def _logarithms(prior: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        if prior.dtype.kind != "O":
            return np.log(prior.astype(np.float64))
        # log(p/q) = log p - log q holds for integers of any size.
        pairs = [_exactly(p) for p in prior.tolist()]
        return np.array([log(p.numerator) - log(p.denominator) if p else -np.inf for p in pairs])
