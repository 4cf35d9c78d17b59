"""`dprules audit`: try to break the guarantees."""

import json
from dataclasses import asdict
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from dprules.cli.exits import Exit

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
    from dprules.cli.progress import progress_bar
    from dprules.jobs import audit as try_to_break
    from dprules.report import Panel, draw_panels

    output.mkdir(parents=True, exist_ok=True)
    with progress_bar() as progress:
        found = try_to_break(seed, only or [], mutate, lambda done, total: progress("auditing", done, total))
    entries = [
        asdict(f) | {"what": check.what, "holds": f.holds, "ratio": f.ratio if isfinite(f.ratio) else None}
        for check, f in zip(found.checks, found.findings, strict=True)
    ]
    document = json.dumps(entries, indent=2, allow_nan=False)
    (output / "audit.json").write_text(document + "\n")
    panels = []
    for finding in found.findings:
        points = [point for point in finding.points if point.measure == "delta"]
        claimed = [(point.at, point.claimed) for point in points]
        if points:
            panels.append(Panel(finding.name, claimed, [(point.at, point.found) for point in points], finding.holds))
    files = str(output / "audit.json")
    if find_spec("matplotlib") is None:  # an extra: the numbers are there without it
        files += " (a picture needs `pip install 'dprules[plot]'`)"
    elif panels:
        draw_panels(panels, "claimed delta against the worst found", output / "audit.svg")
        files += f", {output / 'audit.svg'}"
    if as_json:
        typer.echo(document)
    else:
        _print_table(found)
        typer.echo(f"Files: {files}")
    if not found.holds:
        raise typer.Exit(Exit.BROKEN)


def _print_table(report: Any) -> None:
    from rich.console import Console
    from rich.table import Table

    title = "Audit" if report.planted is None else f"Audit with a planted fault: {report.planted}"
    table = Table(title=title, title_justify="left")
    for column in ("check", "tightest at", "claimed", "found", "ratio", ""):
        table.add_column(column, justify="right" if column in ("claimed", "found", "ratio") else "left")
    for finding in report.findings:
        worst = max(finding.points, key=lambda point: point.ratio)
        at = f"{worst.measure} at {worst.at:g}"
        if worst.measure == "epsilon":
            at = f"epsilon at delta {worst.at:g}" if worst.at else "pure epsilon"
        verdict = "[green]holds[/green]" if finding.holds else "[bold red]BROKEN[/bold red]"
        figures = (f"{worst.claimed:.4f}", f"{worst.found:.4f}", f"{worst.ratio:.3f}")
        table.add_row(finding.name, at, *figures, verdict)
    Console().print(table)
