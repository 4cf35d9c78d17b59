"""SQLite as a private store: all or nothing, and none of its words."""

import os
import sqlite3
import traceback

import pytest

from dprules.errors import DataError, ModelError, ResourceError
from dprules.learners.streams.database import Database


@pytest.fixture
def database(tmp_path):
    (tmp_path / "s.db").touch()
    opened = Database(tmp_path / "s.db")
    with opened.transaction() as connection:
        connection.execute("CREATE TABLE t (x INTEGER)")
    yield opened
    opened.close()


def interrupt(database):
    with database.transaction() as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        raise KeyboardInterrupt


def test_a_transaction_is_committed_whole_or_not_at_all(database):
    with database.transaction() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(KeyboardInterrupt):
        interrupt(database)
    assert database.read("SELECT x FROM t WHERE x > ?", 0) == [(1,)]


@pytest.mark.parametrize(
    ("code", "error", "sentence"),
    [
        (sqlite3.SQLITE_FULL, ResourceError, "disk is full"),
        (sqlite3.SQLITE_BUSY, DataError, "in use by another program"),
        (sqlite3.SQLITE_CORRUPT, ModelError, "torn"),
        (None, ModelError, "torn"),
    ],
)
def test_errors_of_sqlite_become_sentences_of_ours(code, error, sentence, database):
    failure = sqlite3.OperationalError("secret cell")
    if code is not None:
        failure.sqlite_errorcode = code
    with pytest.raises(error, match=sentence) as told, database.transaction():
        raise failure
    assert "secret" not in "".join(traceback.format_exception(told.value))
    assert "secret" not in repr(told.value.__context__)


def test_a_damaged_name_is_not_quoted(database):
    with pytest.raises(ModelError, match="torn") as told, database.transaction():
        b"secret \xff".decode()
    assert "secret" not in "".join(traceback.format_exception(told.value))
    assert told.value.__context__.object == b""


@pytest.mark.parametrize("what", ["removed", "replaced"])
def test_a_file_that_is_not_in_its_place_takes_nothing(what, database, tmp_path):
    """What is committed to a file without a name is lost."""
    path = tmp_path / "s.db"
    if what == "removed":
        path.unlink()
    else:
        (tmp_path / "other").write_bytes(path.read_bytes())
        os.replace(tmp_path / "other", path)
    with pytest.raises(DataError, match="moved or replaced"), database.transaction():
        pass


def test_a_file_that_cannot_be_opened_is_told(tmp_path):
    with pytest.raises(ResourceError, match="cannot be written"):
        Database(tmp_path)
