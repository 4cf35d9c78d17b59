"""A stream learner that lives on disk: private state in SQLite, the released hypothesis beside it.

    folder/private/state.db     mode 0600 in a folder of mode 0700: scores, noise, positions in sources
    folder/hypothesis.json      public: the hypothesis in force, and its certificate

A batch is acknowledged when its effect and every hypothesis it led to are committed in one transaction; only then is a
hypothesis published. So a process that is killed at any instant releases no decision twice, loses no acknowledged event
and counts none twice.
"""

import fcntl
import json
import os
import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dprules.accounting import Assumed, Assumption, Certificate, TakenFrom
from dprules.errors import DataError, DprulesError, FileError, ModelError, PrivacyError
from dprules.learners.streams.database import connect, transaction
from dprules.learners.streams.event_files import Position
from dprules.learners.streams.features import Event, StreamFeatures
from dprules.learners.streams.learner import Learner, Secret
from dprules.learners.streams.settings import StreamSettings
from dprules.mechanisms import os_bits
from dprules.models import Released, StreamMark
from dprules.private import Private
from dprules.schema import Schema

FORMAT = "dprules-stream"
VERSION = 1
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE learner (one INTEGER PRIMARY KEY CHECK (one = 1), public TEXT NOT NULL, head BLOB NOT NULL,
    generation INTEGER NOT NULL, rounds INTEGER NOT NULL) STRICT;
CREATE TABLE chunks (place INTEGER PRIMARY KEY, chunk BLOB NOT NULL) STRICT;
CREATE TABLE sources (name TEXT PRIMARY KEY, line INTEGER NOT NULL, byte INTEGER NOT NULL, mark TEXT NOT NULL) STRICT;
"""


def read_published(folder: Path, *, unverified: bool = False) -> Released:
    """Read the public file of a stream; one that does not verify is refused, unless `unverified`."""
    path = _public(folder)
    if not path.is_file():
        raise _not_a_stream(folder)
    published = Released.load(path, unverified=unverified)
    if published.stream is None:
        raise ModelError(f"{path} is not the public file of a stream. Run `dprules stream learn` again.")
    return published


def _not_a_stream(folder: Path) -> DataError:
    kind = DataError if folder.exists() else FileError
    return kind(f"{folder} is not a stream of dprules. Make one with `dprules stream init`.")


def _public(folder: Path) -> Path:
    return folder / "hypothesis.json"


def _private(folder: Path) -> Path:
    return folder / "private" / "state.db"


def create_stream(folder: Path, settings: StreamSettings, features: StreamFeatures) -> Released:
    """Make a new stream in a folder that is not there yet; nothing is learnt yet.

    Parameters
    ----------
    folder : Path
        Will hold the private state and the public hypothesis.
    settings : StreamSettings
        The algorithm and its budget.
    features : StreamFeatures
        What is asked of events.
    """
    certificate = _certificate(settings, features)
    learner = settings.start(features, os_bits)
    name = secrets.token_hex(16)
    meta = {
        "format": FORMAT,
        "version": str(VERSION),
        "stream": name,
        "settings": json.dumps(settings.document()),
        "schema": features.schema.to_toml(),
        "width": str(features.width),
        "certificate": certificate.to_json(),
    }
    if folder.exists():
        raise FileError(f"{folder} is there already. Name a new folder for the stream.")
    if not folder.parent.is_dir():
        raise FileError(f"{folder.parent}: no such folder. Make it first.")
    making = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        # Made beside its place and moved there whole: a kill leaves no half stream.
        (making / "private").mkdir(mode=0o700)
        os.close(os.open(_private(making), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with connect(_private(making)) as connection, transaction(connection):
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(statement)
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            _keep(connection, learner, 0)
        model = features.model(learner.hypothesis, 0)
        published = Released.of(model, features.schema.label, certificate, stream=StreamMark(name, 0, 0))
        published.save(_public(making))
        making.chmod(0o755)
        making.rename(folder)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise
    return published


def _certificate(settings: StreamSettings, features: StreamFeatures) -> Certificate:
    read_off: list[Assumed] = [Assumption.VALUES_READ_OFF] if features.schema.values_are_public else []
    read_off += [] if features.schema.values_like is None else [TakenFrom(features.schema.values_like)]
    read_off += [Assumption.CLASSES_FROM_LABELS] if features.schema.label.inferred else []
    return settings.certificate(features, secure=True, assumptions=read_off)


class Stream(Private):
    """A stream that is open to learn. It holds private state and shows nothing of it."""

    __slots__ = (
        "_certified",
        "_connection",
        "_folder",
        "_learner",
        "_name",
        "_rounds",
        "_settings",
        "features",
    )

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self._folder = folder
        self._connection = connection
        meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        if meta.get("format") != FORMAT or meta.get("version") != str(VERSION):
            raise ModelError(f"{folder} was made by another version of dprules. Use that one, or start a new stream.")
        self.features = StreamFeatures(Schema.from_toml(meta["schema"]), int(meta["width"]))
        """What is asked of events: public."""
        self._settings = StreamSettings.from_document(json.loads(meta["settings"]))
        self._certified = Certificate.from_document(json.loads(meta["certificate"]))
        if _certificate(self._settings, self.features).charges != self._certified.charges:
            raise ModelError(f"{folder}: this dprules would learn otherwise than was certified. Use the one before.")
        self._name = meta["stream"]
        self._load()
        self._refuse_an_older_copy()
        self._publish()

    @classmethod
    @contextmanager
    def open(cls, folder: str | Path) -> Iterator["Stream"]:
        """Open a stream to learn; a second process is refused, and so is a state older than what was published."""
        where = Path(folder)
        if not _private(where).is_file():
            raise _not_a_stream(where)
        with (where / "private" / "lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise DataError(f"{where} is in use by another process. Wait for it, or stop it.") from None
            with connect(_private(where)) as connection:
                yield cls._resume(where, connection)

    @classmethod
    def _resume(cls, folder: Path, connection: sqlite3.Connection) -> "Stream":
        """Take a stream up; a state that was damaged is refused in our words."""
        try:
            return cls(folder, connection)
        except DprulesError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError):  # a table of SQLite's may hold anything
            pass
        raise ModelError(f"{folder}: the private state is torn. Start a new stream, and add its epsilon.")

    def __repr__(self) -> str:
        return f"<stream {self._folder}>"

    @property
    def published(self) -> Released:
        """What everybody may see: the hypothesis in force, and its certificate."""
        model = self.features.model(self._learner.hypothesis, self.releases)
        mark = StreamMark(self._name, self._rounds, self.releases)
        return Released.of(model, self.features.schema.label, self._certified, stream=mark)

    @property
    def releases(self) -> int:
        """How many hypotheses have been released."""
        return self._learner.releases

    def position(self, source: str) -> Position:
        """Return up to where a source has been learnt."""
        row = self._connection.execute("SELECT line, byte, mark FROM sources WHERE name = ?", (source,)).fetchone()
        return Position() if row is None else Position(*row)

    def learn(self, events: Sequence[Event], source: str, position: Position | int) -> int:
        """Learn a batch that ends at a position of its source; return the number of its line when it is committed.

        What was acknowledged before is recognised by its position and left alone, so that each event counts once
        whatever queue it comes from.

        Parameters
        ----------
        events : sequence of mappings
            Rounds, in their order.
        source : str
            Name of the file or queue.
        position : Position or int
            How many events of the source there are up to the end of this batch.
        """
        reached = position if isinstance(position, Position) else Position(position)
        unseen = reached.line - self.position(source).line
        if unseen <= 0:
            return reached.line
        events = events[max(0, len(events) - unseen) :]  # a queue may send the end of an earlier batch again
        try:
            with transaction(self._connection) as connection:
                self._learner.take(self.features.block(events), self.features.codes(events))
                _keep(connection, self._learner, self._rounds + len(events))
                values = (source, reached.line, reached.byte, reached.mark)
                connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?)", values)
        except BaseException:
            self._load()  # what was drawn and not committed is forgotten: nobody has seen it
            raise
        self._rounds += len(events)
        self._publish()
        return reached.line

    def _load(self) -> None:
        """Take the learner up where it was committed."""
        row = self._connection.execute("SELECT public, head, generation, rounds FROM learner").fetchone()
        public, head, generation, rounds = row
        chunks = tuple(chunk for (chunk,) in self._connection.execute("SELECT chunk FROM chunks ORDER BY place"))
        secret = Secret(head, chunks, generation)
        self._learner = self._settings.resume(self.features, json.loads(public), secret, os_bits)
        self._rounds = int(rounds)

    def _refuse_an_older_copy(self) -> None:
        """Going on from it would draw again what has been published."""
        try:
            seen = read_published(self._folder, unverified=True)
        except (DataError, ModelError):  # lost or torn: it will be published again
            return
        mark = seen.stream
        if mark is None or mark.name != self._name:
            raise PrivacyError("The public file belongs to another stream. Put both back to where they belong.")
        if mark.releases > self.releases or mark.rounds > self._rounds:
            raise PrivacyError(
                "The private state is older than what was published. "
                "Restore the newest copy; going on would decide one round twice."
            )

    def _publish(self) -> None:
        self.published.save(_public(self._folder))


def _keep(connection: sqlite3.Connection, learner: Learner, rounds: int) -> None:
    """Write the learner down; of what only grows, what is new."""
    secret = learner.secret()
    row = connection.execute("SELECT generation FROM learner").fetchone()
    if row is None or row[0] != secret.generation:
        connection.execute("DELETE FROM chunks")
    (known,) = connection.execute("SELECT count(*) FROM chunks").fetchone()
    connection.executemany("INSERT INTO chunks VALUES (?, ?)", enumerate(secret.chunks[known:], start=known))
    values = (1, json.dumps(learner.public()), secret.head, secret.generation, rounds)
    connection.execute("INSERT OR REPLACE INTO learner VALUES (?, ?, ?, ?, ?)", values)
