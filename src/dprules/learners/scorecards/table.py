"""What scores mean: a logistic curve through noisy cells, drawn towards no slope where noise could have made it up."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from dprules.learners.scorecards.recipe import LEAST_SLOPE
from dprules.models import Estimate
from dprules.models.meaning import RiskTable

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_ROWS = 30
"""Of a table of risks: with more scores than that, neighbouring ones share a row."""
CERTAIN = log(199.0)
"""Risks below 0.5% and above 99.5% share the first and the last row."""
SURER = log(999.0)
"""Where a class is rare: below 0.1%."""
RARE = 0.05
"""The share below which a class is rare."""
LEAST_RISK = 0.001
"""No table is surer than that, nor prints finer steps."""
MOST_STRAIGHT = 3
"""Cells below which a curve is not bent."""
CONFIDENT = 1.96
"""Standard deviations of a 95% interval."""


def rake(counts: Floats, totals: Floats, noise: float, noise_of_totals: float) -> Floats:
    """Return cells by class that add up to what is known best of each class: both measurements are weighed.

    Parameters
    ----------
    counts : array
        By class and cell.
    totals : array
        By class, measured on their own.
    noise, noise_of_totals : float
        Standard deviations.
    """
    cells = counts.shape[1]
    trust = cells * noise**2 / (cells * noise**2 + noise_of_totals**2)
    raked: Floats = counts + trust * (totals - counts.sum(axis=1))[:, None] / cells
    return raked


@dataclass(frozen=True, slots=True, eq=False)
class Bends:
    """Where the cells leave the logistic curve by more than noise and chance explain, and by how much.

    Parameters
    ----------
    scores : array
        The mean score of each cell, increasing.
    offsets : array
        What is added to the log odds there; between cells on a line, and beyond them as at the ends.
    variances : array
        Of the offset at a score: offsets differ from score to score as they do from cell to cell.
    """

    scores: Floats
    offsets: Floats
    variances: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """log odds = intercept + slope * score, and an offset where the cells ask for one; and how sure that is.

    Parameters
    ----------
    intercept, slope : float
        For a score in points.
    covariance : array
        Of both.
    z : float
        How many standard deviations the slope is from what chance alone would show.
    bends : Bends or None
        Where it leaves the straight line.
    """

    intercept: float
    slope: float
    covariance: Floats
    z: float
    bends: Bends | None = None

    def log_odds(self, score: float) -> float:
        """Return the log odds at a score: they never fall."""
        if self.bends is None:
            return self.intercept + self.slope * score
        # What does not fit a straight line is not drawn on as one: beyond the cells the risk stays the same.
        measured = min(max(score, self.bends.scores[0]), self.bends.scores[-1])
        offset = float(np.interp(measured, self.bends.scores, self.bends.offsets))
        return float(self.intercept + self.slope * measured + offset)

    def risk(self, scores: Sequence[int], masses: Floats) -> Estimate:
        """Return the mean risk of some scores in whole tenths of a percent, with its interval.

        Parameters
        ----------
        scores : sequence of int
            That share a row.
        masses : array
            How common each of them is thought to be.
        """
        shares = masses + 1e-9
        middle = float(shares @ scores / shares.sum())
        at = np.array([1.0, middle])
        variance = max(0.0, float(at @ self.covariance @ at))
        if self.bends is not None:
            variance += float(np.interp(middle, self.bends.scores, self.bends.variances))
        mean = float(shares @ [_logistic(self.log_odds(score)) for score in scores] / shares.sum())
        mean = min(max(mean, LEAST_RISK / 10), 1 - LEAST_RISK / 10)
        odds, reach = log(mean / (1 - mean)), CONFIDENT * sqrt(variance)
        low, value, high = (round(_logistic(x), 3) for x in (odds - reach, odds, odds + reach))
        shown = min(max(value, LEAST_RISK), 1 - LEAST_RISK)
        return Estimate(shown, min(low, shown), max(high, shown))


@dataclass(frozen=True, slots=True, eq=False)
class ScoreLaw:
    """What scores to expect in each cell, if columns were independent.

    Parameters
    ----------
    lowest : int
        The first score.
    masses : array
        Of all scores from the lowest on.
    starts : array
        The first score of each cell but the first.
    reachable : array or None
        The scores that points can add up to, increasing; None: all of them.
    """

    lowest: int
    masses: Floats
    starts: Integers
    reachable: Integers | None = None

    @property
    def scores(self) -> Integers:
        """All scores."""
        return self.lowest + np.arange(len(self.masses))

    def mean(self, values: Floats) -> Floats:
        """Return the mean of a value of each score, cell by cell."""
        cells = np.searchsorted(self.starts, self.scores, side="right")
        masses = self.masses + 1e-300
        sizes = np.bincount(cells, weights=masses, minlength=len(self.starts) + 1)
        found: Floats = np.bincount(cells, weights=masses * values, minlength=len(sizes)) / np.maximum(sizes, 1e-300)
        return found


def fit_curve(counts: Floats, law: ScoreLaw, noise: float, own_slope: float, optimism: float = 0.0) -> Curve:
    """Fit a logistic curve to raked cells, and bend it where it does not fit.

    Parameters
    ----------
    counts : array
        Negative and positive records by cell, with noise.
    law : ScoreLaw
        What scores to expect in each cell: its risk is the mean of theirs, not that of their mean.
    noise : float
        The standard deviation of each count.
    own_slope : float
        The slope that the card itself claims: the weight of a point.
    optimism : float
        The square of the z that a card would show if classes had nothing to do with columns: it has seen these records.
    """
    negative, positive = np.maximum(counts, 0.0)
    every = negative + positive + 1e-9
    share = min(max(float(positive.sum() / every.sum()), 1e-3), 1 - 1e-3)
    means = law.mean(law.scores.astype(np.float64))
    centre = float(every @ means / every.sum())
    spread = sqrt(max(float(every @ (means - centre) ** 2 / every.sum()), 1e-9))
    x: Floats = np.asarray((law.scores - centre) / spread, dtype=np.float64)
    z, sampled = _score_test(positive, every, (means - centre) / spread, share, noise)
    seen = optimism * sampled  # the table's own noise hides a part of it
    trusted = max(0.0, 1 - (1 + seen) / z**2) if z > 0 else 0.0
    found = _newton(positive, every, x, law, share) * trusted
    slope = max(found, LEAST_SLOPE * own_slope * spread)
    intercept = _intercept(every, x, law, slope, share)
    # The slope is that of z - (1 + seen) / z: where little is trusted, it moves twice as fast as z does.
    wider = np.diag([1.0, 2 - trusted])
    covariance = wider @ _covariance(every, x, law, intercept, slope, noise) @ wider
    covariance[1, 1] += (
        slope - found
    ) ** 2  # where the card's own slope is taken, intervals hold the one that was found
    # From standardised scores to points.
    back = np.array([[1.0, -centre / spread], [0.0, 1 / spread]])
    intercept, slope = intercept - slope * centre / spread, slope / spread
    straight = Curve(intercept, slope, back @ covariance @ back.T, z - sqrt(seen))
    return replace(straight, bends=_bend(straight, positive, every, law, noise, seen))


def _bend(
    straight: Curve, positive: Floats, every: Floats, law: ScoreLaw, noise: float, optimism: float
) -> Bends | None:
    """Return the offsets of cells, each drawn towards 0 as far as noise and chance could have made it.

    Nothing is bent unless all cells together are farther off than noise, chance and optimism explain.
    """
    means = law.mean(law.scores.astype(np.float64))
    cells = len(means)
    lines = straight.intercept + straight.slope * means
    expected = np.clip(
        law.mean(_logistics(straight.intercept + straight.slope * law.scores.astype(np.float64))), 1e-4, 1 - 1e-4
    )
    own = np.clip(positive / every, 0.5 / (every + 1), 1 - 0.5 / (every + 1))
    # Information half way between the curve and the cell: at the curve alone a cell far off would seem to say nothing.
    risks = (expected + own) / 2
    information = every * risks * (1 - risks) + 1
    chance = (information + noise**2 * (risks**2 + (1 - risks) ** 2)) / information**2
    observed = np.log(own / (1 - own)) - np.log(expected / (1 - expected))
    steps = (positive - every * expected) / information  # as far as the data push, in the first step of Newton's
    misfit = float((steps**2 / chance).sum())
    if cells < MOST_STRAIGHT or misfit < cells - 2 + 2 * sqrt(2 * (cells - 2)) + optimism:
        return None
    trust = np.maximum(0.0, 1 - chance / np.maximum(steps**2, 1e-12)) * (1 - optimism / misfit)
    offsets = np.sign(observed) * np.minimum(np.abs(observed), 2 * np.abs(steps))
    bent = _never_falling(lines + trust * offsets, every)
    # Between two cells the curve may turn anywhere, unless it goes on as the line does, or does not rise at all.
    turns = np.minimum(np.abs(np.diff(bent)), np.abs(np.diff(bent - lines))) ** 2 / 12
    left = np.maximum(np.append(turns, 0.0), np.append(0.0, turns))
    return Bends(means, bent - lines, trust * chance + left)


def _never_falling(values: Floats, weights: Floats) -> Floats:
    """Return the nearest values that never fall: neighbours that do are averaged."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, p, m), (b, q, n) = pools[-2:]
            pools[-2:] = [((a * p + b * q) / (p + q), p + q, m + n)]
    return np.repeat([value for value, _, _ in pools], [size for _, _, size in pools])


def _score_test(positive: Floats, every: Floats, x: Floats, share: float, noise: float) -> tuple[float, float]:
    """How far the slope is from none, in standard deviations of sampling and noise, and the part of sampling."""
    sampling = float(x**2 @ (every * share * (1 - share)))
    variance = sampling + float((x**2).sum()) * noise**2 * (share**2 + (1 - share) ** 2)
    if variance <= 0:
        return 0.0, 0.0
    return float(x @ (positive - share * every)) / sqrt(variance), sampling / variance


def _newton(positive: Floats, every: Floats, x: Floats, law: ScoreLaw, share: float) -> float:
    """The slope of largest likelihood, with a pinch against certainty."""
    a, b = log(share / (1 - share)), 0.0
    for _ in range(50):
        risks, design = _cells_of(a, b, x, law)
        weight = 1 / (risks * (1 - risks))
        gradient = design @ (weight * (positive - every * risks)) - np.array([0.0, b])
        hessian = (design * (every * weight)) @ design.T + np.diag([1e-6, 1.0])
        step = np.linalg.pinv(hessian) @ gradient
        step /= max(1.0, float(np.abs(step).max()))
        a, b = a + float(step[0]), b + float(step[1])
        if np.abs(step).max() < 1e-8:
            break
    return b


def _cells_of(a: float, b: float, x: Floats, law: ScoreLaw) -> tuple[Floats, Floats]:
    """The risk of each cell, and how it changes with a and b."""
    risks = _logistics(a + b * x)
    slopes = risks * (1 - risks)
    found = np.clip(law.mean(risks), 1e-6, 1 - 1e-6)
    return found, np.stack([law.mean(slopes), law.mean(slopes * x)])


def _intercept(every: Floats, x: Floats, law: ScoreLaw, slope: float, share: float) -> float:
    """The intercept that keeps the share of the positive class, by halving."""
    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        if float(every @ law.mean(_logistics(middle + slope * x))) < share * every.sum():
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _covariance(every: Floats, x: Floats, law: ScoreLaw, intercept: float, slope: float, noise: float) -> Floats:
    """Of intercept and slope: what sampling and noise do to the equations that they solve."""
    risks, design = _cells_of(intercept, slope, x, law)
    weight = 1 / (risks * (1 - risks))
    sampling = every * risks * (1 - risks)
    added = noise**2 * (risks**2 + (1 - risks) ** 2)
    bread = np.linalg.pinv((design * (every * weight)) @ design.T + 1e-6 * np.eye(2))
    spread: Floats = bread @ ((design * (weight**2 * (sampling + added))) @ design.T) @ bread
    return spread


def tabulate(curve: Curve, law: ScoreLaw, decides_at: float = 0.0) -> RiskTable:
    """Return the risks of all scores that can occur, in at most about 30 rows.

    Parameters
    ----------
    curve : Curve
        What scores mean.
    law : ScoreLaw
        All scores, and how common they are.
    decides_at : float
        The log odds at which the answer changes: a row begins there, so that no row is in two minds.
    """
    possible = (law.scores if law.reachable is None else law.reachable).tolist()
    typical = float(law.masses @ [_logistic(curve.log_odds(score)) for score in law.scores.tolist()])
    # Beyond certainty the rows would all look alike; where a class is rare, most records are near certain.
    doubt, belief = (SURER if rare < RARE else CERTAIN for rare in (typical, 1 - typical))
    first = max(0, bisect_left(possible, -doubt, key=curve.log_odds) - 1)
    last = min(len(possible) - 1, bisect_left(possible, belief, key=curve.log_odds))
    turn = bisect_left(possible, decides_at, key=curve.log_odds)
    rows = _share_rows(possible[first : last + 1], possible[turn] if first < turn <= last else possible[first])
    risks = [curve.risk(row, law.masses[np.array(row) - law.lowest]) for row in rows]
    kept: list[int] = []
    shown = [risks[0]]
    for row, risk in zip(rows[1:], risks[1:], strict=True):
        if risk.value > shown[-1].value:
            kept.append(row[0])
            shown.append(risk)
    return RiskTable(tuple(kept), tuple(shown))


def _share_rows(scores: Sequence[int], turn: int) -> list[list[int]]:
    """Return the scores row by row: each has its own; many share rows of equal width, of which one begins at `turn`."""
    if len(scores) <= MOST_ROWS:
        return [[score] for score in scores]
    width = -(-(scores[-1] - scores[0] + 1) // MOST_ROWS)
    return [list(row) for _, row in groupby(scores, key=lambda score: (score - turn) // width)]


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -700 else 0.0


def _logistics(x: Floats) -> Floats:
    risks: Floats = 1 / (1 + np.exp(-np.clip(x, -700, 700)))
    return risks
