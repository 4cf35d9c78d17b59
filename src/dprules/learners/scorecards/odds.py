"""What scores mean where there are more than two classes: how much the odds of a class grow with its points."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from dprules.learners.scorecards.groups import Grouped, offsets_of
from dprules.learners.scorecards.recipe import LEAST_SLOPE, QUANTILES

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

DRAWN = 4096
"""Made-up records, with columns independent of each other, that say which leads to expect."""
_SEED = 20_260
"""Of the made-up records: everything that they are drawn from is public."""
_CAUTION = 1.1
"""Chance is thought to have moved so many times as many weights as expected: a card says less rather than more."""
_SCALES = np.geomspace(LEAST_SLOPE, 3.0, 50)
"""Of the card's own scale, that are tried."""


@dataclass(frozen=True, slots=True, eq=False)
class MadeUp:
    """Scores of made-up records, and the cells of their leads: public.

    Parameters
    ----------
    scores : array
        A row for each record, a column for each class, in points.
    starts : array
        The first lead of each cell but the first.
    cells : array
        The cell of each record.
    """

    scores: Integers
    starts: Integers
    cells: Integers

    @classmethod
    def of(cls, columns: Sequence[Grouped], points: Integers, base: Integers) -> "MadeUp":
        """Draw records from the shares of groups."""
        generator = np.random.default_rng(_SEED)
        scores = np.tile(base, (DRAWN, 1))
        for column, (first, last) in zip(columns, offsets_of(columns), strict=True):
            scores += points[first:last][generator.choice(column.size, DRAWN, p=column.shares)]
        leads = np.sort(scores, axis=1)
        lead = leads[:, -1] - leads[:, -2]
        starts = np.unique(np.quantile(lead, QUANTILES, method="higher").astype(np.int64)) + 1
        starts = starts[starts <= lead.max()]
        return cls(scores, starts, np.searchsorted(starts, lead, side="right").astype(np.int64))

    def confidence(self, points_per_unit: float) -> Floats:
        """Return the mean probability of the leading class in each cell, at a scale."""
        powers = np.exp((self.scores - self.scores.max(axis=1, keepdims=True)) / points_per_unit)
        return self._mean(powers.max(axis=1) / powers.sum(axis=1))

    def chance(self, shares: Floats) -> Floats:
        """Return how often the leading class would be right in each cell if scores said nothing of the class."""
        return self._mean(shares[self.scores.argmax(axis=1)])

    def made_by_chance(self, claims: Floats, shares: Floats, moved: float, records: float) -> float:
        """Return by how much a record is right beyond chance, times claims and in the mean, if chance made the scores.

        Of `moved` weights each record has moved its part towards its own class, whose score is then ahead by
        sqrt(moved / records) standard deviations of scores in the mean (`optimism`). A rare class moves its score
        farther, by up to 1 / share, but noise and clipping hold it back: half way between that and all alike.
        """
        own = self.scores - self.scores.mean(axis=0)
        spread = float(((own - (own @ shares)[:, None]) ** 2 @ shares).mean())
        mean = sqrt(_CAUTION * moved * spread / max(records, 1.0))
        alike = np.ones(len(shares))
        found = []
        for ahead in (alike, 1 / np.maximum(shares, 1e-3)):
            ahead = ahead * mean / float(shares * (1 - shares) @ ahead)
            part = float(shares**2 * (1 - shares) @ ahead**2) / max(spread, 1e-9)
            found.append(self._rightly(self.scores - (1 - sqrt(max(0.0, 1 - part))) * own, ahead, claims, shares))
        return max(0.0, sum(found) / len(found))

    def _rightly(self, scores: Floats, ahead: Floats, claims: Floats, shares: Floats) -> float:
        """How often leaders are right beyond chance, times claims, if a record's own class is so far ahead."""
        chance = self.chance(shares)
        leaders = scores.argmax(axis=1)
        second, first = np.sort(scores, axis=1)[:, -2:].T[:, :, None]
        # A row for each record, a column for each class that might be its own.
        moved = scores + ahead
        right = moved > first
        leads = np.where(right, moved - first, first - np.maximum(second, moved))
        own = np.arange(len(scores)), leaders
        right[own] = True
        leads[own] = moved[own] - second[:, 0]
        cells = np.searchsorted(self.starts, np.rint(leads), side="right")
        return float((claims[cells] * (right - chance[cells])).mean(axis=0) @ shares)

    def _mean(self, values: Floats) -> Floats:
        sizes = np.bincount(self.cells, minlength=len(self.starts) + 1)
        found: Floats = np.bincount(self.cells, weights=values, minlength=len(sizes)) / np.maximum(sizes, 1)
        return np.clip(found, 1e-3, 1 - 1e-3)


def fit_scale(
    counts: Floats, made_up: MadeUp, unit: float, noise: float, shares: Floats, optimism: float = 0.0
) -> tuple[float, float]:
    """Return by how much the card's own scale is right, and how many standard deviations it is from knowing nothing.

    Parameters
    ----------
    counts : array
        Noisy numbers of records by cell: those whose class leads, and those whose class does not.
    made_up : MadeUp
        What leads to expect.
    unit : float
        The weight of a point.
    noise : float
        The standard deviation of each count.
    shares : array
        Of the classes: how often a class is right by chance.
    optimism : float
        The square of the z that a card would show if classes had nothing to do with columns.
    """
    right, wrong = np.maximum(counts, 0.0)
    every = right + wrong
    likelihoods = []
    for scale in _SCALES:
        sure = made_up.confidence(1 / (unit * scale))
        likelihoods.append(float(right @ np.log(sure) + wrong @ np.log(1 - sure)))
    best = float(_SCALES[int(np.argmax(likelihoods))])
    chance = made_up.chance(shares)
    # Cells where the card claims more than chance weigh as much as it claims.
    claims = np.maximum(made_up.confidence(1 / unit) - chance, 1e-3)
    sampling = float(claims**2 @ (every * chance * (1 - chance)))
    variance = sampling + float(claims**2 @ (noise**2 * (chance**2 + (1 - chance) ** 2)))
    z = float(claims @ (right - chance * every)) / sqrt(variance)
    records = max(float(every.sum()), 1.0)
    by_chance = records * made_up.made_by_chance(claims, shares, optimism, records) / sqrt(variance)
    # Whatever a table sees, it sees no more than all of it; its own noise hides a part.
    by_chance = min(by_chance, sqrt(_CAUTION * optimism * sampling / variance))
    trusted = max(0.0, 1 - (1 + by_chance**2) / z**2) if z > 0 else 0.0
    return max(LEAST_SLOPE, best * trusted), z - by_chance


def points_of_shares(shares: Sequence[float], doubling: float) -> Integers:
    """Return what scores start from where nothing but the shares of the classes is known."""
    largest = max(shares)
    return np.array([round(doubling * log2(max(share / largest, 1e-6))) for share in shares], dtype=np.int64)


def doubling_of(unit: float, scale: float) -> float:
    """Return how many points double the odds, at a weight of a point that is right up to `scale`."""
    return log(2) / (unit * scale)
