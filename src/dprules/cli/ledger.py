"""`dprules ledger`: budgets of data sets."""

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dprules.cli.exits import Exit
from dprules.cli.options import Force, Json, require_new_output, write_or_echo
from dprules.defaults import NEIGHBOURS
from dprules.errors import ParameterError

if TYPE_CHECKING:
    from dprules.ledger import Book, GrantState

app = typer.Typer(
    help="Budgets of data sets: what was granted, what was spent, what is left.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
Url = Annotated[str, typer.Argument(help="The ledger: a file, or postgresql://user@host/database.", metavar="LEDGER")]
DatasetName = Annotated[str, typer.Option("--dataset", help="Name of the data set.")]
WIDTH = 12
"""Cells of a bar."""


@app.command(epilog="Example: dprules ledger init ledger.db --dataset patients --schema schema.toml")
def init(
    ledger: Url,
    dataset: Annotated[str | None, typer.Option(help="Also register a data set; the ledger may be there.")] = None,
    schema: Annotated[Path | None, typer.Option(help="Its schema: no job may ask for others.", readable=False)] = None,
    unit: Annotated[str | None, typer.Option(help="Column that says whose a row is.")] = None,
    neighbours: Annotated[
        str | None, typer.Option(help="Of every price.", show_default=f"{NEIGHBOURS}, for streams replace")
    ] = None,
    stream: Annotated[bool, typer.Option("--stream", help="It is a stream of events: its unit is a round.")] = False,
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Its records are other people's than those of data sets like it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a ledger, and register data sets in it."""
    from dprules.jobs import ledger_init
    from dprules.schema import Schema

    opened = ledger_init(
        ledger,
        dataset,
        schema=None if schema is None else Schema.from_file(schema),
        unit=unit,
        neighbours=neighbours or ("replace" if stream else NEIGHBOURS),
        stream=stream,
        distinct=distinct,
    )
    book = opened.book()
    if as_json:
        typer.echo(json.dumps({"ledger": book.name, "datasets": sorted(book.datasets)}))
        return
    known = ", ".join(sorted(book.datasets)) or "none yet"
    typer.echo(f"Ledger {book.name[:8]}. Data sets: {known}.")
    if dataset is not None and schema is None:
        typer.echo("No schema was given, so that the ledger cannot tell this data set from others.", err=True)


@app.command(epilog="Example: dprules ledger grant ledger.db --dataset patients --epsilon 3 --delta 1e-5")
def grant(
    ledger: Url,
    dataset: DatasetName,
    epsilon: Annotated[float | None, typer.Option(help="Total epsilon that jobs may spend.")] = None,
    delta: Annotated[float | None, typer.Option(help="Total delta that jobs may spend.")] = None,
    fits: Annotated[
        int | None, typer.Option(help="Alternative to --epsilon: number of fits like --like MODEL, composed exactly.")
    ] = None,
    like: Annotated[
        list[Path] | None, typer.Option(help="Model file; each fit may cost as much. May be repeated.", readable=False)
    ] = None,
    by: Annotated[str | None, typer.Option(help="Who grants it.", show_default="current user")] = None,
    why: Annotated[str, typer.Option(help="What for.")] = "",
    until: Annotated[str | None, typer.Option(help="The last day, such as 2027-12-31 (UTC).")] = None,
    as_json: Json = False,
) -> None:
    """Allow jobs to spend from a data set; each grant is a budget of its own, and their guarantees add up."""
    from dprules.jobs import choose_budget, ledger_grant, ledger_show
    from dprules.models import Released

    models = [Released.load(path) for path in like or []]
    budget = choose_budget(epsilon=epsilon, delta=delta, fits=fits, like=models)
    known = ledger_show(ledger).dataset(dataset)
    state = ledger_grant(ledger, dataset, budget, by=by, why=why, until=_read_day(until))
    if as_json:
        typer.echo(json.dumps(_describe_grant(state)))
        return
    typer.echo(f"Grant {state.entry.number}: {_say_guarantee(state)}")
    if epsilon is not None and not delta and known.unit.of != "round":
        typer.echo("Its delta is 0: it pays for evaluations only. Fits need a positive delta, such as 1e-6.", err=True)


@app.command(epilog="Example: dprules ledger close ledger.db 15")
def close(
    ledger: Url,
    entry: Annotated[int, typer.Argument(help="Number of the grant, as `show` lists it.")],
) -> None:
    """End a grant. What was charged stays charged."""
    from dprules.ledger import Ledger

    Ledger(ledger).close(entry)
    typer.echo(f"Entry {entry} is closed.")


@app.command(epilog="Example: dprules ledger show ledger.db")
def show(
    ledger: Url,
    dataset: Annotated[str | None, typer.Option(help="This data set only.")] = None,
    charges: Annotated[bool, typer.Option("--charges", help="Also list every charge.")] = False,
    as_json: Json = False,
) -> None:
    """Show what was granted, spent and left of each data set, and the digest to keep."""
    from dprules.jobs import ledger_show
    from dprules.ledger import find_future

    book = ledger_show(ledger)
    if dataset is not None:
        book.dataset(dataset)
    names = sorted(book.datasets) if dataset is None else [dataset]
    if as_json:
        typer.echo(json.dumps(describe_book(book, names), indent=2))
        return
    _print_budgets(book, names)
    if charges:
        _print_charges(book, names)
    for sentence in find_future(book.entries, datetime.now(UTC)):
        typer.echo(f"Warning: {sentence}.", err=True)
    head = book.entries[-1] if book.entries else None
    entries = "1 entry" if len(book.entries) == 1 else f"{len(book.entries):,} entries"
    typer.echo(f"Ledger {book.name[:8]}, {entries}. Keep the head: {head.digest if head else 'none'}")


@app.command(epilog="Example: dprules ledger verify ledger.db --head 3f2a... --model model.json")
def verify(
    ledger: Url,
    head: Annotated[str | None, typer.Option(help="A digest that was kept: its entry must be there.")] = None,
    model: Annotated[
        list[Path] | None, typer.Option(help="A model charged to it; again for more.", readable=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Check every entry from the first to the last: edited, removed, re-ordered or overspent ones are found.

    Entries removed from the end are found with a head that was kept, or by the models charged to them.
    """
    from dprules.jobs import ledger_verify

    faults = ledger_verify(ledger, head=head, models=model or [])
    if as_json:
        typer.echo(json.dumps({"holds": not faults, "faults": faults}, indent=2))
    elif faults:
        typer.echo("\n".join(f"NOT VERIFIED: {fault}." for fault in faults), err=True)
    else:
        typer.echo("Verified: every entry is where and what it was when it was written, and no grant is overspent.")
    if faults:
        raise typer.Exit(Exit.UNVERIFIED)


@app.command(epilog="Example: dprules ledger export ledger.db -o ledger.json")
def export(
    ledger: Url,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File; standard output if left out.")] = None,
    to: Annotated[str, typer.Option(help="json (all entries) or html (a page).")] = "json",
    force: Force = False,
) -> None:
    """Write all entries with their digests as JSON, or a page for people."""
    from dprules.jobs import ledger_export, ledger_show

    if to not in ("json", "html"):
        raise ParameterError(f"--to must be json or html; got {to!r}.")
    require_new_output(output, [] if "://" in ledger else [ledger], force)
    if to == "html":
        from dprules.report import render_ledger

        write_or_echo(render_ledger(ledger_show(ledger)), output, force)
        return
    write_or_echo(json.dumps(ledger_export(ledger), indent=2) + "\n", output, force)


def _read_day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    raise ParameterError(f"--until must be a day such as 2027-12-31; got {text!r}.")


def describe_book(book: "Book", names: list[str]) -> dict[str, Any]:
    """Return what a ledger amounts to in JSON's types."""
    datasets = {
        name: {
            "neighbours": book.datasets[name].neighbours.value,
            "unit": str(book.datasets[name].unit),
            "fingerprint": book.datasets[name].fingerprint,
            "grants": [_describe_grant(state) for state in book.grants_of(name)],
            "charges": [
                {
                    "entry": number,
                    "job": state.spent.quote.job,
                    "grant": state.spent.grant,
                    "epsilon": float(state.spent.quote.epsilon),
                    "delta": float(state.spent.quote.delta),
                    "by": state.spent.by,
                    "time": state.entry.time.isoformat(),
                    "outcome": state.outcome,
                }
                for number, state in book.charges.items()
                if state.spent.dataset == name
            ],
        }
        for name in names
    }
    head = book.entries[-1].digest if book.entries else None
    return {"ledger": book.name, "entries": len(book.entries), "head": head, "datasets": datasets}


def _describe_grant(state: "GrantState") -> dict[str, Any]:
    from dprules.report import has_ended, list_shapes

    epsilon, delta = state.grant.filter.guarantee
    names = state.grant.filter.coordinates
    return {
        "entry": state.entry.number,
        "kind": state.grant.filter.kind,
        "epsilon": epsilon,
        "delta": delta,
        "limit": dict(zip(names, map(float, state.grant.filter.limit), strict=True)),
        "spent": dict(zip(names, map(float, state.spent), strict=True)),
        "left": dict(zip(names, map(float, state.left), strict=True)),
        "shapes": list_shapes(state),
        "by": state.grant.by,
        "why": state.grant.why,
        "until": None if state.grant.until is None else state.grant.until.isoformat(),
        "ended": has_ended(state),
    }


def _say_guarantee(state: "GrantState") -> str:
    from dprules.ledger import show_cost, show_guarantee

    epsilon, delta = show_guarantee(state.grant.filter)
    limit = show_cost(state.grant.filter, state.grant.filter.limit)
    return f"{limit}. All jobs charged to it are ({epsilon}, {delta})-differentially private together."


def _print_budgets(book: "Book", names: list[str]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from dprules.ledger import show_cost, show_guarantee, show_total
    from dprules.report import show_left

    console = Console(highlight=False)
    for name in names:
        known = book.datasets[name]
        title = f"{escape(name)}: each {escape(str(known.unit))}, {known.neighbours} neighbours"
        table = Table(title=title, title_justify="left")
        for column in ("grant", "granted", "together", "left"):
            table.add_column(column, overflow="fold")
        table.add_column(no_wrap=True)
        for state in book.grants_of(name):
            kind = state.grant.filter
            granted, guarantee = show_cost(kind, kind.limit), ", ".join(show_guarantee(kind))
            bar = _bar(state)
            table.add_row(str(state.entry.number), granted, f"({guarantee})", show_left(state), bar)
        console.print(table if book.grants_of(name) else f"{title}. Nothing is granted.")
        for state in book.grants_of(name):
            console.print(escape("\n".join(_say_more(state))))
        if len(book.grants_of(name)) > 1:
            epsilon, delta = show_total([state.grant.filter for state in book.grants_of(name)])
            console.print(f"All grants of it together: ({epsilon}, {delta}).")


def _say_more(state: "GrantState") -> list[str]:
    """Return what does not fit into a row: who granted it and what for, its slots."""
    from dprules.report import list_shapes, say_end

    number, shapes = state.entry.number, list_shapes(state)
    about = [f"by {state.grant.by}", state.grant.why, say_end(state)]
    lines = [f"Grant {number}: {', '.join(filter(None, about))}."]
    if shapes:
        lines.append(f"Each slot of grant {number} fits {' or '.join(shapes)}.")
    return lines


def _bar(state: "GrantState") -> str:
    """Return a bar of what is left, by the coordinate that is nearest to its end."""
    from dprules.report import share_left

    share = share_left(state)
    cells = int(share * WIDTH)
    colour = "green" if share > 0.25 else "yellow" if share > 0 else "red"
    return f"[{colour}]{'█' * cells}[/{colour}]{'░' * (WIDTH - cells)} {100 * share:.0f}%"


def _print_charges(book: "Book", names: list[str]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from dprules.ledger import show_cost

    table = Table(title="Charges", title_justify="left")
    for column in ("entry", "when (UTC)", "data set", "job", "cost", "by", "outcome"):
        table.add_column(column, overflow="fold")
    for number, state in book.charges.items():
        if state.spent.dataset not in names:
            continue
        kind = book.grants[state.spent.grant].grant.filter
        table.add_row(
            str(number),
            f"{state.entry.time:%Y-%m-%d %H:%M}",
            escape(state.spent.dataset),
            state.spent.quote.job,
            show_cost(kind, state.spent.cost),
            escape(state.spent.by),
            state.outcome,
        )
    Console().print(table)
