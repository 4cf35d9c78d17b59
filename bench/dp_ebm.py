"""DP-EBM (interpret) on the bins that everybody else has: what scorecards are measured against.

It gets the codes of the schema: an ordinal feature for each column with cuts, a nominal one for each with values, and
a missing cell is one more value. So nothing is spent on finding bins; what `bin_budget_frac` buys are the weights of
the bins, which its updates divide by.
"""

import warnings
from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bench.data import FOLDER, LABELS, load, split
from bench.measures import MEASURES, Floats, Places, better, means, measure, true_classes
from bench.table import markdown
from dprules.schema import Ordered, Schema
from dprules.tables import open_table, read_matrix

SEEDS = range(5)
EPSILONS = (0.1, 0.5, 1.0, 3.0)
DELTA = 1e-6
SMALL = 10_000
"""Sets with fewer rows are fitted `DRAWS` times a split: the noise of single fits scatters."""
DRAWS = 3
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "large steps": {"learning_rate": 0.1, "max_bins": 256},
    "few rounds": {"max_rounds": 100},
    "few large steps": {"learning_rate": 0.1, "max_bins": 128, "max_rounds": 100},
}
"""What differs from interpret's defaults: 300 rounds, learning rate 0.01, values below 1/31 of the rows merged (32)."""
Texts = NDArray[np.str_]


def run() -> list[dict[str, Any]]:
    if not FOLDER.is_dir():
        print(f"no data in {FOLDER}; set DPRULES_DATA to a folder with the CSV files")
        return []
    return [record for name in LABELS for record in _run_set(name)]


def _run_set(name: str) -> list[dict[str, Any]]:
    table, schema = load(name)
    parts = [[(features(rows, schema), true_classes(rows, schema)) for rows in split(table, seed)] for seed in SEEDS]
    draws = DRAWS if len(table) < SMALL else 1
    results = []
    for epsilon in EPSILONS:
        for setting in SETTINGS:
            found = [
                measure(test[1], probabilities(train, test[0], schema, epsilon, setting))
                for train, test in parts
                for _ in range(draws)
            ]
            results.append({"set": name, "setting": setting, "epsilon": epsilon} | means(found))
            print(*results[-1].values(), flush=True)
    return results


def features(table: pa.Table, schema: Schema) -> Texts:
    """Return the code of each cell as text; the first code is a missing cell."""
    with open_table(table) as opened:
        codes = np.concatenate(list(read_matrix(opened, schema.columns)))
    return (codes + 1).astype(str)


def make(schema: Schema, epsilon: float, setting: str) -> Any:
    """Return a DP-EBM that has not been fitted."""
    from interpret.privacy import DPExplainableBoostingClassifier  # slow to load, and only these benchmarks need it

    kinds = [
        [str(code) for code in range(column.size + 1)] if isinstance(column, Ordered) else "nominal"
        for column in schema.columns
    ]
    return DPExplainableBoostingClassifier(
        feature_names=[column.name for column in schema.columns],
        feature_types=kinds,
        epsilon=epsilon,
        delta=DELTA,
        **SETTINGS[setting],
    )


def probabilities(train: tuple[Texts, Places], test: Texts, schema: Schema, epsilon: float, setting: str) -> Floats:
    """Return what one fit says of the test rows, a column for each class."""
    model = make(schema, epsilon, setting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(*train)
        found: Floats = model.predict_proba(test)
    return found


def best(results: list[dict[str, Any]], name: str, epsilon: float, measure: str, settings: Iterable[str]) -> float:
    """Return the best value of some settings on a set: chosen on the test rows, which favours DP-EBM."""
    values = [
        float(r[measure]) for r in results if r["set"] == name and r["epsilon"] == epsilon and r["setting"] in settings
    ]
    return reduce(lambda one, other: better(measure, one, other), values)


def table(results: list[dict[str, Any]]) -> str:
    if not results:
        return ""
    rows = []
    kinds = {**{name: (name,) for name in SETTINGS}, "the best of these": tuple(SETTINGS)}
    for title, settings in kinds.items():
        cells = []
        for epsilon in EPSILONS:
            values = [np.mean([best(results, name, epsilon, m, settings) for name in LABELS]) for m in MEASURES]
            cells.append(" / ".join(f"{value:.3f}" for value in values))
        rows.append([title, *cells])
    header = ["DP-EBM: " + " / ".join(MEASURES), *(f"epsilon {epsilon:g}" for epsilon in EPSILONS)]
    return markdown(header, rows)
