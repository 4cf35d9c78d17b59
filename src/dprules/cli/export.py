"""`dprules export`: a model in another language."""

from typing import Annotated

import typer

from dprules.cli.options import (
    Dialect,
    Force,
    ModelFile,
    Output,
    Unverified,
    load,
    marks_of,
    require_new_output,
    write_or_echo,
)

EPILOG = "Example: dprules export model.json --to sql --table patients --dialect postgres"


def export(
    model: ModelFile,
    to: Annotated[str, typer.Option(help="sql, python or markdown.")],
    table: Annotated[str | None, typer.Option(help="Table to select from (sql).")] = None,
    dialect: Dialect = "duckdb",
    output: Output = None,
    force: Force = False,
    unverified: Unverified = False,
) -> None:
    """Write the model as SQL, Python, Markdown or JSON; cells are read as `predict` reads them.

    What is written says what is predicted, how private it is, and what missing and undeclared values mean.
    """
    from dprules.jobs import export as write_form

    require_new_output(output, [model], force)
    released = load(model, unverified)
    write_or_echo(write_form(released, to, table, dialect, marks_of(released, unverified)), output, force)
