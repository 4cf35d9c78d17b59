"""What is typical: the very fit that users run, on made-up tables of the shape of their schema."""

from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from dprules.jobs.evaluation import Evaluation, evaluate
from dprules.jobs.fitting import FitRequest, fit
from dprules.jobs.made_up import DIFFICULTIES, Difficulty, make_up
from dprules.learners.lists import ListSettings, Progress, Typical
from dprules.numbers import LARGEST, Real
from dprules.schema import Schema

MOST_ROWS = 100_000
"""Of a made-up table."""
MOST_WORK = 10**10
"""Rows of a made-up table times conditions..."""
FEW_ROWS = 2_000
"""... but so many rows in any case."""
TABLES = 8
"""Made-up tables of each difficulty, if there is time."""
SECONDS = 15.0
"""After so long no further tables are begun; there is one of each difficulty at least."""
NEW_ROWS = 10_000
"""On which accuracy is measured."""
SHORT = (3, 8)
"""Numbers of rules that the yardstick without privacy may also have..."""
MOST_QUICK = 50_000
"""... if there are at most so many conditions to choose from: more take long."""


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

    def run(self, rows: int, difficulty: Difficulty, seed: int) -> tuple[float, ...]:
        """Return accuracy, baseline, accuracy without privacy, and the best there is, on one made-up table."""
        made = make_up(self.schema, rows + NEW_ROWS, difficulty, seed)
        old, new = made.table.slice(0, rows), made.table.slice(rows)

        def test(settings: ListSettings, epsilon: Real) -> Evaluation:
            request = FitRequest(old, self.schema, settings, epsilon, self.delta, self.neighbours, seed=seed)
            return evaluate(fit(request), new, public=True)

        private = test(self.settings, self.epsilon)
        # Without noise the recipe makes long lists, which few rows do not support: the best of some lengths.
        lengths = (None, *(SHORT if self.conditions <= MOST_QUICK else ()))
        plain = [test(replace(self.settings, max_rules=rules), LARGEST).accuracy.value or 0.0 for rules in lengths]
        return private.accuracy.value or 0.0, private.baseline.value or 0.0, max(plain), made.best


def simulate(trial: Trial, rows: int, progress: Progress) -> tuple[tuple[Typical, ...], int]:
    """Fit made-up tables, and return what is typical for each difficulty, and the rows that they had.

    Noise is seeded, so that a plan can be repeated: nothing here is private.
    """
    simulated = trial.rows(rows)
    runs: dict[Difficulty, list[tuple[float, ...]]] = {difficulty: [] for difficulty in DIFFICULTIES}
    start = monotonic()
    for seed in range(TABLES):
        if seed and monotonic() - start > SECONDS * seed / (seed + 1):  # another round would take too long
            break
        for place, difficulty in enumerate(DIFFICULTIES):
            progress("trying made-up tables", seed * len(DIFFICULTIES) + place, TABLES * len(DIFFICULTIES))
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
