"""`dprules plan`: what an epsilon buys, before any data is touched."""

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

app = typer.Typer(help="What an epsilon buys, before any data is touched.", no_args_is_help=True)

Epsilon = Annotated[float, typer.Option(help="Privacy budget; smaller is more private.")]
Delta = Annotated[float, typer.Option(help="Probability that epsilon fails; well below 1 / rows.")]
Failure = Annotated[float, typer.Option(help="Probability with which the guarantee itself may fail.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.command(
    "list",
    epilog="Example: dprules plan list --features 30 --epsilon 1 --delta 1e-6 --rows 50000 --error 0.1",
)
def list_command(
    features: Annotated[int, typer.Option(help="Boolean columns; both signs of each are literals.")],
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-6,
    rows: Annotated[int | None, typer.Option(help="Rows at hand: what error do they guarantee?")] = None,
    error: Annotated[float | None, typer.Option(help="Wanted error on new records: how many rows?")] = None,
    width: Annotated[int, typer.Option(help="Literals in one condition, at most.")] = 1,
    neighbours: Annotated[str, typer.Option(help="add-remove or replace.")] = "add-remove",
    failure: Failure = 0.05,
    as_json: Json = False,
) -> None:
    """Rows that a decision list needs, or the error that rows guarantee; the paper's bound beside ours.

    The bounds are for records that some list labels without error, whatever their distribution. Real data is not like
    that: there the accuracy is usually far better than guaranteed, and nothing is guaranteed.
    """
    from dprules.jobs import plan_list

    plan = plan_list(
        features, epsilon, delta, width=width, rows=rows, error=error, failure=failure, neighbours=neighbours
    )
    if as_json:
        typer.echo(json.dumps(asdict(plan) | {"ratio": plan.ratio}, indent=2))
    else:
        _print_table(*_list_rows(plan))


@app.command(
    "stream",
    epilog="Example: dprules plan stream --features 1000 --margin 0.2 --horizon 10000000 --epsilon 1 --delta 1e-6",
)
def stream_command(
    features: Annotated[int, typer.Option(help="Boolean features of an example.")],
    margin: Annotated[float, typer.Option(help="Margin of the target, in (0, 1]; 1/(2k) for k of d features.")],
    horizon: Annotated[int, typer.Option(help="Rounds of the stream.")],
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-6,
    neighbours: Annotated[str, typer.Option(help="replace or zero-out.")] = "replace",
    failure: Failure = 0.05,
    as_json: Json = False,
) -> None:
    """Mistakes that a private Winnow stays below on every stream with a margin; the paper's bound beside ours.

    The default learner, `segment`, has no such bound and makes far fewer mistakes in practice.
    """
    from dprules.jobs import plan_stream

    plan = plan_stream(features, margin, horizon, epsilon, delta, failure=failure, neighbours=neighbours)
    if as_json:
        typer.echo(json.dumps(asdict(plan) | {"ratio": plan.ratio}, indent=2))
    else:
        _print_table(*_stream_rows(plan))


Rows = tuple[str, list[tuple[str, str]], str]
"""Title, lines and caption of a table."""


def _print_table(title: str, rows: list[tuple[str, str]], caption: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, show_header=False, caption=caption, title_justify="left", caption_justify="left")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def _list_rows(plan: Any) -> Rows:
    rows = [
        ("candidate conditions", f"{plan.candidates:,}"),
        ("tilt of a draw", f"{plan.tilt:.3g}   (the paper's: {_or_none(plan.paper_tilt)})"),
        ("errors on the sample, at most", f"{plan.sample_errors:,.0f} rows"),
    ]
    if plan.rows is not None:
        known = plan.guaranteed_error
        promise = "no error below 50% is guaranteed" if known is None else f"error at most {known:.3f}"
        rows.append((f"{plan.rows:,} rows", promise))
    if plan.rows_needed and plan.rows_without_privacy and plan.paper_rows and plan.ratio:
        rows += [
            (f"rows for an error of {plan.error}", f"{plan.rows_needed:,}"),
            ("... without privacy", f"{plan.rows_without_privacy:,}"),
            ("... by the paper's bound", f"{plan.paper_rows:,}   ({plan.ratio:.1f} times ours)"),
        ]
    return f"Decision list: {_privacy(plan)}", rows, _assumption("records labelled by some such list", plan)


def _stream_rows(plan: Any) -> Rows:
    batched = plan.batched

    def bound(mistakes: float) -> str:
        vacuous = "   (no less than the horizon: promises nothing)" if mistakes >= plan.horizon else ""
        return (f"{mistakes:,.0f}" if mistakes < 1e12 else f"{mistakes:.1e}") + vacuous

    rows = [
        ("coordinates", f"{plan.coordinates:,}   (features, bias, and their negations)"),
        ("rounds", f"{plan.horizon:,}"),
        ("mistakes, batched", bound(plan.mistakes)),
        ("mistakes, guarded", bound(plan.guarded_mistakes)),
        ("mistakes by the paper's bound", f"{bound(plan.paper_mistakes)}, {plan.ratio:,.3g} times ours"),
        ("mistakes without privacy", bound(plan.mistakes_without_privacy)),
        (
            "batched parameters",
            f"threshold {batched.threshold:,}, {batched.draws:,} draws x {batched.releases:,} releases, "
            f"rate {batched.rate:.2e}, above ({batched.above:.3g}, {batched.above:.3g})",
        ),
    ]
    return f"Stream: {_privacy(plan)}", rows, _assumption(f"examples with margin {plan.margin}", plan)


def _or_none(tilt: float | None) -> str:
    return "none, its lemma fails here" if tilt is None else f"{tilt:.3g}"


def _privacy(plan: Any) -> str:
    return f"epsilon {plan.epsilon:g}, delta {plan.delta:g}, {plan.neighbours} neighbours"


def _assumption(what: str, plan: Any) -> str:
    return f"For {what}; holds with probability {1 - plan.failure:g}."
