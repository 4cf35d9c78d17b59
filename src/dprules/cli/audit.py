"""`dprules audit`: try to break the guarantees."""

import json
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from dprules.cli.exits import Exit
from dprules.errors import ParameterError

if TYPE_CHECKING:
    from dprules.audit.battery import Check
    from dprules.audit.checks import Finding
    from dprules.audit.subject import Subject
    from dprules.report.panels import Panel

EPILOG = "Example: dprules audit --output audit    See it fail: dprules audit --mutate halved-noise"


def audit(
    output: Annotated[Path, typer.Option(help="Folder for the picture and the JSON.")] = Path("dprules-audit"),
    seed: Annotated[int, typer.Option(help="Seed of the search for bad neighbours (not of any mechanism).")] = 0,
    only: Annotated[list[str] | None, typer.Option(help="Run this check only; may be given again.")] = None,
    mutate: Annotated[str | None, typer.Option(help="Plant a fault and see it caught, such as halved-noise.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Put every claim beside exact laws of small instances and beside runs of the code; fail if one is broken.

    Each check searches for neighbours that tell the most, enumerates all transcripts on both, and compares with what
    the accountant claims. A ratio near 1 means the claim is tight; above 1 it would be false.
    """
    from dprules.report.panels import draw_panels

    subject = _subject(mutate)
    checks = _chosen(only)
    output.mkdir(parents=True, exist_ok=True)
    console = Console(stderr=as_json)
    findings = [
        check.run(subject, seed)
        for check in track(checks, "Auditing", console=console, disable=not console.is_terminal)
    ]
    told = [
        asdict(f) | {"what": check.what, "holds": f.holds, "ratio": f.ratio if isfinite(f.ratio) else None}
        for check, f in zip(checks, findings, strict=True)
    ]
    document = json.dumps(told, indent=2, allow_nan=False)
    (output / "audit.json").write_text(document + "\n")
    draw_panels(
        [_panel(f) for f in findings if _has_curve(f)], "claimed delta against the worst found", output / "audit.svg"
    )
    if as_json:
        typer.echo(document)
    else:
        console.print(_table(findings, mutate))
        console.print(f"Picture and numbers: {output / 'audit.svg'}, {output / 'audit.json'}")
    if not all(finding.holds for finding in findings):
        raise typer.Exit(Exit.BROKEN)


def _subject(mutation: str | None) -> "Subject":
    from dprules.audit.subject import MUTATIONS, Subject

    if mutation is None:
        return Subject()
    if mutation not in MUTATIONS:
        raise ParameterError(f"mutate must be one of {', '.join(MUTATIONS)}; got {mutation!r}. Choose one.")
    return MUTATIONS[mutation].subject


def _chosen(only: list[str] | None) -> "list[Check]":
    from dprules.audit.battery import CHECKS

    names = [check.name for check in CHECKS]
    for name in only or []:
        if name not in names:
            raise ParameterError(f"only must name a check; got {name!r}. The checks are: {'; '.join(names)}.")
    return [check for check in CHECKS if not only or check.name in only]


def _has_curve(finding: "Finding") -> bool:
    return any(point.measure == "delta" for point in finding.points)


def _panel(finding: "Finding") -> "Panel":
    from dprules.report.panels import Panel

    points = [point for point in finding.points if point.measure == "delta"]
    return Panel(
        finding.name,
        [(point.at, point.claimed) for point in points],
        [(point.at, point.found) for point in points],
        finding.holds,
    )


def _table(findings: "list[Finding]", mutation: str | None) -> Table:
    from dprules.audit.subject import MUTATIONS

    title = "Audit" if mutation is None else f"Audit with a planted fault: {MUTATIONS[mutation].what}"
    table = Table(title=title, title_justify="left")
    for column in ("check", "tightest at", "claimed", "found", "ratio", ""):
        table.add_column(column, justify="right" if column in ("claimed", "found", "ratio") else "left")
    for finding in findings:
        worst = max(finding.points, key=lambda point: point.ratio)
        at = "pure epsilon" if worst.measure == "epsilon" else f"{worst.measure} at {worst.at:g}"
        verdict = "[green]holds[/green]" if finding.holds else "[bold red]BROKEN[/bold red]"
        figures = (f"{worst.claimed:.4f}", f"{worst.found:.4f}", f"{worst.ratio:.3f}")
        table.add_row(finding.name, at, *figures, verdict)
    return table
