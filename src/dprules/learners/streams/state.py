"""The tables of a stream's private state, every row with a seal that tells whether it was damaged."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dprules.errors import DataError, ModelError
from dprules.learners.streams.attempt import position_of, position_row
from dprules.learners.streams.database import Database
from dprules.learners.streams.learner import Learner, Secret
from dprules.learners.streams.positions import Position
from dprules.private import Private

FORMAT = "dprules-stream"
VERSION = 3
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, seal BLOB NOT NULL) STRICT;
CREATE TABLE learner (one INTEGER PRIMARY KEY CHECK (one = 1), commits INTEGER NOT NULL, rounds INTEGER NOT NULL,
    releases INTEGER NOT NULL, generation INTEGER NOT NULL, public TEXT NOT NULL, head BLOB NOT NULL,
    seal BLOB NOT NULL) STRICT;
CREATE TABLE chunks (place INTEGER PRIMARY KEY, generation INTEGER NOT NULL, chunk BLOB NOT NULL,
    seal BLOB NOT NULL) STRICT;
CREATE TABLE sources (name TEXT NOT NULL, file INTEGER NOT NULL, line INTEGER NOT NULL, identity TEXT NOT NULL,
    seal BLOB NOT NULL, PRIMARY KEY (name, file)) STRICT;
"""
MOST_META = 20
"""Declarations of a stream, and tables of its file: there are fewer."""
MOST_COUNTED = 2**62
"""Commits, rounds and releases: what is added to them still fits the table."""
_LEARNER = "SELECT commits, rounds, releases, generation, public, head, seal FROM learner"
_SOURCES = "SELECT name, file, line, identity, seal FROM sources"


class Standing(NamedTuple):
    """Where a state stands; public but for `commits`, which counts batches. Two processes must never differ in it."""

    name: str
    commits: int
    rounds: int
    releases: int


class Kept(Private):
    """A learner as it was committed."""

    __slots__ = ("public", "secret", "standing")

    def __init__(self, standing: Standing, public: dict[str, Any], secret: Secret) -> None:
        self.standing = standing
        self.public = public
        self.secret = secret


class State(Private):
    """The private state of one stream, open.

    Parameters
    ----------
    path : Path
        The SQLite file.
    """

    __slots__ = ("_database",)

    def __init__(self, path: Path) -> None:
        self._database = Database(path)

    def create(self, meta: dict[str, str], learner: Learner) -> None:
        """Make the tables in an empty file; nothing is learnt yet."""
        with self._database.transaction() as connection:
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(statement)
            self._put_meta(connection, {"format": FORMAT, "version": str(VERSION)} | meta)
            self._put_learner(connection, learner, Standing(meta["name"], 0, 0, 0))

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def meta(self) -> dict[str, str]:
        """Return what was declared when the stream was made."""
        self._require_tables()
        rows = self._database.read("SELECT key, value, seal FROM meta", most=MOST_META)
        found = {row[0]: row[1] for row in rows}
        if found.get("format", FORMAT) != FORMAT or found.get("version", str(VERSION)) != str(VERSION):
            raise ModelError(
                f"{self._database.path} was made by another version of dprules. Use that one, or start a new stream."
            )
        self._require_seals(rows)
        return found

    def _require_tables(self) -> None:
        """Refuse views, triggers and other tables before anything is asked of them."""
        found = self._database.read("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL", most=MOST_META)
        statements = [statement.strip() for statement in _TABLES.split(";") if statement.strip()]
        if sorted(found) != sorted((statement.split()[2], statement) for statement in statements):
            raise ModelError(
                f"{self._database.path} is torn, or was made by another version of dprules. Use that one, or start a "
                "new stream, and add its epsilon."
            )

    def load(self) -> Kept:
        """Return the learner as it was committed last."""
        rows = self._database.read(_LEARNER, most=1)
        chunks = self._database.read("SELECT place, generation, chunk, seal FROM chunks ORDER BY place")
        names = self._database.read("SELECT value FROM meta WHERE key = 'name'", most=1)
        self._require_seals([*rows, *chunks])
        if len(rows) != 1 or len(names) != 1:
            raise self._torn()
        commits, rounds, releases, generation, public, head, _ = rows[0]
        if not all(type(number) is int and 0 <= number <= MOST_COUNTED for number in rows[0][:4]):
            raise self._torn()
        if any(chunk[:2] != (place, generation) for place, chunk in enumerate(chunks)):
            raise self._torn()
        secret = Secret(head, tuple(chunk[2] for chunk in chunks), generation)
        return Kept(Standing(names[0][0], commits, rounds, releases), json.loads(public), secret)

    def positions(self, source: str) -> list[Position]:
        """Return up to where each file of a source was learned, in the order in which they were begun."""
        return [position for _, position in self._read_sources("WHERE name = ? ORDER BY file", source)]

    def position(self, source: str, file: int) -> Position:
        """Return up to where one file of a source was learned."""
        rows = self._read_sources("WHERE name = ? AND file = ?", source, file)
        return rows[0][1] if rows else Position(file=file)

    def source_of(self, identity: str) -> str | None:
        """Return the name of a source that a file was learned as."""
        rows = self._read_sources("WHERE identity = ? AND file > 0 ORDER BY name", identity)
        return rows[0][0] if rows else None

    def _read_sources(self, where: str, *values: Any) -> list[tuple[str, Position]]:
        rows = self._database.read(f"{_SOURCES} {where}", *values)
        self._require_seals(rows)
        try:
            return [(row[0], position_of(list(row[1:-1]))) for row in rows]
        except (TypeError, ValueError):  # a damaged file may hold anything
            pass
        raise self._torn()

    def commit(self, before: Standing, learner: Learner, rounds: int, source: str, position: Position) -> Standing:
        """Commit the effect of a batch, whatever it released and where its source is now, all at once.

        Parameters
        ----------
        before : Standing
            Where this process believes the state to stand; if it stands elsewhere nothing is written.
        learner : Learner
            After the batch.
        rounds : int
            Of the batch.
        source, position : str, Position
            What the batch reaches.
        """
        after = Standing(before.name, before.commits + 1, before.rounds + rounds, learner.releases)
        with self._database.transaction() as connection:
            self._require_standing(connection, before)
            self._put_learner(connection, learner, after)
            _put_source(connection, source, position)
        return after

    def record(self, standing: Standing, source: str, position: Position) -> None:
        """Commit where a source is now; nothing else changes."""
        with self._database.transaction() as connection:
            self._require_standing(connection, standing)
            _put_source(connection, source, position)

    def replace(self, before: Standing, learner: Learner, meta: dict[str, str]) -> Standing:
        """Commit new declarations, and the learner that has them."""
        after = before._replace(commits=before.commits + 1)
        with self._database.transaction() as connection:
            self._require_standing(connection, before)
            self._put_meta(connection, meta)
            self._put_learner(connection, learner, after)
        return after

    @contextmanager
    def holding(self, standing: Standing) -> Iterator[None]:
        """Keep every other process from moving the state; refuse if it stands elsewhere already."""
        with self._database.transaction() as connection:
            self._require_standing(connection, standing)
            yield

    def _require_standing(self, connection: sqlite3.Connection, believed: Standing) -> None:
        names = connection.execute("SELECT value FROM meta WHERE key = 'name'").fetchall()
        rows = connection.execute("SELECT commits, rounds, releases FROM learner").fetchall()
        if [(*name, *row) for name in names for row in rows] != [tuple(believed)]:
            raise DataError(
                f"{self._database.path}: another process has learnt into this stream or replaced it. "
                "Stop one of them, and open the stream again; all that was acknowledged is kept."
            )

    def _put_meta(self, connection: sqlite3.Connection, meta: dict[str, str]) -> None:
        rows = [(*row, _seal(row)) for row in meta.items()]
        connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", rows)

    def _put_learner(self, connection: sqlite3.Connection, learner: Learner, standing: Standing) -> None:
        """Write the learner down; of what only grows, what is new."""
        secret = learner.secret()
        if connection.execute("SELECT generation FROM learner").fetchall() != [(secret.generation,)]:
            connection.execute("DELETE FROM chunks")
        ((known,),) = connection.execute("SELECT coalesce(max(place) + 1, 0) FROM chunks").fetchall()
        for place in range(known, len(secret.chunks)):
            chunk = (place, secret.generation, secret.chunks[place])
            connection.execute("INSERT INTO chunks VALUES (?, ?, ?, ?)", (*chunk, _seal(chunk)))
        row = (*standing[1:], secret.generation, json.dumps(learner.public()), secret.head)
        connection.execute("INSERT OR REPLACE INTO learner VALUES (1, ?, ?, ?, ?, ?, ?, ?)", (*row, _seal(row)))

    def _require_seals(self, rows: list[tuple[Any, ...]]) -> None:
        if any(row[-1] != _seal(row[:-1]) for row in rows):
            raise self._torn()

    def _torn(self) -> ModelError:
        return ModelError(f"{self._database.path} is torn. Start a new stream, and add its epsilon.")


def _put_source(connection: sqlite3.Connection, source: str, position: Position) -> None:
    row = (source, *position_row(position))
    connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?)", (*row, _seal(row)))


def _seal(row: tuple[Any, ...]) -> bytes:
    """Return a digest of a row, cell by cell with their kinds and lengths."""
    written = hashlib.sha256()
    for cell in row:
        text = cell if isinstance(cell, bytes) else str(cell).encode("utf-8", "surrogatepass")
        written.update(f"{type(cell).__name__}:{len(text)}:".encode())
        written.update(text)
    return written.digest()
