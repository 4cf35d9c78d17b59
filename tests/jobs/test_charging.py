"""A job is charged before it reads a row, takes what it promised, and begins once."""

from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import Counts, Quote
from dprules.errors import DataError, ParameterError, PrivacyError
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
from dprules.jobs.ledgers import choose_budget, join, ledger_init
from dprules.learners.cuts import buy_cuts
from dprules.learners.streams import read_published
from dprules.ledger import EpsilonDelta, Ledger, show_guarantee
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


def test_the_charge_is_there_before_a_row_is_read(ledger, monkeypatch):
    seen = []

    def reading(*words):
        seen.append(len(ledger.book().charges))
        raise DataError("nothing can be read.")

    monkeypatch.setattr(fitting, "place_records", reading)
    with pytest.raises(DataError, match=r"Charge 3 stands and was not begun: the same job can use it with --resume 3 "):
        fit(ask(ledger))
    assert seen == [1]
    assert left(ledger) == Fraction(5, 2)
    monkeypatch.undo()
    released = fit(ask(ledger, resume=3))
    assert released.certificate.ledger.entry == 3
    assert left(ledger) == Fraction(5, 2)
    with pytest.raises(PrivacyError, match="cannot be run again"):
        fit(ask(ledger, resume=3))


def test_a_refused_job_reads_nothing(ledger, monkeypatch):
    monkeypatch.setattr(fitting, "place_records", lambda *words: pytest.fail("rows were read"))
    with pytest.raises(PrivacyError, match="Nothing has run"):
        fit(ask(ledger, epsilon=4))
    assert not ledger.book().charges


def test_a_job_that_fails_after_its_first_bit_is_used_up(ledger, monkeypatch):
    def learn(request, records, account, assumptions, bits, progress):
        bits.words(1)
        raise DataError("too late.")

    genuine = fitting._learn
    calls = []

    def second(*words):
        calls.append(1)
        return genuine(*words) if len(calls) == 1 else learn(*words)  # the first is the rehearsal

    monkeypatch.setattr(fitting, "_learn", second)
    with pytest.raises(DataError, match=r"^too late\.$"):
        fit(ask(ledger, settings=ListSettings(max_rules=3)))
    monkeypatch.undo()
    assert ledger.book().charges[3].begun
    with pytest.raises(PrivacyError, match="cannot be run again"):
        fit(ask(ledger, settings=ListSettings(max_rules=3), resume=3))


def test_what_was_promised_is_what_is_certified(ledger):
    for settings_ in (ListSettings(), ListSettings(max_rules=4), ScorecardSettings(), ListSettings(accounting="paper")):
        released = fit(ask(ledger, settings=settings_))
        state = ledger.book().charges[released.certificate.ledger.entry]
        assert state.digest == released.digest()
        assert join(released, ledger.book()) == []
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
        {"ledger": None, "dataset": None, "resume": 3},
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
    with pytest.raises(ParameterError, match="resume must be"):
        evaluate(model, STAYS, resume="3", **words)
    assert ledger.book().charges == {}
    evaluate(model, STAYS, **words)


@pytest.mark.parametrize(
    "budget",
    [
        {"epsilon": 3},
        {"rho": 0.5},
        {"slots": 4, "shapes": ["list:2", "scorecard"], "each_epsilon": 1, "each_delta": 1e-6},
    ],
    ids=["sums", "rho", "slots"],
)
def test_a_table_whose_number_of_rows_is_public(budget, tmp_path):
    """Replace neighbours, from the first entry to the last."""
    ledger = ledger_init(tmp_path / "l.db", "stays", schema=SCHEMA, neighbours="replace")
    paid = choose_budget(delta=1e-4, neighbours="replace", **budget)
    ledger.grant("stays", paid, by="the officer")
    settings = ScorecardSettings(terms=2) if "rho" in budget else ListSettings(max_rules=2)
    model = fit(ask(ledger, neighbours="replace", settings=settings, epsilon=1))
    assert model.certificate.verify()
    assert join(model, ledger.book()) == []
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
    each = {"each_epsilon": 1, "each_delta": 1e-6}
    budget = choose_budget(delta=1e-6, slots=2, shapes=["list:10", "scorecard"], neighbours=neighbours, **each)
    account = rehearse(FitRequest(None, schema, chosen, 1, 1e-6, neighbours))
    assert budget.cost(Quote.of("fit", account, fixed=True)) == (Fraction(1),)


def test_whoever_comes_second_with_a_charge_is_not_told_to_use_it(ledger, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(fitting, "place_records", _fail)
        with pytest.raises(DataError, match="resume 3"):
            fit(ask(ledger))
    genuine = Ledger.begin

    def begin_after_another(self, number):
        genuine(self, number)
        genuine(self, number)

    monkeypatch.setattr(Ledger, "begin", begin_after_another)
    with pytest.raises(PrivacyError, match="begun already") as refused:
        fit(ask(ledger, resume=3))
    assert "was not begun" not in str(refused.value)


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
    with pytest.raises(ParameterError, match="public rows"):
        evaluate(released, STAYS, public=True, ledger=ledger, dataset="stays")
    ledger.register("clicks", SCHEMA.names, neighbours="replace", stream=True, distinct=True)
    ledger.grant("clicks", EpsilonDelta(1, 0))
    stream_init(tmp_path / "s", SCHEMA, epsilon=0.75, ledger=ledger, dataset="clicks")
    mark = read_published(tmp_path / "s").certificate.ledger
    assert ledger.book().charges[mark.entry].begun
    with pytest.raises(PrivacyError, match="left"):
        stream_init(tmp_path / "t", SCHEMA, epsilon=0.75, ledger=ledger, dataset="clicks")
    assert not (tmp_path / "t").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.db", "s"]


def test_an_account_of_a_ledger_refuses_what_was_not_promised(ledger, monkeypatch):
    """A learner that asks for more than its rehearsal did is stopped before it draws."""
    genuine = buy_cuts
    calls = []

    def buy(records, schema, account, share, bits):
        calls.append(1)
        if len(calls) > 1:
            account.charge("something else", Counts(Fraction(1, 100)))
        return genuine(records, schema, account, share, bits)

    monkeypatch.setattr(fitting, "buy_cuts", buy)
    with pytest.raises(PrivacyError, match="was not promised"):
        fit(ask(ledger, settings=ListSettings(max_rules=2)))


def test_a_model_that_was_exchanged_does_not_fit_its_entry(ledger, tmp_path):
    first, second = fit(ask(ledger, settings=ListSettings(max_rules=2))), fit(ask(ledger))
    book = ledger.book()
    assert join(first, book) == []
    bare = fit(FitRequest(STAYS, SCHEMA))
    assert "names no ledger" in join(bare, book)[0]
    swapped = Released.of(
        first.model, first.label, replace(first.certificate, ledger=second.certificate.ledger, model_digest=None)
    )
    assert join(swapped, book)
    other = Ledger.create(tmp_path / "other.db")
    assert "and this is ledger" in join(first, other.book())[0]


def test_a_ledger_that_is_gone_at_the_end_does_not_cost_the_model(ledger, monkeypatch):
    def gone(self, charge, digest):
        raise DataError("gone.")

    monkeypatch.setattr(Ledger, "finish", gone)
    released = fit(ask(ledger))
    assert ledger.book().charges[3].outcome == "interrupted, or running"
    assert join(released, ledger.book()) == []


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


def test_two_slots_of_ten_rules_cost_what_the_docs_say():
    budget = choose_budget(slots=2, shapes=["list:10"], each_epsilon=1, each_delta=1e-6, delta=1e-6)
    assert show_guarantee(budget) == ("1.387", "1e-06")
