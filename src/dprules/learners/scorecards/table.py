"""What scores mean: a logistic curve through noisy cells, drawn towards no slope where noise could have made it up."""

from bisect import bisect_left
from dataclasses import dataclass, replace
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
        How many standard deviations the slope is from none.
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
        straight = self.intercept + self.slope * score
        if self.bends is None:
            return straight
        return straight + float(np.interp(score, self.bends.scores, self.bends.offsets))

    def risk(self, score: float) -> Estimate:
        """Return the risk at a score in whole tenths of a percent, with its interval."""
        at = np.array([1.0, score])
        variance = max(0.0, float(at @ self.covariance @ at))
        if self.bends is not None:
            variance += float(np.interp(score, self.bends.scores, self.bends.variances))
        middle, reach = self.log_odds(score), CONFIDENT * sqrt(variance)
        low, value, high = (round(_logistic(x), 3) for x in (middle - reach, middle, middle + reach))
        shown = min(max(value, LEAST_RISK), 1 - LEAST_RISK)
        return Estimate(shown, min(low, shown), max(high, shown))


def fit_curve(counts: Floats, means: Floats, noise: float, own_slope: float) -> Curve:
    """Fit a logistic curve to raked cells, and bend it where it does not fit.

    Parameters
    ----------
    counts : array
        Negative and positive records by cell, with noise.
    means : array
        The mean score of each cell.
    noise : float
        The standard deviation of each count.
    own_slope : float
        The slope that the card itself claims: the weight of a point.
    """
    negative, positive = np.maximum(counts, 0.0)
    every = negative + positive + 1e-9
    share = min(max(float(positive.sum() / every.sum()), 1e-3), 1 - 1e-3)
    centre = float(every @ means / every.sum())
    spread = sqrt(max(float(every @ (means - centre) ** 2 / every.sum()), 1e-9))
    x = (means - centre) / spread
    z = _score_test(positive, every, x, share, noise)
    slope = _newton(positive, every, x, share) * (1 - 1 / z**2) if z > 1 else 0.0
    slope = max(slope, LEAST_SLOPE * own_slope * spread)
    intercept = _intercept(every, x, slope, share)
    covariance = _covariance(every, x, intercept, slope, noise)
    # From standardised scores to points.
    back = np.array([[1.0, -centre / spread], [0.0, 1 / spread]])
    straight = Curve(intercept - slope * centre / spread, slope / spread, back @ covariance @ back.T, z)
    return replace(straight, bends=_bend(straight, positive, every, means, noise))


def _bend(straight: Curve, positive: Floats, every: Floats, means: Floats, noise: float) -> Bends | None:
    """Return the offsets of cells, each drawn towards 0 as far as noise and chance could have made it.

    Nothing is bent unless all cells together are farther off than noise and chance explain.
    """
    cells = len(means)
    lines = straight.intercept + straight.slope * means
    own = np.clip(positive / every, 0.5 / (every + 1), 1 - 0.5 / (every + 1))
    # Information half way between the line and the cell: at the line alone a cell far off would seem to say nothing.
    risks = (np.clip(_logistics(lines), 1e-4, 1 - 1e-4) + own) / 2
    information = every * risks * (1 - risks) + 1
    chance = (information + noise**2 * (risks**2 + (1 - risks) ** 2)) / information**2
    observed = np.log(own / (1 - own)) - lines
    steps = (positive - every * _logistics(lines)) / information
    offsets = np.sign(observed) * np.minimum(np.abs(observed), np.abs(steps))
    misfit = float((offsets**2 / chance).sum())
    if cells < MOST_STRAIGHT or misfit < cells - 2 + 2 * sqrt(2 * (cells - 2)):
        return None
    trust = np.maximum(0.0, 1 - chance / np.maximum(offsets**2, 1e-12))
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


def _score_test(positive: Floats, every: Floats, x: Floats, share: float, noise: float) -> float:
    """How far the slope is from none, in standard deviations of sampling and noise together."""
    sampling = every * share * (1 - share)
    added = noise**2 * (share**2 + (1 - share) ** 2)
    spread = sqrt(float(x**2 @ (sampling + added)))
    return float(x @ (positive - share * every)) / spread if spread > 0 else 0.0


def _newton(positive: Floats, every: Floats, x: Floats, share: float) -> float:
    """The slope of largest likelihood, with a pinch of two records against certainty."""
    a, b = log(share / (1 - share)), 0.0
    for _ in range(50):
        risks = _logistics(a + b * x)
        curvature = every * risks * (1 - risks)
        gradient = np.array([(positive - every * risks).sum(), x @ (positive - every * risks) - b])
        hessian = np.array(
            [[curvature.sum() + 1e-6, x @ curvature], [x @ curvature, x**2 @ curvature + 1.0]],
        )
        step = np.linalg.pinv(hessian) @ gradient
        step /= max(1.0, float(np.abs(step).max()))
        a, b = a + float(step[0]), b + float(step[1])
        if np.abs(step).max() < 1e-10:
            break
    return b


def _intercept(every: Floats, x: Floats, slope: float, share: float) -> float:
    """The intercept that keeps the share of the positive class, by halving."""
    low, high = -50.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        if float(every @ _logistics(middle + slope * x)) < share * every.sum():
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _covariance(every: Floats, x: Floats, intercept: float, slope: float, noise: float) -> Floats:
    """Of intercept and slope: what sampling and noise do to the equations that they solve."""
    risks = _logistics(intercept + slope * x)
    design = np.stack([np.ones_like(x), x])
    sampling = every * risks * (1 - risks)
    added = noise**2 * (risks**2 + (1 - risks) ** 2)
    bread = np.linalg.pinv((design * sampling) @ design.T + 1e-6 * np.eye(2))
    spread: Floats = bread @ ((design * (sampling + added)) @ design.T) @ bread
    return spread


def tabulate(curve: Curve, lowest: int, highest: int, decides_at: float = 0.0) -> RiskTable:
    """Return the risks of all scores from the lowest to the highest, in about 30 rows of equal width.

    Parameters
    ----------
    curve : Curve
        What scores mean.
    lowest, highest : int
        Of all scores.
    decides_at : float
        The log odds at which the answer changes: a row begins there, so that no row is in two minds.
    """
    scores = range(lowest, highest + 1)
    # Beyond certainty the rows would all look alike.
    first = max(lowest, lowest + bisect_left(scores, -CERTAIN, key=curve.log_odds) - 1)
    last = min(highest, lowest + bisect_left(scores, CERTAIN, key=curve.log_odds))
    width = max(1, -(-(last - first + 1) // MOST_ROWS))
    turn = lowest + bisect_left(scores, decides_at, key=curve.log_odds)
    if first < turn <= last:
        first -= (first - turn) % width
    starts = list(range(first, last + 1, width))
    risks = [curve.risk(start + (width - 1) / 2) for start in starts]
    kept: list[int] = []
    shown = [risks[0]]
    for start, risk in zip(starts[1:], risks[1:], strict=True):
        if risk.value != shown[-1].value:
            kept.append(start)
            shown.append(risk)
    return RiskTable(tuple(kept), tuple(shown))


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -700 else 0.0


def _logistics(x: Floats) -> Floats:
    risks: Floats = 1 / (1 + np.exp(-np.clip(x, -700, 700)))
    return risks
