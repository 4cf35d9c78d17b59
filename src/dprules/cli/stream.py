"""`dprules stream`: a private learner that lives on disk and learns from events."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from dprules.cli.exits import StoppedError
from dprules.cli.options import (
    Dialect,
    Force,
    Json,
    Output,
    Unverified,
    judge,
    marks_of,
    require_new_output,
    write_or_echo,
)

app = typer.Typer(help="A private learner that lives on disk and learns from events.", no_args_is_help=True)
State = Annotated[Path, typer.Argument(help="Folder of the stream.")]
Events = Annotated[
    str, typer.Argument(help="Events, one a line: JSON lines, .csv or .tsv; - reads JSON lines from standard input.")
]


@app.command(epilog="Example: dprules stream init clicks --features schema.toml --epsilon 1")
def init(
    state: State,
    features: Annotated[Path, typer.Option(help="Schema file with two classes and public cuts.")],
    epsilon: Annotated[float, typer.Option(help="Privacy budget of the whole stream, however long.")] = 1.0,
    delta: Annotated[float, typer.Option(help="0 for segment; the others need one.")] = 0.0,
    algorithm: Annotated[str, typer.Option(help="segment, guarded, batched or paper.")] = "segment",
    neighbours: Annotated[str, typer.Option(help="replace or zero-out.")] = "replace",
    horizon: Annotated[int | None, typer.Option(help="Rounds of the stream, for a mistake bound.")] = None,
    margin: Annotated[float | None, typer.Option(help="Margin of the target, for a mistake bound.")] = None,
    switch_after: Annotated[
        int | None, typer.Option(help="When guarded switches; at the bound of batched if left out.")
    ] = None,
    width: Annotated[int, typer.Option(help="Literals in one feature, 1 to 3.")] = 1,
) -> None:
    """Make a stream: a folder with private state, and a public hypothesis that says nothing yet."""
    from dprules.jobs import stream_init
    from dprules.schema import Schema

    published, count = stream_init(
        state,
        Schema.from_file(features),
        width=width,
        epsilon=epsilon,
        delta=delta,
        algorithm=algorithm,
        neighbours=neighbours,
        horizon=horizon,
        margin=margin,
        switch_after=switch_after,
    )
    typer.echo(f"{count} features.\n{published.certificate}\n\nStream: {state}")


@app.command(epilog="Example: dprules stream learn clicks events.jsonl --follow")
def learn(
    state: State,
    events: Events,
    follow: Annotated[bool, typer.Option("--follow", help="Wait for more when the file ends; Ctrl-C stops.")] = False,
    batch: Annotated[int, typer.Option(help="Events that are committed together.")] = 1024,
    source: Annotated[str | None, typer.Option(help="Name of the source; that of the file if left out.")] = None,
    offset: Annotated[
        int | None, typer.Option(help="For standard input: the number of its first line in the source, from 0 on.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn labelled events. A line that was acknowledged is never learnt again: repeat the command after a stop."""
    from rich.console import Console

    from dprules.jobs import Stream, stream_learn

    console = Console(stderr=True)
    with Stream.open(state) as stream, _interruptible(), console.status("learning") as status:
        lines = stream_learn(stream, events, source=source, batch=batch, offset=offset, follow=follow, say=_say)
        for line in lines:
            if as_json:
                typer.echo(json.dumps({"acknowledged": line, "released": stream.releases}))
            status.update(f"learning; hypotheses released: {stream.releases}")
        if not as_json:
            typer.echo(f"{stream.published.model}\n\nHypotheses released: {stream.releases}.")


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends a stream that is followed: what was acknowledged is kept."""
    try:
        yield
    except KeyboardInterrupt:
        sentence = "interrupted; everything that was acknowledged is kept. Repeat the command to go on."
        raise StoppedError(sentence) from None


@app.command(epilog="Example: dprules stream predict clicks new.jsonl -o labels.csv")
def predict(
    state: State, events: Events, output: Output = None, force: Force = False, unverified: Unverified = False
) -> None:
    """Write the class that the published hypothesis gives to each event. Predictions on private events are private."""
    import csv
    import io

    from dprules.jobs import stream_predict, stream_show

    published = stream_show(state, unverified=unverified)
    judge(published, unverified)
    require_new_output(output, [events, state], force)
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow([f"predicted_{published.label.name}"])
    writer.writerows([label] for label in stream_predict(published.model, events, _say))
    write_or_echo(lines.getvalue(), output, mode=0o600)


@app.command(epilog="Example: dprules stream show clicks")
def show(state: State, as_json: Json = False, unverified: Unverified = False) -> None:
    """Print the published hypothesis and its certificate: public things only."""
    from dprules.jobs import stream_show

    published = stream_show(state, unverified=unverified)
    verdict = judge(published, unverified)
    if as_json:
        typer.echo(published.to_json(), nl=False)
        return
    released = getattr(published.model, "releases", 0)
    typer.echo(f"{published.model}\n\nHypotheses released: {released}.\n\n{published.certificate}\n{verdict}")


@app.command(epilog="Example: dprules stream export clicks --to sql --table events")
def export(
    state: State,
    to: Annotated[str, typer.Option(help="json or sql.")] = "json",
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
    write_or_echo(write_form(published, to, table, dialect, marks_of(published, unverified)), output)
