"""How much of its claim each check of the end-to-end audit finds: its power, not only its verdict."""

from typing import Any

from bench.table import markdown
from dprules.audit import Progress
from dprules.jobs import audit_end_to_end

MINUTES_OF_ALL = 12.0
MINUTES_OF_LONGER = 6.0
LONGER = (
    "list, one row more",
    "evaluation, one row more",
    "stream, one event exchanged",
    "scorecard, one row more",
)
"""Checks that are run again by themselves, with as many runs as the minutes allow."""


def run() -> list[dict[str, Any]]:
    every = audit_end_to_end(MINUTES_OF_ALL, processes=None)
    longer = audit_end_to_end(MINUTES_OF_LONGER, LONGER, processes=None)
    return [
        *(_row(one, f"all, {MINUTES_OF_ALL:g} minutes") for one in every.known),
        *(_row(one, f"these four, {MINUTES_OF_LONGER:g} minutes") for one in longer.known),
    ]


def _row(one: Progress, run_with: str) -> dict[str, Any]:
    finding = one.finding()
    worst = max(finding.points, key=lambda point: point.ratio)
    return {
        "check": finding.name,
        "with": run_with,
        "claimed": worst.claimed,
        "delta": worst.at,
        "found": worst.found,
        "ratio": worst.ratio,
        "runs": one.runs,
        "holds": finding.holds,
    }


def table(results: list[dict[str, Any]]) -> str:
    header = ["check", "run with", "claimed epsilon", "found, at least", "ratio", "runs of each file", "holds"]
    rows = [
        [
            row["check"],
            row["with"],
            f"{row['claimed']:.3f} at delta {row['delta']:g}",
            f"{row['found']:.3f}",
            f"{row['ratio']:.2f}",
            f"{row['runs']:,}",
            "yes" if row["holds"] else "**no**",
        ]
        for row in results
    ]
    return markdown(header, rows)
