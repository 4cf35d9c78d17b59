"""`dprules plan`: what an epsilon buys, before any data is touched."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dprules.defaults import DELTA, EPSILON, NEIGHBOURS, WIDTH

if TYPE_CHECKING:  # learners take a while to load
    from dprules.jobs.planning import PlanTable

app = typer.Typer(help="What an epsilon buys, before any data is touched.", no_args_is_help=True)

Epsilon = Annotated[float, typer.Option(help="Privacy budget; smaller is more private.")]
Delta = Annotated[float, typer.Option(help="Probability that epsilon fails; well below 1 / rows.")]
Failure = Annotated[float, typer.Option(help="Probability with which the guarantee itself may fail.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.command("list", epilog="Example: dprules plan list --schema schema.toml --rows 50000 --epsilon 1")
def list_command(
    features: Annotated[
        int | None, typer.Option(help="Boolean columns; both signs of each are literals. Or give --schema.")
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(help="Schema file: with --rows, also what is typical on made-up tables like it.", readable=False),
    ] = None,
    epsilon: Epsilon = EPSILON,
    delta: Delta = DELTA,
    rows: Annotated[int | None, typer.Option(help="Rows at hand: what accuracy do they allow?")] = None,
    error: Annotated[float | None, typer.Option(help="Wanted error on new records: how many rows?")] = None,
    width: Annotated[int, typer.Option(help="Literals in one condition, at most.")] = WIDTH,
    neighbours: Annotated[str, typer.Option(help="add-remove or replace.")] = NEIGHBOURS,
    failure: Failure = 0.05,
    as_json: Json = False,
) -> None:
    """Typical accuracy by simulation on made-up tables like yours, beside what is guaranteed at the worst.

    The simulation needs --schema and --rows. The bounds are for records that some list labels without error, whatever
    their distribution; real data is not like that: there the accuracy is usually far better than guaranteed, and
    nothing is guaranteed.
    """
    from dprules.cli.progress import progress_bar
    from dprules.jobs import plan_list

    with progress_bar() as progress:
        plan = plan_list(
            features,
            epsilon,
            delta,
            schema=schema,
            width=width,
            rows=rows,
            error=error,
            failure=failure,
            neighbours=neighbours,
            progress=progress,
        )
    if as_json:
        typer.echo(json.dumps(asdict(plan) | {"ratio": plan.ratio}, indent=2))
    else:
        _print_tables(plan.tables())


@app.command(
    "stream",
    epilog="Example: dprules plan stream --features 1000 --margin 0.2 --horizon 10000000 --epsilon 1 --delta 1e-6",
)
def stream_command(
    features: Annotated[int, typer.Option(help="Boolean features of an example.")],
    margin: Annotated[float, typer.Option(help="Margin of the target, in (0, 1]; 1/(2k) for k of d features.")],
    horizon: Annotated[int, typer.Option(help="Rounds of the stream.")],
    epsilon: Epsilon = EPSILON,
    delta: Delta = DELTA,
    switches: Annotated[int, typer.Option(help="How often the target changes; learners are not told.")] = 0,
    neighbours: Annotated[str, typer.Option(help="replace or zero-out.")] = "replace",
    failure: Failure = 0.05,
    as_json: Json = False,
) -> None:
    """Mistakes that a private Winnow stays below on every stream with a margin; the paper's bound beside ours.

    The default learner, `segment`, has no such bound and makes far fewer mistakes in practice.
    """
    from dprules.jobs import plan_stream

    plan = plan_stream(
        features, margin, horizon, epsilon, delta, switches=switches, failure=failure, neighbours=neighbours
    )
    if as_json:
        typer.echo(json.dumps(asdict(plan) | {"ratio": plan.ratio}, indent=2))
    else:
        _print_tables(plan.tables())


def _print_tables(tables: "Iterable[PlanTable]") -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(markup=False)
    for place, plan in enumerate(tables):
        if place:
            console.print()
        table = Table(*plan.header, show_header=bool(plan.header))
        for line in plan.lines:
            table.add_row(*line)
        # Apart from the table, whose width they would be squeezed into.
        console.print(plan.title, style="italic", highlight=False)
        console.print(table)
        console.print(plan.caption, style="dim italic", highlight=False)
