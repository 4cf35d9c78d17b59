"""Scorecards of more than two classes, beside the list."""

from typing import Any

from bench.data import FOLDER, MANY, load_many, split
from bench.scorecards import MODELS, SEEDS, measure_fits
from bench.table import markdown

SETS = ("car", *MANY)
EPSILONS = (0.1, 1.0)
DRAWS = 2


def run() -> list[dict[str, Any]]:
    if not FOLDER.is_dir():
        print(f"no data in {FOLDER}; set DPRULES_DATA to a folder with the CSV files")
        return []
    results = []
    for name in SETS:
        table, schema = load_many(name)
        parts = [split(table, seed) for seed in SEEDS]
        for epsilon in EPSILONS:
            for model in MODELS:
                found = measure_fits(parts, schema, MODELS[model], epsilon, DRAWS)
                results.append({"set": name, "model": model, "epsilon": epsilon} | found)
                print(*results[-1].values(), flush=True)
    return results


def table(results: list[dict[str, Any]]) -> str:
    found = {(r["set"], r["model"], r["epsilon"]): f"{r['accuracy']:.3f} / {r['log loss']:.3f}" for r in results}
    rows = [
        [f"{model}, epsilon {epsilon:g}", *(found[name, model, epsilon] for name in SETS)]
        for epsilon in EPSILONS
        for model in MODELS
    ]
    return markdown(["accuracy / log loss", *SETS], rows) if results else ""
