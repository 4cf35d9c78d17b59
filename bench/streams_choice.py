"""Which stream learner, when: one table from the results of the other stream benchmarks; nothing is run here.

Each line is from one run of one benchmark, on the same streams for all learners in it.
"""

import json
from pathlib import Path
from statistics import mean
from typing import Any

from bench.table import markdown

RESULTS = Path(__file__).parent / "results"
LEARNERS = ("segment", "epochs", "dense", "guarded", "batched")
OTHERS = {"segment, width 1": "segment"}
"""Names of the same learners in other benchmarks."""
LINES = (
    ("streams", "stream", "3 of 1,000", "disjunction of 3 of 1,000 Boolean features, 200,000 rounds"),
    (
        "streams_lists",
        "stream",
        "list, 5 rules, 2 alternations, of 1,000 fair bits",
        "list of 5 rules, 1,000 fair bits",
    ),
    ("streams_lists", "stream", "disjunction, 10 of 1,000", "disjunction of 10 of 1,000, 200,000 rounds"),
    ("streams_lists", "set", "nursery", "nursery, 100,000 rounds"),
    ("streams_lists", "set", "adult", "adult, 100,000 rounds"),
    ("streams_lists", "set", "mushroom", "mushroom, 100,000 rounds"),
    ("streams_numeric", "stream", "SEA with drift", "SEA, numbers with drift, 50,000 rounds"),
    ("streams_numeric", "stream", "twonorm", "twonorm, 20 numbers, 50,000 rounds"),
    ("streams_numeric", "stream", "Agrawal, first function", "Agrawal, a rule over numbers, 50,000 rounds"),
    ("streams_drift", "flip", 200_000, "labels turned after 200,000 noisy rounds: excess in the next 100,000"),
    ("streams_drift", "stream", "runs", "runs of 1,000 equal examples, 10 switches, 1.1 million rounds"),
)


def run() -> list[dict[str, Any]]:
    return [{"stream": shown, "mistakes": _find(bench, key, name)} for bench, key, name, shown in LINES]


def _find(bench: str, key: str, name: object) -> dict[str, float]:
    """Return the mean mistakes (or the excess) of every learner that was measured on a stream."""
    results = json.loads((RESULTS / f"{bench}.json").read_text())
    found = next(r for r in results if str(r.get(key)).startswith(str(name)))
    counted = found.get("mistakes") or found["excess"]
    return {OTHERS.get(who, who): mean(values) for who, values in counted.items()}


def table(results: list[dict[str, Any]]) -> str:
    rows = []
    for r in results:
        counted = [r["mistakes"].get(who) for who in LEARNERS]
        best = min(value for value in counted if value is not None)
        rows.append([r["stream"], *(_show(value, best) for value in counted)])
    return markdown(["mistakes, epsilon 1", *LEARNERS], rows)


def _show(value: float | None, best: float) -> str:
    if value is None:
        return ""
    return f"**{value:,.0f}**" if value == best else f"{value:,.0f}"
