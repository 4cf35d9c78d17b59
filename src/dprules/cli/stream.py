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

from dprules.cli.files import Json, require_apart, require_writable
from dprules.errors import DataError, ParameterError

if TYPE_CHECKING:
    from dprules.online.events import Batch
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
    offset: Annotated[
        int | None, typer.Option(help="For standard input: the number of its first line in the source, from 0 on.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn labelled events. A line that was acknowledged is never learnt again: repeat the command after a stop."""
    from dprules.online.state import opened

    if batch < 1:
        raise ParameterError(f"batch must be at least 1; got {batch}. 1024 is usual.")
    if events == "-" and follow:
        raise ParameterError("standard input is followed anyway, until it ends. Leave --follow out.")
    if (events == "-") != (offset is not None):
        raise ParameterError(
            "standard input needs --offset, the number of its first line in the source; files have none."
        )
    name = source or (events if events == "-" else Path(events).name)
    console = Console(stderr=True)
    with opened(state) as stream, _interruptible(), console.status("learning") as status:
        told = stream.published.hypothesis.releases
        for line in _learnt(stream, events, name, batch, offset, follow):
            released = stream.published.hypothesis.releases
            if as_json:
                typer.echo(json.dumps({"acknowledged": line, "released": released}))
            elif released > told:
                status.update(f"learning; hypotheses released: {released}")
            told = released
        if not as_json:
            typer.echo(f"{stream.published.hypothesis}\n\nHypotheses released: {told}.")


def _learnt(
    stream: "StreamState", events: str, name: str, size: int, offset: int | None, follow: bool
) -> Iterator[int]:
    """Lines of the source, each when it is acknowledged."""
    from dprules.online.events import EventFile

    if offset is not None:
        if stream.place(name).mark:
            raise DataError(f"source {name!r} was read from a file. Give standard input another --source name.")
        for batch in _standard_input(offset, stream.place(name).line, size):
            yield stream.learn(batch.events, name, batch.place)
        return
    schema = stream.features.schema
    file = EventFile(Path(events), [schema.label.name, *(column.name for column in schema.columns)])
    while True:
        for batch in file.batches(stream.place(name), size):
            yield stream.learn(batch.events, name, batch.place)
        if not follow:
            if file.unfinished(stream.place(name)):
                typer.echo("The last line has no line end yet and was left for later.", err=True)
            return
        time.sleep(PAUSE)


def _standard_input(offset: int, known: int, size: int, whole_lines: bool = True) -> Iterator["Batch"]:
    """Lines that were not acknowledged yet; a gap before them is refused."""
    from dprules.online.events import Batch, Place, read_event

    if offset < 0:
        raise ParameterError(f"offset must be at least 0; got {offset}. It is the number of the first line.")
    if offset > known:
        raise DataError(
            f"lines {known} to {offset - 1} of the source were never learnt. Start at line {known}, or rename it."
        )
    line = offset
    while lines := list(islice(sys.stdin.buffer, size)):
        if not lines[-1].endswith(b"\n") and whole_lines:
            typer.echo("The last line has no line end and was left out.", err=True)
            lines.pop()
        line += len(lines)
        fresh = lines[max(0, len(lines) - (line - known)) :] if line > known else []
        if fresh:
            yield Batch([read_event(text) for text in fresh], Place(line))


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
    from dprules.online.events import EventFile, Place
    from dprules.online.state import Published

    if output is not None:
        require_writable(output)
        require_apart([output], [events, state])
    published = Published.read(state)
    start = Place()
    batches = (
        _standard_input(0, 0, 1024, False) if events == "-" else EventFile(Path(events)).batches(start, 8192, False)
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
        require_apart([output], [state])
        write_whole(output, text)
