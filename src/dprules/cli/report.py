"""`dprules report`: one page for people who do not type commands."""

from pathlib import Path
from typing import Annotated

import typer

from dprules.cli.options import Force, ModelFile, Unverified, load, require_new_output, write_or_echo

EPILOG = "Example: dprules report model.json -o report.html"


def report(
    model: ModelFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path("report.html"),
    force: Force = False,
    unverified: Unverified = False,
) -> None:
    """Write a report of a model: one HTML page, no scripts, nothing from the network."""
    from dprules.report import render

    require_new_output(output, [model], force)
    write_or_echo(render(load(model, unverified), model.name), output)
    typer.echo(f"Report: {output}")
