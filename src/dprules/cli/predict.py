"""`dprules predict`: labels for new rows."""

import csv
import io
from typing import Annotated

import typer

from dprules.cli.options import (
    Data,
    Delimiter,
    ModelFile,
    Multiline,
    Output,
    TableName,
    Unverified,
    load,
    require_apart,
    require_writable,
    write_or_echo,
)

EPILOG = "Example: dprules predict model.json new.csv --keep id -o labels.csv"


def predict(
    model: ModelFile,
    data: Data,
    keep: Annotated[
        list[str] | None, typer.Option(help="Column to copy beside the prediction; may be given again.")
    ] = None,
    output: Output = None,
    table: TableName = None,
    delimiter: Delimiter = None,
    multiline: Multiline = False,
    unverified: Unverified = False,
) -> None:
    """Write a CSV with the predicted label of each row. Predictions on private rows are private: guard the file."""
    from dprules.jobs import predict as label_rows
    from dprules.jobs import read_table_columns

    released = load(model, unverified)
    if output is not None:
        require_writable(output)
        require_apart([output], [data, model])
    copied = read_table_columns(data, keep or [], table, delimiter, multiline) if keep else []
    labels = label_rows(released.model, data, table, delimiter, multiline).tolist()
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow([*(keep or []), "prediction"])
    writer.writerows(zip(*copied, labels, strict=True))
    write_or_echo(lines.getvalue(), output, [], mode=0o600)
