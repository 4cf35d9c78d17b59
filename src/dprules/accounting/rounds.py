"""Theory A4: what at most T rounds of a cover cost, from above and certified.

The state is y = e^epsilon Q/P, the likelihood ratio against the run that the expectation is over. W_0(y) = (1 - y)+,
and one round may move y to y' and then either stop at y' e^-u (mass alpha), stop at y' e^v (mass beta) or go on at y',
with mean y. W_n is the best that an adversary can make of n rounds; delta(epsilon) = W_T(e^epsilon). For a fixed y'
the value is linear in the masses, so only beta alone, alpha alone and alpha + beta = 1 matter.

After a stop the records that were covered may be released once more by something h-DP (counts of the rule, theory A6),
and after the last round the records that are left: a stop at y is then worth G_h(y) instead of (1 - y)+.

W_n is convex in y, so between knots its chord is an upper bound; the best y' on a chord is found in closed form, so the
maximum over y' is the true one and not that of a grid; each round is inflated by more than its rounding error.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import ceil, exp, inf
from typing import Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Step(NamedTuple):
    """One round: weights are raised by e^u or lowered by e^-v; what is covered is then released h-DP (0: not)."""

    u: float
    v: float
    h: float = 0.0


Steps = tuple[Step, ...]

_KNOTS: Final = ((5, 128), (64, 64), (inf, 48))
"""Knots in the logarithm of y for each step width max(u, v), by the number of rounds: few rounds are quick anyway."""

_BELOW_ONE: Final = 1 - 2.0**-50
"""Factors that are read a little low, so that gains are read a little high."""


def finite_rounds(steps: Steps, epsilon: float, knots: int | None = None, remainder: float = 0.0) -> float:
    """Bound HS_epsilon over len(steps) rounds, of which round j raises weights by e^u_j or lowers them by e^-v_j.

    Parameters
    ----------
    steps : tuple of Step
        Every round, in their order.
    epsilon : float
        Where the hockey stick is taken.
    knots : int or None
        Knots of the table for each step width; None: as many as the number of rounds allows.
    remainder : float
        After the last round, the epsilon of what is released of the records that no round covered.

    Requires: 0 <= epsilon <= 200; 0 <= u_j, v_j <= 20, not all 0; h_j <= v_j and remainder <= 20.
    Guarantee: an upper bound of the value of theory A4, with the releases of A6 (`docs/proofs/cover_rounds.md`,
    `docs/proofs/free_counts.md`), for any number of knots.
    """
    if _largest_loss(steps, remainder) <= epsilon:
        return 0.0
    many = knots or next(many for most, many in _KNOTS if len(steps) <= most)
    table = _table(steps, remainder, epsilon, many)
    # W decreases: the start is rounded down.
    start = exp(epsilon) * (1 - 2.0**-50)
    right = int(np.searchsorted(table.knots, start, side="left"))
    left_knot, right_knot = table.knots[right - 1 : right + 1]
    left_value, right_value = table.values[right - 1 : right + 1]
    share = (start - left_knot) / (right_knot - left_knot)
    return float(((1 - share) * left_value + share * right_value) * (1 + 2.0**-40))


@lru_cache(maxsize=64)
def _largest_loss(steps: Steps, remainder: float) -> Fraction:
    """Each round adds at most v to the loss; the final stop adds at most the largest u + h, or the remainder's part."""
    stop = max(Fraction(step.u) + Fraction(step.h) for step in steps)
    return sum((Fraction(step.v) for step in steps), Fraction(0)) + max(stop, Fraction(remainder))


class _Table(NamedTuple):
    """Knots up to e^ceiling, and upper bounds of W_T there."""

    ceiling: float
    knots: Floats
    values: Floats


@lru_cache(maxsize=64)
def _kept(steps: Steps, remainder: float, knots: int) -> list[_Table]:
    """The highest table made for these steps so far. A value never depends on the table's ceiling."""
    return []


def _table(steps: Steps, remainder: float, epsilon: float, knots: int) -> _Table:
    kept = _kept(steps, remainder, knots)
    if not kept:
        kept.append(_tabulate(steps, remainder, epsilon, knots))
    if kept[0].ceiling < epsilon:
        kept[0] = _tabulate(steps, remainder, max(epsilon, 2 * kept[0].ceiling), knots)
    return kept[0]


def _tabulate(steps: Steps, remainder: float, ceiling: float, resolution: int) -> _Table:
    """Work back from the last round to the first."""
    widest_u = max(step.u for step in steps)
    widest_v = max(step.v for step in steps)
    spacing = max(widest_u, widest_v, remainder) / resolution
    # The start is at y >= 1, and states far below are hardly reached: a chord down to (0, 1) bounds them well enough.
    low = -int(max(2 * widest_v + 2 * widest_u, 2 * remainder) / spacing)
    high = int(max(ceiling, *(step.u + step.h for step in steps)) / spacing) + 2
    knots = np.concatenate(([0.0], np.exp(np.arange(low, high + 1) * spacing)))
    moves: dict[tuple[float, float, bool], _Move] = {}
    values = _gain(knots, remainder)
    for step in reversed(steps):
        values = np.minimum(_one_round(knots, values, step, spacing, moves) * (1 + 2.0**-44), 1)
    return _Table(ceiling, knots, values)


def _one_round(
    knots: Floats, before: Floats, step: Step, spacing: float, moves: dict[tuple[float, float, bool], "_Move"]
) -> Floats:
    """Return upper bounds of W_n at the knots from those of W_(n-1); `moves` keeps what rounds have in common."""
    after = np.maximum(before, _split(knots, step))
    for width, lowers in ((step.v, True), (step.u, False)):
        if width > 0:
            if (width, step.h, lowers) not in moves:
                moves[width, step.h, lowers] = _Move(knots, width, step.h, ceil(width / spacing) + 1, lowers)
            move = moves[width, step.h, lowers]
            reach = len(move.y) + 1
            np.maximum(after[1:reach], move.best(before), out=after[1:reach])
    after[0] = before[0]
    return after


def _lines(h: float) -> tuple[tuple[float, float], ...]:
    """The gain is the largest of level - slope * y over these: 1 - y, p (1 - y e^-h) with p = e^h/(1 + e^h), and 0."""
    if h == 0:
        return (1.0, _BELOW_ONE), (0.0, 0.0)
    p = 1 / (1 + exp(-h)) / _BELOW_ONE
    return (1.0, _BELOW_ONE), (p, p * exp(-h) * _BELOW_ONE**3), (0.0, 0.0)


def _gain(y: Floats, h: float) -> Floats:
    """G_h: what a stop at y is worth if something h-DP of the covered records is released after it."""
    found: Floats = np.max([level - slope * y for level, slope in _lines(h)], axis=0)
    return found


def _mix(stopping: Floats, gap: float, stop: Floats, go: Floats) -> Floats:
    """(1 - stopping) go + stopping stop, with both masses read high by more than their error, which is absolute."""
    error = 2.0**-46 / min(gap, 1.0)  # a mass near 1 is off by 2^-52 however wide the step is
    return (1 + error) * go + error * stop + stopping * (stop - go)


def _split(y: Floats, step: Step) -> Floats:
    """All mass on candidates that cover: y' e^-u or y' e^v; for each two lines of the gain the best y'."""
    found = _gain(y, step.h)
    if step.u + step.v == 0:
        return found
    down = exp(-step.u)
    up = exp(step.v)
    for (first, steep), (second, flat) in combinations(_lines(step.h), 2):
        best = np.sqrt(y * ((first - second) / (steep - flat)) / (down * up))
        middle = np.minimum(np.maximum(best, y / up), y / down)
        with np.errstate(invalid="ignore"):
            share = np.where(y > 0, (y / middle - down) / (up - down), 0.0)
        stops = _gain(middle * up, step.h), _gain(middle * down, step.h)
        np.maximum(found, _mix(np.clip(share, 0.0, 1.0), up - down, *stops), out=found)
    return found


class _Move:
    """Go on at y' or stop at k y'. `lowers`: beta alone, k = e^v, y/k <= y' <= y; else alpha alone, k = e^-u, y' >= y.

    A stop is worth G_h.

    Row i holds the chords that knot i may reach. On a chord W and the gain are lines (the gain's chord lies above it,
    since it is convex), so the value of a move to y' is A y' + B + C/y' with one best point, sqrt(C/A), or an end. At a
    point beyond a chord its line lies below the convex function, so such a value is never too high.
    """

    def __init__(self, knots: Floats, width: float, h: float, size: int, lowers: bool) -> None:
        self._k = exp(width) if lowers else exp(-width)
        self._size = size
        self._lowers = lowers
        # Going up gains nothing from e^(u + h) on: there even the stop is worth 0. (A knot there may be read below it.)
        worthless = exp(h) * (1 + 2.0**-48) / self._k
        stop = len(knots) if lowers else int(np.searchsorted(knots, worthless))
        self.y = knots[1:stop, None]
        """The knots that may move."""
        self._root_of_y = np.sqrt(self.y)
        # Beyond y' = e^h/k nothing is won by raising.
        self._bound = self.y / self._k if lowers else np.minimum(self.y / self._k, worthless)
        self._knots = knots
        self._left = self._windows(knots[:-1])
        self._right = self._windows(knots[1:])
        self._inverse = self._windows(1 / np.diff(knots))
        gains = _gain(self._k * knots, h)
        self._gains = gains
        self._stop = self._windows(gains[:-1])
        self._stop_rise = self._windows(np.diff(gains))

    def _windows(self, part: Floats) -> Floats:
        """Cut windows of chords: those below each knot, or those above it; beyond the table there is nothing."""
        nothing = np.zeros(self._size)
        padded = np.concatenate((nothing, part) if self._lowers else (part, nothing))
        windows: Floats = sliding_window_view(padded, self._size)[1 : len(self.y) + 1]
        return windows

    def best(self, before: Floats) -> Floats:
        """Return the best value of a move from each knot, from the values of the round before."""
        rise = np.diff(before)
        at = self._root_of_y * self._windows(self._roots(before, rise))
        np.maximum(at, self._left, out=at)
        np.minimum(at, self._right, out=at)
        if self._lowers:
            np.maximum(at, self._bound, out=at)
        else:
            np.minimum(at, self._bound, out=at)
            np.maximum(at, self.y, out=at)  # padding has chords at 0
        share = at - self._left
        share *= self._inverse
        go = share * self._windows(rise)
        go += self._windows(before[:-1])
        share *= self._stop_rise
        share += self._stop
        stopping = self.y / at
        stopping -= 1
        stopping /= self._k - 1
        gap = abs(self._k - 1)
        found: Floats = _mix(stopping, gap, share, go).max(axis=1)
        # Where a move raises, the best point may be off where all its terms are small: an absolute error, near y = 1.
        # Where it lowers, the mass that goes on and W there may both be rounded to 0; their product is below
        # 2^-104 (1 + 1/gap).
        return found + (2.0**-96 / min(gap, 1.0) if self._lowers else 2.0**-48)

    def _roots(self, before: Floats, rise: Floats) -> Floats:
        """sqrt(C/A) / sqrt(y) where A and C are negative, so that the best point may lie inside; otherwise an end."""
        slope = rise / np.diff(self._knots)
        gain_slope = np.diff(self._gains) / np.diff(self._knots)
        level = before[:-1] - slope * self._knots[:-1]
        gain_level = self._gains[:-1] - gain_slope * self._knots[:-1]
        a = (self._k * slope - gain_slope) / (self._k - 1)
        c = (gain_level - level) / (self._k - 1)
        inside = (a < 0) & (c < 0)
        end = 0.0 if self._lowers else 1e150
        return np.where(inside, np.sqrt(np.where(inside, c, 1.0) / np.where(inside, a, 1.0)), end)
