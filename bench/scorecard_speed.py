"""How fast scorecards are learnt: one step of the descent beside a pass that sums the codes; Adult beside DP-EBM."""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import dp_ebm
from bench.data import FOLDER, load
from bench.measures import true_classes
from bench.table import markdown
from bench.timing import alternately
from dprules.jobs import FitRequest, ScorecardSettings, fit
from dprules.learners.scorecards.descent import Target
from dprules.mechanisms import gaussian, os_bits
from dprules.tables import CodedSample, inlined

ROWS, COLUMNS, BINS = 1_000_000, 20, 9


def run() -> list[dict[str, Any]]:
    results = _step()
    if FOLDER.is_dir():
        results += _adult()
    return results


@inlined
def _add_rows(codes: NDArray[np.uint8]) -> int:
    total = 0
    for row in range(codes.shape[0]):
        for column in range(codes.shape[1]):
            total += codes[row, column]
    return total


@inlined
def _add_bytes(codes: NDArray[np.uint8]) -> int:
    total = 0
    for code in codes:
        total += code
    return total


def _step() -> list[dict[str, Any]]:
    """One step, noise and all, on a million rows; beside it all cores sum the same codes, a byte each."""
    random = np.random.default_rng(0)
    codes = random.integers(0, BINS, (ROWS, COLUMNS)).astype(np.uint8)
    labels = random.integers(0, 2, ROWS).astype(np.int16)
    groups = [np.append(np.arange(BINS), 0)] * COLUMNS  # nothing is missing: that bin is merged
    sample = CodedSample.of(list(codes.T.astype(np.int16)), [BINS] * COLUMNS, labels, 2).grouped(groups)
    target = Target(1, (64, 64), ROWS)
    weights = random.normal(0, 0.3, (sum(sample.sizes), 1))
    cores = os.cpu_count() or 1
    pool = ThreadPoolExecutor(cores)
    rows, run_of_bytes = np.array_split(codes, cores), np.array_split(codes.reshape(-1), cores)
    passes = {
        "a pass on all cores that sums the codes, row by row": lambda: sum(pool.map(_add_rows, rows)),
        "the same as one run of bytes, vectorised": lambda: sum(pool.map(_add_bytes, run_of_bytes)),
    }

    def step() -> object:
        return gaussian(sample.sums(target.residuals(weights, np.zeros(1))), 10_000, os_bits)

    what = f"one step of the descent, {ROWS:,} rows x {COLUMNS} columns of {BINS} bins"
    found = {name: alternately(step, one, 101, min) for name, one in passes.items()}
    return [{"what": what, "seconds": ours, "beside": name, "theirs": theirs} for name, (ours, theirs) in found.items()]


def _adult() -> list[dict[str, Any]]:
    """From a table in memory to the model; DP-EBM gets its codes ready-made."""
    table, schema = load("adult")
    rows = dp_ebm.features(table, schema), true_classes(table, schema)
    results = []
    for setting in dp_ebm.SETTINGS:

        def theirs(setting: str = setting) -> object:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return dp_ebm.make(schema, 1.0, setting).fit(*rows)

        seconds = alternately(lambda: fit(FitRequest(table, schema, ScorecardSettings(), 1.0)), theirs, 5)
        results.append(
            {
                "what": "adult, 20 terms, epsilon 1, from a table in memory",
                "seconds": seconds[0],
                "beside": f"DP-EBM, {setting}",
                "theirs": seconds[1],
            }
        )
    return results


def table(results: list[dict[str, Any]]) -> str:
    rows = [
        [r["what"], f"{r['seconds']:.4f} s", r["beside"], f"{r['theirs']:.4f} s", f"{r['seconds'] / r['theirs']:.2f}"]
        for r in results
    ]
    return markdown(["scorecards", "time", "beside", "time", "ratio"], rows)
