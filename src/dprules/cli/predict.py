"""`dprules predict`: labels for new rows."""

import csv
import io
from pathlib import Path
from typing import Annotated

import typer

from dprules.cli.files import Data, Delimiter, ModelFile, TableName, require_apart, require_writable

EPILOG = "Example: dprules predict model.json new.csv --keep id -o labels.csv"


def predict(
    model: ModelFile,
    data: Data,
    keep: Annotated[
        list[str] | None, typer.Option(help="Column to copy beside the prediction; may be given again.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV to write; standard output if left out.")
    ] = None,
    table: TableName = None,
    delimiter: Delimiter = None,
) -> None:
    """Write a CSV with the predicted label of each row. Predictions on private rows are private: guard the file."""
    from dprules.data.table import open_table
    from dprules.lists import Model
    from dprules.lists.model import write_whole

    rules = Model.load(model).rules
    if output is not None:
        require_writable(output)
        require_apart([output], [data, model])
    with open_table(data, table, delimiter) as opened:
        settled = opened.settled([*dict.fromkeys([*(keep or []), *(column.name for column in rules.columns)])])
        copied = settled.columns(keep or [])
        labels = rules.predict(settled)
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow([*copied, "prediction"])
    writer.writerows(zip(*(column.tolist() for column in copied.values()), labels.tolist(), strict=True))
    if output is None:
        typer.echo(lines.getvalue(), nl=False)
        return
    write_whole(output, lines.getvalue(), mode=0o600)
