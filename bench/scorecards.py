"""Scorecards as the command fits them by default, beside the list and DP-EBM: the splits of `lists`, 8 public cuts.

Accuracy, AUC, log loss and Brier. DP-EBM's figures are those of the benchmark `dp_ebm`, which `make bench` runs before.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any

import pyarrow as pa

from bench import dp_ebm
from bench.data import FOLDER, LABELS, load, split
from bench.measures import MEASURES, means, measure, true_classes
from bench.table import markdown
from dprules.jobs import FitRequest, ListSettings, ScorecardSettings, fit, predict, predict_probabilities
from dprules.schema import Schema

SEEDS = range(5)
EPSILONS = (0.1, 0.5, 1.0, 3.0)
DRAWS = 2
"""Fits of each split, and five times as many of small sets: the noise of single fits scatters."""
MODELS: dict[str, ScorecardSettings | ListSettings] = {
    "10 terms": ScorecardSettings(terms=10),
    "20 terms": ScorecardSettings(),
    'terms="all"': ScorecardSettings(terms="all"),
    "list": ListSettings(),
}
RIVAL = Path(__file__).parent / "results" / "dp_ebm.json"


def run() -> list[dict[str, Any]]:
    if not FOLDER.is_dir():
        print(f"no data in {FOLDER}; set DPRULES_DATA to a folder with the CSV files")
        return []
    results = []
    for name in LABELS:
        table, schema = load(name)
        parts = [split(table, seed) for seed in SEEDS]
        draws = DRAWS if len(table) > dp_ebm.SMALL else 5 * DRAWS
        for epsilon in EPSILONS:
            for model in MODELS:
                found = measure_fits(parts, schema, MODELS[model], epsilon, draws)
                results.append({"set": name, "model": model, "epsilon": epsilon} | found)
                print(*results[-1].values(), flush=True)
    return results


def measure_fits(
    parts: Iterable[tuple[pa.Table, pa.Table]],
    schema: Schema,
    settings: ScorecardSettings | ListSettings,
    epsilon: float,
    draws: int = 1,
) -> dict[str, float]:
    """Return the means of all measures over splits and fits."""
    return means(
        [measure_fit(*part, schema, settings, epsilon) for part in parts for _ in range(draws)],
    )


def measure_fit(
    train: pa.Table, test: pa.Table, schema: Schema, settings: ScorecardSettings | ListSettings, epsilon: float
) -> dict[str, float]:
    """Return all measures of one fit, on rows that are public."""
    model = fit(FitRequest(train, schema, settings, epsilon)).model
    said = pa.table({schema.label.name: [str(label) for label in predict(model, test)]})
    return measure(true_classes(test, schema), predict_probabilities(model, test), true_classes(said, schema))


def table(results: list[dict[str, Any]]) -> str:
    if not results:
        return ""
    rival = json.loads(RIVAL.read_text()) if RIVAL.is_file() else []
    found = {(r["set"], r["model"], r["epsilon"]): r for r in results}

    def cell(name: str, model: str, epsilon: float, measure: str) -> float:
        if model in MODELS:
            return float(found[name, model, epsilon][measure])
        return dp_ebm.best(rival, name, epsilon, measure, dp_ebm.SETTINGS)

    models = [*MODELS, *(["DP-EBM"] if rival else [])]
    header = [" / ".join(MEASURES), *(f"epsilon {epsilon:g}" for epsilon in EPSILONS)]
    rows = [
        [model, *(_together(mean(cell(name, model, e, m) for name in LABELS) for m in MEASURES) for e in EPSILONS)]
        for model in models
    ]
    sets = [[model, *(_together(cell(name, model, 1.0, m) for m in MEASURES) for name in LABELS)] for model in models]
    return markdown(header, rows) + "\n\n" + markdown(["epsilon 1", *LABELS], sets)


def _together(values: Iterable[float]) -> str:
    return " / ".join(f"{value:.3f}" for value in values)
