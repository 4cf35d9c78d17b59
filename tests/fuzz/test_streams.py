"""Folders of streams: what is published, and a private state that somebody has written on purpose."""

import hashlib
import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from dprules.errors import ModelError, ParameterError
from dprules.learners.streams import Stream
from dprules.learners.streams.attempt import LARGEST_ATTEMPT
from dprules.learners.streams.database import LARGEST_CELL, MOST_ROWS, Database
from dprules.learners.streams.packing import pack_integers, unpack_integers
from dprules.learners.streams.state import MOST_COUNTED, MOST_META
from dprules.learners.streams.store import LONGEST_SOURCE
from fuzz.examples import MANY, QUICK, SEEDS
from fuzz.guard import READ, REFUSED, Guard, Outcome, require_words
from fuzz.mutations import mutate_json, scramble
from fuzz.parsers import SOURCE
from learners.streams.events import make_events

LEARNER = ("commits", "rounds", "releases", "generation", "public", "head")
SOURCES = ("name", "file", "line", "identity")
Damage = Callable[[sqlite3.Connection], object]


def seal(cells: tuple[Any, ...]) -> bytes:
    """The seal of a row, as whoever reads our code can write it."""
    digest = hashlib.sha256()
    for cell in cells:
        text = cell if isinstance(cell, bytes) else str(cell).encode()
        digest.update(f"{type(cell).__name__}:{len(text)}:".encode() + text)
    return digest.digest()


def change(table: str, names: tuple[str, ...], **changes: Any) -> Damage:
    """Put other cells into every row, and seal it again."""

    def run(connection: sqlite3.Connection) -> None:
        for row in connection.execute(f"SELECT rowid, {', '.join(names)} FROM {table}").fetchall():
            cells = tuple((dict(zip(names, row[1:], strict=True)) | changes).values())
            put = ", ".join(f"{name} = ?" for name in names)
            connection.execute(f"UPDATE {table} SET {put}, seal = ? WHERE rowid = ?", (*cells, seal(cells), row[0]))

    return run


def declare(key: str, value: str) -> Damage:
    """Put another declaration in its place."""
    return lambda connection: connection.execute(
        "UPDATE meta SET value = ?, seal = ? WHERE key = ?", (value, seal((key, value)), key)
    )


def execute(script: str) -> Damage:
    return lambda connection: connection.executescript(script)


def many(table: str, number: int, cells: str) -> Damage:
    rows = f"WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i + 1 < {number})"
    return execute(f"{rows} INSERT INTO {table} SELECT {cells} FROM r")


ENDLESS = (
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i AS key, i AS value, i AS seal FROM r"
)
DAMAGES: dict[str, Damage] = {
    "an endless view": execute(f"ALTER TABLE meta RENAME TO m; CREATE VIEW meta AS {ENDLESS}"),
    "a trigger": execute("CREATE TRIGGER t AFTER INSERT ON learner BEGIN DELETE FROM sources; END"),
    "an index": execute("CREATE INDEX i ON learner (rounds)"),
    "another table": execute("CREATE TABLE t (x)"),
    "very many tables": execute(";".join(f"CREATE TABLE t{i} (x)" for i in range(500))),
    "another column": execute("ALTER TABLE learner ADD COLUMN x INTEGER"),
    "no table": execute("DROP TABLE sources"),
    "many declarations": many("meta", 10**5, "'k' || i, 'v', x'00'"),
    "many chunks": many("chunks", MOST_ROWS + 2, "i, 0, x'', x''"),
    "a large cell": execute(f"UPDATE learner SET head = zeroblob({LARGEST_CELL + 1})"),
    "a small cell that stands for gigabytes": change("learner", LEARNER, head=b"{}\n" + zlib.compress(bytes(10**9), 9)),
    "deep public state": change("learner", LEARNER, public="[" * 10**5),
    "less deep public state": change("learner", LEARNER, public='{"policy":' + "[" * 900 + "]" * 900 + "}"),
    "rounds that do not fit": change("learner", LEARNER, rounds=2**63 - 1),
    "negative rounds": change("learner", LEARNER, rounds=-1),
    "commits that do not fit": change("learner", LEARNER, commits=2**63 - 1),
    "no lines": change("sources", SOURCES, line=-(2**62)),
    **{
        f"{key}: {value[:9]!r}": declare(key, value)
        for key in ("settings", "schema", "width", "certificate", "name")
        for value in ("", "-1", "[]", "null", "[" * 10**5, "9" * 5000, "10000000000")
    },
}


def damage_copy(learnt: Path, folder: Path, damage: Damage) -> Path:
    copy = copy_stream(learnt, folder)
    connection = sqlite3.connect(copy / "private" / "state.db")
    damage(connection)
    connection.commit()
    connection.close()
    return copy


def copy_stream(learnt: Path, folder: Path) -> Path:
    shutil.rmtree(folder / "copy", ignore_errors=True)
    return Path(shutil.copytree(learnt, folder / "copy"))


def open_hostile(guard: Guard, folder: Path) -> Outcome:
    """Neither what was learnt nor where from is in a message."""
    return require_words(guard.parse("stream", folder), SOURCE)


@pytest.mark.parametrize("name", DAMAGES)
def test_states_that_somebody_has_written(name, guard, learnt, tmp_path):
    assert open_hostile(guard, damage_copy(learnt, tmp_path, DAMAGES[name])).kind == REFUSED


def test_a_genuine_state_is_read(guard, learnt, tmp_path):
    assert open_hostile(guard, copy_stream(learnt, tmp_path)).kind == READ


def test_the_most_rounds(learnt, tmp_path):
    path = damage_copy(learnt, tmp_path, change("learner", LEARNER, rounds=MOST_COUNTED))
    with Stream.open(path) as stream:
        assert stream.rounds == MOST_COUNTED
        stream.learn(make_events(1), "new", 1)
        assert stream.rounds == MOST_COUNTED + 1
    with pytest.raises(ModelError, match="torn"):
        Stream.open(path)


def test_the_longest_name_of_a_source(learnt, tmp_path):
    with Stream.open(copy_stream(learnt, tmp_path)) as stream:
        assert stream.learn(make_events(1), "s" * LONGEST_SOURCE, 1) == 1
        with pytest.raises(ParameterError, match="source"):
            stream.learn(make_events(1), "s" * (LONGEST_SOURCE + 1), 1)


def test_the_largest_attempt_has_room_for_the_longest_source():
    """Six characters of JSON for one byte."""
    assert 6 * LONGEST_SOURCE + 10_000 < LARGEST_ATTEMPT


def test_the_most_rows_and_the_largest_cell(tmp_path):
    path = tmp_path / "t.db"
    path.touch()
    database = Database(path)
    with database.transaction() as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.executemany("INSERT INTO t VALUES (?)", [(i,) for i in range(MOST_META)])
    assert len(database.read("SELECT x FROM t", most=MOST_META)) == MOST_META
    with pytest.raises(ModelError, match="torn"):
        database.read("SELECT x FROM t", most=MOST_META - 1)
    with pytest.raises(ModelError, match="torn"):
        database.read("SELECT zeroblob(100000)")  # more than the file has
    with pytest.raises(ModelError, match="torn"):
        database.read(f"SELECT length(zeroblob({LARGEST_CELL + 1}))")
    database.close()


def test_numbers_that_a_few_bytes_stand_for():
    many_numbers = pack_integers(unpack_integers(zlib.compress(bytes(8 * 10**6)), 10**6))
    assert len(unpack_integers(many_numbers, 10**6)) == 10**6
    assert len(unpack_integers(many_numbers, 10**6 - 1)) == 0
    assert len(unpack_integers(many_numbers[:-5], 10**6)) == 0


FILES = ("lock", "attempt", "state.db", "state.db-journal", "state.db-wal", "../hypothesis.json")


@pytest.mark.parametrize("kind", ["pipe", "folder", "zeros", "loop"])
@pytest.mark.parametrize("name", FILES)
def test_what_is_no_file_in_the_place_of_one(name, kind, guard, learnt, tmp_path):
    copy = copy_stream(learnt, tmp_path)
    path = copy / "private" / name
    path.unlink(missing_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "zeros":
            path.symlink_to("/dev/zero")
        case _:
            path.symlink_to(path)
    outcome = open_hostile(guard, copy)
    assert outcome.kind == REFUSED or name.startswith("state.db-")


def test_a_link_in_the_place_of_the_key_leads_nowhere(guard, learnt, tmp_path):
    """What it leads to is not overwritten."""
    copy = copy_stream(learnt, tmp_path)
    (tmp_path / "mine").write_text("precious")
    for name in ("attempt", "lock"):
        (copy / "private" / name).unlink(missing_ok=True)
        (copy / "private" / name).symlink_to(tmp_path / "mine")
        assert open_hostile(guard, copy).kind == REFUSED
        (copy / "private" / name).unlink()
    assert (tmp_path / "mine").read_text() == "precious"


def read_hostile(guard: Guard, folder: Path, learnt: Path, seed: int) -> None:
    """A published file that says something else, and private files with other bytes."""
    copy = copy_stream(learnt, folder)
    path = copy / "hypothesis.json"
    path.write_bytes(mutate_json(json.loads(path.read_text()), seed))
    require_words(guard.parse("published", copy), SOURCE)
    open_hostile(guard, copy)
    copy = copy_stream(learnt, folder)
    path = copy / "private" / ("state.db" if seed % 4 else "attempt")
    path.write_bytes(scramble(path.read_bytes(), seed))
    open_hostile(guard, copy)


@QUICK
@given(seed=SEEDS)
def test_hostile_streams(guard, learnt, tmp_path, seed):
    read_hostile(guard, tmp_path, learnt, seed)


@pytest.mark.slow
@MANY
@given(seed=SEEDS)
def test_very_many_hostile_streams(guard, learnt, tmp_path, seed):
    read_hostile(guard, tmp_path, learnt, seed)
