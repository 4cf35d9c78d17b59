"""Charge first, then run: what an account refuses has drawn nothing, in every place that spends."""

from typing import Any

import duckdb
import numpy as np
import pytest

from dprules.accounting import Account, Assumption, Pure
from dprules.errors import ParameterError, PrivacyError
from dprules.jobs import FitRequest, ListSettings, OnlineRequest, StreamLearner, StreamSettings, evaluate, fit
from dprules.jobs.evaluation import ANSWERS
from dprules.learners.cuts import buy_cuts
from dprules.learners.lists import learn_list
from dprules.learners.streams import SegmentPolicy, StreamFeatures, create_stream
from dprules.mechanisms import SeededBits
from dprules.models import CLASS_COUNTS, RULE_COUNTS, RULES, cuts_of
from dprules.schema import Boolean, Label, PrivateCuts, Schema
from dprules.tables import ColumnsTable, Words, read_records
from learners.lists.samples import ROWS, both_signs

SAMPLE, LITERALS = both_signs(ROWS * 20)
CLASSES = ("no", "yes")
BOUGHT = ListSettings(max_rules=3, reward=0.5, shares={"counts": 0.1}, class_weight="balanced")
"""Counts that are not free."""
SCHEMA = Schema(Label("y", CLASSES), (PrivateCuts("x", lower=0, upper=10, step=1), Boolean("b")))
CELLS = {"x": np.arange(100) % 11, "b": np.arange(100) % 2 == 0, "y": ["no", "yes"] * 50}


class Silent:
    """A source that must not be asked."""

    secure = True

    def words(self, size: int) -> Words:
        raise AssertionError("random words were drawn")


class Written:
    """A source that writes down when it was asked, and after a refusal must not be."""

    secure = True

    def __init__(self) -> None:
        self.log: list[str] = []
        self.refused = False
        self._source = SeededBits(1)

    def words(self, size: int) -> Words:
        assert not self.refused, "random words were drawn after a refusal"
        if self.log[-1:] != ["words"]:
            self.log.append("words")
        return self._source.words(size)


def watch(monkeypatch: pytest.MonkeyPatch, bits: Written, refused: str | None = None) -> None:
    """Write down what every account is charged, and refuse releases of a name."""
    plain = Account.charge_together

    def charge(account: Account, releases: Any, *amounts: Any) -> None:
        names = [name for name, _ in releases]
        if refused in names:
            bits.refused = True
            raise PrivacyError("would cost more than is left")
        plain(account, releases, *amounts)
        bits.log += names

    monkeypatch.setattr(Account, "charge_together", charge)


def poor(epsilon: float = 1.0) -> Account:
    """An account with next to nothing left."""
    account = Account(epsilon, 1e-6)
    account.charge("something before", Pure(0.999 * epsilon))
    return account


def test_class_counts_that_cannot_be_paid_are_not_drawn():
    with pytest.raises(PrivacyError, match="class counts would cost more than is left"):
        learn_list(SAMPLE, LITERALS, CLASSES, ListSettings(), poor(), Silent())


def test_rules_that_cannot_be_paid_are_not_drawn():
    given = ListSettings(max_rules=2, reward=0.5, shares={"counts": 0.1})
    with pytest.raises(ParameterError, match="leave nothing for the rules"):
        learn_list(SAMPLE, LITERALS, CLASSES, given, poor(), Silent())


def test_cuts_that_cannot_be_paid_are_not_drawn():
    records = read_records(ColumnsTable(CELLS), SCHEMA, Account(1, 0).unit, Silent())
    with pytest.raises(ParameterError, match="leave nothing for the model"):
        buy_cuts(records, SCHEMA, poor(), 0.5, Silent())


def test_every_release_of_a_list_is_charged_before_it_is_drawn(monkeypatch):
    bits = Written()
    watch(monkeypatch, bits)
    learn_list(SAMPLE, LITERALS, CLASSES, BOUGHT, Account(1.0, 1e-6), bits)
    assert bits.log == [CLASS_COUNTS, "words", RULES, "words", RULE_COUNTS, "words"]


def test_free_counts_are_charged_with_their_rules(monkeypatch):
    bits = Written()
    watch(monkeypatch, bits)
    learn_list(SAMPLE, LITERALS, CLASSES, ListSettings(), Account(1.0, 1e-6), bits)
    assert bits.log == [CLASS_COUNTS, "words", RULES, "words"]


@pytest.mark.parametrize("refused", [CLASS_COUNTS, RULES, RULE_COUNTS])
def test_after_a_refusal_nothing_of_a_list_is_drawn(refused, monkeypatch):
    bits = Written()
    watch(monkeypatch, bits, refused)
    with pytest.raises(PrivacyError):
        learn_list(SAMPLE, LITERALS, CLASSES, BOUGHT, Account(1.0, 1e-6), bits)
    assert bits.refused


def test_a_fit_charges_cuts_before_it_draws_them(monkeypatch):
    bits = Written()
    watch(monkeypatch, bits)
    monkeypatch.setattr("dprules.jobs.fitting.os_bits", bits)
    fit(FitRequest(CELLS, SCHEMA, BOUGHT))
    assert bits.log == [cuts_of("x"), "words", CLASS_COUNTS, "words", RULES, "words", RULE_COUNTS, "words"]


@pytest.mark.parametrize("refused", [cuts_of("x"), CLASS_COUNTS, RULES, RULE_COUNTS])
def test_after_a_refusal_nothing_of_a_fit_is_drawn(refused, monkeypatch):
    bits = Written()
    watch(monkeypatch, bits, refused)
    monkeypatch.setattr("dprules.jobs.fitting.os_bits", bits)
    with pytest.raises(PrivacyError):
        fit(FitRequest(CELLS, SCHEMA, BOUGHT))
    assert bits.refused


def test_an_evaluation_is_charged_before_noise_is_drawn(monkeypatch):
    released = fit(FitRequest(CELLS, SCHEMA))
    bits = Written()
    watch(monkeypatch, bits)
    monkeypatch.setattr("dprules.jobs.evaluation.os_bits", bits)
    evaluate(released, CELLS, epsilon=1.0)
    assert bits.log == [ANSWERS, "words"]


def test_an_evaluation_that_is_refused_draws_nothing(monkeypatch):
    released = fit(FitRequest(CELLS, SCHEMA))
    bits = Written()
    watch(monkeypatch, bits, ANSWERS)
    monkeypatch.setattr("dprules.jobs.evaluation.os_bits", bits)
    with pytest.raises(PrivacyError):
        evaluate(released, CELLS, epsilon=1.0)
    assert bits.log == []


def test_an_evaluation_names_what_it_assumes_of_quotes(tmp_path):
    released = fit(FitRequest(CELLS, SCHEMA))
    path = tmp_path / "rows.csv"
    path.write_text("x,b,y\n1,true,no\n")
    for multiline in (False, True):
        bought = evaluate(released, str(path), epsilon=1.0, multiline=multiline)
        assert bought.certificate is not None
        assert (Assumption.BALANCED_QUOTES in bought.certificate.assumptions) is multiline
        assert bought.certificate.verify()


def test_a_view_is_assumed_to_stop_at_no_row(tmp_path):
    """What its expressions do is not looked at, and the certificate says so."""
    with duckdb.connect(str(tmp_path / "d.db")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x, true AS b, 'no' AS y; CREATE VIEW v AS FROM t")
    url = f"duckdb:///{tmp_path / 'd.db'}"
    for table in ("t", "v"):
        released = fit(FitRequest(url, SCHEMA, table=table))
        bought = evaluate(released, url, epsilon=1.0, table=table)
        assert bought.certificate is not None
        for certificate in (released.certificate, bought.certificate):
            assert (Assumption.NO_ROW_STOPS in certificate.assumptions) is (table == "v")
            assert certificate.verify()


def dear(settings: StreamSettings, dimension: int) -> SegmentPolicy:
    """A policy that costs twice the budget."""
    return SegmentPolicy.start(dimension, 2 * settings.epsilon)


def test_a_stream_that_costs_too_much_draws_no_noise(monkeypatch, tmp_path):
    monkeypatch.setattr(StreamSettings, "policy", dear)
    monkeypatch.setattr("dprules.learners.streams.creation.os_bits", Silent())
    features = StreamFeatures(Schema(Label("y", CLASSES), (Boolean("b"),)))
    with pytest.raises(PrivacyError, match="hypotheses would cost more than is left"):
        create_stream(tmp_path / "s", StreamSettings(), features)
    assert not list(tmp_path.iterdir())


def test_a_learner_in_memory_that_costs_too_much_draws_no_noise(monkeypatch):
    monkeypatch.setattr(StreamSettings, "policy", dear)
    monkeypatch.setattr("dprules.jobs.online.os_bits", Silent())
    with pytest.raises(PrivacyError, match="hypotheses would cost more than is left"):
        StreamLearner(StreamSettings(), OnlineRequest((Boolean("b"),)), (), None)


def test_a_stream_draws_noise_once_it_is_charged(monkeypatch):
    monkeypatch.setattr("dprules.jobs.online.os_bits", Silent())
    with pytest.raises(AssertionError, match="random words were drawn"):
        StreamLearner(StreamSettings(), OnlineRequest((Boolean("b"),)), (), None)
