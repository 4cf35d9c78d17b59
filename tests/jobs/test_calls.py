"""Calls that users make with what they have: a right answer, or one sentence of ours."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules import (
    PrivateDecisionListClassifier,
    PrivateScorecardClassifier,
    PrivateWinnowClassifier,
    Released,
    Schema,
)
from dprules.accounting import Assumption
from dprules.errors import DprulesError
from dprules.jobs import FitRequest, check_schema, evaluate, export, fit, predict, verify

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RANDOM.integers(0, 110, 2000), "ward": RANDOM.choice(["icu", "er"], 2000)})
FRAME["y"] = np.where(FRAME.age > 50, "yes", "no")
SCHEMA = Schema.from_frame(
    FRAME, "y", classes=["no", "yes"], bounds={"age": (0, 110, 10)}, values={"ward": ["icu", "er"]}
)
NUMBERS = pd.DataFrame({"a": FRAME.age - 50.5, "b": RANDOM.random(2000) - 0.5})
LABELS = FRAME.y
FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "Polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "Arrow": pa.table,
    "Arrow batch": pa.RecordBatch.from_pandas,
    "narwhals of pandas": nw.from_native,
    "narwhals of Polars": lambda frame: nw.from_native(pl.DataFrame(frame)),
    "narwhals of a lazy frame": lambda frame: nw.from_native(pl.LazyFrame(frame)),
    "narwhals of Arrow": lambda frame: nw.from_native(pa.table(frame)),
}
NOT_FRAMES: dict[str, Any] = {
    "nothing": None,
    "number": 3,
    "text": "no such file",
    "list": [1, 2],
    "list of lists": [[1, 2]],
    "array": np.zeros(3),
    "column": FRAME.age,
    "dictionary of text": {"age": "3", "ward": "icu", "y": "no"},
    "object": object(),
    "class": Schema,
}


@pytest.fixture(scope="module")
def listed() -> PrivateDecisionListClassifier:
    return PrivateDecisionListClassifier(epsilon=5, schema=SCHEMA).fit(FRAME)


@pytest.fixture(scope="module")
def card() -> PrivateScorecardClassifier:
    return PrivateScorecardClassifier(epsilon=5, schema=SCHEMA).fit(FRAME)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize(
    "estimator", [PrivateDecisionListClassifier, PrivateScorecardClassifier, PrivateWinnowClassifier]
)
def test_frames_without_a_schema(estimator: Any, kind: str) -> None:
    data = FRAMES[kind](NUMBERS)
    model = estimator(epsilon=5).fit(data, LABELS)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert len(model.predict(data)) == len(LABELS)
    assert len(model.predict_proba(data)) == len(LABELS)
    assert 0 <= model.score(data, LABELS) <= 1


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_with_a_schema(kind: str, listed: Any, card: Any) -> None:
    data = FRAMES[kind](FRAME)
    assert PrivateDecisionListClassifier(epsilon=5, schema=SCHEMA).fit(data).score(data) > 0.7
    for model in (listed, card):
        expected = model.predict(FRAME).tolist()
        assert model.predict(data).tolist() == expected
        assert predict(model.model_, data).tolist() == expected
        assert predict(model, data).tolist() == expected
        assert predict(model.model_.model, data).tolist() == expected
        assert model.model_.predict_proba(data).shape == (len(FRAME), 2)
        assert evaluate(model, data, epsilon=1).certificate is not None
    assert check_schema(SCHEMA, data).complete
    assert fit(FitRequest(data, SCHEMA)).verify()


def test_one_row(listed: Any, card: Any) -> None:
    row = FRAME.iloc[0]
    for model in (listed, card):
        expected = model.predict(FRAME[:1]).tolist()
        for given in (row, dict(row), [dict(row)], {name: [row[name]] for name in ("age", "ward")}):
            assert model.predict(given).tolist() == expected
            assert predict(model.model_, given).tolist() == expected
            assert model.predict_proba(given).shape == (1, 2)
        assert model.predict({"age": 3}).shape == (1,)
    assert card.decision_function({"age": 3}).shape == (1,)


def test_a_matrix_with_a_schema_has_its_columns_in_their_order() -> None:
    matrix = FRAME[["age", "ward"]].to_numpy()
    model = PrivateDecisionListClassifier(epsilon=5, schema=SCHEMA).fit(matrix, LABELS)
    assert model.predict(matrix).tolist() == model.predict(FRAME).tolist()
    with pytest.raises(DprulesError, match="2 columns"):
        model.predict(matrix[:, :1])


@pytest.mark.parametrize("kind", NOT_FRAMES)
def test_what_is_no_table_is_refused_in_one_sentence(kind: str, listed: Any) -> None:
    data = NOT_FRAMES[kind]
    calls: list[Callable[[], object]] = [
        lambda: PrivateDecisionListClassifier(schema=SCHEMA).fit(data),
        lambda: PrivateDecisionListClassifier(schema=SCHEMA).fit(data, LABELS),
        lambda: PrivateDecisionListClassifier().fit(data, LABELS),
        lambda: PrivateWinnowClassifier().fit(data, LABELS),
        lambda: evaluate(listed, data, epsilon=1),
        lambda: Schema.from_frame(data, "y"),
        lambda: fit(FitRequest(data, SCHEMA)),
    ]
    if kind not in ("column", "dictionary of text"):  # one row, whose cells may be missing
        calls += [lambda: listed.predict(data), lambda: predict(listed.model_, data)]
    for call in calls:
        with pytest.raises(DprulesError):
            call()


def test_a_model_by_any_name(listed: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    listed.model_.save(path)
    for model in (listed, listed.model_, path, str(path)):
        assert predict(model, FRAME[:3]).tolist() == listed.predict(FRAME[:3]).tolist()
        assert evaluate(model, FRAME, epsilon=1).rows.value is not None
        assert export(model, "sql")
        assert verify(model) == []


@pytest.mark.parametrize("model", [None, 3, SCHEMA, PrivateDecisionListClassifier(), "no such file"], ids=str)
def test_what_is_no_released_model_is_refused(model: Any) -> None:
    for call in (
        lambda: evaluate(model, FRAME, epsilon=1),
        lambda: predict(model, FRAME),
        lambda: export(model, "sql"),
        lambda: verify(model),
    ):
        with pytest.raises(DprulesError):
            call()


def test_a_model_without_a_certificate_cannot_be_evaluated(listed: Any) -> None:
    with pytest.raises(DprulesError, match="a released model is needed"):
        evaluate(listed.rule_list_, FRAME, epsilon=1)


def test_schemas_as_users_have_them(tmp_path: Path) -> None:
    (tmp_path / "project.toml").write_text(SCHEMA.to_toml())
    for schema in (SCHEMA, SCHEMA.document(), tmp_path / "project.toml", str(tmp_path / "project.toml")):
        assert check_schema(schema, FRAME).complete
        assert fit(FitRequest(FRAME, schema)).verify()  # type: ignore[arg-type]
    for bad in (None, 3, Schema, tmp_path / "none.toml", "none.toml", {"label": 3}):
        with pytest.raises(DprulesError):
            check_schema(bad, FRAME)  # type: ignore[arg-type]
        with pytest.raises(DprulesError):
            PrivateDecisionListClassifier(schema=bad or 0).fit(FRAME)


def test_columns_that_are_numbers() -> None:
    frame = FRAME.set_axis([0, 1, 2], axis=1)
    schema = Schema.from_frame(frame, 2, classes=["no", "yes"], bounds={0: (0, 110, 10)}, values={1: ["icu", "er"]})  # type: ignore[arg-type, dict-item]
    assert [column.name for column in schema.columns] == ["0", "1"]
    assert PrivateDecisionListClassifier(epsilon=5, schema=schema).fit(frame).score(frame) > 0.7
    ignoring = Schema.from_frame(frame, 2, classes=["no", "yes"], bounds={0: np.array([0, 110])}, ignore=[1])  # type: ignore[arg-type, dict-item, list-item]
    assert ignoring.ignored == ("1",)
    assert Schema.from_frame(frame, 2, values_are_public=True).label.name == "2"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [
        dict(bounds=(0, 110)),
        dict(bounds={"age": 5}),
        dict(bounds={7: (0, 1)}),
        dict(values=["icu"]),
        dict(bounds={"age": "0"}),
    ],
    ids=str,
)
def test_declarations_that_make_no_sense(given: dict[str, Any]) -> None:
    with pytest.raises(DprulesError):
        Schema.from_frame(FRAME, "y", **{"classes": ["no", "yes"], "ignore": ["ward"]} | given)


@pytest.mark.parametrize(
    "y", [None, "y", 3, {"y": 1}, FRAME[["y", "ward"]], LABELS[:5], iter(LABELS)], ids=lambda y: type(y).__name__
)
def test_labels_that_are_no_labels(y: Any) -> None:
    data = FRAME.drop(columns="y")
    calls: list[Callable[[], object]] = [
        lambda: PrivateDecisionListClassifier(schema=SCHEMA).fit(data, y),
        lambda: PrivateDecisionListClassifier().fit(NUMBERS, y),
        lambda: PrivateWinnowClassifier().fit(NUMBERS, y),
    ]
    for call in calls:
        with pytest.raises(DprulesError):
            call()


@pytest.mark.parametrize("kind", FRAMES)
def test_blocks_of_a_stream(kind: str) -> None:
    data = FRAMES[kind](NUMBERS)
    model = PrivateWinnowClassifier(epsilon=5).partial_fit(data, LABELS, classes=["no", "yes"])
    model.partial_fit(data, LABELS)
    assert len(model.predict_many(data)) == len(LABELS)
    shares = model.predict_proba_many(data)
    assert len(shares) == len(LABELS)
    named = PrivateWinnowClassifier(epsilon=5, features=["a", "b"], classes=["no", "yes"])
    named.learn_many(data, LABELS)
    assert len(named.predict_many(data)) == len(LABELS)


def test_a_relation_of_duckdb(listed: Any) -> None:
    relation = duckdb.from_df(FRAME)
    assert PrivateDecisionListClassifier(epsilon=5, schema=SCHEMA).fit(relation).classes_.tolist() == ["no", "yes"]
    assert listed.predict(relation).tolist() == listed.predict(FRAME).tolist()


@pytest.mark.parametrize("kind", FRAMES)
def test_an_evaluation_of_rows_in_memory_assumes_what_a_fit_does(kind: str, listed: Any) -> None:
    certificate = evaluate(listed.model_, FRAMES[kind](FRAME), epsilon=1).certificate
    assert certificate is not None
    assert Assumption.RECORD_BY_RECORD in certificate.assumptions
    assert Assumption.RECORD_BY_RECORD in listed.certificate_.assumptions


def test_an_evaluation_of_a_file_is_taken_as_it_is(listed: Any, tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    certificate = evaluate(listed.model_, tmp_path / "t.csv", epsilon=1).certificate
    assert certificate is not None
    assert Assumption.RECORD_BY_RECORD not in certificate.assumptions


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(DprulesError, match="no such file"):
        Released.load(tmp_path / "none.json")
