"""Theory A4: what at most T rounds of a cover cost, from above and certified.

The state is y = e^epsilon Q/P, the likelihood ratio against the run that the expectation is over. W_0(y) = (1 - y)+,
and one round may move y to y' and then either stop at y' e^-u (mass alpha), stop at y' e^v (mass beta) or go on at y',
with mean y. W_n is the best that an adversary can make of n rounds; delta(epsilon) = W_T(e^epsilon). For a fixed y'
the value is linear in the masses, so only beta alone, alpha alone and alpha + beta = 1 matter.

W_n is convex in y, so between knots its chord is an upper bound; the best y' on a chord is found in closed form, so the
maximum over y' is the true one and not that of a grid; each round is inflated by more than its rounding error.
"""

from fractions import Fraction
from functools import lru_cache
from math import exp, sqrt
from typing import Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Steps = tuple[tuple[float, float], ...]

_KNOTS: Final = 64
"""Knots in the logarithm of y for each step width max(u, v)."""

_BELOW_ONE: Final = 1 - 2.0**-50
"""Factors that are read a little low, so that gains are read a little high."""

_compiled = njit(cache=True, error_model="numpy")


def finite_rounds(steps: Steps, epsilon: float) -> float:
    """Bound HS_epsilon over len(steps) rounds, of which round j raises weights by e^u_j or lowers them by e^-v_j.

    Requires: 0 <= epsilon <= 200; 0 <= u_j, v_j <= 20, not all 0.
    Guarantee: an upper bound of the value of theory A4 (`docs/proofs/cover_rounds.md`).
    """
    if _largest_loss(steps) <= epsilon:
        return 0.0
    knots, values = _table(steps, epsilon)
    # W decreases: the start is rounded down.
    start = exp(epsilon) * (1 - 2.0**-50)
    right = int(np.searchsorted(knots, start, side="left"))
    share = (start - knots[right - 1]) / (knots[right] - knots[right - 1])
    return float(((1 - share) * values[right - 1] + share * values[right]) * (1 + 2.0**-40))


def _largest_loss(steps: Steps) -> Fraction:
    """Each round adds at most v to the loss; the final stop adds at most the largest u."""
    return sum((Fraction(v) for _, v in steps), Fraction(0)) + Fraction(max(u for u, _ in steps))


class _Table(NamedTuple):
    """Knots up to e^ceiling, and upper bounds of W_T there."""

    ceiling: float
    knots: Floats
    values: Floats


@lru_cache(maxsize=64)
def _kept(steps: Steps) -> list[_Table]:
    """The highest table made for these steps so far. A value never depends on the table's ceiling."""
    return []


def _table(steps: Steps, epsilon: float) -> tuple[Floats, Floats]:
    kept = _kept(steps)
    if not kept:
        kept.append(_tabulated(steps, epsilon))
    if kept[0].ceiling < epsilon:
        kept[0] = _tabulated(steps, max(epsilon, 2 * kept[0].ceiling))
    return kept[0].knots, kept[0].values


def _tabulated(steps: Steps, ceiling: float) -> _Table:
    """Work back from the last round to the first."""
    widest_u, widest_v = max(u for u, _ in steps), max(v for _, v in steps)
    spacing = max(widest_u, widest_v) / _KNOTS
    # Below e^-v lowering gains nothing; raising gains about y^(1/c) there, negligible at e^-12u.
    low = -int((2 * widest_v + 12 * widest_u) / spacing)
    high = int(max(ceiling, widest_u) / spacing) + 2
    knots = np.concatenate(([0.0], np.exp(np.arange(low, high + 1) * spacing)))
    values = np.maximum(1 - knots * _BELOW_ONE, 0)
    for u, v in reversed(steps):
        values = np.minimum(_one_round(knots, values, u, v) * (1 + 2.0**-44), 1)
    return _Table(ceiling, knots, values)


@_compiled
def _one_round(knots: Floats, before: Floats, u: float, v: float) -> Floats:
    """Upper bounds of W_n at the knots from those of W_(n-1)."""
    after = before.copy()
    for i in range(1, len(knots)):
        best = max(before[i], _split(knots[i], u, v))
        if v > 0:
            best = _lower(knots, before, i, exp(v), best)
        if u > 0 and knots[i] < exp(u):
            best = _raise(knots, before, i, exp(-u), best)
        after[i] = best
    return after


@_compiled
def _gain(y: float) -> float:
    return max(0.0, 1.0 - y * _BELOW_ONE)


@_compiled
def _mixed(stopping: float, gap: float, stop: float, go: float) -> float:
    """(1 - stopping) go + stopping stop, with both masses read high by more than their error, which is absolute."""
    error = 2.0**-49 / gap
    return min(1.0, max(0.0, 1.0 - stopping) + error) * go + min(1.0, max(0.0, stopping) + error) * stop


@_compiled
def _split(y: float, u: float, v: float) -> float:
    """All mass on candidates that cover: y' e^-u or y' e^v."""
    if u + v == 0:
        return _gain(y)
    down, up = exp(-u), exp(v)
    middle = min(max(sqrt(y * down / up) / down, y / up), y / down)
    return _mixed((y / middle - down) / (up - down), up - down, _gain(middle * up), _gain(middle * down))


@_compiled
def _lower(knots: Floats, before: Floats, i: int, k: float, best: float) -> float:
    """Beta alone: go on at y' in [y/k, y] or stop at k y'."""
    y, j = knots[i], i
    while j > 0 and knots[j] * k > y:
        left = max(knots[j - 1], y / k)
        best = max(best, _value(knots, before, j, left, y, k), _inside(knots, before, j, left, knots[j], y, k))
        j -= 1
    return best


@_compiled
def _raise(knots: Floats, before: Floats, i: int, k: float, best: float) -> float:
    """Alpha alone: go on at y' in [y, y/k] or stop at k y', k < 1; beyond y' = 1/k nothing is won."""
    y, j = knots[i], i + 1
    most = min(y, 1.0) / k
    while j < len(knots) and knots[j - 1] < most:
        right = min(knots[j], most)
        best = max(best, _value(knots, before, j, right, y, k), _inside(knots, before, j, knots[j - 1], right, y, k))
        j += 1
    return best


@_compiled
def _value(knots: Floats, before: Floats, j: int, at: float, y: float, k: float) -> float:
    """Go on at y' = at, on the chord that ends at knot j, or stop at k y', with mean y."""
    share = min(max((at - knots[j - 1]) / (knots[j] - knots[j - 1]), 0.0), 1.0)
    going = (1 - share) * before[j - 1] + share * before[j]
    value: float = _mixed((y / at - 1) / (k - 1), abs(k - 1), _gain(k * at), going)
    return value


@_compiled
def _inside(knots: Floats, before: Floats, j: int, left: float, right: float, y: float, k: float) -> float:
    """The best value strictly between left and right, 0 if it is at an end.

    On a chord, and for either line of the gain, the value is A y' + B + C/y': a maximum inside is at sqrt(C/A).
    """
    slope = (before[j] - before[j - 1]) / (knots[j] - knots[j - 1])
    level = before[j] - slope * knots[j]
    best = 0.0
    for piece in range(2):
        A, C = k * (slope + piece), y * (piece - level)
        if k < 1:
            A, C = -A, -C
        if A < 0 and C < 0 and left > 0 and A * left >= C / left and A * right <= C / right:
            at = min(max(sqrt(-C) / sqrt(-A), left), right)
            best = max(best, _value(knots, before, j, at, y, k))
    return best
