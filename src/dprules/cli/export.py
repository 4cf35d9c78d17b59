"""`dprules export`: a model in another language."""

from typing import Annotated

import typer

from dprules.cli.options import Dialect, ModelFile, Output, Unverified, load, require_output, write_or_echo

EPILOG = "Example: dprules export model.json --to sql --table patients --dialect postgres"


def export(
    model: ModelFile,
    to: Annotated[str, typer.Option(help="sql, python, markdown or json.")],
    table: Annotated[str | None, typer.Option(help="Table to select from (sql).")] = None,
    dialect: Dialect = "duckdb",
    output: Output = None,
    unverified: Unverified = False,
) -> None:
    """Write the model as SQL, Python, Markdown or JSON; cells are read as `predict` reads them."""
    from dprules.jobs import export as write_form

    require_output(output, [model])
    write_or_echo(write_form(load(model, unverified), to, table, dialect), output)
