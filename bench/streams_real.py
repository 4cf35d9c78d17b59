"""Mistakes on real data as streams: shuffled and repeated to 100,000 rounds, epsilon 1, segment beside DP-FTRL."""

from statistics import mean
from typing import Any

import numpy as np

from bench.data import FOLDER, load
from bench.streams import EPSILON, Blocks, leader, plain_mistakes, private_mistakes
from bench.table import markdown
from dprules.learners.streams import DenseBlock, PrivateLearner, SegmentPolicy, StreamFeatures, Winnow
from dprules.tables import open_table, read_matrix

HORIZON, BATCH = 100_000, 500
SEEDS = range(5)
SETS = ("mushroom", "nursery", "adult", "bank")
GRID = [{"link": "l2", "rate": r, "batch": BATCH} for r in (1e-5, 3e-5, 1e-4, 3e-4, 1e-3)] + [
    {"link": "entropic", "rate": r, "batch": BATCH} for r in (3e-5, 1e-4, 3e-4, 1e-3, 3e-3)
]


def run() -> list[dict[str, Any]]:
    if not FOLDER.is_dir():
        print(f"no data in {FOLDER}; set DPRULES_DATA to a folder with the CSV files")
        return []
    results = []
    for name in SETS:
        X, y = _examples(name)
        dimension = X.shape[1] + 1
        found = {"segment": [int(_private(X, y, s)) for s in SEEDS]}
        found["Winnow"] = [plain_mistakes(Winnow(dimension, 0.1), _blocks(X, y, s)) for s in SEEDS[:2]]
        best = min(GRID, key=lambda o: plain_mistakes(leader(dimension, HORIZON, **o), _blocks(X, y, 1000)))
        found["DP-FTRL"] = [plain_mistakes(leader(dimension, HORIZON, seed=s, **best), _blocks(X, y, s)) for s in SEEDS]
        print(name, dimension, best, {k: round(mean(v)) for k, v in found.items()}, flush=True)
        results.append({"set": name, "features": dimension - 1, "mistakes": found, "leader": best})
    return results


def _private(X: np.ndarray, y: np.ndarray, seed: int) -> int:
    return private_mistakes(PrivateLearner(SegmentPolicy.start(X.shape[1] + 1, EPSILON)), _blocks(X, y, seed)).sum()


def _examples(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Each positive literal as a Boolean feature."""
    table, schema = load(name)
    columns = [schema.label.column(), *schema.columns]
    place = {column.name: i for i, column in enumerate(columns)}
    with open_table(table) as opened:
        codes = np.concatenate(list(read_matrix(opened, columns)))
    asked = StreamFeatures(schema).literals
    held = [literal.truth()[codes[:, place[literal.column.name]]] for literal in asked]
    return np.stack(held, axis=1), np.where(codes[:, 0] == 1, 1, -1).astype(np.int8)


def _blocks(X: np.ndarray, y: np.ndarray, seed: int) -> Blocks:
    random = np.random.default_rng(seed)
    order = np.concatenate([random.permutation(len(y)) for _ in range(-(-HORIZON // len(y)))])[:HORIZON]
    for start in range(0, HORIZON, BATCH):
        rows = order[start : start + BATCH]
        yield DenseBlock(np.ascontiguousarray(X[rows])), y[rows]


def table(results: list[dict[str, Any]]) -> str:
    order = ("segment", "DP-FTRL", "Winnow")
    rows = [
        [f"{r['set']} ({r['features']} features)", *(f"{mean(r['mistakes'][who]):,.0f}" for who in order)]
        for r in results
    ]
    return markdown(["mistakes in 100,000 rounds", "segment (delta 0)", "DP-FTRL, tuned", "Winnow, no privacy"], rows)
