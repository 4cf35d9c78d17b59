"""From weights to whole points, and what scores they would give if columns were independent."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dprules.learners.scorecards.groups import Grouped, offsets_of
from dprules.learners.scorecards.recipe import LARGEST_POINTS, QUANTILES, SMALLEST_UNIT
from dprules.models.reachable import reachable_sums

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def round_to_points(columns: Sequence[Grouped], weights: Floats) -> tuple[Integers, Integers, float]:
    """Return points by group, what they leave for the base, and the weight of one point.

    The commonest group of each column has 0 points: most lines then say nothing, and need not be read.
    """
    largest = float(np.abs(weights).max(initial=0.0))
    unit = max(largest / LARGEST_POINTS, SMALLEST_UNIT)
    points = np.rint(weights / unit).astype(np.int64)
    rest = np.zeros(weights.shape[1], dtype=np.int64)
    for column, (first, last) in zip(columns, offsets_of(columns), strict=True):
        common = points[first + int(np.argmax(column.shares))].copy()
        points[first:last] -= common
        rest += common
    return points, rest, unit


def score_law(columns: Sequence[Grouped], points: Integers) -> tuple[int, Floats]:
    """Return the lowest score and the law of the score, for one score a record and independent columns."""
    lowest = 0
    law = np.ones(1)
    for column, (first, last) in zip(columns, offsets_of(columns), strict=True):
        own = points[first:last, 0]
        part = np.zeros(int(own.max() - own.min()) + 1)
        np.add.at(part, own - own.min(), column.shares)
        law = np.convolve(law, part)
        lowest += int(own.min())
    return lowest, law / law.sum()


def reachable_scores(columns: Sequence[Grouped], points: Integers) -> Integers | None:
    """Return the scores that can occur, for one score a record; None: too many to try."""
    offsets = offsets_of(columns)
    return reachable_sums([points[first:last, 0][c.groups] for c, (first, last) in zip(columns, offsets, strict=True)])


def cell_starts(lowest: int, law: Floats) -> Integers:
    """Return the first scores of all cells but the first: cells end at quantiles of the law."""
    places = np.searchsorted(np.cumsum(law), QUANTILES) + 1
    inside = places[(places > 0) & (places < len(law))]
    starts: Integers = np.unique(inside).astype(np.int64) + lowest
    return starts
