"""A job is charged before it releases anything, takes what it quoted, and is recorded once it is delivered."""

from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import Account, Counts, Quote
from dprules.errors import DataError, ParameterError, PrivacyError, ResourceError
from dprules.files import digest
from dprules.jobs import (
    FitRequest,
    ListSettings,
    ScorecardSettings,
    check_fit,
    evaluate,
    fit,
    fitting,
    stream_extend,
    stream_init,
)
from dprules.jobs.example import SCHEMA, hospital_stays
from dprules.jobs.fitting import rehearse
from dprules.jobs.ledgers import choose_budget, compare, ledger_init
from dprules.learners.cuts import buy_cuts
from dprules.learners.streams import creation, read_published
from dprules.learners.streams.state import State
from dprules.ledger import EpsilonDelta, Ledger
from dprules.mechanisms import os_bits
from dprules.models import Released
from dprules.schema import Boolean, Categorical, Label, PrivateCuts, PrivateValues, Schema
from servers import database, server

__all__ = ["database", "server"]
STAYS = hospital_stays(600, 1)


@pytest.fixture
def ledger(tmp_path):
    made = Ledger.create(tmp_path / "l.db")
    made.register("stays", SCHEMA.names)
    made.grant("stays", EpsilonDelta(3, 1e-4), by="the officer")
    return made


def ask(to, /, **more):
    words = {"epsilon": 0.5, "delta": 1e-6, "ledger": to, "dataset": "stays"}
    return FitRequest(STAYS, SCHEMA, **words | more)


def left(ledger):
    return ledger.book().grants_of("stays")[0].left[0]


def test_nothing_is_owed_before_the_first_charge(ledger, monkeypatch):
    """A table that cannot be read releases nothing, and costs nothing."""
    monkeypatch.setattr(fitting, "place_records", _fail)
    with pytest.raises(DataError, match=r"^The table cannot be read\.$"):
        fit(ask(ledger))
    assert not ledger.book().charges


def test_the_charge_is_there_before_the_first_bit_of_noise(ledger, monkeypatch):
    seen = []
    genuine = os_bits.words

    class Watched:
        secure = True

        def words(self, size):
            seen.append(len(ledger.book().charges))
            return genuine(size)

    monkeypatch.setattr(fitting, "os_bits", Watched())
    monkeypatch.setattr(fitting, "rehearse", lambda request: pytest.fail("no price is fixed"))
    fit(ask(ledger, settings=ListSettings()))
    assert set(seen) == {1}


def test_a_refused_job_reads_nothing(ledger, monkeypatch):
    monkeypatch.setattr(fitting, "place_records", lambda *words: pytest.fail("rows were read"))
    with pytest.raises(PrivacyError, match="Nothing was spent"):
        fit(ask(ledger, epsilon=4))
    assert not ledger.book().charges


def test_a_job_that_fails_after_its_charge_names_it(ledger, monkeypatch):
    def fail(*words, **more):
        raise DataError("Too late.")

    monkeypatch.setattr(Account, "certificate", fail)
    with pytest.raises(DataError, match="Too late") as failed:
        fit(ask(ledger, settings=ListSettings()))
    assert failed.value.__notes__ == ["Charge 3 of the ledger stands."]
    assert left(ledger) == Fraction(5, 2)


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(28, "full"), ValueError("odd"), KeyboardInterrupt()], ids=repr
)
def test_whatever_ends_a_job_after_its_charge_has_a_note(error, ledger):
    def deliver(released):
        raise error

    with pytest.raises(BaseException) as ended:  # noqa: PT011 - any kind
        fit(ask(ledger), deliver=deliver)
    assert ended.value.__notes__ == ["Charge 3 of the ledger stands."]
    assert [state.outcome for state in ledger.book().charges.values()] == ["interrupted, or running"]


def test_rows_of_a_ledger_are_not_public(ledger):
    with pytest.raises(PrivacyError, match="cannot be combined"):
        ask(ledger, rows_are_public=True)


def test_an_evaluation_is_delivered_before_it_is_recorded(ledger):
    released = fit(FitRequest(STAYS, SCHEMA, ListSettings(max_rules=2)))

    def fail(evaluation):
        raise OSError(28, "full")

    with pytest.raises(OSError, match="full") as failed:
        evaluate(released, STAYS, epsilon=0.5, ledger=ledger, dataset="stays", deliver=fail)
    assert failed.value.__notes__ == ["Charge 3 of the ledger stands."]
    assert [state.outcome for state in ledger.book().charges.values()] == ["interrupted, or running"]


def test_a_stream_that_cannot_be_made_is_not_charged_or_names_its_charge(ledger, tmp_path, monkeypatch):
    ledger.register("clicks", SCHEMA.names, neighbours="replace", stream=True, distinct=True)
    ledger.grant("clicks", EpsilonDelta(3, 0))
    words = {"epsilon": 0.5, "ledger": ledger, "dataset": "clicks"}

    def fail(*words):
        raise ResourceError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(State, "create", fail)
        with pytest.raises(ResourceError):
            stream_init(tmp_path / "s", SCHEMA, **words)
    assert not ledger.book().charges
    monkeypatch.setattr(creation, "_move", fail)
    with pytest.raises(ResourceError) as failed:
        stream_init(tmp_path / "s", SCHEMA, **words)
    (number,) = ledger.book().charges
    assert failed.value.__notes__ == [f"Charge {number} of the ledger stands."]
    assert ledger.book().charges[number].outcome == "interrupted, or running"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.db"]


def test_a_model_is_delivered_before_the_ledger_says_that_it_was_released(ledger):
    outcomes = []

    def deliver(released):
        outcomes.extend(state.outcome for state in ledger.book().charges.values())

    fit(ask(ledger), deliver=deliver)
    assert outcomes == ["interrupted, or running"]
    assert [state.outcome for state in ledger.book().charges.values()] == ["released"]


def test_the_quote_is_what_is_certified(ledger):
    for settings_ in (ListSettings(), ListSettings(max_rules=4), ScorecardSettings(), ListSettings(accounting="paper")):
        released = fit(ask(ledger, settings=settings_))
        state = ledger.book().charges[released.certificate.ledger.entry]
        assert state.digest == released.digest()
        assert compare(released, ledger.book()) == []
        if settings_.prices_are_fixed(SCHEMA):
            assert state.spent.quote.charges == released.certificate.charges
        else:
            assert state.spent.quote.charges == ()


SCHEMAS = [
    Schema(Label("y", ("a", "b")), [Categorical("x", ["p", "q", "r"])]),
    Schema(Label("y", ("a", "b", "c")), [PrivateCuts("n", 0, 100, 3, 1), Categorical("x", ["p", "q"])]),
    Schema(Label("y", ("a", "b")), [PrivateValues("x"), Categorical("z", ["p", "q"])]),
]


@settings(max_examples=40, deadline=None)
@given(
    schema=st.sampled_from(SCHEMAS),
    chosen=st.one_of(
        st.builds(
            ListSettings,
            width=st.just(1),
            max_rules=st.sampled_from([None, 1, 5]),
            reward=st.sampled_from([None, 0.5, 1]),
            class_weight=st.sampled_from([None, "balanced"]),
        ),
        st.builds(ListSettings, width=st.just(1), max_rules=st.sampled_from([None, 4]), accounting=st.just("paper")),
        st.builds(ScorecardSettings, terms=st.sampled_from([1, 4, 30, "all"])),
    ),
    rows=st.sampled_from([0, 1, 200]),
    seed=st.integers(0, 10**6),
)
def test_prices_that_are_said_to_be_fixed_do_not_depend_on_rows(schema, chosen, rows, seed):
    """A rehearsal without rows charges what a fit charges, whatever it reads and draws."""
    table = pa.table(
        {
            "y": (["a", "b"] * rows)[:rows],
            "x": (["p", "q", "r", "s"] * rows)[:rows],
            "z": (["q", "p", "p"] * rows)[:rows],
            "n": list(range(rows)),
        }
    )
    request = FitRequest(table, schema, chosen, epsilon=3, delta=1e-4, seed=seed)
    if chosen.prices_are_fixed(schema):
        assert fit(request).certificate.charges == rehearse(request).charges


def test_seeded_noise_is_not_charged(ledger):
    with pytest.raises(PrivacyError, match="seeded"):
        fit(ask(ledger, seed=1))
    assert not ledger.book().charges


@pytest.mark.parametrize(
    "words",
    [
        {"ledger": None, "dataset": "stays"},
        {"dataset": None},
        {"ledger": 7},
    ],
)
def test_words_that_do_not_go_together(words, ledger):
    with pytest.raises(ParameterError):
        ask(ledger, **words)


def test_a_dry_run_asks_the_ledger_and_writes_nothing(ledger):
    check_fit(ask(ledger))
    with pytest.raises(PrivacyError, match="left"):
        check_fit(ask(ledger, epsilon=10))
    assert len(ledger.book().entries) == 2


def test_an_evaluation_looks_at_the_header_before_it_pays(ledger, tmp_path):
    model = fit(FitRequest(STAYS, SCHEMA, ListSettings(max_rules=3), epsilon=20))
    words = {"epsilon": 1, "ledger": ledger, "dataset": "stays"}
    asked = {SCHEMA.label.name, *(column.name for column in model.model.columns)}
    pyarrow.csv.write_csv(STAYS, tmp_path / "stays.csv")
    for name in asked:
        with pytest.raises(DataError, match=f"'{name}'"):
            evaluate(model, STAYS.drop_columns([name]), **words)
    with pytest.raises(DataError, match="header"):
        evaluate(model, tmp_path / "stays.csv", delimiter=";", **words)
    assert ledger.book().charges == {}
    evaluate(model, STAYS, **words)


@pytest.mark.parametrize(
    "budget",
    [
        {"epsilon": 3},
        {"fits": 4},
    ],
    ids=["sums", "fits"],
)
def test_a_table_whose_number_of_rows_is_public(budget, tmp_path):
    """Replace neighbours, from the first entry to the last."""
    ledger = ledger_init(tmp_path / "l.db", "stays", schema=SCHEMA, neighbours="replace")
    settings = ListSettings(max_rules=2)
    like = [fit(FitRequest(STAYS, SCHEMA, settings, 1, 1e-6, "replace"))] if "fits" in budget else []
    paid = choose_budget(delta=1e-4, like=like, **budget)
    ledger.grant("stays", paid, by="the officer")
    model = fit(ask(ledger, neighbours="replace", settings=settings, epsilon=1))
    assert model.certificate.verify()
    assert compare(model, ledger.book()) == []
    assert ledger.verify() == []
    with pytest.raises(PrivacyError, match="is for replace neighbours"):
        fit(ask(ledger, settings=settings))


WIDE = Schema(Label("readmitted", ("no", "yes")), [Boolean(f"b{i}") for i in range(40)])
THREE = Schema(Label("readmitted", ("no", "yes", "later")), SCHEMA.columns)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("schema", [SCHEMA, WIDE, THREE], ids=["stays", "wide", "three classes"])
@pytest.mark.parametrize(
    "chosen",
    [ListSettings(max_rules=10), *(ScorecardSettings(terms=terms) for terms in (1, 2, 7, 20, "all"))],
    ids=["list", *(f"card of {terms}" for terms in (1, 2, 7, 20, "all"))],
)
def test_a_slot_takes_what_it_is_named_after(chosen, schema, neighbours):
    """Whatever the table: shares of one budget are rounded differently for every number of terms."""
    like = [
        fit(FitRequest(STAYS, SCHEMA, one, 1, 1e-6, neighbours))
        for one in (ListSettings(max_rules=10), ScorecardSettings())
    ]
    budget = choose_budget(delta=1e-6, fits=2, like=like)
    account = rehearse(FitRequest(None, schema, chosen, 1, 1e-6, neighbours))
    assert budget.cost(Quote.of("fit", account, fixed=True)) == (Fraction(1),)


def _fail(*_words):
    raise DataError("The table cannot be read.")


def test_evaluations_and_streams_are_charged(ledger, tmp_path):
    released = fit(ask(ledger))
    found = evaluate(released, STAYS, epsilon=0.25, ledger=ledger, dataset="stays")
    entry = found.certificate.ledger.entry
    assert ledger.book().charges[entry].outcome == "released"
    assert ledger.book().charges[entry].digest == digest(found.document())  # not that of the model
    assert left(ledger) == Fraction(9, 4)
    with pytest.raises(PrivacyError, match="left"):
        evaluate(released, STAYS, epsilon=3, ledger=ledger, dataset="stays")
    with pytest.raises(ParameterError, match="cannot be combined"):
        evaluate(released, STAYS, public=True, ledger=ledger, dataset="stays")
    ledger.register("clicks", SCHEMA.names, neighbours="replace", stream=True, distinct=True)
    ledger.grant("clicks", EpsilonDelta(1, 0))
    stream_init(tmp_path / "s", SCHEMA, epsilon=0.75, ledger=ledger, dataset="clicks")
    mark = read_published(tmp_path / "s").certificate.ledger
    assert ledger.book().charges[mark.entry].outcome == "released"
    with pytest.raises(PrivacyError, match="left"):
        stream_init(tmp_path / "t", SCHEMA, epsilon=0.75, ledger=ledger, dataset="clicks")
    assert not (tmp_path / "t").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.db", "s"]


def test_an_account_of_a_ledger_refuses_what_was_not_quoted(ledger, monkeypatch):
    """A learner that asks for more than its rehearsal did is stopped before it draws."""
    genuine = buy_cuts
    calls = []

    def buy(records, schema, account, share, bits):
        calls.append(1)
        if len(calls) > 1:
            account.charge("something else", Counts(Fraction(1, 100)))
        return genuine(records, schema, account, share, bits)

    monkeypatch.setattr(fitting, "buy_cuts", buy)
    with pytest.raises(PrivacyError, match="not in the quote"):
        fit(ask(ledger, settings=ListSettings(max_rules=2)))


def test_a_model_that_was_exchanged_does_not_fit_its_entry(ledger, tmp_path):
    first, second = fit(ask(ledger, settings=ListSettings(max_rules=2))), fit(ask(ledger))
    book = ledger.book()
    assert compare(first, book) == []
    bare = fit(FitRequest(STAYS, SCHEMA))
    assert "names no ledger" in compare(bare, book)[0]
    swapped = Released.of(
        first.model, first.label, replace(first.certificate, ledger=second.certificate.ledger, model_digest=None)
    )
    assert compare(swapped, book)
    other = Ledger.create(tmp_path / "other.db")
    assert "and this is ledger" in compare(first, other.book())[0]


def test_a_ledger_that_is_gone_at_the_end_does_not_cost_the_model(ledger, monkeypatch):
    def gone(self, charge, digest):
        raise DataError("gone.")

    monkeypatch.setattr(Ledger, "finish", gone)
    released = fit(ask(ledger))
    assert ledger.book().charges[3].outcome == "interrupted, or running"
    assert compare(released, ledger.book()) == []


def test_a_stream_that_was_charged_is_extended_by_columns_of_its_data_set(ledger, tmp_path):
    small = Schema(SCHEMA.label, SCHEMA.columns[:2])
    ledger.register("clicks", SCHEMA.names, neighbours="replace", stream=True, distinct=True)
    ledger.grant("clicks", EpsilonDelta(1, 0))
    stream_init(tmp_path / "s", small, ledger=ledger, dataset="clicks")
    with pytest.raises(ParameterError, match="Name it"):
        stream_extend(tmp_path / "s", SCHEMA)
    foreign = Schema(SCHEMA.label, [*small.columns, Categorical("income", ["low", "high"])])
    with pytest.raises(PrivacyError, match="column 'income'"):
        stream_extend(tmp_path / "s", foreign, ledger=ledger)
    with pytest.raises(ParameterError, match="and this is ledger"):
        stream_extend(tmp_path / "s", SCHEMA, ledger=Ledger.create(tmp_path / "other.db"))
    _, count = stream_extend(tmp_path / "s", Schema(SCHEMA.label, SCHEMA.columns[:3]), ledger=ledger)
    assert count > 2
