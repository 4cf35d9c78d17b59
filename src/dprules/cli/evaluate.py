"""`dprules evaluate`: how accurate a list is."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from dprules.cli.files import Data, Delimiter, Json, ModelFile, TableName
from dprules.errors import PrivacyError

EPILOG = "Example: dprules evaluate model.json test.csv --label readmitted --epsilon 0.1"


def evaluate(
    model: ModelFile,
    data: Data,
    label: Annotated[str, typer.Option(help="The column with the true labels.")],
    epsilon: Annotated[
        float | None, typer.Option(help="Spend this on noisy counts of right and wrong answers.")
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="The rows are public: count exactly.")] = False,
    table: TableName = None,
    delimiter: Delimiter = None,
    as_json: Json = False,
) -> None:
    """Accuracy is a release: buy it with --epsilon, or declare the rows --public."""
    from dprules.data.table import open_table
    from dprules.lists import Model
    from dprules.lists import evaluate as evaluated

    if (epsilon is None) == (not public):
        raise PrivacyError("accuracy on private rows is a release. Give --epsilon to buy it, or --public, not both.")
    rules = Model.load(model).rules
    with open_table(data, table, delimiter) as opened:
        found = evaluated(rules, opened, label, epsilon)
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=2))
        return
    paid = (
        "on public rows"
        if found.epsilon is None
        else f"within about {found.error:.3f}, for epsilon {found.epsilon:g} a row (add-remove)"
    )
    typer.echo(f"accuracy {found.accuracy:.4f} on {'' if public else 'about '}{found.rows:,} rows, {paid}")
