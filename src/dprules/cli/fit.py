"""`dprules fit`: learn a list."""

from pathlib import Path
from typing import Annotated

import typer

from dprules.cli.files import Data, Delimiter, Json, TableName, require_apart, require_writable
from dprules.cli.progress import progress_bar
from dprules.errors import ParameterError

EPILOG = (
    "Example: dprules fit patients.csv --schema schema.toml --epsilon 1 --delta 1e-6 -o model.json --report report.html"
)


def fit(
    data: Data,
    schema: Annotated[Path, typer.Option(help="Schema file; see `dprules schema draft`.")],
    epsilon: Annotated[float, typer.Option(help="Privacy budget; smaller is more private.")] = 1.0,
    delta: Annotated[float, typer.Option(help="Probability that epsilon fails; well below 1 / rows.")] = 1e-6,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")] = Path("model.json"),
    report: Annotated[Path | None, typer.Option(help="Also write an HTML report.")] = None,
    neighbours: Annotated[str, typer.Option(help="add-remove or replace.")] = "add-remove",
    max_rules: Annotated[
        int | None, typer.Option(help="Rules before the default; chosen from noisy counts if left out.")
    ] = None,
    width: Annotated[int, typer.Option(help="Literals in one condition, 1 to 3.")] = 2,
    reward: Annotated[
        float | None, typer.Option(help="Reward of a correct record, 0 to 1; 0 is the paper's score.")
    ] = None,
    accounting: Annotated[str, typer.Option(help="exact or paper.")] = "exact",
    counts: Annotated[
        float, typer.Option(help="Share of epsilon for coverage and purity of each rule; 0 for none.")
    ] = 0.05,
    rows: Annotated[int | None, typer.Option(help="The number of rows, if it is public.")] = None,
    unit: Annotated[
        str | None, typer.Option(help="Column that says whose a row is: protects all rows of a person.")
    ] = None,
    unit_rows: Annotated[int, typer.Option(help="Rows of a unit that are kept, chosen at random.")] = 1,
    table: TableName = None,
    delimiter: Delimiter = None,
    seed: Annotated[int | None, typer.Option(help="Repeatable noise: the result is NOT private.")] = None,
    rows_are_public: Annotated[
        bool,
        typer.Option("--rows-are-public", help="Check the rows first, and refuse odd ones; the certificate says so."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, learn nothing, spend nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Learn a decision list, print it with its privacy statement, and write both to a model file."""
    from dprules.accounting import Neighbours
    from dprules.data import Schema, Unit, open_table
    from dprules.lists import Settings, learn_list
    from dprules.lists.model import write_whole
    from dprules.mechanisms import SeededBits

    if accounting not in ("exact", "paper"):
        raise ParameterError(f"accounting must be 'exact' or 'paper'; got {accounting!r}. Choose one.")
    settings = Settings(
        epsilon=epsilon,
        delta=delta,
        neighbours=Neighbours.parse(neighbours),
        width=width,
        max_rules=max_rules,
        reward=reward,
        paper=accounting == "paper",
        rows=rows,
        shares={"counts": counts} if counts else {},
    )
    described = Schema.from_file(schema)
    outputs = [output] if report is None else [output, report]
    for path in outputs:
        require_writable(path)
    require_apart(outputs, [data, schema])
    if unit_rows != 1 and unit is None:
        raise ParameterError("unit-rows says how many rows of a unit are kept. Name the column with --unit.")
    if unit_rows < 1:
        raise ParameterError(f"unit-rows must be at least 1; got {unit_rows}. 1 is the safest.")
    bits = None if seed is None else SeededBits(seed)
    with open_table(data, table, delimiter) as opened, progress_bar() as progress:
        names = [described.label.name, *(c.name for c in described.columns), *([unit] if unit else [])]
        opened.require(names)
        if dry_run:
            typer.echo("Everything is in order; nothing was learnt and nothing was spent.")
            return
        owner = None if unit is None else Unit(unit, unit_rows)
        model = learn_list(
            opened, described, settings, unit=owner, bits=bits, rows_are_public=rows_are_public, progress=progress
        )
    model.save(output)
    if report is not None:
        from dprules.report.html import render

        write_whole(report, render(model))
    typer.echo(
        model.to_json() if as_json else f"{model}\n\nModel: {output}" + (f"\nReport: {report}" if report else "")
    )
