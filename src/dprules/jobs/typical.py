"""What is typical: the very fit that users run, on made-up tables of the shape of their schema."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.jobs.fitting import FitRequest, fit
from dprules.jobs.made_up import DIFFICULTIES, Difficulty, make_up
from dprules.jobs.prediction import predict
from dprules.jobs.without_privacy import fit_yardsticks
from dprules.learners.lists import LENGTHS, ListSettings, Typical
from dprules.learners.settings import Progress
from dprules.numbers import Real
from dprules.schema import Schema, Value

MOST_ROWS = 100_000
"""Of a made-up table."""
MOST_WORK = 2 * 10**9
"""Rows of a made-up table times conditions..."""
FEW_ROWS = 2_000
"""... but so many rows in any case."""
TABLES = 8
"""Made-up tables of each difficulty..."""
FEW_TABLES = 3
"""... fewer where there are many conditions, so that a plan takes some 20 seconds at the most..."""
MOST_CANDIDATES = 160_000
"""... as many as keep tables times conditions below this."""
NEW_ROWS = 10_000
"""On which accuracy is measured."""
MANY_CONDITIONS = 120_000
"""From here on the yardsticks have 5 or 10 rules only..."""
VERY_MANY_CONDITIONS = 10**6
"""... and from here on 5, on a single table: each of them takes long."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried on made-up tables: the fit that is planned. Public.

    Parameters
    ----------
    schema : Schema
        Of the table.
    settings : ListSettings
        Of the fit.
    epsilon, delta, neighbours
        Its budget.
    conditions : int
        That it chooses from.
    """

    schema: Schema
    settings: ListSettings
    epsilon: Real
    delta: Real
    neighbours: str
    conditions: int

    def rows(self, wanted: int) -> int:
        """Return how many rows are simulated: not so many that one fit would take long."""
        return min(wanted, MOST_ROWS, max(FEW_ROWS, MOST_WORK // self.conditions))

    @property
    def tables(self) -> int:
        """How many tables of each difficulty are made up: by public sizes alone, so that a plan can be repeated."""
        least = FEW_TABLES if self.conditions < VERY_MANY_CONDITIONS else 1
        return min(TABLES, max(least, MOST_CANDIDATES // self.conditions))

    @property
    def lengths(self) -> Sequence[int]:
        """Numbers of rules that the yardsticks without privacy have."""
        if self.conditions < MANY_CONDITIONS:
            return LENGTHS
        return LENGTHS[:2] if self.conditions < VERY_MANY_CONDITIONS else LENGTHS[:1]

    def run(self, rows: int, difficulty: Difficulty, seed: int) -> tuple[float, ...]:
        """Return accuracy, baseline, accuracy without privacy, and the best there is, on one made-up table."""
        made = make_up(self.schema, rows + NEW_ROWS, difficulty, seed)
        old, new = made.table.slice(0, rows), made.table.slice(rows)
        request = FitRequest(old, self.schema, self.settings, self.epsilon, self.delta, self.neighbours, seed=seed)
        private = fit(request).model
        plain = fit_yardsticks(FitRequest(old, made.schema), self.lengths, self.settings.width)
        # By how likely the labels are: labels that were drawn would let a list be better than the best by luck.
        chances = made.chances[rows:]
        accuracies = [_expect_right(predict(rules, new), self.schema.label.classes, chances) for rules in plain]
        return (
            _expect_right(predict(private, new), self.schema.label.classes, chances),
            float(chances.mean(axis=0).max()),
            max(accuracies),  # on these rows, which nobody knows before: few rows do not support long lists
            float(chances.max(axis=1).mean()),
        )


def _expect_right(predicted: NDArray[Any], classes: Sequence[Value], chances: NDArray[np.float64]) -> float:
    """Return how often these predictions are right, on average over the labels that the rows may have."""
    sums = [chances[predicted == value, place].sum() for place, value in enumerate(classes)]
    return float(sum(sums) / len(chances))


def simulate(trial: Trial, rows: int, progress: Progress) -> tuple[tuple[Typical, ...], int]:
    """Fit made-up tables, and return what is typical for each difficulty, and the rows that they had.

    Noise is seeded, so that a plan can be repeated: nothing here is private.
    """
    simulated = trial.rows(rows)
    runs: dict[Difficulty, list[tuple[float, ...]]] = {difficulty: [] for difficulty in DIFFICULTIES}
    tables = trial.tables
    for seed in range(tables):
        for place, difficulty in enumerate(DIFFICULTIES):
            progress("trying made-up tables", seed * len(DIFFICULTIES) + place, tables * len(DIFFICULTIES))
            runs[difficulty].append(trial.run(simulated, difficulty, seed))
    return tuple(_summarise(difficulty, found) for difficulty, found in runs.items()), simulated


def _summarise(difficulty: Difficulty, runs: list[tuple[float, ...]]) -> Typical:
    private, baseline, plain, best = np.array(runs).T
    return Typical(
        name=difficulty.name,
        tables=len(runs),
        accuracy=float(private.mean()),
        low=float(private.min()),
        high=float(private.max()),
        baseline=float(baseline.mean()),
        without_privacy=float(plain.mean()),
        best=float(best.mean()),
    )
