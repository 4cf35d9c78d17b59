"""Tilts beside the paper's, with counts of the rules, and in one price with class counts."""

from fractions import Fraction
from functools import partial
from math import exp
from typing import Any

from bench.table import markdown
from bench.timing import seconds
from dprules.accounting import counted, cover
from dprules.accounting.counted import Parts

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
RULES = (2, 3, 5, 10, 20)
SHARE = 0.02
"""Of epsilon, for class counts."""
RATIOS = (1.5, 1.8)
"""Of the two deltas that one price for class counts and rules fixes (decision 012)."""


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
    return results + [_counted(rules) for rules in RULES]


def _counted(rules: int) -> dict[str, Any]:
    """Tilts of a counted list at (1, 1e-6), and what one price with the class counts would add to them."""
    plain = cover.tilt(1.0, 1e-6, reward=1, rounds=rules)
    parts = {str(part): counted.tilt(1.0, 1e-6, rules, parts=Parts(Fraction(part))) for part in ("3/4", "9/10")}
    gains = {f"{e:g}, {ratio:g}": _joint_gain(e, rules, ratio) for e in (0.1, 1.0, 3.0) for ratio in RATIOS}
    return {"rules": rules, "plain": plain, "parts": parts, "gains": gains}


def _joint_gain(epsilon: float, rules: int, ratio: float, delta: float = 1e-6) -> float:
    """How much more tilt than the sum: W_T(e^(epsilon - h)) <= A and W_T(e^(epsilon + h)) <= B, A = ratio * B."""
    h = SHARE * epsilon
    p = exp(h) / (1 + exp(h))
    b = delta / (p * ratio + 1 - p)
    parts = Parts.of(rules)
    at_both = (
        counted.tilt(epsilon - h, ratio * b, rules, parts=parts),
        counted.tilt(epsilon + h, b, rules, parts=parts),
    )
    return min(at_both) / counted.tilt(epsilon - h, delta, rules, parts=parts) - 1


def table(results: list[dict[str, Any]]) -> str:
    def cell(row: dict[str, Any], epsilon: float) -> str:
        exact, paper = row[f"tilt {epsilon}"], row[f"paper {epsilon}"]
        return f"{exact:.4f} ({exact / paper:.1f} x)"

    header = ["tilt at delta 1e-6 (times the paper's)", *(f"epsilon {e:g}" for e in EPSILONS), "longest calibration"]
    rows = [
        [str(row["setting"]), *(cell(row, e) for e in EPSILONS), f"{max(row[f'seconds {e}'] for e in EPSILONS):.2f} s"]
        for row in results
        if "setting" in row
    ]
    lists = [row for row in results if "rules" in row]
    free = [
        ["rules alone, reward 1", *(f"{row['plain']:.4f}" for row in lists)],
        *(
            [f"with counts, last draw {part}", *(f"{row['parts'][part]:.4f}" for row in lists)]
            for part in ("3/4", "9/10")
        ),
    ]
    joint = [
        [f"epsilon {name}", *(f"{row['gains'][name]:+.1%}" for row in lists)]
        for name in (lists[0]["gains"] if lists else ())
    ]
    numbers = [f"{row['rules']} rules" for row in lists]
    return "\n\n".join(
        [
            markdown(header, rows),
            markdown(["tilt at (1, 1e-6)", *numbers], free),
            markdown(["tilt that one price with class counts would add, by epsilon and ratio", *numbers], joint),
        ]
    )
