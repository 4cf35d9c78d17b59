"""A private learner that lives on disk and learns from events."""

import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dprules.accounting import Certificate, LedgerReference
from dprules.errors import DataError, ParameterError
from dprules.jobs.charging import (
    LedgerLike,
    charge_stream,
    note_charge,
    require_known_columns,
    require_ledger,
)
from dprules.jobs.ledgers import settle
from dprules.learners.questions import count_questions
from dprules.learners.streams import (
    Event,
    EventBatch,
    EventFile,
    Follower,
    Position,
    Replacement,
    Say,
    Stream,
    StreamSettings,
    create_stream,
    encode_lines,
    identify_path,
    read_events,
    read_file,
    read_timely,
)
from dprules.learners.streams.recommend import recommend
from dprules.models import Model, Released
from dprules.models.published import read_published
from dprules.numbers import as_asked
from dprules.private import Private
from dprules.schema import Schema
from dprules.tables import prepare_kernels
from dprules.tables.events import CodedEvents

__all__ = [
    "Stream",
    "StreamSettings",
    "stream_extend",
    "stream_init",
    "stream_learn",
    "stream_predict",
    "stream_recommend",
    "stream_show",
]

STANDARD_INPUT = "-"
LEAST_AT_ONCE = 1024
MOST_BYTES = 1 << 26
"""Of the matrix of a batch, a byte for each literal of each event, unless it has fewer events than that."""
MOST_AT_ONCE = 8192
"""Events that are predicted together, if there are so many."""


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
    memory: int | None = None,
    watch: float = 0.125,
    ledger: LedgerLike | None = None,
    dataset: str | None = None,
) -> tuple[Released, int]:
    """Make a stream: a folder with private state and a public hypothesis; return it, and the number of features.

    A ledger is charged for everything that the stream will ever release, once it is certain that it can be made.
    """
    require_ledger(ledger, dataset)
    asked = as_asked(epsilon, "epsilon"), as_asked(delta, "delta", zero=True)
    settings = StreamSettings(*asked, algorithm, neighbours, horizon, margin, switch_after, memory, watch)
    count_questions(schema, width)
    features = settings.features(schema, width)
    references: list[LedgerReference | None] = []

    def charge(certificate: Certificate) -> Certificate:
        charged = charge_stream(ledger, dataset, certificate, schema.names)
        references.append(charged.ledger)
        return charged

    try:
        published = create_stream(folder, settings, features, charge)
    except BaseException as error:
        note_charge(error, references[0] if references else None)
        raise
    if ledger is not None:
        settle(published, ledger)
    return published, features.count


def stream_recommend(schema: Schema) -> str:
    """Return one sentence: which algorithm suits events of this schema, and why."""
    return recommend(schema)


def stream_extend(folder: Path, schema: Schema, *, ledger: LedgerLike | None = None) -> tuple[Released, int]:
    """Ask about new columns from the next round on; return what is published, and the number of features.

    Parameters
    ----------
    folder : Path
        Of the stream.
    schema : Schema
        Its schema with more columns.
    ledger : str, Path, Ledger or None
        The ledger that the stream was charged to, if it was: it knows which columns the data set has.
    """
    require_known_columns(read_published(folder).certificate.ledger, ledger, schema.names)
    with Stream.open(folder) as stream:
        count_questions(schema, stream.features.width)
        return stream.extend(schema), stream.features.count


class _Source(Private):
    """What a stream has learned of one source of files."""

    __slots__ = ("_name", "_stream")

    def __init__(self, stream: Stream, name: str) -> None:
        self._stream = stream
        self._name = name

    def files(self) -> list[Position]:
        return self._stream.files(self._name)

    def encode(self, events: Sequence[Event]) -> CodedEvents:
        return self._stream.features.read(events)

    def begun(self) -> Position | None:
        return self._stream.interrupted(self._name)

    def record(self, position: Position) -> None:
        self._stream.record_file(self._name, position)


def stream_learn(
    stream: Stream,
    events: str,
    *,
    source: str | None = None,
    batch: int = 32_768,
    every: float = 1.0,
    offset: int | None = None,
    follow: bool = False,
    new: bool = False,
    copy: bool = False,
    say: Say,
) -> Iterator[int]:
    """Learn events of a file or of standard input; return the number of a line when it is acknowledged.

    Parameters
    ----------
    stream : Stream
        An open stream.
    events : str
        A file, or "-" for JSON lines on standard input.
    source : str or None
        Name of the source; None: the absolute path of the file. Each line of a source is learned once, by its position.
    batch : int
        Events that are committed together at most; fewer if there are very many features.
    every : float
        Seconds after which events of standard input are committed even if there are fewer; also the time between two
        looks at a file that is followed.
    offset : int or None
        For standard input: the number of its first line in the source.
    follow : bool
        Whether to wait for more when a file ends, also when it is rotated.
    new : bool
        Whether a file that replaced another one of its source is learned from its first line.
    copy : bool
        Whether such a file is continued after the lines that were learned. Without either it is refused.
    say : callable
        Receives sentences for the user.
    """
    if batch < 1:
        raise ParameterError(f"batch must be at least 1; got {batch}. 32768 is usual.")
    if not (math.isfinite(every) and every > 0):
        raise ParameterError(f"every must be a number of seconds above 0; got {every}. 1 is usual.")
    if events == STANDARD_INPUT and follow:
        raise ParameterError("standard input is followed anyway, until it ends. Leave --follow out.")
    if new and copy:
        raise ParameterError("--new and --copy cannot be combined. A file holds new lines, or continues another one.")
    if events == STANDARD_INPUT and (new or copy):
        raise ParameterError("--new and --copy are for files. Leave them out.")
    if (events == STANDARD_INPUT) != (offset is not None):
        raise ParameterError(
            "standard input needs --offset, the number of its first line in the source; files have none."
        )
    prepare_kernels()  # before an event is read
    batch = min(batch, max(LEAST_AT_ONCE, MOST_BYTES // max(1, len(stream.features.literals))))
    if offset is not None:
        yield from _learn_input(stream, source or STANDARD_INPUT, offset, batch, every, say)
        return
    path = Path(events)
    name = source or os.path.abspath(path)
    if stream.position(name).line:
        raise DataError(f"source {name!r} was read from standard input or a queue. Give files another --source name.")
    if source is None:
        _require_own_source(stream, path, name)
    learned = _Source(stream, name)
    replacement: Replacement | None = "new" if new else "copy" if copy else None
    if follow:
        batches = _follow(path, stream.features.schema.names, learned, batch, every, say, replacement)
    else:
        batches = _read(path, stream.features.schema.names, learned, batch, say, replacement)
    for part in batches:
        yield stream.learn(part.events, name, part.position)


def _read(
    path: Path, needed: Sequence[str], learned: _Source, batch: int, say: Say, replacement: Replacement | None
) -> Iterator[EventBatch]:
    with EventFile(path, needed) as file:
        yield from read_file(file, learned, batch, say, replacement)


def _follow(
    path: Path,
    needed: Sequence[str],
    learned: _Source,
    batch: int,
    every: float,
    say: Say,
    replacement: Replacement | None,
) -> Iterator[EventBatch]:
    with Follower(path, needed, learned, say, replacement) as follower:
        while True:
            yield from follower.look(batch)
            time.sleep(every)


def _require_own_source(stream: Stream, path: Path, name: str) -> None:
    """Refuse a file that was learned under another name, and would be learned twice under this one."""
    if not path.is_file() or stream.files(name):
        return
    other = stream.source_of(identify_path(path))
    if other is not None:
        raise DataError(
            f"{path} was learned before, as source {other!r}. Pass --source with that name to continue it, "
            "or with another name to learn it again."
        )


def _learn_input(stream: Stream, name: str, offset: int, batch: int, every: float, say: Say) -> Iterator[int]:
    """Learn the lines that were not acknowledged yet; a gap before them is refused."""
    if offset < 0:
        raise ParameterError(f"offset must be at least 0; got {offset}. It is the number of the first line.")
    if stream.files(name):
        raise DataError(f"source {name!r} was read from a file. Give standard input another --source name.")
    known = stream.position(name).line
    if offset > known:
        raise DataError(
            f"lines {known} to {offset - 1} of the source were never learnt. Start at line {known}, or rename it."
        )
    begun = stream.interrupted(name)
    # A batch that was begun is offered again as it was: it is waited for, however long its lines take.
    least = 0 if begun is None else begun.line - offset
    line = offset
    parts: list[CodedEvents] = []
    for piece in read_timely(_input(), batch, every, least):
        lines = piece.lines
        if lines and not lines[-1].endswith(b"\n"):
            say("The last line has no line end and was left out.")
            lines.pop()
        line += len(lines)
        fresh = lines[max(0, len(lines) - (line - known)) :] if line > known else []
        if fresh:
            parts.append(encode_lines(fresh, read_events, stream.features.read))
        if piece.ends and parts:
            yield stream.learn(CodedEvents.join(parts), name, line)
            parts = []


def _input() -> Any:
    if sys.stdin is None:
        raise DataError("standard input is closed. Name a file, or send events to it.")
    return sys.stdin.buffer


def stream_predict(model: Model, events: str) -> Iterator[list[Any]]:
    """Return the class that a published hypothesis gives to each event, some at a time.

    From standard input an answer is there as soon as its line is. Predictions on private events are private.

    Parameters
    ----------
    model : Model
        Of a published hypothesis that verifies.
    events : str
        A file, or "-" for JSON lines on standard input.
    """
    if events == STANDARD_INPUT:
        pieces = read_timely(_input(), MOST_AT_ONCE, 0.0)
        return (model.predict(read_events(piece.lines)).tolist() for piece in pieces)
    file = EventFile(Path(events), [column.name for column in model.columns])
    return _predict_file(model, file)


def _predict_file(model: Model, file: EventFile) -> Iterator[list[Any]]:
    with file:
        for events in file.all_events(MOST_AT_ONCE):
            yield model.predict(events).tolist()


def stream_show(folder: Path, *, unverified: bool = False) -> Released:
    """Return what everybody may see of a stream."""
    return read_published(folder, unverified=unverified)
