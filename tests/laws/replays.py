"""Run a learner on neighbouring tables with the same releases, and add up by how much its exact sums differ.

Gaussian noise is replaced by a history: outputs that were written down before, whatever the table. What a learner asks
for in two runs with one history is then all that an observer could tell them apart by: if exact sums of release i
differ by a vector d_i, all releases together cost mu^2 = sum |d_i|^2 / sigma_i^2, and everything else, the shapes, the
noise, the number of releases, the prices and the result, must be the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
import pytest

from dprules.accounting import Account, Neighbours, Unit, compose
from dprules.learners.scorecards import ScorecardSettings, descent, learn, learn_scorecard
from dprules.mechanisms import SeededBits
from dprules.schema import Boolean, Categorical, Label
from dprules.tables import CodedSample
from dprules.tables.coded import JointSample

Row = tuple[int, int, int]
"""The codes of two columns (MISSING = -1), and the class."""
COLUMNS = (Categorical("a", ("x", "y", "z")), Boolean("b"))
NAMES = ("p", "q", "r")


@dataclass
class History:
    """What an adversary lets every release show, fixed before any table is seen.

    Parameters
    ----------
    seed : int
        Of the outputs.
    drift : float
        Where noisy sums of residuals lie, in their noise: weights move the other way, to where residuals are largest.
    spread : float
        How far outputs lie apart; with 0 and no drift all weights stay 0, where an exchanged class moves sums the most.
    """

    seed: int
    drift: float = 0.0
    spread: float = 1.0
    given: list[Any] = field(default_factory=list)

    def output(self, place: int, sums: Any, sigma: Fraction) -> Any:
        """The same for every run that asks for the same shape at this place."""
        if place == len(self.given):
            random = np.random.default_rng([self.seed, place])
            # Class counts and bins come first, and are large enough to learn from.
            centre, spread = (100.0, 40.0) if place < 2 else (self.drift * float(sigma), float(sigma))
            outputs = centre + self.spread * spread * random.standard_normal(sums.shape)
            self.given.append(np.rint(outputs).astype(np.int64))
        return self.given[place].copy() if self.given[place].shape == sums.shape else np.zeros_like(sums)


@dataclass
class Run:
    """What one fit asked for, what it was charged, and what came out."""

    asked: list[tuple[Any, Fraction]]
    charged: Any
    result: Any


def distance(one: Run, other: Run) -> Fraction | float:
    """The least mu^2 for which the releases of both runs are mu-GDP; infinite if anything public differs."""
    if len(one.asked) != len(other.asked) or one.charged != other.charged or one.result != other.result:
        return inf
    total = Fraction(0)
    for (sums, sigma), (others, other_sigma) in zip(one.asked, other.asked, strict=True):
        if sums.shape != others.shape or sigma != other_sigma:
            return inf
        total += Fraction(int(((sums - others) ** 2).sum())) / sigma**2
    return total


@dataclass(frozen=True)
class Setup:
    """A learner, and neighbours for it.

    Parameters
    ----------
    terms, class_weight, classes
        Of the learner.
    neighbours : Neighbours
        The relation.
    rows : int
        Rows of a unit.
    """

    terms: int | str = "all"
    class_weight: Any = None
    classes: int = 2
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    rows: int = 1

    def account(self) -> Account:
        return Account(3.0, 1e-6, self.neighbours, Unit("who", self.rows) if self.rows > 1 else Unit())

    def kinds(self) -> list[Row]:
        """Every kind of record."""
        return [(a, b, y) for a in range(-1, 3) for b in range(-1, 2) for y in range(self.classes)]

    def run(self, rows: Sequence[Row], history: History, monkeypatch: pytest.MonkeyPatch) -> Run:
        """Fit with this history in the place of noise."""
        asked: list[tuple[Any, Fraction]] = []

        def release(sums: Any, sigma: Any, bits: object) -> Any:
            exact = np.array(sums, dtype=np.int64)
            asked.append((exact, Fraction(sigma)))
            return history.output(len(asked) - 1, exact, Fraction(sigma))

        monkeypatch.setattr(learn, "gaussian", release)
        monkeypatch.setattr(descent, "gaussian", release)
        account = self.account()
        card = learn_scorecard(
            sample_of(rows, self.classes),
            COLUMNS,
            Label("y", NAMES[: self.classes]),
            ScorecardSettings(terms=self.terms, class_weight=self.class_weight),
            account,
            SeededBits(1),
        )
        return Run(asked, account.charges, (card.document(), str(card)))

    def claimed(self, run: Run) -> Fraction:
        """What was charged for, as the square of mu."""
        events = [release.event for charge in run.charged for release in charge.releases]
        squared = compose.curve(events, self.neighbours, self.rows).mu_squared
        assert isinstance(squared, Fraction)
        return squared

    def worst_ratio(
        self,
        common: Sequence[Row],
        history: History,
        monkeypatch: pytest.MonkeyPatch,
        kinds: Sequence[Row] | None = None,
    ) -> float:
        """The largest distance of neighbours that share some rows, over what was charged."""
        apart = [(row,) * self.rows for row in (self.kinds() if kinds is None else kinds)]
        runs = [self.run([*common, *rows], history, monkeypatch) for rows in apart]
        without = self.run(common, history, monkeypatch)
        pairs = [(run, without) for run in runs]
        if self.neighbours is Neighbours.REPLACE:
            pairs += combinations(runs, 2)
        return float(max(distance(*pair) for pair in pairs) / self.claimed(without))


def sample_of(rows: Sequence[Row], classes: int) -> CodedSample:
    """Records as the learner sees them."""
    cells = np.array(rows, dtype=np.int16).reshape(len(rows), 3)
    columns = [np.ascontiguousarray(cells[:, at]) for at in (0, 1)]
    return CodedSample.of(columns, [column.size for column in COLUMNS], cells[:, 2], classes)


def class_counts(sample: JointSample) -> Any:
    """The exact number of records of each class: for faults to look at."""
    nothing = np.zeros((sum(sample.sizes), 1), dtype=np.int64)
    return sample.score_counts(nothing, np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.arange(2))[:, 0]
