"""Everything of dprules that reads a file or a message from outside, as a function of one path.

Each reads all that there is to read and uses it, as commands do. Whoever writes a new parser adds it here, with a test
file beside the others.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

from cli.quietly import run_quietly
from dprules.accounting import Certificate, disk
from dprules.cli.exits import Exit
from dprules.errors import ParameterError
from dprules.files import read_document_file
from dprules.jobs.serving.limits import Limits
from dprules.jobs.serving.requests import RefusedError
from dprules.jobs.serving.requests import read_events as read_request
from dprules.learners.streams import Stream
from dprules.learners.streams.event_files import EventFile, read_events
from dprules.learners.streams.timely import read_timely
from dprules.ledger import Ledger, show_cost
from dprules.models import Halfspace, Model, Released, RuleList, Scorecard, read_published
from dprules.schema import Schema, read_codebook
from dprules.tables import open_table
from learners.streams.events import FEATURES, make_events
from ledger.helpers import quote

ASKED = ["a", "b", "n", "y"]
"""Columns of tables and events."""
QUESTION = ["fuzz", 1]
"""What the tilt of the tests answers."""
TILT = 0.5
"""The answer."""
BATCH = 64
SOURCE = "c4n4ry"
"""Of what a stream has learnt: private, so that no message may hold it."""


def read_model(path: Path) -> None:
    """Load a model file, price it, and print it."""
    released = Released.load(path, unverified=True)
    released.faults()
    str(released)
    Released.from_json(released.to_json())


def read_kind(kind: type[Model]) -> Callable[[Path], None]:
    """Return a reader of one kind of model without its envelope."""

    def read(path: Path) -> None:
        model = kind.from_document(read_document_file(path))
        str(model)
        model.predict([{}])

    return read


def read_certificate(path: Path) -> None:
    """Read a certificate, price it, and print it."""
    certificate = Certificate.from_document(read_document_file(path))
    certificate.faults()
    str(certificate)


def read_schema(path: Path) -> None:
    """Read a schema, and write it back."""
    schema = Schema.from_file(path)
    schema.literals()
    Schema.from_toml(schema.to_toml())


def read_public(path: Path) -> None:
    """Read what a stream has published."""
    str(read_published(path, unverified=True))


def learn_stream(path: Path) -> None:
    """Open a stream, learn a batch of it, and open it again."""
    for restore in (False, True):
        with Stream.open(path, restore=restore) as stream:
            stream.files(SOURCE)
            stream.position(SOURCE)
            stream.learn(make_events(10), "new", stream.position("new").line + 10)


def read_event_file(path: Path) -> None:
    """Read all events of a file, and then as a stream learns them."""
    with EventFile(path, ASKED) as file:
        for events in file.all_events(BATCH):
            FEATURES.read(events)
        file.go_to(1, 0)
        for batch in file.batches(BATCH, FEATURES.read):
            FEATURES.block(batch.events)


def read_pipe(path: Path) -> None:
    """Read events as they come on standard input."""
    with path.open("rb") as file:
        for lines in (piece.lines for piece in read_timely(file, BATCH, 0.0)):
            FEATURES.read(read_events(lines))


def recall_tilt(path: Path) -> float:
    """Look for a number in a folder of the cache; whatever is in it, a number is found that holds."""
    before = os.environ.get("DPRULES_CACHE", "")
    os.environ["DPRULES_CACHE"] = str(path)
    try:
        found = disk.recall(QUESTION, lambda kept: kept <= TILT, lambda: TILT)
    finally:
        os.environ["DPRULES_CACHE"] = before
    if not 0 < found <= TILT:
        raise ArithmeticError("a number that does not hold was believed")
    return found


def use_ledger(path: Path) -> None:
    """Check a ledger, count what is left of it, and charge it."""
    ledger = Ledger(path)
    ledger.verify()
    for state in ledger.book().grants.values():
        show_cost(state.grant.filter, state.left)
        state.grant.filter.guarantee  # noqa: B018 - it may take long
    ledger.charge("patients", quote("0.01"))


def read_table(path: Path) -> None:
    """Read all cells of a table."""
    with open_table(path) as table:
        for _ in table.batches(ASKED):
            pass


def read_body(path: Path) -> None:
    """Read the body of a request."""
    refused = ""
    try:
        read_request(path.read_bytes(), Limits())
    except RefusedError as error:
        refused = error.sentence
    if refused:
        raise ParameterError(refused)


def run_command(path: Path) -> None:
    """Run `dprules` with the words of a JSON list; it works, or says one line and ends with a named code."""
    ran = run_quietly(*json.loads(path.read_text()))
    if ran.code not in (Exit.OK, Exit.PARAMETER, Exit.PRIVACY, Exit.FILE, Exit.INPUT, Exit.UNVERIFIED, Exit.RESOURCE):
        raise RuntimeError(f"exit code {ran.code}: {ran.err}")
    if ran.code != Exit.OK:
        raise ParameterError(ran.err.removesuffix("\n") or "A list of gaps on standard output.")


PARSERS: dict[str, Callable[[Path], object]] = {
    "model": read_model,
    "list": read_kind(RuleList),
    "scorecard": read_kind(Scorecard),
    "halfspace": read_kind(Halfspace),
    "certificate": read_certificate,
    "schema": read_schema,
    "codebook": read_codebook,
    "published": read_public,
    "stream": learn_stream,
    "events": read_event_file,
    "pipe": read_pipe,
    "tilt": recall_tilt,
    "ledger": use_ledger,
    "table": read_table,
    "request": read_body,
    "command": run_command,
}
