"""Entries that were edited, removed or re-ordered are found; those that were cut off, by a head or a certificate."""

import json
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.errors import DprulesError, ModelError
from dprules.ledger import Ledger
from dprules.ledger.chain import LONGEST_ENTRY, Row, find_break, next_digest, read_row
from ledger.helpers import make_ledger, quote


def edit(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(*statement)


@pytest.fixture
def path(tmp_path):
    ledger = make_ledger(tmp_path / "l.db")
    for _ in range(3):
        reference = ledger.charge("patients", quote("0.1"))
        ledger.finish(reference.entry, "0" * 64)
    return tmp_path / "l.db"


def opened(path):
    return Ledger(path)


TAMPERINGS = {
    "an edited amount": [("UPDATE entries SET text = replace(text, '\"1/10\"', '\"1/20\"') WHERE number = 5",)],
    "an edited name": [("UPDATE entries SET text = replace(text, 'officer', 'analyst') WHERE number = 2",)],
    "an edited digest": [("UPDATE entries SET digest = 'x' WHERE number = 4",)],
    "a removed entry": [("DELETE FROM entries WHERE number = 5",)],
    "a removed entry, others renumbered": [
        ("DELETE FROM entries WHERE number = 5",),
        ("UPDATE entries SET number = number - 1 WHERE number > 5",),
    ],
    "two entries exchanged": [
        ("UPDATE entries SET number = 100 WHERE number = 5",),
        ("UPDATE entries SET number = 5 WHERE number = 8",),
        ("UPDATE entries SET number = 8 WHERE number = 100",),
    ],
    "the first removed": [("DELETE FROM entries WHERE number = 1",)],
    "another name": [("UPDATE ledger SET name = 'f'",)],
}


@pytest.mark.parametrize("statements", TAMPERINGS.values(), ids=TAMPERINGS)
def test_what_was_tampered_with_is_found_and_takes_no_charges(statements, path):
    assert opened(path).verify() == []
    edit(path, *statements)
    assert opened(path).verify() != []
    with pytest.raises(ModelError, match="was changed or moved"):
        opened(path).book()
    with pytest.raises(ModelError, match="was changed or moved"):
        opened(path).charge("patients", quote("0.1"))


def test_a_fault_is_said_once_and_in_one_sentence(path):
    opened(path).charge("patients", quote("0.1"))
    number = len(opened(path).book().entries)
    edit(path, ("DELETE FROM entries WHERE number = ?", [number - 1]))
    faults = opened(path).verify()
    assert len(faults) == len(set(faults))
    assert not any(fault.endswith(".") for fault in faults)


def test_entries_cut_off_at_the_end_are_found_by_what_was_kept(path):
    ledger = opened(path)
    last = ledger.charge("patients", quote("0.1"))
    head = ledger.book().entries[-1].digest
    assert ledger.verify(head=head, references=[last]) == []
    edit(path, ("DELETE FROM entries WHERE number = ?", [last.entry]))
    assert ledger.verify() == []  # nothing inside tells
    assert "removed" in ledger.verify(head=head)[0]
    assert "is gone" in ledger.verify(references=[last])[0]
    ledger.charge("patients", quote("0.1"))  # another entry in its place
    assert "is gone or is another one" in ledger.verify(references=[last])[0]


def test_a_chain_that_was_written_anew_still_has_to_follow_the_rules(path):
    """Whoever can compute digests can write any chain; overspending is found by counting again."""
    with closing(sqlite3.connect(path)) as connection:
        name = connection.execute("SELECT name FROM ledger").fetchone()[0]
        rows = [Row(*row) for row in connection.execute("SELECT number, text, digest FROM entries ORDER BY number")]
    charge = next(row for row in rows if '"charge"' in row.text[:40])
    for change, fault in (
        (lambda text: text.replace('"cost": ["1/10"', '"cost": ["0"'), "costs more than was taken"),
        (lambda text: text.replace('"1/10"', '"5"'), "did not have that much left"),
        (
            lambda text: text.replace(
                '"epsilon": "1/10", "delta": "0", "neigh', '"epsilon": "1/20", "delta": "0", "neigh'
            ),
            "too much",
        ),
    ):
        text = change(charge.text)
        assert text != charge.text
        before = rows[charge.number - 2].digest
        forged = Row(charge.number, text, next_digest(before, charge.number, text))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM entries WHERE number >= ?", [charge.number])
            connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (forged.number, forged.text, forged.digest))
        assert find_break(name, [*rows[: charge.number - 1], forged]) is None
        assert any(fault in sentence for sentence in opened(path).verify()), fault


FORGED = {
    "a reservation": {"kind": "reservation", "dataset": "patients", "grant": 2, "costs": [], "by": "me"},
    "a time that no clock has": {"kind": "begun", "charge": 5, "time": "9999-12-31T23:59:59-23:59"},
    "the end of no grant": {"kind": "closed", "entry": 1},
    "the end of no charge": {"kind": "finished", "charge": 1, "digest": "x"},
    "a second end": {"kind": "finished", "charge": 3, "digest": "x"},
}


@pytest.mark.parametrize("entry", FORGED.values(), ids=FORGED)
def test_entries_that_nobody_could_have_written(entry, path):
    """The chain is whole, and the rules are broken."""
    name, rows = opened(path)._log.rows()
    text = json.dumps({"time": "2026-01-01T00:00:00+00:00", "token": "x", **entry})
    forged = Row(rows[-1].number + 1, text, next_digest(rows[-1].digest, rows[-1].number + 1, text))
    edit(path, ("INSERT INTO entries VALUES (?, ?, ?)", (forged.number, forged.text, forged.digest)))
    assert find_break(name, [*rows, forged]) is None
    assert opened(path).verify() != []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_hostile_entries_are_refused_in_one_sentence(data):
    """Fields of a valid entry are dropped, exchanged, nested; numbers and texts of any kind are put in."""
    valid = [
        {
            "kind": "data set",
            "time": "2026-01-01T00:00:00+00:00",
            "token": "t",
            "name": "p",
            "columns": ["a"],
            "fingerprint": "x",
            "unit": {"column": None, "of": "row"},
            "neighbours": "add-remove",
            "distinct": False,
        },
        {
            "kind": "grant",
            "time": "2026-01-01T00:00:00+00:00",
            "token": "t",
            "dataset": "p",
            "by": "o",
            "why": "",
            "until": None,
            "filter": {"kind": "sums", "epsilon": "1", "delta": "0"},
        },
        {
            "kind": "charge",
            "time": "2026-01-01T00:00:00+00:00",
            "token": "t",
            "dataset": "p",
            "grant": 2,
            "by": "o",
            "cost": ["1", "0"],
            "part": None,
            "reservation": None,
            "promise": {
                "job": "fit",
                "epsilon": "1",
                "delta": "0",
                "neighbours": "add-remove",
                "unit": {"column": None, "rows": 1, "of": "row"},
                "charges": [],
            },
        },
        {
            "kind": "reservation",
            "time": "2026-01-01T00:00:00+00:00",
            "token": "t",
            "dataset": "p",
            "grant": 2,
            "costs": [{"cost": ["1"], "times": 3}],
            "by": "o",
        },
    ]
    document = json.loads(json.dumps(data.draw(st.sampled_from(valid))))
    for _ in range(data.draw(st.integers(1, 3))):
        where = document
        while isinstance(where, dict) and where:
            key = data.draw(st.sampled_from(sorted(where)))
            if isinstance(where[key], dict) and where[key] and data.draw(st.booleans()):
                where = where[key]
                continue
            if data.draw(st.booleans()):
                where[key] = data.draw(JSON)
            else:
                del where[key]
            break
    said = "read"
    try:
        read_row(Row(1, json.dumps(document), "d"))
    except DprulesError as error:
        said = str(error)
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        '{"kind": "grant"',
        "[" * 100_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
        "x" * (LONGEST_ENTRY + 1),
    ],
    ids=["empty", "no fields", "a list", "null", "cut", "deep", "deep tables", "long"],
)
def test_texts_that_are_no_entries(text):
    with pytest.raises(ModelError):
        read_row(Row(1, text, "d"))


@pytest.mark.parametrize("number", ["1" * 5000, "1/" + "3" * 5000, "1e999999", "nan", "-1"])
def test_numbers_that_are_no_amounts(number):
    grant = {
        "kind": "grant",
        "time": "2026-01-01T00:00:00+00:00",
        "token": "t",
        "dataset": "p",
        "by": "o",
        "why": "",
        "until": None,
        "filter": {"kind": "sums", "epsilon": number, "delta": "0"},
    }
    with pytest.raises(ModelError):
        read_row(Row(1, json.dumps(grant), "d"))
