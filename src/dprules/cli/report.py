"""`dprules report`: one page for people who do not type commands."""

from pathlib import Path
from typing import Annotated

import typer

from dprules.cli.options import ModelFile, Unverified, load, require_output, write_or_echo

EPILOG = "Example: dprules report model.json -o report.html"


def report(
    model: ModelFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path("report.html"),
    unverified: Unverified = False,
) -> None:
    """Write a report of a model: one HTML page, no scripts, nothing from the network."""
    from dprules.report import render

    require_output(output, [model])
    write_or_echo(render(load(model, unverified)), output)
    typer.echo(f"Report: {output}")
