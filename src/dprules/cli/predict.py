"""`dprules predict`: labels for new rows."""

import csv
import io
from typing import Annotated

import typer

from dprules.cli.options import (
    Data,
    Delimiter,
    Force,
    ModelFile,
    Multiline,
    Output,
    TableName,
    Unverified,
    load,
    require_new_output,
    write_or_echo,
)

EPILOG = "Example: dprules predict model.json new.csv --keep id -o labels.csv"


def predict(
    model: ModelFile,
    data: Data,
    keep: Annotated[
        list[str] | None, typer.Option(help="Column to copy beside the prediction; may be given again.")
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="Add how likely each class is (of two: the positive one), and the score."),
    ] = False,
    output: Output = None,
    force: Force = False,
    table: TableName = None,
    delimiter: Delimiter = None,
    multiline: Multiline = False,
    unverified: Unverified = False,
) -> None:
    """Write a CSV with the predicted label of each row. Predictions on private rows are private: guard the file."""
    from dprules.cli.progress import show_work
    from dprules.jobs import list_likely, predict_beside

    released = load(model, unverified)
    require_new_output(output, [data, model], force)
    likely = list_likely(released.label) if probabilities else ()
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    with show_work("predicting"):
        found = predict_beside(released.model, data, keep or [], table, delimiter, multiline, likely)
        writer.writerow([*(keep or []), f"predicted_{released.label.name}", *found.figures])
        writer.writerows(zip(*found.copied, found.labels, *found.figures.values(), strict=True))
    write_or_echo(lines.getvalue(), output, force, mode=0o600)
    if found.left_out:
        counted = "1 line" if found.left_out == 1 else f"{found.left_out:,} lines"
        typer.echo(
            f"{counted} cannot be read (quotes, number of cells) and got no prediction: the output has fewer rows than "
            "the file. Copy a key with --keep.",
            err=True,
        )
