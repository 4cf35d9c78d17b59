"""Theory A4: what at most T rounds of a cover cost, from above and certified.

The state is y = e^epsilon Q/P, the likelihood ratio against the run that the expectation is over. W_0(y) = (1 - y)+,
and one round may move y to y' and then either stop at y' e^-u (mass alpha), stop at y' e^v (mass beta) or go on at y',
with mean y. W_n is the best that an adversary can make of n rounds; delta(epsilon) = W_T(e^epsilon). For a fixed y'
the value is linear in the masses, so only beta alone, alpha alone and alpha + beta = 1 matter.

W_n is convex in y, so between knots its chord is an upper bound; the best y' on a chord is found in closed form, so the
maximum over y' is the true one and not that of a grid; each round is inflated by more than its rounding error.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp
from typing import Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Steps = tuple[tuple[float, float], ...]

KNOTS: Final = 48
"""Knots in the logarithm of y for each step width max(u, v)."""

_BELOW_ONE: Final = 1 - 2.0**-50
"""Factors that are read a little low, so that gains are read a little high."""


def finite_rounds(steps: Steps, epsilon: float, knots: int = KNOTS) -> float:
    """Bound HS_epsilon over len(steps) rounds, of which round j raises weights by e^u_j or lowers them by e^-v_j.

    Requires: 0 <= epsilon <= 200; 0 <= u_j, v_j <= 20, not all 0.
    Guarantee: an upper bound of the value of theory A4 (`docs/proofs/cover_rounds.md`), for any number of knots.
    """
    if _largest_loss(steps) <= epsilon:
        return 0.0
    table = _table(steps, epsilon, knots)
    # W decreases: the start is rounded down.
    start = exp(epsilon) * (1 - 2.0**-50)
    right = int(np.searchsorted(table.knots, start, side="left"))
    left_knot, right_knot = table.knots[right - 1 : right + 1]
    left_value, right_value = table.values[right - 1 : right + 1]
    share = (start - left_knot) / (right_knot - left_knot)
    return float(((1 - share) * left_value + share * right_value) * (1 + 2.0**-40))


@lru_cache(maxsize=64)
def _largest_loss(steps: Steps) -> Fraction:
    """Each round adds at most v to the loss; the final stop adds at most the largest u."""
    return sum((Fraction(v) for _, v in steps), Fraction(0)) + Fraction(max(u for u, _ in steps))


class _Table(NamedTuple):
    """Knots up to e^ceiling, and upper bounds of W_T there."""

    ceiling: float
    knots: Floats
    values: Floats


@lru_cache(maxsize=64)
def _kept(steps: Steps, knots: int) -> list[_Table]:
    """The highest table made for these steps so far. A value never depends on the table's ceiling."""
    return []


def _table(steps: Steps, epsilon: float, knots: int) -> _Table:
    kept = _kept(steps, knots)
    if not kept:
        kept.append(_tabulate(steps, epsilon, knots))
    if kept[0].ceiling < epsilon:
        kept[0] = _tabulate(steps, max(epsilon, 2 * kept[0].ceiling), knots)
    return kept[0]


def _tabulate(steps: Steps, ceiling: float, resolution: int) -> _Table:
    """Work back from the last round to the first."""
    widest_u = max(u for u, _ in steps)
    widest_v = max(v for _, v in steps)
    spacing = max(widest_u, widest_v) / resolution
    # The start is at y >= 1, and states far below are hardly reached: a chord down to (0, 1) bounds them well enough.
    low = -int((2 * widest_v + 2 * widest_u) / spacing)
    high = int(max(ceiling, widest_u) / spacing) + 2
    knots = np.concatenate(([0.0], np.exp(np.arange(low, high + 1) * spacing)))
    values = _gain(knots)
    for u, v in reversed(steps):
        values = np.minimum(_one_round(knots, values, u, v, spacing) * (1 + 2.0**-44), 1)
    return _Table(ceiling, knots, values)


def _one_round(knots: Floats, before: Floats, u: float, v: float, spacing: float) -> Floats:
    """Return upper bounds of W_n at the knots from those of W_(n-1)."""
    after = np.maximum(before, _split(knots, u, v))
    if v > 0:
        np.maximum(after, _lower(knots, before, v, ceil(v / spacing) + 1), out=after)
    if u > 0:
        np.maximum(after, _raise(knots, before, u, ceil(u / spacing) + 1), out=after)
    after[0] = before[0]
    return after


def _gain(y: Floats) -> Floats:
    return np.maximum(0.0, 1.0 - y * _BELOW_ONE)


def _mixed(stopping: Floats, gap: float, stop: Floats, go: Floats) -> Floats:
    """(1 - stopping) go + stopping stop, with both masses read high by more than their error, which is absolute."""
    error = 2.0**-49 / gap
    going = np.clip(1.0 - stopping, 0.0, 1.0)
    np.add(going, error, out=going)
    np.minimum(going, 1.0, out=going)
    np.multiply(going, go, out=going)
    stopping = np.clip(stopping, 0.0, 1.0)
    np.add(stopping, error, out=stopping)
    np.minimum(stopping, 1.0, out=stopping)
    np.multiply(stopping, stop, out=stopping)
    return np.add(going, stopping, out=going)


def _split(y: Floats, u: float, v: float) -> Floats:
    """All mass on candidates that cover: y' e^-u or y' e^v."""
    if u + v == 0:
        return _gain(y)
    down = exp(-u)
    up = exp(v)
    middle = np.minimum(np.maximum(np.sqrt(y * down / up) / down, y / up), y / down)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(middle > 0, (y / middle - down) / (up - down), 0.0)
    return _mixed(share, up - down, _gain(middle * up), _gain(middle * down))


@dataclass(frozen=True, slots=True)
class _Chords:
    """What a move needs of every chord, each as windows over the knots: row i has the chords that knot i may reach.

    On a chord W and the gain are lines (the gain's chord lies above it, since it is convex), so the value of a move to
    y' is A y' + B + C/y' with one best point, sqrt(y) times `root`, or an end.
    """

    left: Floats
    right: Floats
    width: Floats
    go: Floats
    go_rise: Floats
    stop: Floats
    stop_rise: Floats
    root: Floats

    @classmethod
    def of(
        cls, knots: Floats, before: Floats, k: float, otherwise: float, pad: tuple[int, int], size: int
    ) -> "_Chords":
        """Cut windows of `size` chords; `otherwise` stands where the best point is at an end."""
        gains = _gain(k * knots)
        width = np.diff(knots)
        go_rise = np.diff(before)
        stop_rise = np.diff(gains)
        # A = (k slope - rise of the gain) / (k - 1) and C = y (level of the gain - level) / (k - 1), both negative.
        a = (k * go_rise - stop_rise) / width / (k - 1)
        c = (gains[:-1] - stop_rise / width * knots[:-1] - before[:-1] + go_rise / width * knots[:-1]) / (k - 1)
        inside = (a < 0) & (c < 0)
        root = np.where(inside, np.sqrt(np.where(inside, c, 1.0) / np.where(inside, a, 1.0)), otherwise)
        parts = (knots[:-1], knots[1:], width, before[:-1], go_rise, gains[:-1], stop_rise, root)
        return cls(*(sliding_window_view(np.pad(part, pad, constant_values=1.0), size) for part in parts))

    def best(self, y: Floats, low: Floats, high: Floats, k: float) -> Floats:
        """Return the best value of a move from y to y' in [low, high], chord by chord."""
        at = np.sqrt(y) * self.root
        np.clip(at, np.maximum(self.left, low), np.minimum(self.right, high), out=at)
        share = np.clip((at - self.left) / self.width, 0.0, 1.0)
        stopping = (y / at - 1) / (k - 1)
        return _mixed(stopping, abs(k - 1), self.stop + share * self.stop_rise, self.go + share * self.go_rise)


def _lower(knots: Floats, before: Floats, v: float, size: int) -> Floats:
    """Beta alone: go on at y' in [y/k, y] or stop at k y', k = e^v."""
    k = exp(v)
    chords = _Chords.of(knots, before, k, 0.0, (size, 0), size)  # row i: the chords below knot i
    y = knots[1:, None]
    # Row i has the chords i - size to i - 1; those before the first are padding.
    real = np.arange(1, len(knots))[:, None] + np.arange(-size, 0)[None, :] >= 0
    rows = _rows(chords, slice(1, len(knots)))
    value = np.where(real & (rows.right * k > y), rows.best(y, y / k, y, k), 0.0)
    return np.concatenate(([0.0], value.max(axis=1)))


def _raise(knots: Floats, before: Floats, u: float, size: int) -> Floats:
    """Alpha alone: go on at y' in [y, y/k] or stop at k y', k = e^-u; beyond y' = 1/k nothing is won."""
    k = exp(-u)
    reach = int(np.searchsorted(knots, exp(u)))  # knots from e^u on gain nothing by going up
    chords = _Chords.of(knots, before, k, np.inf, (0, size), size)
    y = knots[1:reach, None]
    most = np.minimum(y, 1.0) / k
    rows = _rows(chords, slice(1, reach))
    real = np.arange(1, reach)[:, None] + np.arange(size)[None, :] < len(knots) - 1
    value = np.where(real & (rows.left < most), rows.best(y, y, most, k), 0.0)
    after = np.zeros(len(knots))
    after[1:reach] = value.max(axis=1)
    return after


def _rows(chords: _Chords, rows: slice) -> _Chords:
    return _Chords(
        chords.left[rows],
        chords.right[rows],
        chords.width[rows],
        chords.go[rows],
        chords.go_rise[rows],
        chords.stop[rows],
        chords.stop_rise[rows],
        chords.root[rows],
    )
