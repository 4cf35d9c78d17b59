"""`dprules export`: a list in another language."""

from pathlib import Path
from typing import Annotated

import typer

from dprules.cli.files import ModelFile, require_apart, require_writable
from dprules.errors import ParameterError

EPILOG = "Example: dprules export model.json --to sql --table patients"


def export(
    model: ModelFile,
    to: Annotated[str, typer.Option(help="sql, python, markdown or json.")],
    table: Annotated[str, typer.Option(help="Table to select from (sql).")] = "data",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; standard output if left out.")
    ] = None,
) -> None:
    """Write the list as SQL (DuckDB, PostgreSQL, SQLite), Python, Markdown or JSON."""
    from dprules.lists.model import Model, write_whole

    rules = Model.load(model).rules
    forms = {
        "sql": lambda: rules.to_sql(table),
        "python": rules.to_python,
        "markdown": rules.to_markdown,
        "json": rules.to_json,
    }
    if to not in forms:
        raise ParameterError(f"to must be one of {', '.join(forms)}; got {to!r}. Choose one.")
    text = forms[to]().rstrip("\n") + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    require_writable(output)
    require_apart([output], [model])
    write_whole(output, text)
