"""Learning a list: every check, the certificate, and what a request shows of itself."""

import json
import pickle
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from dprules.accounting import Assumption
from dprules.errors import DataError, ParameterError, PrivacyError, ResourceError
from dprules.jobs import FitRequest, ListSettings, ScorecardSettings, check_fit, fit, fit_without_privacy, predict
from dprules.models import Released, RuleList, Scorecard
from dprules.schema import Boolean, Label, PrivateCuts, Schema


def test_a_list_is_learnt_and_certified(table, schema, released):
    assert isinstance(released.model, RuleList)
    assert (predict(released.model, table) == np.array(table["y"])).mean() > 0.95
    assert released.faults() == []
    assert released.label == schema.label
    assert released.certificate.assumptions == (Assumption.SCHEMA, Assumption.SETTINGS, Assumption.RECORD_BY_RECORD)
    assert Released.from_json(released.to_json()) == released


def test_a_file_is_taken_as_it_is(table, schema, tmp_path):
    pyarrow.csv.write_csv(table, tmp_path / "d.csv")
    for data in (tmp_path / "d.csv", str(tmp_path / "d.csv")):
        assert Assumption.RECORD_BY_RECORD not in fit(FitRequest(data, schema)).certificate.assumptions


def test_a_seed_repeats_everything(table, schema):
    """Also the choice of a unit's rows and the draws of private cuts."""
    private = Schema(schema.label, (*schema.columns[:2], PrivateCuts("n", lower=0, upper=30)))
    request = FitRequest(table, private, epsilon=2.0, unit="id", seed=5)
    first, second = (fit(request) for _ in range(2))
    assert first.model == second.model
    assert not first.certificate.private


def test_progress_is_told_of_public_things(table, schema):
    steps: list[tuple[str, int, int | None]] = []

    def note(step: str, done: int, total: int | None) -> None:
        steps.append((step, done, total))

    fit(FitRequest(table, schema, ListSettings(max_rules=4)), note)
    assert steps[0] == ("reading the table", 0, None)
    assert {total for step, _, total in steps if step == "drawing rules"} == {4}


REFUSED = {
    "epsilon": (dict(epsilon=0), ParameterError),
    "delta": (dict(delta=0), ParameterError),
    "neighbours": (dict(neighbours="near"), ParameterError),
    "zero-out": (dict(neighbours="zero-out"), ParameterError),
    "unit": (dict(unit="nobody"), DataError),
    "unit rows": (dict(unit_rows=2), ParameterError),
    "shares": (
        dict(
            settings=ListSettings(shares={"classes": 0.95}),
            schema=Schema(Label("y", ("no", "yes")), (PrivateCuts("n", lower=0, upper=30),)),
        ),
        ParameterError,
    ),
    "lemma": (dict(settings=ListSettings(accounting="paper"), epsilon=90), PrivacyError),
    "columns": (dict(schema=Schema(Label("y", ("no", "yes")), (PrivateCuts("z", lower=0, upper=1),))), DataError),
    "data": (dict(data=3), DataError),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("job", [fit, check_fit])
def test_a_check_refuses_what_a_fit_refuses(case, job, table, schema):
    changes, error = REFUSED[case]
    with pytest.raises(error, match=r"\.$"):
        job(FitRequest(**{"data": table, "schema": schema} | changes))


def test_a_check_reads_no_cell(table, schema, monkeypatch):
    def fail(*_arguments):
        raise AssertionError("a cell was read")

    monkeypatch.setattr("dprules.tables.frames.ArrowTable._batches", fail)
    summary = check_fit(FitRequest(table, schema))
    assert summary.survey["conditions"] > summary.survey["literals"] == 12
    with pytest.raises(DataError, match="cannot be read"):  # unless rows are public
        check_fit(FitRequest(table, schema, rows_are_public=True))


def test_too_many_conditions_are_counted_and_not_built(schema):
    wide = Schema(schema.label, tuple(PrivateCuts(f"n{i}", lower=0, upper=1, number=63) for i in range(300)))
    nothing = pa.table({name: pa.array([], pa.float64()) for name in wide.names} | {"y": pa.array([], pa.string())})
    with pytest.raises(ParameterError, match="conditions are too many"):
        check_fit(FitRequest(nothing, wide, ListSettings(width=3)))


def test_schemas_that_ask_nothing_are_refused(table):
    from dprules.schema import Categorical

    with pytest.raises(ParameterError, match="leaves anything to ask"):
        check_fit(FitRequest(table, Schema(Label("y", ("no", "yes")), (Categorical("b", ("u",)),))))


def test_a_request_shows_nothing_and_is_not_pickled(schema):
    request = FitRequest({"a": ["CANARY"]}, schema, labels=["CANARY"])
    assert "CANARY" not in repr(request) + str(request)
    with pytest.raises(PrivacyError):
        pickle.dumps(request)


def test_out_of_memory_is_one_sentence_without_sizes(table, schema, monkeypatch):
    def fail(*_arguments):
        np.zeros((2**45, 2000))

    monkeypatch.setattr("dprules.tables.records.LocalRecords.sample", fail)
    for job in (fit, check_fit, fit_without_privacy):
        with pytest.raises(ResourceError) as refused:
            job(FitRequest(table, schema))
        assert "2000" not in str(refused.value)
        assert refused.value.__context__ is None
        assert refused.value.__cause__ is None


def test_settings_are_in_the_certificate_in_types_of_json(table, schema):
    numbers: dict[str, Any] = dict(max_rules=np.int64(3), reward=np.float64(0.5), shares={"counts": np.float32(0.25)})
    settings = ListSettings(**numbers)
    certificate = fit(FitRequest(table, schema, settings)).certificate
    assert json.loads(json.dumps(certificate.settings)) == {
        "model": "list",
        "width": 2,
        "max_rules": 3,
        "reward": 0.5,
        "accounting": "exact",
        "shares": {"counts": 0.25},
        "class_weight": None,
    }


@pytest.mark.parametrize(("labels", "held"), [([True, False], "Booleans"), ([1, 0], "numbers")])
def test_labels_of_a_type_that_matches_no_class_are_refused(labels, held, schema):
    """The type of a column is public; learning from nothing would spend epsilon all the same."""
    kinds = {column.name: pa.array([None, None], pa.string()) for column in schema.columns}
    table = pa.table(kinds | {schema.label.name: labels})
    for job in (check_fit, fit):
        with pytest.raises(DataError, match=f"holds {held}, which match none"):
            job(FitRequest(table, schema))


@pytest.mark.parametrize("answer", ["no", 1, None])
def test_rows_are_public_only_if_it_says_true(answer, table, schema):
    with pytest.raises(ParameterError, match="rows_are_public must be True or False"):
        FitRequest(table, schema, rows_are_public=answer)


def test_a_scorecard_is_learnt_and_certified(table, schema, card):
    assert isinstance(card.model, Scorecard)
    assert (predict(card.model, table) == np.array(table["y"])).mean() > 0.9
    assert card.faults() == []
    assert card.certificate.settings["model"] == "scorecard"
    assert card.certificate.assumptions == (Assumption.SCHEMA, Assumption.SETTINGS, Assumption.RECORD_BY_RECORD)
    assert Released.from_json(card.to_json()) == card


@pytest.mark.parametrize("settings", [ListSettings(), ScorecardSettings()], ids=["list", "scorecard"])
def test_a_dry_run_tells_what_a_fit_would_spend(table, schema, settings):
    request = FitRequest(table, schema, settings, epsilon=2)
    summary = check_fit(request)
    charges = fit(request).certificate.charges
    assert [part.epsilon for part in summary.spending] == [float(charge.epsilon) for charge in charges]
    assert summary.document().items() >= summary.survey.items() == settings.survey(schema).items()


def test_a_scorecard_needs_a_delta(table, schema):
    for job in (check_fit, fit):
        with pytest.raises(ParameterError, match="delta must lie strictly between 0 and 1"):
            job(FitRequest(table, schema, ScorecardSettings(), delta=0))


def test_many_releases_of_a_charge_are_named_like_a_list_of_words(table, schema):
    (spent,) = check_fit(FitRequest(table, schema, ScorecardSettings("all"))).spending
    assert spent.what == "class counts, bins of the columns, weights and risk table"


def test_only_the_ending_of_a_file_is_no_part_of_its_name(tmp_path):
    for name in ("A. B. 2024.csv.gz", "A. B. 2024.parquet", "A. B. 2024"):
        assert FitRequest(tmp_path / name, Schema(Label("y", ("a", "b")), [Boolean("x")])).table_name == "A. B. 2024"
