"""What the scores of a scorecard mean: a table of risks for two classes, odds for more, and the noisy counts behind."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, log2, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.models.counted import Estimate, estimate_number, estimate_share
from dprules.schema import Value

NORMAL = 1.96
"""Gaussian noise stays within so many standard deviations 95% of the time."""

Scores = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RiskTable:
    """What a score means, for two classes: the rows of a table, each with one risk.

    Parameters
    ----------
    starts : tuple of int
        The first score of each row but the first, increasing: scores below starts[0] are in row 0.
    risks : tuple of Estimate
        Of the positive class, one for each row, increasing; all in whole multiples of 0.001. Their intervals hold
        chance as well as noise, for a curve that rises as smoothly as the cells can show.

    Examples
    --------
    >>> table = RiskTable((0, 1, 8), tuple(Estimate(risk, 0.0, 1.0) for risk in (0.1, 0.2, 0.5, 0.9)))
    >>> table.ranges()
    ['-1 or less', '0', '1 to 7', '8 or more']
    >>> table.ranges(np.array([-9, -3, 0, 2, 6, 20]))
    ['-3 or less', '0', '2 to 6', '20']
    """

    starts: tuple[int, ...]
    risks: tuple[Estimate, ...]

    def rows_of(self, scores: Scores) -> Scores:
        """Return the row of each score."""
        return np.searchsorted(np.array(self.starts, dtype=np.int64), scores, side="right").astype(np.int64)

    def ranges(self, possible: Scores | None = None) -> list[str]:
        """Return the scores of each row in words.

        Parameters
        ----------
        possible : array or None
            Scores that can occur, increasing: rows are named by those. None: all whole numbers.
        """
        if not self.starts:
            return ["any score"]
        rows = [np.zeros(0, dtype=np.int64)] * len(self.risks)
        if possible is not None:
            rows = np.split(possible, np.searchsorted(possible, self.starts))
        edges = [None, *self.starts, None]
        return [_name_row(*row) for row in zip(rows, edges, edges[1:], strict=False)]

    def labels(self, classes: Sequence[Value], positive: Value, weights: Sequence[Fraction] | None) -> list[Value]:
        """Return the class that each row predicts: the largest weight times probability, in a tie the first class."""
        place = list(classes).index(positive)
        found = []
        for risk in self.risks:
            shares = [Fraction(round(1000 * risk.value), 1000)] * 2
            shares[1 - place] = 1 - shares[place]
            weighed = [share * weight for share, weight in zip(shares, weights or [Fraction(1)] * 2, strict=True)]
            found.append(classes[weighed.index(max(weighed))])
        return found

    def document(self) -> dict[str, Any]:
        """Return it as a JSON document."""
        return {"starts": list(self.starts), "risks": [risk.document() for risk in self.risks]}


def _name_row(possible: Scores, start: int | None, after: int | None) -> str:
    """Name the scores from `start` on (None: all lower ones, too) and before `after`, by those that can occur."""
    if len(possible) == 1:
        return str(possible[0])
    first = start if start is None or not len(possible) else int(possible[0])
    last = after if after is None else (int(possible[-1]) if len(possible) else after - 1)
    if first is None:
        return f"{last} or less"
    if last is None:
        return f"{first} or more"
    return str(first) if first == last else f"{first} to {last}"


@dataclass(frozen=True, slots=True)
class OddsTable:
    """Whole numbers in place of powers of two, so that every engine and every export gets the same probabilities.

    Parameters
    ----------
    fine, coarse : tuple of int
        A class that is `lead` points behind the likeliest one has weight fine[lead % m] * coarse[lead // m],
        m = len(fine). Weights are below 2^46: sums of them are exact.
    """

    fine: tuple[int, ...]
    coarse: tuple[int, ...]

    @property
    def last(self) -> int:
        """The largest lead: what is further behind counts as this."""
        return len(self.fine) * len(self.coarse) - 1

    def weigh(self, scores: Scores) -> Scores:
        """Return the weight of each class, from the scores of rows."""
        leads = np.minimum(scores.max(axis=1, keepdims=True) - scores, self.last)
        fine, coarse = np.array(self.fine, dtype=np.int64), np.array(self.coarse, dtype=np.int64)
        weights: Scores = fine[leads % len(fine)] * coarse[leads // len(fine)]
        return weights


FINE = 2**20
COARSE = 2**26


@dataclass(frozen=True, slots=True)
class Odds:
    """What scores mean, for more than two classes: so many points more double the odds of a class.

    Parameters
    ----------
    doubling : Fraction
        Points that double the odds: p(class) is proportional to 2^(score of the class / doubling).

    Examples
    --------
    >>> table = Odds(Fraction(5)).table(10)
    >>> weights = table.weigh(np.array([[10, 5, 0]]))[0]
    >>> (weights / weights.sum()).round(3).tolist()
    [0.571, 0.286, 0.143]
    """

    doubling: Fraction

    def table(self, spread: int) -> OddsTable:
        """Return the powers as whole numbers, for leads up to `spread`, or to odds of one to COARSE."""
        doubling = float(self.doubling)
        last = max(1, min(spread, int(log2(COARSE) * doubling)))
        step = isqrt(last) + 1  # step^2 > last
        fine = [max(1, round(FINE * 2 ** (-lead / doubling))) for lead in range(step)]
        coarse = [max(1, round(COARSE * 2 ** (-lead / doubling))) for lead in range(0, last + 1, step)]
        return OddsTable(tuple(fine), tuple(coarse))

    def handicaps(self, weights: Sequence[Fraction] | None, classes: int) -> tuple[int, ...]:
        """Return the points that class weights add when a class is predicted: as many as change the odds by as much."""
        return tuple(round(float(self.doubling) * log2(weight)) for weight in weights or (1,) * classes)

    def document(self) -> dict[str, Any]:
        """Return it as a JSON document."""
        return {"doubling": str(self.doubling)}


@dataclass(frozen=True, slots=True)
class Cells:
    """The noisy histogram that the meaning of scores was fitted to.

    Parameters
    ----------
    starts : tuple of int
        The first score of each cell but the first. For many classes a score is here the lead of the likeliest class,
        as it was before the base was adapted to what the cells said.
    counts : tuple of tuples of int
        For each cell: records by class in the order of the card's classes (two classes), or how many were given their
        own class and how many another (more classes).
    sigma : Fraction
        Standard deviation of the noise of each count.
    """

    starts: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]
    sigma: Fraction

    def document(self) -> dict[str, Any]:
        """Return it as a JSON document."""
        return {"starts": list(self.starts), "counts": [list(cell) for cell in self.counts], "sigma": str(self.sigma)}


@dataclass(frozen=True, slots=True)
class Totals:
    """Noisy numbers of records by class, in the order of the card's classes, and the standard deviation of each.

    Examples
    --------
    >>> Totals((700, 300), Fraction(10)).records()
    Estimate(value=1000, low=972, high=1028)
    """

    counts: tuple[int, ...]
    sigma: Fraction

    @property
    def noise(self) -> float:
        """The standard deviation of one count, which is rounded."""
        return sqrt(self.sigma**2 + Fraction(1, 12))

    def records(self) -> Estimate | None:
        """Return how many records there are; None: too few to tell."""
        return estimate_number(sum(self.counts), sqrt(len(self.counts)) * self.noise, NORMAL)

    def share(self, place: int) -> Estimate | None:
        """Return the share of a class; None: too few records to tell."""
        return None if self.records() is None else estimate_share(self.counts, place, self.noise, NORMAL)

    def document(self) -> dict[str, Any]:
        """Return it as a JSON document."""
        return {"counts": list(self.counts), "sigma": str(self.sigma)}
