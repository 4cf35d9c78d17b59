"""`dprules schema`: describe a table."""

from pathlib import Path
from typing import Annotated

import typer

from dprules.cli.files import Data, Delimiter, TableName, require_apart, require_writable

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
) -> None:
    """Draft a schema from column names and types; fill in values, cuts and classes by hand.

    No cell is read, unless you declare with --values-are-public that values may be known.
    """
    from dprules.data.draft import draft_schema
    from dprules.data.table import open_table
    from dprules.lists.model import write_whole

    require_writable(output)
    require_apart([output], [data])
    with open_table(data, table, delimiter) as opened:
        write_whole(output, draft_schema(opened, label, values_are_public).to_toml())
    typer.echo(f"{output}: check it, then `dprules fit {data} --schema {output}`.")
