"""Files that are no ledgers, or hostile ones: refused in one sentence, without running what is in them."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dprules.errors import DprulesError, FileError, ModelError
from dprules.ledger import Ledger, sqlite
from dprules.ledger.chain import LONGEST_ENTRY
from ledger.helpers import make_ledger, quote

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'x', hex(i) FROM n"
HOSTILE = {
    "a view without end": ["DROP TABLE entries", f"CREATE VIEW entries(number, text, digest) AS {ENDLESS}"],
    "a trigger": ["CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END"],
    "another table": ["CREATE TABLE more (x)"],
    "an index": ["CREATE INDEX i ON entries (text)"],
    "columns of its own": ["ALTER TABLE entries ADD COLUMN more TEXT"],
    "no entries": ["DROP TABLE entries"],
    "two names": ["INSERT INTO ledger SELECT * FROM ledger"],
    "no name": ["DELETE FROM ledger"],
    "another format": ["UPDATE ledger SET format = 'x'"],
    "numbers for texts": ["UPDATE entries SET text = 7"],
    "bytes for texts": ["UPDATE entries SET text = x'ff00'"],
    "a very long entry": [f"UPDATE entries SET text = printf('%.*c', {LONGEST_ENTRY + 1}, 'x') WHERE number = 1"],
    "a huge entry": ["UPDATE entries SET text = zeroblob(100000000) WHERE number = 1"],
    "negative numbers": ["UPDATE entries SET number = -number"],
}


@pytest.mark.parametrize("statements", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file(statements, small):
    with closing(sqlite3.connect(small.url)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    for use in (small.book, small.verify, lambda: small.charge("patients", quote("0.1"))):
        try:
            said = "; ".join(use())
        except DprulesError as error:
            said = str(error)
        assert said
        assert len(said.splitlines()) == 1


def test_too_many_entries(small, monkeypatch):
    monkeypatch.setattr(sqlite, "LARGEST", 10)
    with pytest.raises(ModelError, match="too large"):
        small.book()


@pytest.mark.parametrize("size", [0, 1, 100, 4096, 5000])
def test_a_file_that_was_cut(size, small):
    path = Path(small.url)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(DprulesError):
        small.book()


@pytest.mark.parametrize("name", ["a b.db", "a?mode=memory.db", "a#b.db", "a%20b.db", "ä.db", "'.db"])
def test_names_of_files_are_taken_as_they_are(name, tmp_path):
    ledger = make_ledger(tmp_path / name)
    ledger.charge("patients", quote("0.1"))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_mount_without_links(tmp_path, monkeypatch):
    def refuse(*words):
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    make_ledger(tmp_path / "l.db").charge("patients", quote("0.1"))
    with pytest.raises(FileError, match="already"):
        Ledger.create(tmp_path / "l.db")
    assert [path.name for path in tmp_path.iterdir()] == ["l.db"]


def test_a_journal_that_a_kill_left_is_rolled_back(small):
    """A hot journal: SQLite undoes what was not committed, for readers, too."""
    with closing(sqlite3.connect(small.url, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE entries SET text = text || hex(zeroblob(200000))")
        journal = Path(f"{small.url}-journal").read_bytes()
        torn = Path(small.url).read_bytes()
        connection.execute("ROLLBACK")
    Path(small.url).write_bytes(torn)
    Path(f"{small.url}-journal").write_bytes(journal)
    small.charge("patients", quote("0.1"))
    assert small.verify() == []
