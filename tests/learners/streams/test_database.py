"""SQLite as a private store: all or nothing, and none of its words."""

import sqlite3
import traceback

import numpy as np
import pytest

from dprules.errors import DataError, ModelError
from dprules.learners.streams.database import connect, pack_integers, transaction, unpack_integers


def interrupt(connection):
    with transaction(connection):
        connection.execute("INSERT INTO t VALUES (2)")
        raise KeyboardInterrupt


def test_a_transaction_is_committed_whole_or_not_at_all(tmp_path):
    with connect(tmp_path / "s.db") as connection:
        connection.execute("CREATE TABLE t (x INTEGER)")
        with transaction(connection):
            connection.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(KeyboardInterrupt):
            interrupt(connection)
        assert connection.execute("SELECT x FROM t").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("code", "error", "sentence"),
    [
        (sqlite3.SQLITE_FULL, DataError, "disk is full"),
        (sqlite3.SQLITE_BUSY, DataError, "in use by another program"),
        (sqlite3.SQLITE_CORRUPT, ModelError, "torn"),
    ],
)
def test_errors_of_sqlite_become_sentences_of_ours(code, error, sentence, tmp_path):
    failure = sqlite3.OperationalError("secret cell")
    failure.sqlite_errorcode = code
    with pytest.raises(error, match=sentence) as told, connect(tmp_path / "s.db"):
        raise failure
    assert "secret" not in "".join(traceback.format_exception(told.value))
    assert "secret" not in repr(told.value.__context__)


def test_integers_are_packed_and_damaged_ones_are_nothing():
    values = np.array([3, -(2**60), 0])
    assert unpack_integers(pack_integers(values)).tolist() == values.tolist()
    assert unpack_integers(b"damaged").tolist() == []
    assert unpack_integers(pack_integers(values)[:-3]).tolist() == []
