"""`dprules stream`: a private learner that lives on disk and learns from events."""

import csv
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from dprules.cli.files import Json, require_writable
from dprules.errors import DataError, ParameterError

if TYPE_CHECKING:
    from dprules.online.events import Batch, EventFile
    from dprules.online.state import StreamState

app = typer.Typer(help="A private learner that lives on disk and learns from events.", no_args_is_help=True)
State = Annotated[Path, typer.Argument(help="Folder of the stream.")]
Events = Annotated[
    str, typer.Argument(help="Events, one a line: JSON lines, .csv or .tsv; - reads JSON lines from standard input.")
]
PAUSE = 0.5
"""Seconds between two looks at a growing file."""


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
    most: Annotated[
        int | None, typer.Option(help="When guarded switches; at the bound of batched if left out.")
    ] = None,
    width: Annotated[int, typer.Option(help="Literals in one feature, 1 to 3.")] = 1,
) -> None:
    """Make a stream: a folder with private state, and a public hypothesis that says nothing yet."""
    from dprules.data import Schema
    from dprules.online.events import Features
    from dprules.online.settings import StreamSettings
    from dprules.online.state import create

    settings = StreamSettings(epsilon, delta, algorithm, neighbours, horizon, margin, most)
    published = create(state, settings, Features(Schema.from_file(features), width))
    typer.echo(f"{published.features.count} features.\n{published.certificate}\n\nStream: {state}")


@app.command(epilog="Example: dprules stream learn clicks events.jsonl --follow")
def learn(
    state: State,
    events: Events,
    follow: Annotated[bool, typer.Option("--follow", help="Wait for more when the file ends; Ctrl-C stops.")] = False,
    batch: Annotated[int, typer.Option(help="Events that are committed together.")] = 1024,
    source: Annotated[str | None, typer.Option(help="Name of the source; that of the file if left out.")] = None,
    id_field: Annotated[
        str | None,
        typer.Option("--id", help="Field with a growing whole number: events up to the last one are skipped."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn labelled events. What was acknowledged is never learnt twice: run the same command again after a stop."""
    from dprules.online.state import opened

    if batch < 1:
        raise ParameterError(f"batch must be at least 1; got {batch}. 1024 is usual.")
    if events == "-" and follow:
        raise ParameterError("standard input is followed anyway, until it ends. Leave --follow out.")
    name = source or (events if events == "-" else Path(events).name)
    console = Console(stderr=True)
    with opened(state) as stream, _interruptible(), console.status("learning") as status:
        told = stream.published.hypothesis.releases
        for position in _learnt(stream, events, name, batch, id_field, follow):
            released = stream.published.hypothesis.releases
            if as_json:
                typer.echo(json.dumps({"acknowledged": position, "released": released}))
            elif released > told:
                status.update(f"learning; hypotheses released: {released}")
            told = released
        if not as_json:
            typer.echo(f"{stream.published.hypothesis}\n\nHypotheses released: {told}.")


def _learnt(
    stream: "StreamState", events: str, name: str, size: int, id_field: str | None, follow: bool
) -> Iterator[int]:
    """Positions of the source, each when it is acknowledged."""
    if events == "-":
        for batch in _standard_input(stream.position(name), size):
            yield from _acknowledged(stream, batch, name, id_field, "")
        return
    from dprules.online.events import EventFile

    if not Path(events).is_file():
        raise DataError(f"{events}: no such file. Check the name.")
    file = EventFile(Path(events))
    position = 0 if id_field else stream.position(name, file.mark(stream.position(name)))
    while True:
        for batch in file.batches(position, size, whole_lines=follow):
            position = batch.position
            yield from _acknowledged(stream, batch, name, id_field, "" if id_field else file.mark(position))
        if not follow:
            return
        time.sleep(PAUSE)


def _acknowledged(stream: "StreamState", batch: "Batch", name: str, id_field: str | None, mark: str) -> Iterator[int]:
    if id_field is None:
        yield stream.learn(batch.events, name, batch.position, mark)
        return
    following, fresh = stream.position(name), []
    for event in batch.events:
        if _id(event.get(id_field)) >= following:
            fresh.append(event)
            following = _id(event.get(id_field)) + 1
    if fresh:
        yield stream.learn(fresh, name, following, mark)


def _id(value: object) -> int:
    """A whole number; an event without one can never be told from a repetition, and is left out."""
    try:
        return int(value) if isinstance(value, int | str) and not isinstance(value, bool) else -1
    except ValueError:
        return -1


def _standard_input(position: int, size: int) -> Iterator["Batch"]:
    from dprules.online.events import Batch, read_event

    while lines := list(islice(sys.stdin.buffer, size)):
        position += len(lines)
        yield Batch([read_event(line) for line in lines if line.strip()], position)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends a stream that is followed: what was acknowledged is kept."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("Stopped; everything that was acknowledged is kept.", err=True)


@app.command(epilog="Example: dprules stream predict clicks new.jsonl -o labels.csv")
def predict(
    state: State,
    events: Events,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV to write; standard output if left out.")
    ] = None,
) -> None:
    """Write the class that the published hypothesis gives to each event. Predictions on private events are private."""
    from dprules.lists.model import write_whole
    from dprules.online.events import EventFile
    from dprules.online.state import Published

    if output is not None:
        require_writable(output)
    published = Published.read(state)
    batches = (
        _standard_input(0, 1024) if events == "-" else _file(events, EventFile).batches(0, 8192, whole_lines=False)
    )
    hypothesis = published.hypothesis
    asked = published.asked
    lines = ["prediction"]
    for batch in batches:
        for event in batch.events:
            held = {term.name: all(c.holds(event) for c in asked[term.name]) for term in hypothesis.terms}
            lines.append(_cell(hypothesis.predict(held)))
    text = "\n".join(lines) + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_whole(output, text, mode=0o600)


def _file(events: str, kind: "type[EventFile]") -> "EventFile":
    if not Path(events).is_file():
        raise DataError(f"{events}: no such file. Check the name.")
    return kind(Path(events))


def _cell(value: object) -> str:
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([value])
    return text.getvalue()


@app.command(epilog="Example: dprules stream show clicks")
def show(state: State, as_json: Json = False) -> None:
    """Print the published hypothesis and its certificate: public things only."""
    from dprules.online.state import Published

    published = Published.read(state)
    if as_json:
        told = {"hypothesis": published.hypothesis.to_document(), "certificate": published.certificate.to_document()}
        typer.echo(json.dumps(told, indent=2))
        return
    checked = "Checked: the price of the releases is what the statement says."
    doubt = "NOT VERIFIED: the releases cost more than the statement says."
    typer.echo(
        f"{published.hypothesis}\n\nHypotheses released: {published.hypothesis.releases}.\n\n{published.certificate}\n"
        f"{checked if published.certificate.verify() else doubt}"
    )


@app.command(epilog="Example: dprules stream export clicks --to sql --table events")
def export(
    state: State,
    to: Annotated[str, typer.Option(help="json or sql.")] = "json",
    table: Annotated[str, typer.Option(help="Table that the SQL reads.")] = "events",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; standard output if left out.")
    ] = None,
) -> None:
    """Write the published hypothesis in another form."""
    from dprules.lists.model import write_whole
    from dprules.online.state import Published

    if to not in ("json", "sql"):
        raise ParameterError(f"to must be json or sql; got {to!r}. Choose one.")
    published = Published.read(state)
    if to == "json":
        text = published.hypothesis.to_json()
    else:
        text = published.hypothesis.to_sql(table, published.asked) + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        require_writable(output)
        write_whole(output, text)
