"""`dprules report`: one page for people who do not type commands."""

from pathlib import Path
from typing import Annotated

import typer

from dprules.cli.options import Force, ModelFile, Unverified, load, require_new_output, write_or_echo
from dprules.errors import ParameterError

EPILOG = "Example: dprules report model.json -o report.html"


def report(
    model: ModelFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path("report.html"),
    ledger: Annotated[
        str | None, typer.Option(help="The ledger it was charged to: the page shows what is left of the data set.")
    ] = None,
    force: Force = False,
    unverified: Unverified = False,
) -> None:
    """Write a report of a model: one HTML page, no scripts, nothing from the network."""
    from dprules.report import render

    require_new_output(output, [model, *([] if ledger is None or "://" in ledger else [ledger])], force)
    released, book = load(model, unverified), None
    if ledger is not None:
        from dprules.jobs import ledger_show, settle

        settle(released, ledger)
        book, mark = ledger_show(ledger), released.certificate.ledger
        if mark is None or mark.ledger != book.name:
            raise ParameterError("the model was not charged to this ledger. Name the one that `dprules show` says.")
    write_or_echo(render(released, model.name, book), output, force)
    typer.echo(f"Report: {output}")
