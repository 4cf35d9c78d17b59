"""`dprules stream`: a private learner that lives on disk and learns from events."""

import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from dprules.cli.exits import StoppedError
from dprules.cli.options import (
    Dataset,
    Dialect,
    Force,
    Json,
    LedgerUrl,
    Output,
    Unverified,
    judge,
    marks_of,
    require_new_output,
    saying_what_was_charged,
    write_or_echo,
)
from dprules.errors import ParameterError

app = typer.Typer(help="A private learner that lives on disk and learns from events.", no_args_is_help=True)
State = Annotated[Path, typer.Argument(help="Folder of the stream.")]
Events = Annotated[
    str,
    typer.Argument(
        help="Events, one a line: JSON lines, .csv or .tsv, also rotated (.1) or .gz; - reads JSON lines from standard "
        "input."
    ),
]
Features = Annotated[Path, typer.Option(help="Schema file with public cuts and values.", readable=False)]
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(ms|s|m|h)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@app.command(epilog="Example: dprules stream init clicks --features schema.toml --epsilon 1")
def init(
    state: State,
    features: Features,
    epsilon: Annotated[float, typer.Option(help="Privacy budget of the whole stream, however long.")] = 1.0,
    delta: Annotated[
        float, typer.Option(help="0 for segment and dense; the others need one, epochs may have one.")
    ] = 0.0,
    algorithm: Annotated[
        str, typer.Option(help="segment, epochs (a rule list), dense (numbers), guarded, batched or paper.")
    ] = "segment",
    neighbours: Annotated[str, typer.Option(help="replace or zero-out.")] = "replace",
    horizon: Annotated[int | None, typer.Option(help="Rounds of the stream, for a mistake bound.")] = None,
    margin: Annotated[float | None, typer.Option(help="Margin of the target, for a mistake bound.")] = None,
    switch_after: Annotated[
        int | None, typer.Option(help="When guarded switches; at the bound of batched if left out.")
    ] = None,
    memory: Annotated[int | None, typer.Option(help="Rounds that an epoch of epochs has at most.")] = None,
    watch: Annotated[
        float, typer.Option(help="Share of epsilon by which epochs notices a change of the target; 0: none.")
    ] = 0.125,
    width: Annotated[int, typer.Option(help="Literals in one feature, 1 to 3.")] = 1,
    ledger: LedgerUrl = None,
    dataset: Dataset = None,
    as_json: Json = False,
) -> None:
    """Make a stream: a folder with private state, and a public hypothesis that says nothing yet."""
    from dprules.jobs import stream_init, stream_recommend
    from dprules.schema import Schema

    schema = Schema.from_file(features)
    with saying_what_was_charged(ledger):
        published, count = stream_init(
            state,
            schema,
            width=width,
            epsilon=epsilon,
            delta=delta,
            algorithm=algorithm,
            neighbours=neighbours,
            horizon=horizon,
            margin=margin,
            switch_after=switch_after,
            memory=memory,
            watch=watch,
            ledger=ledger,
            dataset=dataset,
        )
    advice = stream_recommend(schema)
    if as_json:
        typer.echo(json.dumps({"stream": str(state), "features": count, "recommended": advice}))
        return
    if f": {algorithm}," not in advice:
        advice += f" This one has {algorithm}; to change that, make another stream before it learns, with --algorithm."
    typer.echo(f"{count} features.\n{published.certificate}\n\n{advice}\n\nStream: {state}")


@app.command(epilog="Example: dprules stream extend clicks --features wider.toml")
def extend(
    state: State,
    features: Features,
    ledger: Annotated[str | None, typer.Option(help="The ledger that the stream was charged to, if it was.")] = None,
    as_json: Json = False,
) -> None:
    """Ask about new columns from the next round on: the stream's schema with more columns, for the same price."""
    from dprules.jobs import stream_extend
    from dprules.schema import Schema

    published, count = stream_extend(state, Schema.from_file(features), ledger=ledger)
    if as_json:
        typer.echo(json.dumps({"stream": str(state), "features": count}))
        return
    typer.echo(f"{count} features.\n{published.certificate}\n\nStream: {state}")


@app.command(epilog="Example: dprules stream learn clicks events.jsonl --follow")
def learn(
    state: State,
    events: Events,
    follow: Annotated[
        bool, typer.Option("--follow", help="Wait for more when the file ends, also when it is rotated; Ctrl-C stops.")
    ] = False,
    batch: Annotated[int, typer.Option(help="Events that are committed together at most.")] = 32_768,
    every: Annotated[
        str,
        typer.Option(
            help="Time after which events of standard input are committed in any case, and between two looks "
            "at a file that is followed: 500ms, 1s, 2m."
        ),
    ] = "1s",
    source: Annotated[
        str | None, typer.Option(help="Source name. Each line of a source is learned once, by its position.")
    ] = None,
    offset: Annotated[
        int | None, typer.Option(help="For standard input: the number of its first line in the source, from 0 on.")
    ] = None,
    new: Annotated[
        bool,
        typer.Option("--new", help="Learn a file that replaced another one of its source from its first line."),
    ] = False,
    copy: Annotated[
        bool,
        typer.Option("--copy", help="Continue a file that replaced another one of its source after the learned lines."),
    ] = False,
    restore: Annotated[
        bool,
        typer.Option(
            "--restore",
            help="Go on though the public file is missing. If the private state is not the newest, decisions are made "
            "twice and the certificate does not hold.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Learn labelled events. A line that was acknowledged is not learned again: repeat the command after a stop."""
    from rich.console import Console

    from dprules.jobs import Stream, stream_learn

    console = Console(stderr=True)
    seconds = _read_duration(every)
    with Stream.open(state, restore=restore) as stream, _interruptible(), console.status("learning") as status:
        if restore:
            _say("If this private state is not the newest, what was decided since then is decided a second time.")
        lines = stream_learn(
            stream,
            events,
            source=source,
            batch=batch,
            every=seconds,
            offset=offset,
            follow=follow,
            new=new,
            copy=copy,
            say=_say,
        )
        for line in lines:
            if as_json:
                typer.echo(json.dumps({"acknowledged": line, "released": stream.releases}))
            status.update(f"learning; hypotheses released: {stream.releases}")
        if not as_json:
            reached = f"Rounds: {stream.rounds:,}. Hypotheses released: {stream.releases:,}."
            typer.echo(f"{stream.published.model}\n\n{reached}")


def _read_duration(text: str) -> float:
    """Return seconds: 500ms, 1s, 2m, or a number of seconds."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise ParameterError(f"--every must be a time such as 500ms, 1s or 2m; got {text!r}.")
    return float(found[1]) * _SECONDS[found[2] or "s"]


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)


@contextmanager
def _interruptible() -> Iterator[None]:
    """A signal ends a stream that is followed: what was acknowledged is kept."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        raise StoppedError("everything that was acknowledged is kept. Repeat the command to go on.") from None


@app.command(epilog="Example: dprules stream predict clicks new.jsonl -o labels.csv")
def predict(
    state: State, events: Events, output: Output = None, force: Force = False, unverified: Unverified = False
) -> None:
    """Write the class that the published hypothesis gives to each event. Predictions on private events are private.

    Lines of standard input are answered as they come.
    """
    from dprules.cli.progress import show_work
    from dprules.jobs import stream_predict, stream_show

    published = stream_show(state, unverified=unverified)
    judge(published, unverified)
    require_new_output(output, [events, state], force)
    rows = chain([[f"predicted_{published.label.name}"]], stream_predict(published.model, events))
    if output is None:
        for labels in rows:
            typer.echo(_as_csv(labels), nl=False)
        return
    with show_work("predicting"):
        text = "".join(map(_as_csv, rows))
    write_or_echo(text, output, force, mode=0o600)


def _as_csv(cells: list[Any]) -> str:
    """Return cells as lines of one column."""
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([cell] for cell in cells)
    return lines.getvalue()


@app.command(epilog="Example: dprules stream show clicks")
def show(state: State, as_json: Json = False, unverified: Unverified = False) -> None:
    """Print the published hypothesis and its certificate: public things only."""
    from dprules.jobs import stream_show

    published = stream_show(state, unverified=unverified)
    verdict = judge(published, unverified)
    if as_json:
        typer.echo(published.to_json(), nl=False)
        return
    mark = published.stream
    reached = "" if mark is None else f"Rounds: {mark.rounds:,}. Hypotheses released: {mark.releases:,}.\n\n"
    typer.echo(f"{published.model}\n\n{reached}{published.certificate}\n{verdict}")


@app.command(epilog="Example: dprules stream export clicks --to sql --table events")
def export(
    state: State,
    to: Annotated[str, typer.Option(help="sql; a list also python or markdown.")] = "sql",
    table: Annotated[str, typer.Option(help="Table that the SQL reads.")] = "events",
    dialect: Dialect = "duckdb",
    output: Output = None,
    force: Force = False,
    unverified: Unverified = False,
) -> None:
    """Write the published hypothesis in another form."""
    from dprules.jobs import export as write_form
    from dprules.jobs import stream_show

    require_new_output(output, [state], force)
    published = stream_show(state, unverified=unverified)
    judge(published, unverified)
    write_or_echo(write_form(published, to, table, dialect, marks_of(published, unverified)), output, force)
