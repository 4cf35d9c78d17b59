"""Ledger files: bytes that were changed, and entries that were changed and chained anew."""

import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given

from dprules.accounting import Gaussian, Neighbours
from dprules.errors import ModelError, ParameterError
from dprules.ledger import EpsilonDelta, Ledger, ReferenceJob, SlotBudget, sqlite
from dprules.ledger.body import LONGEST
from dprules.ledger.chain import LONGEST_ENTRY, Row, first_digest, next_digest, read_row
from dprules.ledger.grants import MOST_COLUMNS, DataSet
from fuzz.examples import MANY, QUICK, SEEDS
from fuzz.guard import require_words
from fuzz.mutations import mutate_json, scramble
from ledger.helpers import make_ledger, quote


@pytest.fixture(scope="module")
def genuine(tmp_path_factory) -> Path:
    """A ledger with every kind of entry."""
    path = tmp_path_factory.mktemp("ledgers") / "l.db"
    ledger = make_ledger(path, epsilon=3)
    reference = ledger.charge("patients", quote("0.5"))
    ledger.finish(reference.entry, "0" * 64)
    ledger.charge("patients", quote("0.25"))
    ledger.register("others", distinct=True)
    ledger.grant("others", EpsilonDelta(1, 1e-6))
    shape = ReferenceJob("a sum", (Gaussian(Fraction(1, 5)),))
    ledger.grant("others", SlotBudget(2, (shape,), Neighbours.ADD_REMOVE, 1e-6))
    return path


def rewrite(path: Path, seed: int) -> None:
    """Change one entry, and chain all of them anew, as somebody could who knows how."""
    with closing(sqlite3.connect(path)) as connection, connection:
        name = connection.execute("SELECT name FROM ledger").fetchone()[0]
        texts = [text for (text,) in connection.execute("SELECT text FROM entries ORDER BY number")]
        changed = seed % len(texts)
        texts[changed] = mutate_json(json.loads(texts[changed]), seed).decode(errors="replace")
        connection.execute("DELETE FROM entries")
        digest = first_digest(name)
        for number, text in enumerate(texts, start=1):
            digest = next_digest(digest, number, text)
            connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (number, text, digest))


def use_hostile(guard, genuine: Path, folder: Path, seed: int) -> None:
    path = folder / "l.db"
    whole = genuine.read_bytes()
    path.write_bytes(scramble(whole, seed) if seed % 3 == 0 else whole)
    if seed % 3:
        rewrite(path, seed)
    require_words(guard.parse("ledger", path))
    Path(f"{path}-journal").unlink(missing_ok=True)


def test_the_genuine_one(guard, genuine, tmp_path):
    path = tmp_path / "l.db"
    path.write_bytes(genuine.read_bytes())
    assert require_words(guard.parse("ledger", path)).kind == "read"


@QUICK
@given(seed=SEEDS)
def test_hostile_ledgers(guard, genuine, tmp_path, seed):
    use_hostile(guard, genuine, tmp_path, seed)


@pytest.mark.slow
@MANY
@given(seed=SEEDS)
def test_very_many_hostile_ledgers(guard, genuine, tmp_path, seed):
    use_hostile(guard, genuine, tmp_path, seed)


def test_the_longest_names():
    neighbours = quote("0.1").neighbours
    unit = quote("0.1").unit
    DataSet("x" * LONGEST, None, unit, neighbours)
    with pytest.raises(ParameterError, match="one line"):
        DataSet("x" * (LONGEST + 1), None, unit, neighbours)


def test_the_most_columns():
    neighbours = quote("0.1").neighbours
    unit = quote("0.1").unit
    DataSet("x", tuple(map(str, range(MOST_COLUMNS))), unit, neighbours)
    with pytest.raises(ParameterError, match="columns"):
        DataSet("x", tuple(map(str, range(MOST_COLUMNS + 1))), unit, neighbours)


def test_the_longest_entry():
    entry = {"kind": "closed", "time": "2026-01-01T00:00:00+00:00", "token": "t", "entry": 3}
    text = json.dumps(entry)
    assert read_row(Row(1, text + " " * (LONGEST_ENTRY - len(text)), "d")).number == 1
    with pytest.raises(ModelError, match="too long"):
        read_row(Row(1, text + " " * (LONGEST_ENTRY + 1 - len(text)), "d"))


def test_the_largest_ledger(genuine, tmp_path, monkeypatch):
    path = tmp_path / "l.db"
    path.write_bytes(genuine.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("SELECT sum(length(text)) FROM entries").fetchone()
    monkeypatch.setattr(sqlite, "LARGEST", size)
    assert Ledger(path).book().entries
    monkeypatch.setattr(sqlite, "LARGEST", size - 1)
    with pytest.raises(ModelError, match="too large"):
        Ledger(path).book()


def test_the_most_slots():
    shape = ReferenceJob("a sum", (Gaussian(Fraction(1, 5)),))
    SlotBudget(1000, (shape,), Neighbours.ADD_REMOVE, 1e-6)
    with pytest.raises(ParameterError, match="slots"):
        SlotBudget(1001, (shape,), Neighbours.ADD_REMOVE, 1e-6)
