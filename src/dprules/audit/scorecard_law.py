"""The exact law of a private descent on small neighbours, from theory G2 alone, and of noisy histograms.

Two steps of the descent, each with rounded Gaussian noise on its integer sums; the weights of the second follow from
the noisy sums of the first. Groups without records have the same noise in both runs and move no score: they are left
out. What remains is summed over all noise of both steps. Outcomes beyond a reach are left out too, and the others are
put together by their odds; neither can raise a hockey stick, and at multiples of 1/64 the second does not change it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dprules.audit.law import Law

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Noise = Callable[[Integers], Floats]
"""Takes values, and returns the probability that noise has each of them."""

_ODDS = 64
"""Outcomes are told apart by their losses in parts of 1/64."""
_REACH = 5
"""Noise is summed up to so many standard deviations."""
_MOMENTUM = 3
"""Nesterov's: step t looks t / (t + 3) of the last move ahead."""


def rounded_gaussian(sigma: float) -> Noise:
    """Return the law of round(Z), Z normal with mean 0 and standard deviation sigma.

    Examples
    --------
    >>> masses = rounded_gaussian(2.0)(np.arange(-20, 21))
    >>> round(float(masses.sum()), 12), bool(masses[20] == masses.max())
    (1.0, True)
    """

    def mass(values: Integers) -> Floats:
        # Both ends in the lower tail, where differences keep their digits.
        size = np.abs(values)
        found: Floats = ndtr((0.5 - size) / sigma) - ndtr((-0.5 - size) / sigma)
        return found

    return mass


class CardRecord(NamedTuple):
    """A record: its group in each column (groups are numbered through all columns), and its class, 0 or 1."""

    groups: tuple[int, ...]
    label: int


@dataclass(frozen=True, slots=True)
class CardScale:
    """How finely a descent counts; the defaults are the package's, smaller ones leave fewer outcomes.

    Parameters
    ----------
    steps : int
        Parts of 1 in weights and scores.
    largest_score : int
        Scores are clamped to +- this.
    unit : int
        Parts of 1 in probabilities and residuals.
    longest : int
        Residuals are clipped to +- this.
    """

    steps: int = 256
    largest_score: int = 2048
    unit: int = 1024
    longest: int = 512


Rule = Callable[[CardScale, Integers, Integers], Integers]
"""Takes scores (a column for each record) and the records' classes, and returns their residuals."""


def residual_of_each(scale: CardScale, scores: Integers, labels: Integers) -> Integers:
    """Return unit (p - y) of each record, truncated and clipped: nothing but its own score and class goes in.

    Examples
    --------
    >>> residual_of_each(CardScale(), np.array([[0, 0, 2048, 2048]]), np.array([0, 1, 0, 1]))
    array([[ 512, -512,  512,    0]])
    """
    exact = scale.unit * (_risks(scale, scores) - labels)
    return np.clip(np.trunc(exact).astype(np.int64), -scale.longest, scale.longest)


def _risks(scale: CardScale, scores: Integers) -> Floats:
    clamped = np.clip(scores, -scale.largest_score, scale.largest_score)
    found: Floats = 1 / (1 + np.exp(-clamped / scale.steps))
    return found


@dataclass(frozen=True, slots=True)
class CardLaw:
    """A descent on a few records.

    Parameters
    ----------
    sigma : float
        The noise of each step.
    base : float
        The score that all records start from.
    length : float
        What one unit of a noisy sum takes off the weight of its group.
    scale : CardScale
        How finely it counts.
    rule : callable
        The residuals of records.

    Examples
    --------
    >>> law = CardLaw(sigma=2.0, base=0.0, length=1.0, scale=CardScale(unit=2, longest=1))
    >>> here, there = law([], own=[CardRecord((0,), 1)], other=[])
    >>> round(sum(here.values()), 4), round(sum(there.values()), 4)
    (1.0, 1.0)
    """

    sigma: float
    base: float
    length: float
    scale: CardScale = CardScale()
    rule: Rule = residual_of_each

    def __call__(
        self, common: Sequence[CardRecord], own: Sequence[CardRecord], other: Sequence[CardRecord]
    ) -> tuple[Law, Law]:
        """Return the laws of two steps on `common` and `own`, and on `common` and `other`, by the odds of outcomes."""
        here, there = _renumber((*common, *own), (*common, *other))
        groups = 1 + max(group for record in (*here, *there) for group in record.groups)
        noise = rounded_gaussian(self.sigma)
        start = self.weights([], groups)
        first, first_there = self.sums(here, start)[0], self.sums(there, start)[0]
        noisy = first + _grid(np.ones(groups, dtype=np.bool_), _reach(first - first_there, self.sigma))
        p = noise(noisy - first).prod(axis=1)
        q = noise(noisy - first_there).prod(axis=1)
        weights = self.weights([noisy], groups)
        shifts = self.sums(here, weights) - self.sums(there, weights)
        odds = _Odds()
        # Coordinates that are alike in both runs matter only for the weights that they lead to.
        told = np.column_stack([noisy[:, first != first_there], shifts])
        cases, places = np.unique(told, axis=0, return_inverse=True)
        p, q = (np.bincount(places.ravel(), weights=masses) for masses in (p, q))
        case_shifts = cases[:, told.shape[1] - groups :]
        for shift in np.unique(case_shifts, axis=0):
            chosen = (case_shifts == shift).all(axis=1)
            second, second_there = _shifted_masses(shift, self.sigma)
            odds.add(np.outer(p[chosen], second), np.outer(q[chosen], second_there))
        return odds.laws()

    def weights(self, noisy: Sequence[Integers], groups: int) -> Integers:
        """Return the weights that a step looks at, in whole parts, after the noisy sums of all steps before.

        Parameters
        ----------
        noisy : sequence of arrays
            A row for each case, a column for each group.
        groups : int
            How many groups there are.
        """
        before = weights = np.zeros((len(noisy[0]) if noisy else 1, groups))
        for step, sums in enumerate(noisy):
            ahead = weights + step / (step + _MOMENTUM) * (weights - before)
            before = weights
            weights = ahead - self.length * sums
        step = len(noisy)
        return self._whole(weights + step / (step + _MOMENTUM) * (weights - before))

    def sums(self, records: Sequence[CardRecord], weights: Integers) -> Integers:
        """Return the exact sums of residuals by group, for each row of weights."""
        found = np.zeros_like(weights)
        if not records:
            return found
        base = int(self._whole(np.array(self.base)))
        scores = base + np.stack([weights[:, list(record.groups)].sum(axis=1) for record in records], axis=1)
        residuals = self.rule(self.scale, scores, np.array([record.label for record in records]))
        for record, residual in zip(records, residuals.T, strict=True):
            found[:, list(record.groups)] += residual[:, None]
        return found

    def _whole(self, values: Floats) -> Integers:
        return np.rint(self.scale.steps * values).astype(np.int64)


def histogram_laws(here: Sequence[int], there: Sequence[int], sigma: float) -> tuple[Law, Law]:
    """Return the laws of two histograms with noise on every cell, by the odds of outcomes.

    Parameters
    ----------
    here, there : sequence of int
        The exact counts of both runs.
    sigma : float
        The noise of each cell.

    Examples
    --------
    >>> from dprules.audit import hockey_stick
    >>> round(hockey_stick(*histogram_laws([3, 1], [2, 1], 2.0), 0.0), 3)  # twice Phi(1/4), less 1
    0.197
    """
    odds = _Odds()
    shift = np.array(here, dtype=np.int64) - np.array(there, dtype=np.int64)
    odds.add(*_shifted_masses(shift, sigma))
    return odds.laws()


def _shifted_masses(shift: Integers, sigma: float) -> tuple[Floats, Floats]:
    """Return the masses of the outcomes of one release, in two runs whose exact sums differ by this."""
    noise = rounded_gaussian(sigma)
    values = _grid(shift != 0, _reach(shift, sigma))
    return noise(values).prod(axis=1), noise(values + shift[shift != 0]).prod(axis=1)


def _reach(shift: Integers, sigma: float) -> int:
    return ceil(_REACH * sigma) + int(np.abs(shift).max())


class _Odds:
    """Masses of outcomes in two runs, put together by the odds of the runs."""

    def __init__(self) -> None:
        self._here: dict[int, float] = {}
        self._there: dict[int, float] = {}

    def add(self, p: Floats, q: Floats) -> None:
        """Add outcomes."""
        losses = np.floor(_ODDS * (np.log(p) - np.log(q))).astype(np.int64).ravel()
        lowest = int(losses.min())
        for law, masses in ((self._here, p), (self._there, q)):
            for place, mass in enumerate(np.bincount(losses - lowest, weights=masses.ravel()).tolist()):
                if mass > 0:
                    law[lowest + place] = law.get(lowest + place, 0.0) + mass

    def laws(self) -> tuple[Law, Law]:
        """Return both laws."""
        return self._here, self._there


def _grid(used: NDArray[np.bool_], reach: int) -> Integers:
    """Return all vectors of integers up to +-reach in the places that are used; a row each."""
    number = int(used.sum())
    if number == 0:
        return np.zeros((1, 0), dtype=np.int64)
    axes = np.meshgrid(*[np.arange(-reach, reach + 1)] * number, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)


def _renumber(here: Sequence[CardRecord], there: Sequence[CardRecord]) -> tuple[list[CardRecord], list[CardRecord]]:
    """Return the records with groups that have records only."""
    occupied = sorted({group for record in (*here, *there) for group in record.groups})
    place = {group: at for at, group in enumerate(occupied)}
    found = [[CardRecord(tuple(place[g] for g in r.groups), r.label) for r in run] for run in (here, there)]
    return found[0], found[1]
