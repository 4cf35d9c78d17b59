"""`dprules evaluate`: how good a model is, and whether it is better than nothing."""

import json
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from dprules.cli.options import (
    Data,
    Dataset,
    Delimiter,
    Json,
    LedgerUrl,
    ModelFile,
    Multiline,
    TableName,
    Unverified,
    load,
    saying_what_was_charged,
)

if TYPE_CHECKING:  # tables and engines take a while to load
    from rich.console import Console

    from dprules.jobs import Evaluation

EPILOG = "Example: dprules evaluate model.json test.csv --epsilon 0.1"


def evaluate(
    model: ModelFile,
    data: Data,
    label: Annotated[
        str | None, typer.Option(help="The column with the true labels, if it has another name here.")
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Spend this on noisy counts of rows by answer and true class.")
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="The rows are public: count exactly.")] = False,
    neighbours: Annotated[str, typer.Option(help="add-remove or replace.")] = "add-remove",
    unit: Annotated[
        str | None, typer.Option(help="Column that says whose a row is: protects all rows of a person.")
    ] = None,
    unit_rows: Annotated[int, typer.Option(help="Rows of a unit that are kept, chosen at random.")] = 1,
    table: TableName = None,
    delimiter: Delimiter = None,
    multiline: Multiline = False,
    ledger: LedgerUrl = None,
    dataset: Dataset = None,
    as_json: Json = False,
    unverified: Unverified = False,
) -> None:
    """Accuracy, recall, precision and AUC are a release: buy them with --epsilon, or declare the rows --public."""
    from dprules.cli.progress import show_work
    from dprules.jobs import evaluate as count_answers

    released = load(model, unverified)
    with saying_what_was_charged(ledger), ExitStack() as bar:
        bar.enter_context(show_work("counting answers"))

        def show(evaluation: "Evaluation") -> None:
            bar.close()
            _show(evaluation, as_json)

        count_answers(
            released,
            data,
            epsilon=epsilon,
            public=public,
            neighbours=neighbours,
            label=label,
            unit=unit,
            unit_rows=unit_rows,
            table=table,
            delimiter=delimiter,
            multiline=multiline,
            ledger=ledger,
            dataset=dataset,
            deliver=show,
        )


def _show(evaluation: "Evaluation", as_json: bool) -> None:
    """Print the figures; a ledger records them after they have left this process."""
    if as_json:
        typer.echo(json.dumps(evaluation.document(), indent=2))
    else:
        _print(evaluation)
    if sys.stdout is not None:  # it may be closed
        sys.stdout.flush()


def _print(found: "Evaluation") -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    certificate = found.certificate
    if found.mark:
        console.print(found.mark)
    if certificate is None:
        console.print(f"{found.rows} rows with a declared label, which are public: the figures are exact.")
    else:
        rows = f"About {found.rows}" if found.rows.value else "Too few to tell how many"
        console.print(
            f"{rows} rows with a declared label. Paid for one noisy histogram: epsilon "
            f"{certificate.epsilon:g} for each {certificate.unit}, {certificate.neighbours.value} neighbours.\n"
            "Intervals hold at least 95 times in 100; they are for the noise alone, not for the choice of the rows."
        )
    _print_summary(console, found)
    _print_classes(console, found)
    _print_answers(console, found)
    if found.verdict:
        console.print(found.verdict)
    if certificate is not None and certificate.ledger is not None:
        console.print(f"Charged: {certificate.ledger}.")


def _print_summary(console: "Console", found: "Evaluation") -> None:
    from rich.table import Table

    from dprules.schema import show_value

    table = Table(title="All rows", title_justify="left", show_header=False)
    table.add_row("accuracy", str(found.accuracy))
    table.add_row(f"always {show_value(found.majority)} (majority baseline)", str(found.baseline))
    table.add_row("balanced accuracy", str(found.balanced_accuracy))
    table.add_row("AUC" if len(found.classes) < 3 else "AUC, mean of one class against the rest", str(found.auc))
    console.print(table)


def _print_classes(console: "Console", found: "Evaluation") -> None:
    from rich.table import Table
    from rich.text import Text

    from dprules.schema import show_value

    names = [show_value(one.value) for one in found.classes]
    classes = Table("class", "rows", "recall", "precision", title="By class", title_justify="left")
    for name, one in zip(names, found.classes, strict=True):
        classes.add_row(Text(name), str(one.rows), str(one.recall), str(one.precision))
    console.print(classes)
    matrix = Table("predicted", title="Confusion", title_justify="left")
    for name in names:
        matrix.add_column(Text(f"truly {name}"))
    for name, line in zip(names, found.confusion, strict=True):
        matrix.add_row(Text(name), *map(str, line))
    console.print(matrix)


def _print_answers(console: "Console", found: "Evaluation") -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table("answer", "rows", "right", title="By answer", title_justify="left")
    for group in found.groups:
        table.add_row(Text(group.name), str(group.rows), str(group.right))
    console.print(table)
