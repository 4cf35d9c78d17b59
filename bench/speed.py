"""How long a fit takes, and how much memory: from the packed matrix to the list."""

import resource
from functools import partial
from typing import Any

import numpy as np

from bench.data import FOLDER, load
from bench.table import markdown
from bench.timing import alternately
from dprules import PrivateDecisionListClassifier
from dprules.accounting import Account, Unit, cover
from dprules.jobs.example import SCHEMA, hospital_stays
from dprules.learners.lists import ListSettings, greedy_cover, learn_list
from dprules.mechanisms import os_bits
from dprules.tables import PackedSample, open_table, read_records


def run() -> list[dict[str, Any]]:
    results = [fit_beside_popcount()]
    if FOLDER.is_dir():
        results.append(_adult())
    return results + _one_row()


def fit_beside_popcount(size: int = 1_000_000, literals: int = 200) -> dict[str, Any]:
    """Fit rows of many literals, width 1, unlimited rules, beside one pass of numpy's popcount."""
    random = np.random.default_rng(0)
    size -= size % 64
    columns = random.integers(0, 2**64, (literals, size // 64), dtype=np.uint64)
    labels = random.integers(0, 2, size).astype(np.int16)
    features = np.array([[i, -1, -1] for i in range(literals)], dtype=np.int32)
    tilt = cover.tilt(1.0, 1e-6)

    def fit() -> object:
        return greedy_cover(PackedSample.of(columns, labels, 2), features, tilt, (0,), os_bits, capped=False)

    small = PackedSample.of(columns[:, :10].copy(), labels[:640], 2)
    greedy_cover(small, features, tilt, (0,), os_bits, capped=False)  # compile before memory is measured
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours, theirs = alternately(fit, lambda: np.bitwise_count(columns).sum(axis=1, dtype=np.int64), 31)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return {
        "what": f"{size:,} rows x {literals} literals, width 1, unlimited rules",
        "seconds": ours,
        "beside": f"numpy popcount of the packed matrix, {theirs:.4f} s",
        "ratio": ours / theirs,
        "memory": grown / columns.nbytes,
    }


def _adult() -> dict[str, Any]:
    table, schema = load("adult")
    with open_table(table) as opened:
        records = read_records(opened, schema, Unit(), os_bits)
    literals = schema.literals()

    def fit() -> object:
        sample = records.sample(literals, 2)
        return learn_list(sample, literals, schema.label.classes, ListSettings(), Account(1.0, 1e-6), os_bits)

    ours, _ = alternately(fit, lambda: None, 5)
    return {
        "what": "adult, width 2, epsilon 1, from codes",
        "seconds": ours,
        "beside": "",
        "ratio": None,
    }


def _one_row() -> list[dict[str, Any]]:
    """What a fitted estimator says of a single row: without a schema from NumPy, with one from pandas."""
    stays = hospital_stays(8_000, 1)
    frame = stays.to_pandas()
    truths = np.random.default_rng(0).random((8_000, 20)) < 0.5
    cases = {
        "NumPy": (PrivateDecisionListClassifier(), truths, truths[:, 0]),
        "pandas, with a schema": (PrivateDecisionListClassifier(schema=SCHEMA), frame, frame[SCHEMA.label.name]),
    }
    results = []
    for name, (model, X, y) in cases.items():
        model.fit(X, y)
        for verb in ("predict", "predict_proba"):
            ours, _ = alternately(partial(getattr(model, verb), X[:1]), lambda: None, 101)
            results.append(
                {
                    "what": f"`{verb}` of one row, {name}",
                    "seconds": ours,
                    "beside": "",
                    "ratio": None,
                }
            )
    return results


def table(results: list[dict[str, Any]]) -> str:
    rows = [
        [
            str(r["what"]),
            f"{r['seconds']:.2g} s" if r["seconds"] < 0.01 else f"{r['seconds']:.3f} s",
            str(r["beside"]),
            "" if r["ratio"] is None else f"{r['ratio']:.1f}",
            f"{r['memory']:.1f} x the packed matrix" if "memory" in r else "",
        ]
        for r in results
    ]
    return markdown(["fit", "time", "beside", "ratio", "peak memory added"], rows)
