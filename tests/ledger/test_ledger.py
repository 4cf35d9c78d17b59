"""What a ledger allows and refuses, the same in every store."""

import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from accounting.approximate import Approximate
from dprules.accounting import Counts, LedgerReference, Neighbours, Slots, Unit
from dprules.errors import FileError, ModelError, ParameterError, PrivacyError, RemovedError
from dprules.ledger import EpsilonDelta, Ledger, ReferenceJob, SlotBudget, log
from dprules.ledger.chain import Row, read_row
from dprules.ledger.sqlite import SQLiteStore
from ledger.helpers import quote


def left(ledger, place=0):
    return ledger.book().grants_of("patients")[place].left


def test_charges_add_up_to_the_grant_exactly(ledger):
    for _ in range(10):
        ledger.charge("patients", quote("0.1"))
    assert left(ledger) == (0, 0)
    with pytest.raises(PrivacyError, match=r"epsilon 0\.1 and delta 0 is asked, and grant 2 has epsilon 0 .* left"):
        ledger.charge("patients", quote("0.1"))
    assert ledger.verify() == []


def test_ten_tenths_as_floats_are_one(tmp_path):
    """What people write is what is counted: 0.1 is a tenth."""
    ledger = Ledger.create(tmp_path / "l.db")
    ledger.register("patients")
    ledger.grant("patients", EpsilonDelta(0.3, 3e-6))
    for _ in range(3):
        ledger.charge("patients", quote("0.1", "1e-6"))
    assert left(ledger)[0] == 0


def test_a_refusal_says_what_was_asked_what_is_left_and_what_fits(ledger):
    ledger.charge("patients", quote("0.75"))
    with pytest.raises(PrivacyError) as refused:
        ledger.charge("patients", quote("0.5"))
    said = str(refused.value)
    for words in ("fit of data set 'patients'", "epsilon 0.5", "epsilon 0.25", "would fit", "Nothing was spent"):
        assert words in said
    ledger.charge("patients", quote("0.25"))


def test_what_is_said_to_fit_does(tmp_path):
    ledger = Ledger.create(tmp_path / "l.db")
    ledger.register("patients")
    ledger.grant("patients", EpsilonDelta(1, 1e-6))
    ledger.charge("patients", quote("0.33333333", "1e-6"))
    with pytest.raises(PrivacyError, match=r"delta 0 left: epsilon 0\.6666 and delta 0 would fit"):
        ledger.charge("patients", quote("0.9"))
    with pytest.raises(PrivacyError, match=r"delta 0 left: nothing would fit\. Nothing"):
        ledger.charge("patients", quote("0.1", "1e-6"))
    ledger.charge("patients", quote("0.6666"))


def test_what_nobody_could_count_is_not_written(ledger):
    for write in (lambda: ledger.finish(99, "x"), lambda: ledger.close(99)):
        with pytest.raises(ParameterError, match="entry 99"):
            write()
    assert len(ledger.book().entries) == 2


def test_jobs_of_another_kind_are_refused(ledger):
    with pytest.raises(PrivacyError, match="neighbours"):
        ledger.charge("patients", quote("0.1", "1e-9", neighbours="replace"))
    with pytest.raises(PrivacyError, match="unit"):
        ledger.charge("patients", quote("0.1", unit=Unit("patient", 2)))
    with pytest.raises(PrivacyError, match="column 'income'"):
        ledger.charge("patients", quote("0.1"), columns=["age", "income"])
    with pytest.raises(ParameterError, match="no data set 'patient'"):
        ledger.charge("patient", quote("0.1"))
    assert left(ledger)[0] == 1


def test_two_data_sets_with_one_fingerprint(ledger):
    with pytest.raises(PrivacyError, match="columns of the same names"):
        ledger.register("others", ["y", "region", "age"])
    ledger.register("others", ["y", "region", "age"], distinct=True)
    with pytest.raises(ParameterError, match="already"):
        ledger.register("patients", ["z"])


@pytest.mark.parametrize(
    "columns", [["y", "region"], ["AGE", "something"], None], ids=["some", "in capitals", "unsaid"]
)
def test_one_table_has_no_second_budget_under_another_name(columns, ledger):
    """Some of its columns, other letters, or no word about them: all might be the same people once more."""
    with pytest.raises(PrivacyError, match="distinct"):
        ledger.register("again", columns)
    ledger.register("again", columns, distinct=True)
    ledger.register("unlike", ["height", "shoes"], distinct=columns is None)


def test_names_look_like_what_they_are(ledger):
    for name in ("pati\u202eents", "pat\u200bients", "pat\x00ients", "patients\x07"):
        with pytest.raises(ParameterError, match=r"hide letters|one line"):
            ledger.register(name, distinct=True)


@pytest.mark.parametrize("until", ["2030-01-01", datetime(2030, 1, 1, tzinfo=UTC)])
def test_a_last_day_is_a_date(until, ledger):
    with pytest.raises(ParameterError, match="date"):
        ledger.grant("patients", EpsilonDelta(1, 0), until=until)


@pytest.mark.parametrize("make", [lambda: EpsilonDelta(1e-300, 0), lambda: EpsilonDelta(1, 1e-300)])
def test_budgets_that_nobody_could_mean_are_refused_where_they_are_made(make):
    with pytest.raises(ParameterError, match="must lie"):
        make()


def test_nothing_granted(ledger):
    ledger.register("others", distinct=True)
    with pytest.raises(PrivacyError, match="nothing is granted"):
        ledger.charge("others", quote("0.1"))


def test_several_grants_are_charged_in_their_order(ledger):
    ledger.grant("patients", EpsilonDelta(2, 0))
    ledger.charge("patients", quote("0.75"))
    ledger.charge("patients", quote("0.5"))
    ledger.charge("patients", quote("0.25"))
    assert [left(ledger, place)[0] for place in (0, 1)] == [0, Fraction(3, 2)]


def set_clock(monkeypatch, time):
    """Let a ledger see a time that tests can change."""
    now = [time]
    for module in (log, sys.modules[Ledger.__module__]):
        monkeypatch.setattr(module, "read_clock", lambda: now[0])
    return now


def test_a_grant_ends_by_the_clock_of_the_reader(small, monkeypatch):
    small.register("others", distinct=True)
    small.grant("others", EpsilonDelta(1, 0), until=date(2126, 12, 31))
    now = set_clock(monkeypatch, datetime(2126, 12, 31, 23, 59, tzinfo=UTC))
    small.charge("others", quote("0.1"))
    now[0] = datetime(2127, 1, 1, tzinfo=UTC)
    with pytest.raises(PrivacyError, match="ended"):
        small.charge("others", quote("0.1"))


def test_one_wrong_clock_does_not_end_the_grants_of_others(small, monkeypatch):
    """A computer whose clock says 2199 writes an entry: it is named, and grants go on for all others."""
    small.grant("patients", EpsilonDelta(1, 0), until=datetime.now(UTC).date() + timedelta(days=2))
    set_clock(monkeypatch, datetime(2199, 1, 1, tzinfo=UTC))
    small.charge("patients", quote("0.1"))
    monkeypatch.undo()
    small.close(2)
    small.charge("patients", quote("0.2"))
    assert left(small, 1)[0] == Fraction(8, 10)
    assert small.verify() == [
        "entry 4 is dated more than a day ahead of this computer's clock: the clock of some computer is wrong"
    ]


def test_a_release_is_recorded_once(ledger):
    reference = ledger.charge("patients", quote("0.1"))
    assert ledger.book().charges[reference.entry].outcome == "interrupted, or running"
    ledger.settle(reference, "a digest")
    ledger.settle(reference, "another digest")
    state = ledger.book().charges[reference.entry]
    assert (state.outcome, state.digest) == ("released", "a digest")
    with pytest.raises(PrivacyError, match="already recorded"):
        ledger.finish(reference.entry, "another digest")


def test_another_reference_settles_nothing(ledger):
    reference = ledger.charge("patients", quote("0.1"))
    ledger.settle(replace(reference, digest="0" * 64), "a digest")
    ledger.settle(replace(reference, entry=99), "a digest")
    assert ledger.book().charges[reference.entry].digest is None


def test_an_account_writes_its_quote_with_the_first_charge(ledger):
    job = quote("0.1")
    account = ledger.account("patients", job, columns=["age"])
    assert account.reference is None
    assert not ledger.book().charges
    account.charge("counts", Counts(Fraction(1, 10)), Fraction(1, 10))
    (number,) = ledger.book().charges
    assert account.reference == LedgerReference(
        ledger.book().name, "patients", number, ledger.book().entries[-1].digest
    )
    assert account.certificate(secure=True, assumptions=()).ledger == account.reference
    with pytest.raises(PrivacyError, match="more than is left"):
        account.charge("more", Counts(Fraction(1, 10)))
    account.finish("a digest")
    assert ledger.book().charges[number].outcome == "released"


@pytest.mark.parametrize(("name", "tilt"), [("counts", Fraction(1, 20)), ("other", Fraction(1, 10))])
def test_a_charge_that_was_not_quoted_is_refused_and_nothing_is_written(name, tilt, ledger):
    account = ledger.account("patients", quote("0.1"))
    with pytest.raises(PrivacyError, match="not in the quote"):
        account.charge(name, Counts(tilt))
    assert account.charges == ()
    assert not ledger.book().charges


def test_a_quote_of_a_budget_takes_any_charge_within_it(ledger):
    account = ledger.account("patients", replace(quote("0.5"), charges=()))
    account.charge("anything", Counts(Fraction(1, 4)))
    account.charge("more", Counts(Fraction(1, 4)))
    assert left(ledger)[0] == Fraction(1, 2)
    assert len(ledger.book().charges) == 1


def test_a_quote_that_does_not_fit_is_refused_before_the_job_begins(ledger):
    with pytest.raises(PrivacyError, match=r"epsilon 2 and delta 0 is asked.* Nothing was spent"):
        ledger.account("patients", quote("2"))


def test_a_budget_that_others_take_meanwhile_is_refused_at_the_first_charge(ledger):
    account = ledger.account("patients", quote("0.7"))
    ledger.charge("patients", quote("0.6"))
    with pytest.raises(PrivacyError, match="Nothing was spent"):
        account.charge("counts", Counts(Fraction(7, 10)), Fraction(7, 10))
    assert account.reference is None
    assert left(ledger)[0] == Fraction(4, 10)


def test_a_job_reads_the_ledger_once(small, monkeypatch):
    reads = []
    genuine = SQLiteStore.read

    def read(store):
        reads.append(1)
        return genuine(store)

    monkeypatch.setattr(SQLiteStore, "read", read)
    account = small.account("patients", quote("0.1"))
    account.charge("counts", Counts(Fraction(1, 10)), Fraction(1, 10))
    assert len(reads) == 1


OLD = Path(__file__).with_name("ledger_0026526.json")
"""All rows of a ledger that commit 0026526 wrote: fits of lists and scorecards, an evaluation, a stream, slots."""


def test_a_ledger_of_an_earlier_version_verifies(small):
    old = json.loads(OLD.read_text())
    with closing(sqlite3.connect(small.url)) as connection, connection:
        connection.execute("DELETE FROM entries")
        connection.execute("UPDATE ledger SET name = ?", [old["name"]])
        connection.executemany("INSERT INTO entries VALUES (?, ?, ?)", old["rows"])
    assert small.verify() == []
    outcomes = [state.outcome for state in small.book().charges.values()]
    assert sorted(set(outcomes)) == ["interrupted, or running", "released"]
    small.charge("stays", quote("0.1"))
    assert small.verify() == []


@pytest.mark.parametrize("feature", ["part", "reservation", "rho", "mu"])
def test_what_a_removed_feature_wrote_is_refused_in_one_sentence(feature):
    charge = json.loads(next(text for _, text, _ in json.loads(OLD.read_text())["rows"] if '"charge"' in text))
    grant = {"kind": "grant", "time": charge["time"], "token": "t", "dataset": "p", "by": "o", "why": "", "until": None}
    texts = {
        "part": charge | {"part": {"key": "ward", "value": "a", "reading": "x"}},
        "reservation": charge | {"reservation": 7},
        "rho": grant | {"filter": {"kind": "concentrated", "rho": "1", "delta": "1/100"}},
        "mu": grant | {"filter": {"kind": "gaussians", "mu": "1", "delta": "1/100"}},
    }
    with pytest.raises(RemovedError, match=f"{feature}.* no longer supports"):
        read_row(Row(1, json.dumps(texts[feature]), "d"))


def test_a_grant_that_is_over_is_refused(small):
    with pytest.raises(ParameterError, match="2020-12-31 is over"):
        small.grant("patients", EpsilonDelta(1, 0), until=date(2020, 12, 31))
    small.grant("patients", EpsilonDelta(1, 0), until=datetime.now(UTC).date() + timedelta(days=1))


def test_only_a_whole_head_is_compared(small):
    with pytest.raises(ParameterError, match="64 digits"):
        small.verify(head=small.book().entries[-1].digest[:16])


def test_a_ledger_is_made_once(url):
    Ledger.create(url)
    with pytest.raises(FileError, match="already"):
        Ledger.create(url)


def test_where_no_ledger_is(tmp_path, server, database):
    with pytest.raises(FileError, match="no such ledger"):
        Ledger(tmp_path / "none.db").book()
    with pytest.raises(FileError, match="no ledger"):
        Ledger(server).book()
    with pytest.raises(FileError, match="cannot be reached"):
        Ledger("postgresql://nobody@127.0.0.1:1/none").book()
    with pytest.raises(FileError, match="no such folder"):
        Ledger.create(tmp_path / "no" / "l.db")
    with pytest.raises(ParameterError, match="postgresql"):
        Ledger("mysql://x")
    (tmp_path / "text").write_text("no ledger at all, but a text of some length" * 100)
    with pytest.raises(ModelError, match="no ledger"):
        Ledger(tmp_path / "text").book()


def test_a_newer_ledger_is_refused(small, tmp_path):
    with sqlite3.connect(tmp_path / "ledger.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ModelError, match="newer"):
        small.book()
    with pytest.raises(ModelError, match="newer"):
        small.charge("patients", quote("0.1"))


def test_passwords_are_not_shown():
    assert "secret" not in repr(Ledger("postgresql://me:secret@host/db"))


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 300, " "])
def test_names_that_make_no_sense(small, name):
    with pytest.raises(ParameterError, match="one line"):
        small.register(name, distinct=True)
    with pytest.raises(ParameterError, match="one line"):
        small.grant("patients", EpsilonDelta(1, 0), by=name)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@host/db",
        "postgresql://host/db?user=me&password=secret",
        "postgresql://me@host/db?sslpassword=secret&sslmode=require",
        "postgresql://me:sec@secret@host/db?Password=secret",
    ],
)
def test_passwords_are_shown_nowhere(url):
    shown = repr(Ledger(url))
    assert "secret" not in shown
    assert "***" in shown
    with pytest.raises(ParameterError) as refused:
        Ledger(Path(url))
    assert "secret" not in str(refused.value)


def test_slots_that_state_nothing_for_their_delta_are_refused(small):
    shape = ReferenceJob("a release", (Approximate(1, 1e-3),))
    with pytest.raises(PrivacyError, match="No value meets the budget"):
        small.grant("patients", SlotBudget(3, (shape,), Neighbours.ADD_REMOVE, 1e-6))
    assert len(small.book().entries) == 2


def test_prices_by_curves_are_found_before_anybody_has_to_wait(small, monkeypatch):
    small.grant("patients", SlotBudget(2, (ReferenceJob("a count", (Counts(2),)),), Neighbours.ADD_REMOVE, 1e-6))
    locked = []
    find = Slots.gap

    def gap(slots, curve):
        with closing(sqlite3.connect(small.url, isolation_level=None, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")  # nobody else has the lock
        locked.append(False)
        return find(slots, curve)

    monkeypatch.setattr(Slots, "gap", gap)
    small.charge("patients", quote("1.5"))
    assert locked == [False]
    assert small.verify() == []


def test_a_grant_is_ended_and_what_was_charged_stays_charged(ledger):
    ledger.charge("patients", quote("0.25"))
    ledger.close(2)
    ledger.close(2)  # it stays so
    with pytest.raises(PrivacyError, match="ended"):
        ledger.charge("patients", quote("0.25"))
    state = ledger.book().grants[2]
    assert state.closed
    assert state.spent[0] == Fraction(1, 4)
    assert ledger.verify() == []
    with pytest.raises(ParameterError, match="not a grant"):
        ledger.close(1)
    ledger.grant("patients", EpsilonDelta(1, 0))
    ledger.charge("patients", quote("1"))
