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
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from dprules.accounting import Certificate
from dprules.data.literals import Literal
from dprules.data.schema import Schema
from dprules.errors import DataError, ModelError, PrivacyError
from dprules.lists.model import write_whole
from dprules.online.blocks import Integers
from dprules.online.events import Event, Features, Place
from dprules.online.hypothesis import Hypothesis
from dprules.online.learner import PrivateLearner, Released, Rule, Secret
from dprules.online.settings import StreamSettings

FORMAT, VERSION = "dprules-stream", 1
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE secret (one INTEGER PRIMARY KEY CHECK (one = 1), scores BLOB NOT NULL, cached INTEGER NOT NULL,
    tau INTEGER, seen INTEGER, rounds INTEGER NOT NULL) STRICT;
CREATE TABLE releases (number INTEGER PRIMARY KEY, indices BLOB NOT NULL) STRICT;
CREATE TABLE sources (name TEXT PRIMARY KEY, line INTEGER NOT NULL, byte INTEGER NOT NULL, mark TEXT NOT NULL) STRICT;
"""


@dataclass(frozen=True, slots=True)
class Published:
    """What the public file says."""

    stream: str
    """A random name of the stream."""
    hypothesis: Hypothesis
    certificate: Certificate
    features: Features
    rounds: int = 0
    """Rounds that have been learnt: a private state with fewer is an older copy."""

    @classmethod
    def read(cls, folder: Path) -> "Published":
        """Read the public file of a stream."""
        path = _public(folder)
        if not path.is_file():
            raise DataError(f"{folder} is not a stream of dprules. Make one with `dprules stream init`.")
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["format"] != FORMAT or document["version"] != VERSION:
                raise ModelError(f"{path} is of another version of dprules. Use that one, or start a new stream.")
            features = Features(Schema.from_toml(document["schema"]), int(document["width"]))
            hypothesis = Hypothesis.from_document(document["hypothesis"])
            certificate, rounds = Certificate.from_document(document["certificate"]), int(document["rounds"])
            return cls(str(document["stream"]), hypothesis, certificate, features, rounds)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
        raise ModelError(f"{path} is not the public file of a stream, or it is torn. Run `dprules stream learn` again.")

    @property
    def asked(self) -> dict[str, tuple[Literal, ...]]:
        """What the features of the hypothesis ask of an event, by their names."""
        named = {term.name for term in self.hypothesis.terms}
        every = range(self.features.count) if named else ()
        return {self.features.name(j): self.features.asked(j) for j in every if self.features.name(j) in named}

    def write(self, folder: Path) -> None:
        """Publish."""
        parts = {"stream": self.stream, "schema": self.features.schema.to_toml(), "width": self.features.width}
        told = {"hypothesis": self.hypothesis.to_document(), "certificate": self.certificate.to_document()}
        document = {"format": FORMAT, "version": VERSION} | parts | told | {"rounds": self.rounds}
        write_whole(_public(folder), json.dumps(document, indent=2) + "\n")


def _public(folder: Path) -> Path:
    return folder / "hypothesis.json"


def _private(folder: Path) -> Path:
    return folder / "private" / "state.db"


def create(folder: Path, settings: StreamSettings, features: Features) -> Published:
    """Make a new stream; nothing is learnt yet."""
    rule = settings.rule(features.count + 1)
    certificate = settings.certificate(rule, secure=True)
    name = secrets.token_hex(16)
    exact = {"epsilon": str(Fraction(settings.epsilon)), "delta": str(Fraction(settings.delta))}
    meta = {
        "format": FORMAT,
        "version": str(VERSION),
        "stream": name,
        "settings": json.dumps(asdict(settings) | exact),
        "schema": features.schema.to_toml(),
        "width": str(features.width),
        "certificate": certificate.to_json(),
    }
    if folder.exists():
        raise DataError(f"{folder} is there already. Name a new folder for the stream.")
    if not folder.parent.is_dir():
        raise DataError(f"{folder.parent}: no such folder. Make it first.")
    making = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        (making / "private").mkdir(mode=0o700)
        os.close(os.open(_private(making), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with _connected(_private(making)) as connection, _transaction(connection):
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(statement)
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            _keep(connection, PrivateLearner(rule).secret(), 0)
        published = Published(name, Hypothesis.of(rule.weights, {}, features.classes, 0), certificate, features)
        published.write(making)
        making.chmod(0o755)
        making.rename(folder)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise
    return published


@contextmanager
def opened(folder: Path) -> Iterator["StreamState"]:
    """Open a stream to learn; a second process is refused, and so is a state that is older than what was published."""
    if not _private(folder).is_file():
        raise DataError(f"{folder} is not a stream of dprules. Make one with `dprules stream init`.")
    with (folder / "private" / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DataError(f"{folder} is in use by another process. Wait for it, or stop it.") from None
        with _connected(_private(folder)) as connection:
            yield StreamState(folder, connection)


class StreamState:
    """A stream that is open to learn. It holds private state and shows nothing of it."""

    __slots__ = ("_connection", "_folder", "_learner", "_number", "_rounds", "_start", "published")

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self._folder, self._connection = folder, connection
        meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        if meta.get("format") != FORMAT or meta.get("version") != str(VERSION):
            raise ModelError(f"{folder} was made by another version of dprules. Use that one, or start a new stream.")
        features = Features(Schema.from_toml(meta["schema"]), int(meta["width"]))
        kept = json.loads(meta["settings"])
        settings = StreamSettings(**kept | {name: Fraction(kept[name]) for name in ("epsilon", "delta")})
        self._start = settings.rule(features.count + 1)
        certificate = Certificate.from_document(json.loads(meta["certificate"]))
        if settings.certificate(self._start, secure=True).releases != certificate.releases:
            raise ModelError(f"{folder}: this dprules would learn otherwise than was certified. Use the one before.")
        empty = Hypothesis.of(self._start.weights, {}, features.classes, 0)
        self.published = Published(meta["stream"], empty, certificate, features)
        """What everybody may see."""
        self._load()
        self._refuse_an_older_copy()
        self._publish()

    def __repr__(self) -> str:
        return f"<stream {self._folder}>"

    @property
    def features(self) -> Features:
        """The public features."""
        return self.published.features

    def place(self, source: str) -> Place:
        """Up to where a source has been learnt."""
        row = self._connection.execute("SELECT line, byte, mark FROM sources WHERE name = ?", (source,)).fetchone()
        return Place() if row is None else Place(*row)

    def learn(self, events: Sequence[Event], source: str, place: Place) -> int:
        """Learn a batch that ends at a place of its source; return the number of its line when it is committed.

        A batch that was acknowledged before is recognised by its place and left alone.
        """
        if place.line <= self.place(source).line:
            return place.line
        released: list[Released] = []
        try:
            with _transaction(self._connection) as connection:
                block, labels = self.features.block(events), self.features.labels(events)
                self._learner.learn(block, labels, released.append)
                for i, release in enumerate(released):
                    packed = zlib.compress(np.array(release.indices, dtype=np.int64).tobytes())
                    connection.execute("INSERT INTO releases VALUES (?, ?)", (self._number + i + 1, packed))
                _keep(connection, self._learner.secret(), self._rounds + len(events))
                values = (source, place.line, place.byte, place.mark)
                connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?)", values)
        except BaseException:
            self._load()  # what was drawn and not committed is forgotten: nobody has seen it
            raise
        self._rounds += len(events)
        self._number += len(released)
        self._publish()
        return place.line

    def _load(self) -> None:
        rows = self._connection.execute("SELECT number, indices FROM releases ORDER BY number").fetchall()
        kept = self._connection.execute("SELECT scores, cached, tau, seen, rounds FROM secret").fetchall()
        rule: Rule = self._start
        torn = ModelError(f"{self._folder}: the private state does not fit its features. Start a new stream.")
        for place, (number, packed) in enumerate(rows, start=1):
            indices = _integers(packed)
            if (
                number != place
                or len(indices) == 0
                or not 0 <= indices.min() <= indices.max() <= 2 * len(rule.weights.values)
            ):
                raise torn
            rule = rule.after(indices)
        scores, cached, tau, seen, rounds = kept[0] if kept else (b"", 0, None, 0, 0)
        secret = Secret(_integers(scores), int(cached), None if tau is None else (int(tau), int(seen or 0)))
        if len(secret.scores) != len(rule.weights.values):
            raise torn
        self._learner, self._number = PrivateLearner.resume(rule, secret), len(rows)
        self._rounds = int(rounds)

    def _refuse_an_older_copy(self) -> None:
        """Going on from it would draw again what has been published."""
        try:
            seen = Published.read(self._folder)
        except (DataError, ModelError):  # lost or torn: it will be published again
            return
        if seen.stream != self.published.stream:
            raise PrivacyError("The public file belongs to another stream. Put both back to where they belong.")
        if seen.hypothesis.releases > self._number or seen.rounds > self._rounds:
            raise PrivacyError(
                "The private state is older than what was published. "
                "Restore the newest copy; going on would decide one round twice."
            )

    def _publish(self) -> None:
        weights, features = self._learner.rule.weights, self.published.features
        names = {j: features.name(j) for j in weights.support.tolist()}
        hypothesis = Hypothesis.of(weights, names, features.classes, self._number)
        told = self.published
        self.published = Published(told.stream, hypothesis, told.certificate, features, self._rounds)
        self.published.write(self._folder)


def _keep(connection: sqlite3.Connection, secret: Secret, rounds: int) -> None:
    tau, seen = (None, None) if secret.watch is None else secret.watch
    scores = zlib.compress(secret.scores.tobytes(), 1)
    values = (1, scores, secret.cached, tau, seen, rounds)
    connection.execute("INSERT OR REPLACE INTO secret VALUES (?, ?, ?, ?, ?, ?)", values)


def _integers(packed: bytes) -> Integers:
    """Unpack; nothing if it is damaged."""
    try:
        return np.frombuffer(zlib.decompress(packed), dtype=np.int64).copy()
    except (zlib.error, ValueError):
        return np.zeros(0, dtype=np.int64)


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that waits for the disk; SQLite's own words never leave."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=5)
    try:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA secure_delete = ON")
        yield connection
        return
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    finally:
        connection.close()
    if code in _DISK:
        raise DataError(f"{path}: the disk is full or cannot be written. Make room; all that was acknowledged is kept.")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        raise DataError(f"{path} is in use by another program. Stop it; all that was acknowledged is kept.")
    raise ModelError(f"{path} is torn, or not the state of a stream. Start a new stream, and add its epsilon.")


_DISK = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
