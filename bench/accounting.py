"""What exact accounting buys: tilts beside the paper's, and how long a calibration takes."""

from functools import partial
from typing import Any

from bench.table import markdown
from bench.timing import seconds
from dprules.accounting import cover

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("any number of rounds", {}),
    ("50 rounds", {"rounds": 50}),
    ("20 rounds", {"rounds": 20}),
    ("10 rounds", {"rounds": 10}),
    ("5 rounds", {"rounds": 5}),
    ("20 rounds, reward 1", {"rounds": 20, "reward": 1.0}),
    ("any number of rounds, replace", {"neighbours": "replace"}),
]
EPSILONS = (0.1, 1.0, 10.0)


def run() -> list[dict[str, Any]]:
    results = []
    for name, setting in SETTINGS:
        row: dict[str, Any] = {"setting": name}
        for epsilon in EPSILONS:
            row[f"seconds {epsilon}"] = seconds(partial(cover.tilt, epsilon, 1e-6, **setting))
            exact = cover.tilt(epsilon, 1e-6, **setting)
            paper = cover.tilt(epsilon, 1e-6, setting.get("neighbours", "add-remove"), accounting="paper")
            row |= {f"tilt {epsilon}": exact, f"paper {epsilon}": paper}
        results.append(row)
    return results


def table(results: list[dict[str, Any]]) -> str:
    def cell(row: dict[str, Any], epsilon: float) -> str:
        exact, paper = row[f"tilt {epsilon}"], row[f"paper {epsilon}"]
        return f"{exact:.4f} ({exact / paper:.1f} x)"

    header = ["tilt at delta 1e-6 (times the paper's)", *(f"epsilon {e:g}" for e in EPSILONS), "longest calibration"]
    rows = [
        [str(row["setting"]), *(cell(row, e) for e in EPSILONS), f"{max(row[f'seconds {e}'] for e in EPSILONS):.2f} s"]
        for row in results
    ]
    return markdown(header, rows)
