"""`dprules audit`: try to break the guarantees."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from dprules.cli.exits import Exit
from dprules.cli.options import Force, require_new, write_output

EPILOG = (
    "Example: dprules audit --output audit    See it fail: dprules audit --mutate halved-noise    "
    "From outside: dprules audit --end-to-end --minutes 10"
)
MINUTES = 30.0
Progress = Callable[[str, int, int], None]
Found = list[tuple[Any, dict[str, Any]]]
"""Findings, and what else is written of them."""


def audit(
    output: Annotated[Path, typer.Option(help="Folder for the picture and the JSON.")] = Path("dprules-audit"),
    seed: Annotated[int, typer.Option(help="Seed of the search for bad neighbours (not of any mechanism).")] = 0,
    only: Annotated[list[str] | None, typer.Option(help="Run this check only; may be given again.")] = None,
    mutate: Annotated[
        str | None,
        typer.Option(help="Plant a fault and see it caught, such as halved-noise; end to end, such as tilt-doubled."),
    ] = None,
    end_to_end: Annotated[
        bool,
        typer.Option("--end-to-end", help="Run whole commands on neighbouring files, thousands of times, instead."),
    ] = False,
    minutes: Annotated[
        float,
        typer.Option(
            help="End to end: when no further looks are begun. The first, 2,000 runs of a file, is never left out."
        ),
    ] = MINUTES,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Put every claim beside exact laws of small instances and beside runs of the code; fail if one is broken.

    Each check searches for neighbours that tell the most, enumerates all transcripts on both, and compares with what
    the accountant claims. A ratio near 1 means the claim is tight; above 1 it would be false. With --end-to-end, each
    check runs a command on two neighbouring files and bounds epsilon from below by what it publishes.
    """
    from dprules.cli.progress import progress_bar

    base = output / ("end-to-end" if end_to_end else "audit")
    document_file, picture_file = base.with_suffix(".json"), base.with_suffix(".svg")
    for path in (document_file, picture_file):
        require_new(path, force)
    with _make_folder(output), progress_bar() as progress:
        if end_to_end:
            found, planted = _try_from_outside(minutes, only or [], mutate, progress)
        else:
            found, planted = _try_laws(seed, only or [], mutate, progress)
    document = json.dumps([_write(finding) | more for finding, more in found], indent=2, allow_nan=False)
    write_output(document + "\n", document_file, force)
    picture = _draw(found, picture_file)
    if as_json:
        typer.echo(document)
    else:
        _print_table(found, planted)
        typer.echo(f"Files: {document_file}{picture}")
    if not all(finding.holds for finding, _ in found):
        raise typer.Exit(Exit.BROKEN)


@contextmanager
def _make_folder(folder: Path) -> Iterator[None]:
    """Make a folder before work begins that would be in vain without it; an interruption leaves none that is empty."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # there is something in it
            folder.rmdir()
        raise


def _try_laws(seed: int, only: Sequence[str], mutate: str | None, progress: Progress) -> tuple[Found, str | None]:
    from dprules.jobs import audit as try_to_break

    found = try_to_break(seed, only, mutate, lambda done, total: progress("auditing", done, total))
    pairs = zip(found.findings, found.checks, strict=True)
    return [(finding, {"what": check.what}) for finding, check in pairs], found.planted


def _try_from_outside(
    minutes: float, only: Sequence[str], mutate: str | None, progress: Progress
) -> tuple[Found, str | None]:
    from dprules.jobs import audit_end_to_end

    report = audit_end_to_end(minutes, only, mutate, processes=None, progress=progress)
    found = []
    for one in report.known:
        claims = [asdict(claim) for claim in one.trial.claims]
        more = {"what": one.trial.what, "claims": claims, "runs": one.runs, "confidence": report.confidence}
        found.append((one.finding(), more))
    return found, report.planted


def _write(finding: Any) -> dict[str, Any]:
    """Return a finding in JSON's types."""
    return asdict(finding) | {"holds": finding.holds, "ratio": finding.ratio if isfinite(finding.ratio) else None}


def _draw(found: Found, path: Path) -> str:
    """Draw whatever has a curve, and return what to say of it."""
    from dprules.report import Panel, draw_panels

    if find_spec("matplotlib") is None:  # an extra: the numbers are there without it
        return " (a picture needs `pip install 'dprules[plot]'`)"
    panels = []
    for finding, more in found:
        if "claims" in more:
            claimed = [(claim["epsilon"], claim["delta"]) for claim in more["claims"]]
            seen = [(point.found, point.at) for point in finding.points if point.measure == "epsilon"]
        else:
            points = [point for point in finding.points if point.measure == "delta"]
            claimed = [(point.at, point.claimed) for point in points]
            seen = [(point.at, point.found) for point in points]
        if claimed:
            panels.append(Panel(finding.name, claimed, seen, finding.holds))
    if not panels:
        return ""
    draw_panels(panels, "claimed delta against the worst found", path)
    return f", {path}"


def _print_table(found: Found, planted: str | None) -> None:
    from rich.console import Console
    from rich.table import Table

    title = "Audit" if planted is None else f"Audit with a planted fault: {planted}"
    table = Table(title=title, title_justify="left")
    _, first = found[0]
    for column in ("check", "tightest at", "claimed", "found", "ratio", *(["runs"] if "runs" in first else []), ""):
        table.add_column(column, justify="right" if column in ("claimed", "found", "ratio", "runs") else "left")
    for finding, more in found:
        worst = max(finding.points, key=lambda point: point.ratio)
        verdict = "[green]holds[/green]" if finding.holds else "[bold red]BROKEN[/bold red]"
        figures = [f"{worst.claimed:.4f}", f"{worst.found:.4f}", f"{worst.ratio:.3f}"]
        runs = [f"{more['runs']:,}"] if "runs" in more else []
        table.add_row(finding.name, _name_place(worst), *figures, *runs, verdict)
    Console().print(table)
    if "confidence" in first:
        typer.echo(
            f"Found: no smaller epsilon holds, with confidence {first['confidence']:g} for all lines together. "
            "Runs: of each of the two files."
        )


def _name_place(point: Any) -> str:
    if point.measure == "stopped":
        return "runs that failed"
    if point.measure == "left behind":
        return "exit codes and files that differ"
    if point.measure == "epsilon":
        return f"epsilon at delta {point.at:g}" if point.at else "pure epsilon"
    return f"{point.measure} at {point.at:g}"
