"""Classes keep the type of y from every source, so that predictions can be compared with the y that a user has."""

import json
from pathlib import Path
from typing import Any

import duckdb
import ibis
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import accuracy_score

from dprules import PrivateDecisionListClassifier, PrivateScorecardClassifier, PrivateWinnowClassifier, Released, Schema
from dprules.jobs import predict
from dprules.schema import Label, Numeric

AGE = np.random.default_rng(0).integers(0, 100, 3000)
OLD = AGE > 50
X = pd.DataFrame({"age": AGE})
COLUMN = Numeric("age", (25.0, 50.5, 75.0))
BOOLEANS: dict[str, Any] = {
    "NumPy": OLD,
    "pandas": pd.Series(OLD),
    "pandas boolean": pd.Series(OLD, dtype="boolean"),
    "pandas category": pd.Series(OLD).astype("category"),
    "pandas object": pd.Series(OLD, dtype=object),
    "pandas Arrow": pd.Series(OLD, dtype="bool[pyarrow]"),
    "list": OLD.tolist(),
    "tuple": tuple(OLD.tolist()),
    "Arrow": pa.array(OLD),
    "Arrow chunks": pa.chunked_array([pa.array(OLD)]),
    "Polars": pl.Series("y", OLD),
    "narwhals": nw.from_native(pl.Series("y", OLD), series_only=True),
}
INTEGERS: dict[str, Any] = {
    "NumPy": OLD.astype(np.int8),
    "list": OLD.astype(int).tolist(),
    "pandas": pd.Series(OLD.astype(int), dtype="Int64"),
    "Arrow": pa.array(OLD.astype(int)),
    "Polars": pl.Series("y", OLD.astype(int)),
}
WORDS = np.where(OLD, "yes", "no")
TEXTS: dict[str, Any] = {
    "NumPy": WORDS,
    "list": WORDS.tolist(),
    "pandas category": pd.Series(WORDS).astype("category"),
    "pandas string": pd.Series(WORDS, dtype="string"),
    "pandas object": pd.Series(WORDS, dtype=object),
    "Arrow": pa.array(WORDS.tolist()),
    "Polars": pl.Series("y", WORDS.tolist()),
    "Polars category": pl.Series("y", WORDS.tolist(), dtype=pl.Categorical),
}
ESTIMATORS = [PrivateDecisionListClassifier, PrivateScorecardClassifier]


def declare(classes: list[Any]) -> Schema:
    return Schema(Label("y", classes), [COLUMN])


def check(model: Any, kind: str, y: Any, data: Any = X) -> None:
    assert model.classes_.dtype.kind == kind
    assert model.classes_.tolist() == sorted(model.classes_.tolist())
    assert model.score(data, y) > 0.95
    predicted = model.predict(data)
    assert predicted.dtype.kind == kind
    comparable = np.asarray(y.to_native() if hasattr(y, "to_native") else y)
    assert (predicted == comparable).mean() > 0.95


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("form", BOOLEANS)
def test_declared_booleans(estimator: Any, form: str) -> None:
    model = estimator(epsilon=10, schema=declare([False, True])).fit(X, BOOLEANS[form])
    check(model, "b", BOOLEANS[form])


@pytest.mark.parametrize("form", BOOLEANS)
def test_booleans_without_a_schema(form: str) -> None:
    model = PrivateDecisionListClassifier(epsilon=10).fit(X - 50.5, BOOLEANS[form])
    check(model, "b", BOOLEANS[form], X - 50.5)


@pytest.mark.parametrize("form", BOOLEANS)
def test_booleans_of_a_stream(form: str) -> None:
    model = PrivateWinnowClassifier(epsilon=50).partial_fit((X - 50.5) / 10, BOOLEANS[form], classes=[False, True])
    assert model.classes_.dtype == bool
    assert 0 <= model.score((X - 50.5) / 10, BOOLEANS[form]) <= 1


@pytest.mark.parametrize("form", INTEGERS)
def test_declared_integers(form: str) -> None:
    model = PrivateDecisionListClassifier(epsilon=10, schema=declare([0, 1])).fit(X, INTEGERS[form])
    check(model, "i", INTEGERS[form])


@pytest.mark.parametrize("form", TEXTS)
def test_declared_texts(form: str) -> None:
    model = PrivateDecisionListClassifier(epsilon=10, schema=declare(["no", "yes"])).fit(X, TEXTS[form])
    assert model.classes_.dtype.kind == "U"
    assert model.score(X, TEXTS[form]) > 0.95


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = tmp_path_factory.mktemp("sources")
    frame = X.assign(y=OLD)
    frame.to_parquet(folder / "t.parquet")
    frame.to_csv(folder / "t.csv", index=False)
    with duckdb.connect(str(folder / "t.db")) as connection:
        connection.register("frame", frame)
        connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    return {
        "Parquet": folder / "t.parquet",
        "CSV": folder / "t.csv",
        "Ibis": ibis.duckdb.connect(str(folder / "t.db"), read_only=True).table("t"),
        "DuckDB": duckdb.connect().from_df(frame),
        "pandas": frame,
        "Polars": pl.DataFrame(frame),
        "lazy": pl.LazyFrame(frame),
        "Arrow": pa.table(frame),
        "narwhals": nw.from_native(frame),
        "dictionary": {"age": AGE.tolist(), "y": OLD.tolist()},
    }


SOURCES = ["Parquet", "CSV", "Ibis", "DuckDB", "pandas", "Polars", "lazy", "Arrow", "narwhals", "dictionary"]


@pytest.mark.parametrize("source", SOURCES)
def test_booleans_from_every_source(source: str, sources: dict[str, Any]) -> None:
    model = PrivateDecisionListClassifier(epsilon=10, schema=declare([False, True])).fit(sources[source])
    check(model, "b", OLD)
    assert accuracy_score(OLD.tolist(), model.predict(X)) > 0.95


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("classes", [[0, 1], ["0", "1"], ["false", "true"], ["False", "True"]], ids=str)
def test_columns_with_a_type_decide_it(source: str, classes: list[Any], sources: dict[str, Any]) -> None:
    model = PrivateDecisionListClassifier(epsilon=10, schema=declare(classes)).fit(sources[source])
    typed = source not in ("CSV", "dictionary")
    assert model.classes_.dtype.kind == ("b" if typed else np.array(classes).dtype.kind)
    for form in BOOLEANS.values():
        assert model.score(X, form) > 0.95  # labels are read, whatever their type


def test_a_schema_remembers_that_classes_are_booleans(tmp_path: Path, sources: dict[str, Any]) -> None:
    schema = declare([False, True])
    again = Schema.from_document(json.loads(json.dumps(schema.document())))
    (tmp_path / "project.toml").write_text(schema.to_toml())
    for read in (again, Schema.from_file(tmp_path / "project.toml")):
        assert read == schema
        model = PrivateDecisionListClassifier(epsilon=10, schema=read).fit(sources["CSV"])
        assert model.classes_.dtype == bool


def test_a_model_file_remembers_that_classes_are_booleans(tmp_path: Path) -> None:
    model = PrivateDecisionListClassifier(epsilon=10, schema=declare([False, True])).fit(X, OLD)
    model.model_.save(tmp_path / "model.json")
    released = Released.load(tmp_path / "model.json")
    assert released == model.model_
    assert released.predict(X).dtype == bool
    assert (released.predict(X) == model.predict(X)).all()
    assert predict(released, X).dtype == bool


def test_scores_count_labels_that_are_not_classes_as_wrong() -> None:
    model = PrivateDecisionListClassifier(epsilon=10, schema=declare([False, True])).fit(X, OLD)
    assert model.score(X, [None] * len(X)) == 0
    assert model.score(X[:2], model.predict(X[:2]), sample_weight=[1, 3]) == 1
    assert model.score(X.assign(y=OLD)) > 0.95
