"""A private learner that lives on disk and learns from events."""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from dprules.errors import DataError, ParameterError
from dprules.learners.questions import count_questions
from dprules.learners.streams import (
    EventBatch,
    EventFile,
    Position,
    Stream,
    StreamFeatures,
    StreamSettings,
    create_stream,
    read_event,
    read_published,
)
from dprules.models import Model, Released
from dprules.schema import Schema

__all__ = ["Stream", "stream_init", "stream_learn", "stream_predict", "stream_show"]

PAUSE = 0.5
"""Seconds between two looks at a growing file."""
Say = Callable[[str], None]


def stream_init(
    folder: Path,
    schema: Schema,
    *,
    width: int = 1,
    epsilon: float = 1.0,
    delta: float = 0.0,
    algorithm: str = "segment",
    neighbours: str = "replace",
    horizon: int | None = None,
    margin: float | None = None,
    switch_after: int | None = None,
) -> tuple[Released, int]:
    """Make a stream: a folder with private state and a public hypothesis; return it, and the number of features."""
    settings = StreamSettings(epsilon, delta, algorithm, neighbours, horizon, margin, switch_after)
    count_questions(schema, width)
    features = StreamFeatures(schema, width)
    return create_stream(folder, settings, features), features.count


def stream_learn(
    stream: Stream, events: str, *, source: str | None, batch: int, offset: int | None, follow: bool, say: Say
) -> Iterator[int]:
    """Learn events of a file or of standard input; return the number of a line when it is acknowledged.

    Parameters
    ----------
    stream : Stream
        An open stream.
    events : str
        A file, or "-" for JSON lines on standard input.
    source : str or None
        Name of the source; None: that of the file.
    batch : int
        Events that are committed together.
    offset : int or None
        For standard input: the number of its first line in the source.
    follow : bool
        Whether to wait for more when a file ends.
    say : callable
        Told sentences for the user.
    """
    if batch < 1:
        raise ParameterError(f"batch must be at least 1; got {batch}. 1024 is usual.")
    if events == "-" and follow:
        raise ParameterError("standard input is followed anyway, until it ends. Leave --follow out.")
    if (events == "-") != (offset is not None):
        raise ParameterError(
            "standard input needs --offset, the number of its first line in the source; files have none."
        )
    name = source or (events if events == "-" else Path(events).name)
    if offset is not None:
        if stream.position(name).mark:
            raise DataError(f"source {name!r} was read from a file. Give standard input another --source name.")
        for part in _standard_input(offset, stream.position(name).line, batch, say):
            yield stream.learn(part.events, name, part.position)
        return
    file = EventFile(Path(events), stream.features.schema.names)
    while True:
        for part in file.batches(stream.position(name), batch):
            yield stream.learn(part.events, name, part.position)
        if not follow:
            if file.has_unfinished_line(stream.position(name)):
                say("The last line has no line end yet and was left for later.")
            return
        time.sleep(PAUSE)


def _standard_input(offset: int, known: int, size: int, say: Say, whole_lines: bool = True) -> Iterator[EventBatch]:
    """Lines that were not acknowledged yet; a gap before them is refused."""
    if offset < 0:
        raise ParameterError(f"offset must be at least 0; got {offset}. It is the number of the first line.")
    if offset > known:
        raise DataError(
            f"lines {known} to {offset - 1} of the source were never learnt. Start at line {known}, or rename it."
        )
    if sys.stdin is None:
        raise DataError("standard input is closed. Name a file, or send events to it.")
    line = offset
    while lines := list(islice(sys.stdin.buffer, size)):
        if not lines[-1].endswith(b"\n") and whole_lines:
            say("The last line has no line end and was left out.")
            lines.pop()
        line += len(lines)
        fresh = lines[max(0, len(lines) - (line - known)) :] if line > known else []
        if fresh:
            yield EventBatch([read_event(text) for text in fresh], Position(line))


def stream_predict(model: Model, events: str, say: Say) -> Iterator[Any]:
    """Return the class that a published hypothesis gives to each event. Predictions on private events are private.

    Parameters
    ----------
    model : Model
        Of a published hypothesis that verifies.
    events : str
        A file, or "-" for JSON lines on standard input.
    say : callable
        Told sentences for the user.
    """
    if events == "-":
        batches = _standard_input(0, 0, 1024, say, whole_lines=False)
    else:
        needed = [column.name for column in model.columns]
        batches = EventFile(Path(events), needed).batches(Position(), 8192, whole_lines=False)
    for batch in batches:
        yield from model.predict(batch.events).tolist()


def stream_show(folder: Path, *, unverified: bool = False) -> Released:
    """Return what everybody may see of a stream."""
    return read_published(folder, unverified=unverified)
