"""`dprules fit`: learn a list or a scorecard."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dprules.cli.options import (
    Data,
    Dataset,
    Delimiter,
    Force,
    Json,
    LedgerUrl,
    Multiline,
    TableName,
    read_class_weight,
    read_engine,
    read_terms,
    require_apart,
    require_new,
    require_writable,
    saying_what_was_charged,
    write_output,
)
from dprules.cli.spending import describe_spending
from dprules.defaults import DELTA, EPSILON, NEIGHBOURS, WIDTH
from dprules.errors import DprulesError, FileError
from dprules.files import is_null

if TYPE_CHECKING:  # models take a while to load
    from dprules.jobs import FitSummary
    from dprules.ledger import Book
    from dprules.models import Released

EPILOG = (
    "Example: dprules fit patients.csv --schema schema.toml --epsilon 1 --delta 1e-6 -o model.json --report report.html"
)


def fit(
    data: Data,
    schema: Annotated[Path, typer.Option(help="Schema file; see `dprules schema draft`.", readable=False)],
    epsilon: Annotated[float, typer.Option(help="Privacy budget; smaller is more private.")] = EPSILON,
    delta: Annotated[float, typer.Option(help="Probability that epsilon fails; well below 1 / rows.")] = DELTA,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")] = Path("model.json"),
    report: Annotated[Path | None, typer.Option(help="Also write an HTML report.")] = None,
    model: Annotated[
        str,
        typer.Option(help="list (rules, the first that holds decides) or scorecard (points that add up to a risk)."),
    ] = "list",
    neighbours: Annotated[str, typer.Option(help="add-remove or replace.")] = NEIGHBOURS,
    terms: Annotated[
        str | None,
        typer.Option(help="scorecard: conditions with points of their own, or all.", show_default="20"),
    ] = None,
    max_rules: Annotated[
        int | None, typer.Option(help="list: rules before the default; chosen from noisy counts if left out.")
    ] = None,
    width: Annotated[
        int | None, typer.Option(help="list: literals in one condition, 1 to 3.", show_default=str(WIDTH))
    ] = None,
    reward: Annotated[
        float | None, typer.Option(help="list: reward of a correct record, 0 to 1; 0 is the paper's score.")
    ] = None,
    accounting: Annotated[str | None, typer.Option(help="list: exact or paper.", show_default="exact")] = None,
    class_weight: Annotated[
        str | None, typer.Option(help="balanced, or weights such as no=1,yes=5; classes count alike if left out.")
    ] = None,
    counts: Annotated[
        float | None,
        typer.Option(
            help="list: share of epsilon for counts of the rules, where they are not free (reward below 1, paper)."
        ),
    ] = None,
    class_counts: Annotated[
        float | None, typer.Option(help="list: share of epsilon for noisy class counts, where they are needed.")
    ] = None,
    cuts: Annotated[float | None, typer.Option(help="Share of epsilon for private cuts, where there are any.")] = None,
    unit: Annotated[
        str | None, typer.Option(help="Column that says whose a row is: protects all rows of a person.")
    ] = None,
    unit_rows: Annotated[int, typer.Option(help="Rows of a unit that are kept, chosen at random.")] = 1,
    table: TableName = None,
    delimiter: Delimiter = None,
    multiline: Multiline = False,
    memory: Annotated[
        str | None,
        typer.Option(help="Memory to use, such as 2GB; what does not fit lies in private files.", show_default="all"),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(help="spark: the data is a path or table that Spark reads.", show_default="by the data"),
    ] = None,
    master: Annotated[
        str | None, typer.Option(help="Where Spark runs, such as spark://host:7077 or yarn.", show_default="local[*]")
    ] = None,
    ledger: LedgerUrl = None,
    dataset: Dataset = None,
    seed: Annotated[int | None, typer.Option(help="Repeatable noise: the result is NOT private.")] = None,
    rows_are_public: Annotated[
        bool,
        typer.Option("--rows-are-public", help="Check the rows first, and refuse odd ones; the certificate says so."),
    ] = False,
    force: Force = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, learn nothing, spend nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Learn a decision list or a scorecard, print it with its privacy statement, and write both to a model file."""
    from dprules.cli.progress import progress_bar
    from dprules.jobs import FitRequest, check_fit, choose_settings
    from dprules.jobs import fit as learn
    from dprules.schema import Schema

    options = {
        "width": width,
        "max_rules": max_rules,
        "reward": reward,
        "accounting": accounting,
        "terms": read_terms(terms),
        "class_weight": read_class_weight(class_weight),
    }
    shares = {"counts": counts, "classes": class_counts, "cuts": cuts}
    request = FitRequest(
        data,
        Schema.from_file(schema),
        choose_settings(model, _given(options), _given(shares)),
        epsilon,
        delta,
        neighbours,
        unit,
        unit_rows,
        rows_are_public,
        table=table,
        delimiter=delimiter,
        multiline=multiline,
        seed=seed,
        memory=memory,
        master=read_engine(engine, master),
        ledger=ledger,
        dataset=dataset,
    )
    inputs: list[str | Path] = [data, schema, *([] if ledger is None or "://" in ledger else [ledger])]
    _check_outputs([output] if report is None else [output, report], inputs, force)
    if ledger is not None and is_null(output):
        raise FileError(f"{output} keeps nothing, and the model is paid for. Name a file.")
    if dry_run:
        _say_what_would_be_done(check_fit(request), as_json)
        return
    with saying_what_was_charged(ledger), progress_bar() as progress:
        released = learn(request, progress, lambda released: _save(released, output, force))
        if report is not None:
            _write_report(released, output, report, ledger, force)
    if as_json:
        typer.echo(released.to_json(), nl=False)
        return
    typer.echo(f"{released}\n\nModel: {output}" + (f"\nReport: {report}" if report else ""))


def _say_what_would_be_done(summary: "FitSummary", as_json: bool) -> None:
    survey = ", ".join(f"{number:,} {name}" for name, number in summary.survey.items())
    lines = [
        f"Everything is in order: {survey}. Nothing was learnt and nothing was spent.",
        describe_spending(summary.epsilon, summary.delta, summary.spending),
        *([] if summary.charge is None else [str(summary.charge)]),
        *summary.cautions(),
    ]
    typer.echo(json.dumps(summary.document(), indent=2) if as_json else "\n".join(lines))


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def _check_outputs(outputs: list[Path], inputs: list[str | Path], force: bool) -> None:
    for path in outputs:
        require_writable(path)
    require_apart(outputs, inputs)
    for path in outputs:
        require_new(path, force)


def _save(released: "Released", output: Path, force: bool) -> None:
    """Write the model; one that cannot be written was paid for, and is printed instead."""
    try:
        write_output(released.to_json(), output, force)
    except (OSError, FileError):
        typer.echo(released.to_json(), nl=False)
        raise


def _write_report(released: "Released", output: Path, report: Path, ledger: str | None, force: bool) -> None:
    from dprules.report import render

    write_output(render(released, output.name, _read_ledger(ledger)), report, force)


def _read_ledger(ledger: str | None) -> "Book | None":
    """Return what the ledger knows; one that is gone by now must not cost the report."""
    if ledger is None:
        return None
    from dprules.jobs import ledger_show

    try:
        return ledger_show(ledger)
    except DprulesError:
        return None
