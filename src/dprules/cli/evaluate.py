"""`dprules evaluate`: how accurate a model is."""

import json
from typing import Annotated

import typer

from dprules.cli.options import Data, Delimiter, Json, ModelFile, Multiline, TableName, Unverified, load

EPILOG = "Example: dprules evaluate model.json test.csv --epsilon 0.1"


def evaluate(
    model: ModelFile,
    data: Data,
    label: Annotated[str | None, typer.Option(help="The column with the true labels, if not the model's.")] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Spend this on noisy counts of right and wrong answers.")
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="The rows are public: count exactly.")] = False,
    neighbours: Annotated[str, typer.Option(help="add-remove or replace.")] = "add-remove",
    table: TableName = None,
    delimiter: Delimiter = None,
    multiline: Multiline = False,
    as_json: Json = False,
    unverified: Unverified = False,
) -> None:
    """Accuracy is a release: buy it with --epsilon, or declare the rows --public."""
    from dprules.jobs import evaluate as count_answers

    found = count_answers(
        load(model, unverified),
        data,
        epsilon=epsilon,
        public=public,
        neighbours=neighbours,
        label=label,
        table=table,
        delimiter=delimiter,
        multiline=multiline,
    )
    if as_json:
        figures = {"accuracy": found.accuracy, "rows": found.rows, "epsilon": found.epsilon, "error": found.error}
        typer.echo(json.dumps(figures, indent=2))
        return
    paid = "on public rows"
    if found.epsilon is not None:
        paid = f"within about {found.error:.3f}, for epsilon {found.epsilon:g} a row ({neighbours})"
    typer.echo(f"accuracy {found.accuracy:.4f} on {'' if public else 'about '}{found.rows:,} rows, {paid}")
