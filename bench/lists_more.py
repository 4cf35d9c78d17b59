"""Lists beyond the default settings: widths, class weights, persons with several rows, the paper's sample bound."""

from collections.abc import Callable
from functools import partial
from statistics import mean
from typing import Any

import numpy as np
import pyarrow as pa

from bench.data import FOLDER, LABELS, load, split
from bench.lists import accuracy
from bench.table import markdown
from dprules.accounting import cover
from dprules.jobs import FitRequest, ListSettings, evaluate, fit, plan_list
from dprules.learners.lists import greedy_cover
from dprules.mechanisms import os_bits
from dprules.schema import Schema
from dprules.tables import PackedSample

SEEDS = range(5)


def run() -> list[dict[str, Any]]:
    results = [_paper_bound()]
    if not FOLDER.is_dir():
        print(f"no data in {FOLDER}; set DPRULES_DATA to a folder with the CSV files")
        return results
    for name in LABELS:
        for kind, weight in (("balanced accuracy", None), ('balanced accuracy, class_weight="balanced"', "balanced")):
            settings = ListSettings(class_weight=weight)
            results.append({"kind": kind, "set": name, "value": _mean(name, settings, _balanced)})
        for width in (1, 2, 3) if name in ("compas", "car", "german") else (1, 2):
            results.append(
                {"kind": f"width {width}", "set": name, "value": _mean(name, ListSettings(width=width), accuracy)}
            )
        print(name, [(r["kind"], f"{r['value']:.3f}") for r in results if r.get("set") == name], flush=True)
    for rows in (1, 2, 5, 10):
        value = _mean("diabetes130", ListSettings(), partial(_with_patients, rows))
        results.append({"kind": "unit", "set": "diabetes130", "rows": rows, "value": value})
    return results


def _mean(name: str, settings: ListSettings, score: Callable[..., float], **unit: Any) -> float:
    table, schema = load(name)
    return mean(score(*split(table, seed), schema, settings, **unit) for seed in SEEDS)


def _with_patients(rows: int, train: pa.Table, test: pa.Table, schema: Schema, settings: ListSettings) -> float:
    """The file does not say whose a stay is: every so many rows are given to one made-up patient."""
    patients = pa.array(np.arange(len(train)) // rows)
    return accuracy(train.append_column("patient", patients), test, schema, settings, unit="patient", unit_rows=rows)


def _balanced(train: object, test: pa.Table, schema: Schema, settings: ListSettings) -> float:
    found = evaluate(fit(FitRequest(train, schema, settings)), test, public=True)
    return found.balanced_accuracy.value or 0.0


def _paper_bound(features: int = 10, error: float = 0.1, failure: float = 0.05, runs: int = 40) -> dict[str, Any]:
    """The paper's score and tilt on as many rows as its theorem asks for, and on as many as ours asks for."""
    plan = plan_list(features, 1.0, 1e-6, width=1, error=error, failure=failure)
    tilts = {"paper": cover.tilt(1.0, 1e-6, accounting="paper"), "ours": cover.tilt(1.0, 1e-6)}
    worst = {
        who: max(_error(features, rows, tilts[who], seed) for seed in range(runs))
        for who, rows in (("paper", plan.paper_rows or 0), ("ours", plan.rows_needed or 0))
    }
    return {"kind": "bound", "features": features, "error": error, "failure": failure, "runs": runs} | {
        "paper_rows": plan.paper_rows,
        "rows": plan.rows_needed,
        "worst": worst,
    }


def _error(features: int, rows: int, tilt: float, seed: int) -> float:
    """The true error of one list, on random records that a random list of all literals labels."""
    random = np.random.default_rng(seed)
    X = random.random((rows, features)) < random.uniform(0.2, 0.8, features)
    order, signs = random.permutation(features), random.random(features) < 0.5
    labels = random.integers(0, 2, features + 1)

    def truth(X: np.ndarray) -> np.ndarray:
        y = np.full(len(X), labels[-1])
        for at in range(features - 1, -1, -1):
            y = np.where(X[:, order[at]] == signs[at], labels[at], y)
        return y

    literals = np.hstack([X, ~X])
    conditions = np.array([[i, -1, -1] for i in range(2 * features)], dtype=np.int32)
    sample = PackedSample.from_booleans(literals, truth(X).astype(np.int16), 2)
    drawn = greedy_cover(sample, conditions, tilt, (0,), os_bits, capped=False)
    new = random.random((20_000, features)) < X.mean(axis=0)
    predicted, held = np.full(len(new), -1), np.hstack([new, ~new])
    for feature, label in drawn:
        covers = np.ones(len(new), bool) if feature < 0 else held[:, feature]
        predicted[covers & (predicted < 0)] = label
    return float((predicted != truth(new)).mean())


def table(results: list[dict[str, Any]]) -> str:
    found = {(r["kind"], r["set"]): r["value"] for r in results if r["kind"] not in ("bound", "unit")}
    kinds = (
        "width 1",
        "width 2",
        "width 3",
        "balanced accuracy",
        'balanced accuracy, class_weight="balanced"',
    )
    rows = [
        [kind, *(f"{found[kind, name]:.3f}" if (kind, name) in found else "" for name in LABELS)]
        for kind in kinds
        if any((kind, name) in found for name in LABELS)
    ]
    bound = next(r for r in results if r["kind"] == "bound")
    units = [r for r in results if r["kind"] == "unit"]
    parts = [markdown(["epsilon 1", *LABELS], rows)] if rows else []
    if units:
        parts.append(
            "What it costs to protect a patient with so many stays (diabetes130, 101,766 stays, which are given to "
            "made-up patients; epsilon 1):\n\n"
            + markdown(
                ["stays of a patient", *(str(r["rows"]) for r in units)],
                [["accuracy", *(f"{r['value']:.3f}" for r in units)]],
            )
        )
    parts.append(
        f"Sample bounds, {bound['features']} features, realizable, epsilon 1: for an error of {bound['error']} "
        f"with probability {1 - bound['failure']:.2f} the paper's theorem asks for {bound['paper_rows']:,} rows; "
        f"with its settings the worst error of {bound['runs']} runs was {bound['worst']['paper']:.4f}. "
        f"Ours asks for {bound['rows']:,} rows ({bound['paper_rows'] / bound['rows']:.0f} times fewer); "
        f"worst error {bound['worst']['ours']:.4f}."
    )
    return "\n\n".join(parts)
