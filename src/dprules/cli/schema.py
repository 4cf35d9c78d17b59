"""`dprules schema`: describe a table."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from dprules.cli.options import (
    Data,
    Delimiter,
    Multiline,
    TableName,
    repeat_source,
    require_apart,
    require_new,
    require_writable,
)

app = typer.Typer(help="Describe a table: everything in a schema is public.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    pass


@app.command("draft", epilog="Example: dprules schema draft patients.csv --label readmitted -o schema.toml")
def draft(
    data: Data,
    label: Annotated[str, typer.Option(help="The column to predict.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Schema file to write.")] = Path("schema.toml"),
    values_are_public: Annotated[
        bool, typer.Option("--values-are-public", help="List values and put cuts at quantiles; the schema will say so.")
    ] = False,
    table: TableName = None,
    delimiter: Delimiter = None,
    multiline: Multiline = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a schema file that is there already.")] = False,
) -> None:
    """Draft a schema from column names and types; fill in values, cuts and classes by hand.

    No cell is read, unless you declare with --values-are-public that values may be known.
    """
    from dprules.files import write_whole
    from dprules.jobs import draft_schema

    require_writable(output)
    require_apart([output], [data])
    require_new(output, force)
    drafted = draft_schema(
        data, label, values_are_public=values_are_public, table=table, delimiter=delimiter, multiline=multiline
    )
    write_whole(output, drafted.to_toml())
    source = repeat_source(data, table, delimiter, multiline)
    typer.echo(f"{output}: check it, then `dprules fit {source} --schema {shlex.quote(str(output))}`.")
