"""What a list costs that is followed by Gaussian noise: less than the product of the two prices (theory G1).

The game of `dprules.accounting.rounds` with another end: whoever compares the runs sees the noise after the last round,
so a state y = e^epsilon Q/P is worth H(y), the hockey stick of N(mu, 1) and N(0, 1) at ln y, where a list alone is
worth (1 - y)+. H is convex and falls, and nothing else about the end is used. The product of dominating pairs also
covers lists that are drawn after the noise and adapt to it, so it costs more.

Knots are e^(j spacing). Between knots chords lie above the convex W and H; what the best y' between two knots may be
worth beyond the knots themselves is bounded and added (`docs/proofs/list_then_gaussian.md`).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, expm1, log2
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from dprules.accounting import cover
from dprules.accounting.calibrate import crossing
from dprules.accounting.curve import Curve, gaussian_delta, symmetric
from dprules.accounting.one_way import MOST_ROUNDS
from dprules.errors import ParameterError, PrivacyError
from dprules.numbers import Real, budget, probability, rational, rounded_down, rounded_up, whole

Floats = NDArray[np.float64]

MOST_TILT: Final = 20
_KNOTS: Final = ((16, 128), (MOST_ROUNDS, 64))
"""Knots for the wider of u and v, by the number of rounds; the other is widened to a whole number: it costs no less."""
_LEAST_KNOTS: Final = 8
_TABLE: Final = 2048
"""Knots from 1 to e^epsilon, if that leaves so many to a step."""
_DEPTH: Final = 6
"""Step widths below y = 1 that the table holds; below, everything is said to be worth 1, and hardly reached."""
_WIDEST: Final = 1000
"""Step widths up to epsilon that a table may hold: beyond, the largest loss of the list is a small part of epsilon."""
_LARGEST_EPSILON: Final = 200
_NEGLIGIBLE: Final = 1e-100
_ERROR: Final = 2.0**-44
"""More than the rounding error of a mass, and than the relative one of a round."""


def curve(tilt: Fraction, reward: Fraction, rounds: int, mu: Fraction) -> Curve:
    """Return the add-remove curve of `rounds` draws at `tilt` and then Gaussian noise at `mu`.

    Requires: tilt <= 20, rounds <= 256, and the list is drawn to its end before the noise, which may depend on it.
    Guarantee: `docs/proofs/list_then_gaussian.md`.
    """
    add = _OneWay(reward * tilt, tilt, rounds, mu**2)
    return symmetric(add) if reward == 1 else Curve(add, _OneWay(tilt, reward * tilt, rounds, mu**2))


def tilt(epsilon: Real, delta: Real, mu: Real, rounds: int, reward: Real = 0) -> float:
    """Return nearly the largest tilt that (epsilon, delta) leaves to a list before noise at `mu`, rounded down.

    Add-remove neighbours. Noise that takes all of the budget is refused.

    Examples
    --------
    >>> from dprules.accounting import gaussian
    >>> half = gaussian.mu(1, 1e-6) / 2  # costs a list of ten rounds 9% of its tilt
    >>> round(tilt(1, 1e-6, half, rounds=10), 3), round(cover.tilt(1, 1e-6, rounds=10), 3)
    (0.141, 0.155)
    """
    total, target = rounded_down(budget(epsilon)), probability(delta, "delta")
    noise, gain, most = rational(mu, "mu"), rational(reward, "reward", zero=True), whole(rounds, "rounds")
    high = min(cover.tilt(epsilon, target, reward=gain, rounds=most), float(MOST_TILT))
    require_priced(most, Fraction(high))

    def cost(value: float) -> float:
        return curve(Fraction(value), gain, most, noise).delta(total)

    low = high
    alone = gaussian_delta(noise**2, total)
    while alone > target or cost(low) > target:
        low /= 2
        if alone > target or low < high * 2.0**-20:
            raise PrivacyError("The noise leaves nothing to the list. Raise epsilon or delta, or take a smaller mu.")
    return crossing(cost, target, low, high)


def require_priced(rounds: int | None, tilt: Fraction) -> None:
    """Refuse lists that are priced for any number of rounds only."""
    if rounds is None or rounds > MOST_ROUNDS or tilt > MOST_TILT:
        raise ParameterError(
            f"a list before Gaussian noise must have at most {MOST_ROUNDS} rounds and a tilt of at most {MOST_TILT}. "
            f"Compose the two as separate events instead."
        )


@dataclass(frozen=True)
class _OneWay:
    """Bounds HS_epsilon(P || Q) if a round multiplies the weights of P by e^u at most or e^-v at least."""

    u: Fraction
    v: Fraction
    rounds: int
    mu_squared: Fraction

    def __call__(self, epsilon: float) -> float:
        """Return the bound at an epsilon of at least 0."""
        # The loss of the list alone is at most this; H falls.
        most = self.rounds * self.v + self.u
        apart = gaussian_delta(self.mu_squared, rounded_down(Fraction(epsilon) - most))
        widest = max(self.u, self.v)
        if apart < _NEGLIGIBLE or epsilon > _LARGEST_EPSILON or epsilon > _WIDEST * widest:
            return apart
        # Rounded up to a power of 2, so that few tables serve all.
        ceiling = 2.0 ** ceil(log2(max(epsilon, float(widest))))
        many = next(many for rounds, many in _KNOTS if self.rounds <= rounds)
        spacing = rounded_up(widest / max(_LEAST_KNOTS, min(many, int(_TABLE * widest / Fraction(ceiling)))))
        steps = (ceil(self.u / Fraction(spacing)), ceil(self.v / Fraction(spacing)))
        return min(apart, _table(spacing, *steps, self.rounds, self.mu_squared, ceiling).at(epsilon))


@dataclass(frozen=True, eq=False)
class _Table:
    """Upper bounds of W_T at y = e^((lowest + i) spacing)."""

    spacing: float
    lowest: int
    values: Floats

    def at(self, epsilon: float) -> float:
        """Bound W_T(e^epsilon) by a chord; W falls, so the share of its right end is read low."""
        cell = Fraction(epsilon) / Fraction(self.spacing)
        left = int(cell)
        share = expm1(float(cell - left) * self.spacing) / expm1(self.spacing) * (1 - 2.0**-48)
        low, high = self.values[left - self.lowest : left - self.lowest + 2]
        return float((1 - share) * low + share * high) * (1 + _ERROR)


@lru_cache(maxsize=64)
def _table(spacing: float, u: int, v: int, rounds: int, mu_squared: Fraction, ceiling: float) -> _Table:
    """Work back from the last round to the first; u and v are numbers of knots."""
    lowest = -(min(rounds, _DEPTH) * v + u + v)
    highest = int(ceiling / spacing) + 2 * (u + 1)
    # H at the knots and u + v further on both sides; it falls, so exponents are read low.
    knots = np.arange(lowest - u - v, highest + u + v + 1)
    exponents = knots * spacing - abs(knots) * spacing * 2.0**-50
    end = np.array([gaussian_delta(mu_squared, each) for each in exponents.tolist()])
    inner = slice(u + v, len(end) - u - v)
    # All mass on candidates that cover: y moves to z or e^(u + v) z, and both are worth H.
    values = np.minimum(np.maximum(end[inner], _best_move(end, end, inner, u + v, spacing)), 1)
    for _ in range(rounds - 1):
        # Beyond the table: below nothing is worth more than 1, above nothing more than at the last knot.
        go = np.concatenate((np.ones(u + v), values, np.full(u + v, values[-1])))
        moves = [_best_move(go, end, inner, step, spacing) for step in (v, -u) if step]
        values = np.minimum(np.max([values, *moves], axis=0), 1)
    return _Table(spacing, lowest, values)


def _best_move(go: Floats, stop: Floats, inner: slice, step: int, spacing: float) -> Floats:
    """Bound, for every inner knot y, the best of going to y', worth `go`, or stopping `step` knots on, worth `stop`.

    The mean is y: a step up has y' from `step` knots below y to y, a step down has y' from y up.
    """
    many = abs(step)
    toward = np.copysign(np.arange(many + 1) * spacing, step)  # ln(y/y')
    stopping = np.expm1(toward) / expm1(step * spacing)
    before, after = slice(inner.start - many, inner.stop), slice(inner.start, inner.stop + many)
    goes, stops = (go[before], stop[after]) if step > 0 else (go[after], stop[before])
    values = (1 - stopping + _ERROR) * _windows(goes, many + 1, step)
    values += (stopping + _ERROR) * _windows(stops, many + 1, step)
    # On a cell from l to r, with chords, the value is A y' + B + C/y'. If C < 0 it rises above its ends by
    # |C| (1/sqrt(l) - 1/sqrt(r))^2 at most.
    first, second = _levels(goes, spacing), _levels(stops, spacing)
    gap = expm1(step * spacing)
    bends = np.maximum((first - second) / gap + 2.0**-46 * (abs(first) + abs(second)) / abs(gap), 0)
    rises = np.exp(toward[:-1]) * expm1(np.copysign(spacing, step) / 2) ** 2 * _windows(bends, many, step)
    best: Floats = (np.maximum(values[:, 1:], values[:, :-1]) + rises).max(axis=1) * (1 + _ERROR)
    return best


def _windows(values: Floats, size: int, step: int) -> Floats:
    """For each knot the knots (or cells) that it may go to, the nearest first."""
    windows: Floats = sliding_window_view(values, size)
    return windows[:, ::-1] if step > 0 else windows


def _levels(values: Floats, spacing: float) -> Floats:
    """Where the chord of each cell meets y = 0."""
    levels: Floats = values[:-1] + (values[:-1] - values[1:]) / expm1(spacing)
    return levels
