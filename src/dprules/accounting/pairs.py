"""Composition through dominating pairs: turn curves into discrete pairs of laws and multiply these.

A curve epsilon -> HS_epsilon, convex in x = e^epsilon, is that of a pair of laws; a pair whose curve lies above
dominates every mechanism below, adaptively and under products [ZDW22]. Replacing a curve by its chords between the
points of a grid keeps it above ("connect the dots" [DGKKM22]), and the pair of a polygon is discrete: its losses are
the grid.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp

import numpy as np
from numpy.typing import NDArray

from dprules.accounting.curve import Curve


@dataclass(frozen=True, slots=True)
class Losses:
    """The law of the privacy loss under P: mass[j] at loss (lowest + j) * step, and `infinite` at infinity."""

    step: float
    lowest: int
    mass: NDArray[np.float64]
    infinite: float

    def __mul__(self, other: "Losses") -> "Losses":
        """The pair of products. Sums of non-negative numbers: the relative rounding error is below 2^-36."""
        mass = np.convolve(self.mass, other.mass) * (1 + 2.0**-36)
        infinite = 1 - (1 - self.infinite) * (1 - other.infinite) + 2.0**-50
        return Losses(self.step, self.lowest + other.lowest, mass, infinite)

    def delta(self, epsilon: float) -> float:
        """HS_epsilon of the pair, rounded up."""
        losses = (self.lowest + np.arange(len(self.mass))) * self.step
        # Losses near epsilon are read a little high, which covers the rounding of the grid and its exponentials.
        high = losses + 1e-11 + np.abs(losses) * 2.0**-48
        gains = -np.expm1(epsilon - np.maximum(high, epsilon))
        return float(min(1.0, (self.mass @ gains) * (1 + 2.0**-36) + self.infinite))


def grid(step: float, reach: float) -> NDArray[np.float64]:
    """Return the losses of a discrete pair; below -reach and above reach they are negligible or count as infinite."""
    top = int(reach / step) + 1
    return np.asarray(step * np.arange(-top, top + 1), dtype=np.float64)


def connect_the_dots(curve: Curve, step: float, reach: float) -> Losses:
    """Return a discrete pair that dominates the forward direction of `curve`, on a grid of `step` up to `reach`."""
    epsilons = grid(step, reach)
    xs = [Fraction(exp(e)) for e in epsilons.tolist()]
    dots = _convex(xs, [Fraction(curve.at(e)) for e in epsilons.tolist()])
    corners = list(zip([Fraction(0), *xs], [Fraction(1), *dots], strict=True))
    # Under P a corner at x has mass x (slope after - slope before); slopes of nearly equal values need rationals.
    slopes = [(right - left) / (b - a) for (a, left), (b, right) in pairwise(corners)]
    mass = [
        float(x * (after - before)) for x, (before, after) in zip(xs, pairwise([*slopes, Fraction(0)]), strict=True)
    ]
    return Losses(step, -(len(epsilons) // 2), np.maximum(np.array(mass), 0), float(dots[-1]))


def _convex(xs: list[Fraction], values: list[Fraction]) -> list[Fraction]:
    """The largest convex function below the dots and (0, 1): still above the curve, which is convex."""
    hull: list[tuple[Fraction, Fraction]] = []
    for point in zip([Fraction(0), *xs], [Fraction(1), *values], strict=True):
        while len(hull) > 1 and _bends_down(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    knots = iter(hull)
    left, right = next(knots), next(knots)
    smooth = []
    for x in xs:
        while x > right[0]:
            left, right = right, next(knots)
        smooth.append(left[1] + (right[1] - left[1]) * (x - left[0]) / (right[0] - left[0]))
    return smooth


def _bends_down(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction], c: tuple[Fraction, Fraction]) -> bool:
    return (b[1] - a[1]) * (c[0] - b[0]) >= (c[1] - b[1]) * (b[0] - a[0])
