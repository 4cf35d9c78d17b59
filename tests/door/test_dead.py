"""What once broke the promise at the door, one test each; all of it must stay dead."""

import math
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import roc_auc_score
from sklearn.multiclass import OneVsRestClassifier

from dprules import (
    DecisionListClassifier,
    PrivateDecisionListClassifier,
    PrivateScorecardClassifier,
    PrivateWinnowClassifier,
)
from dprules.accounting import Unit
from dprules.errors import ParameterError
from dprules.jobs import FitRequest, ListSettings, check_fit, export, fit, fit_without_privacy, predict
from dprules.mechanisms import SeededBits
from dprules.models import Rule, RuleList
from dprules.schema import Boolean, Categorical, Label, Literal, Numeric, Operator, Positive, Schema
from dprules.tables import open_table, read_records

Y = Label("y", ["0", "1"])
SIZE = 40
GRADES = [1 + i % 3 for i in range(SIZE)]
LABELS = [i % 2 for i in range(SIZE)]


def codes(data: object, column: Any, label: Label = Y) -> list[tuple[int, int]]:
    with open_table(data) as table:
        records = read_records(table, Schema(label, [column]), Unit(), SeededBits(0))
    return list(zip(records.codes(column).tolist(), records.labels.tolist(), strict=True))


# A missing cell turns a column of integers into floats.

GRADE = Categorical("c", ["1", "2", "3"])
USUAL = [(grade - 1, label) for grade, label in zip(GRADES, LABELS, strict=True)]


def typed(cells: list[Any], kind: str) -> pd.Series:
    return pd.Series(cells).astype(kind)


COLUMNS: dict[str, tuple[Callable[[], pd.Series], object, list[tuple[int, int]]]] = {
    "integers and a missing one": (lambda: pd.Series(GRADES), math.nan, USUAL),
    "integers and a missing object": (lambda: pd.Series(GRADES), None, USUAL),
    "integers and a fraction": (lambda: pd.Series(GRADES), 1.5, USUAL),
    "integers and a text": (lambda: pd.Series(GRADES), "x", USUAL),
    "nullable integers": (lambda: typed(GRADES, "Int64"), math.nan, USUAL),
    "32-bit floats": (lambda: typed(GRADES, "float32"), None, USUAL),
    "category of integers": (lambda: typed(GRADES, "category"), math.nan, USUAL),
    "category of texts": (lambda: pd.Series([str(grade) for grade in GRADES], dtype="category"), None, USUAL),
    "texts": (lambda: pd.Series([str(grade) for grade in GRADES], dtype="string"), None, USUAL),
}


@pytest.mark.parametrize(("make", "odd", "expected"), COLUMNS.values(), ids=COLUMNS)
def test_one_cell_that_changes_the_type_of_a_column(
    make: Callable[[], pd.Series], odd: object, expected: list[tuple[int, int]], tmp_path: Path
) -> None:
    before = pd.DataFrame({"c": make(), "y": LABELS})
    added = pd.DataFrame({"c": pd.Series([odd]), "y": [0]})
    after = pd.concat([before, added], ignore_index=True)
    assert codes(before, GRADE) == expected
    assert codes(after, GRADE)[:SIZE] == expected
    if odd is None or not isinstance(odd, str):
        before.to_parquet(tmp_path / "before.parquet")
        after.to_parquet(tmp_path / "after.parquet")
        assert codes(tmp_path / "before.parquet", GRADE) == expected
        assert codes(tmp_path / "after.parquet", GRADE)[:SIZE] == expected


def test_fractions_of_32_bits_and_one_of_64() -> None:
    """A whole column widens; values stay, and so must codes."""
    column = Numeric("c", [0.1, 0.7])
    before = pd.DataFrame({"c": np.array([0.1, 0.7, 0.5] * 10, dtype="float32"), "y": [0, 1] * 15})
    after = pd.concat([before, pd.DataFrame({"c": [None], "y": [0]})], ignore_index=True)
    assert after["c"].dtype == object
    assert codes(after, column)[:30] == codes(before, column)


def test_booleans_and_a_missing_one() -> None:
    for column in (Boolean("c"), Categorical("c", ["true", "false"]), Categorical("c", [False, True]), Positive("c")):
        before = pd.DataFrame({"c": [True, False] * 5, "y": LABELS[:10]})
        after = pd.DataFrame({"c": [True, False] * 5 + [None], "y": [*LABELS[:10], 0]})
        assert before["c"].dtype != after["c"].dtype
        assert codes(after, column)[:10] == codes(before, column)
        assert min(codes(before, column))[0] >= 0


def test_timestamps_and_a_text() -> None:
    times = pd.to_datetime(["2020-01-01 00:00:00", "2021-02-03 04:05:06"])
    column = Categorical("c", [str(time) for time in times])
    before = pd.DataFrame({"c": times, "y": [0, 1]})
    after = pd.concat([before, pd.DataFrame({"c": ["x"], "y": [0]})], ignore_index=True)
    assert codes(before, column) == [(0, 0), (1, 1)] == codes(after, column)[:2]


@pytest.mark.parametrize("odd", [math.nan, None, "x"])
@pytest.mark.parametrize("labels", [LABELS, [bool(label) for label in LABELS]], ids=["integers", "Booleans"])
def test_one_missing_label(labels: list[Any], odd: object) -> None:
    """One missing label used to turn "1" into "1.0", and every row missed."""
    X = np.array(GRADES)[:, None] > 1
    rows = np.vstack([X, [[True]]])
    for make in (pd.Series, np.array):
        y = make(labels)
        model = DecisionListClassifier(schema=None).fit(X, y)
        after = make([*labels, odd]) if make is pd.Series else np.array([*labels, odd], dtype=object)
        schema = Schema(Label("y", [0, 1]), [Boolean("x")])
        requests = [FitRequest({"x": data[:, 0]}, schema, labels=some) for data, some in ((X, y), (rows, after))]
        read = []
        for request in requests:
            with request.opened() as table:
                read.append(read_records(table, schema, Unit(), SeededBits(0)).labels.tolist())
        assert read[0] == read[1] == LABELS
        assert len(model.classes_) == 2


# One cell that stops a fit.


def text_array(cells: list[bytes]) -> pa.Array:
    raw = pa.array(cells, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())


ABORTING: dict[str, pa.Array] = {
    "not UTF-8": text_array([b"1", b"\xff", b"2"]),
    "seconds out of range": pa.array([1, 10**12, 2], pa.int64()).cast(pa.timestamp("s")),
    "milliseconds out of range": pa.array([1, -(2**62), 2], pa.int64()).cast(pa.timestamp("ms", "UTC")),
    "days out of range": pa.array([1, 2**31 - 1, 2], pa.int32()).cast(pa.date32()),
    "decimals": pa.array([1, 10**37, 2], pa.decimal128(38, 0)),
}


def assert_fits(data: object) -> None:
    request = FitRequest(data, Schema(Y, [Categorical("c", ["1", "2"])]), ListSettings(width=1, max_rules=1), seed=0)
    assert fit(request).verify()


@pytest.mark.parametrize("cells", ABORTING.values(), ids=ABORTING)
def test_one_cell_of_a_typed_column_stops_no_fit(cells: pa.Array, tmp_path: Path) -> None:
    table = pa.table({"c": cells, "y": ["0", "1", "0"]})
    assert_fits(table)
    pyarrow.parquet.write_table(table, tmp_path / "d.parquet")
    assert_fits(tmp_path / "d.parquet")
    assert_fits(table.to_pandas(ignore_metadata=True, types_mapper=pd.ArrowDtype))


@pytest.mark.parametrize("name", ["milliseconds out of range", "decimals"])
def test_nor_one_of_polars(name: str) -> None:
    assert_fits(pl.DataFrame(pa.table({"c": ABORTING[name], "y": ["0", "1", "0"]})))


def test_nor_one_of_a_file_of_text(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_bytes(b"c,y\n1,0\n\xff,1\n2,0\n")
    assert_fits(tmp_path / "d.csv")


@pytest.mark.parametrize(
    "odd", ["x", None, 10**400, math.inf, b"\xff", [1], object()], ids=lambda cell: type(cell).__name__
)
@pytest.mark.parametrize("make", [PrivateDecisionListClassifier, PrivateScorecardClassifier, PrivateWinnowClassifier])
def test_one_odd_cell_among_numbers_stops_no_estimator(make: Any, odd: object) -> None:
    """With the classes given, and so nothing inferred from rows."""
    X = np.empty((SIZE + 1, 2), dtype=object)
    X[:SIZE] = np.random.default_rng(0).integers(-1, 2, (SIZE, 2))
    X[SIZE, 0] = odd
    X[SIZE, 1] = 1
    model = make(classes=[0, 1], random_state=0).fit(X, [*LABELS, 1])
    assert len(model.predict(X)) == SIZE + 1
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    model = make(classes=[0, 1], random_state=0).fit(frame, [*LABELS, 1])
    assert len(model.predict(frame)) == SIZE + 1


@pytest.mark.parametrize("kind", ["string", "category", "str", "object"])
@pytest.mark.parametrize("make", [PrivateDecisionListClassifier, PrivateScorecardClassifier, DecisionListClassifier])
def test_columns_of_text_in_pandas(make: Any, kind: str) -> None:
    frame = pd.DataFrame({"c": pd.Series(["u", "v", None, "u"] * 10, dtype=kind)})
    schema = Schema(Label("y", [0, 1]), [Categorical("c", ["u", "v"])])
    model = make(schema=schema).fit(frame, LABELS)
    assert len(model.predict(frame)) == SIZE


# One model, one file, two answers.

RANDOM = np.random.default_rng(1)
CELLS = {
    "grade": RANDOM.integers(1, 4, 200).tolist(),
    "share": RANDOM.choice([0.1, 0.7, 0.69, 1.5], 200).tolist(),
    "sex": RANDOM.choice(["f", "m"], 200).tolist(),
    "smoker": (RANDOM.random(200) < 0.5).tolist(),
}
GRADED = Categorical("grade", ["1", "2", "3"])
SHARE = Numeric("share", [0.7])
LIST = RuleList(
    (
        Rule((Literal(GRADED, Operator.EQUALS, "1"), Literal(Boolean("smoker"), Operator.IS_TRUE)), "a"),
        Rule((Literal(SHARE, Operator.AT_LEAST, 0.7),), "b"),
        Rule((Literal(Categorical("sex", ["f", "m"]), Operator.EQUALS, "f"),), "c"),
    ),
    "d",
    ("a", "b", "c", "d"),
)


def test_a_file_and_its_frame_get_the_same_answers(tmp_path: Path) -> None:
    """Also with a missing cell in every column, which changes their types."""
    frame = pd.DataFrame(CELLS)
    odd = pd.concat([frame, pd.DataFrame([dict.fromkeys(CELLS)])], ignore_index=True)
    for given in (frame, odd):
        given.to_csv(tmp_path / "g.csv", index=False)
        answers = predict(LIST, tmp_path / "g.csv").tolist()
        assert len(set(answers)) == 4
        assert predict(LIST, pd.read_csv(tmp_path / "g.csv")).tolist() == answers
        assert predict(LIST, pd.read_csv(tmp_path / "g.csv", dtype_backend="pyarrow")).tolist() == answers
        assert predict(LIST, pl.read_csv(tmp_path / "g.csv")).tolist() == answers
        assert predict(LIST, given).tolist() == answers
        assert LIST.predict(given.to_dict("records")).tolist() == answers


def test_digits_of_other_scripts_are_read_alike() -> None:
    """Tables, dictionaries and exports: none of these is a number or a declared value."""
    odd = ["0.7\u00a0", "\u00a00.7", "\uff11", "\u0661", "\u2003 0.7", "0.7\n", "\t0.7"]
    rows = [{"grade": cell, "share": cell, "sex": cell, "smoker": cell} for cell in odd]
    columns = dict.fromkeys(CELLS, odd)
    names: dict[str, Any] = {}
    exec(LIST.to_python(), names)
    assert predict(LIST, columns).tolist() == LIST.predict(rows).tolist() == ["d"] * len(odd)
    assert [names["predict"](row) for row in rows] == ["d"] * len(odd)


def imported(path: Path, folder: Path) -> sqlite3.Connection:
    """A table made by the command `.import` of SQLite's shell: every column is text."""
    try:
        subprocess.run(["sqlite3", folder / "d.db", ".mode csv", f".import {path} t"], check=True)
        return sqlite3.connect(folder / "d.db")
    except FileNotFoundError:
        connection = sqlite3.connect(":memory:")
        pd.read_csv(path, dtype=str).to_sql("t", connection, index=False)
        return connection


def test_tables_that_sqlite_has_imported(tmp_path: Path) -> None:
    pd.DataFrame(CELLS).to_csv(tmp_path / "g.csv", index=False)
    connection = imported(tmp_path / "g.csv", tmp_path)
    try:
        rows = connection.execute(LIST.to_sql("t", "sqlite")).fetchall()
    finally:
        connection.close()
    assert [row[-1] for row in rows] == predict(LIST, tmp_path / "g.csv").tolist()


BOOLEANS = np.random.default_rng(2).random((400, 3)) < 0.5


@pytest.mark.parametrize("classes", [["False", "True"], ["false", "true"], [0, 1], [False, True]], ids=str)
def test_boolean_labels_against_any_declaration(classes: list[Any]) -> None:
    schema = Schema(Label("y", classes), [Boolean(name) for name in "abc"])
    frame = pd.DataFrame(BOOLEANS, columns=list("abc"))
    model = PrivateDecisionListClassifier(epsilon=5.0, schema=schema, random_state=0).fit(frame, BOOLEANS[:, 1])
    assert (model.predict(frame) == BOOLEANS[:, 1]).mean() > 0.95


@pytest.mark.parametrize("labels", [BOOLEANS[:, 1], BOOLEANS[:, 1].astype(int), np.where(BOOLEANS[:, 1], "yes", "no")])
def test_inside_other_estimators(labels: Any) -> None:
    X = BOOLEANS
    one = PrivateDecisionListClassifier(epsilon=5.0, random_state=0)
    assert (OneVsRestClassifier(one).fit(X, labels).predict(X) == labels).mean() > 0.95
    assert (
        VotingClassifier([("a", one), ("b", DecisionListClassifier())]).fit(X, labels).predict(X) == labels
    ).mean() > 0.95


def test_declared_classes_that_an_estimator_has_encoded_are_refused() -> None:
    """A voting classifier hands out 0 and 1 for "no" and "yes": learning from nothing is worse than a refusal."""
    one = PrivateDecisionListClassifier(schema=Schema(Label("y", ["no", "yes"]), [Boolean(name) for name in "abc"]))
    frame = pd.DataFrame(BOOLEANS, columns=list("abc"))
    with pytest.raises(ParameterError, match="match none of the declared classes"):
        VotingClassifier([("a", one)]).fit(frame, np.where(BOOLEANS[:, 1], "yes", "no"))


def test_a_column_of_labels() -> None:
    X = BOOLEANS
    y = X[:, 1].astype(int)
    model = PrivateDecisionListClassifier(epsilon=5.0, random_state=0)
    with pytest.warns(DataConversionWarning):
        model.fit(X, y[:, None])
    assert (model.predict(X) == y).mean() > 0.95


# Without a schema.


def test_without_a_schema_the_printed_list_is_the_classifier() -> None:
    """Numbers are read as x > 0, and that is what is printed, predicted and exported."""
    random = np.random.default_rng(3)
    X = random.normal(size=(500, 3))
    X[::7] = 0
    y = np.where(X[:, 1] > 0, "yes", "no")
    frame = pd.DataFrame(X, columns=list("abc"))
    model = PrivateDecisionListClassifier(epsilon=5.0, random_state=0).fit(frame, y)
    assert "b > 0" in str(model.rule_list_) or "b <= 0" in str(model.rule_list_)
    answers = model.predict(frame).tolist()
    names: dict[str, Any] = {}
    exec(model.rule_list_.to_python(), names)
    rows = frame.to_dict("records")
    assert [names["predict"](row) for row in rows] == answers
    assert model.rule_list_.predict(rows).tolist() == answers
    assert predict(model.rule_list_, frame).tolist() == answers
    with sqlite3.connect(":memory:") as connection:
        frame.to_sql("t", connection, index=False)
        found = connection.execute(model.rule_list_.to_sql("t", "sqlite")).fetchall()
    connection.close()
    assert [row[-1] for row in found] == answers
    assert export(model.model_, "sql", "t")


def test_classes_in_declared_order_do_not_turn_scores_round() -> None:
    X = BOOLEANS
    y = np.where(X[:, 1], "a", "b")
    frame = pd.DataFrame(X, columns=["p", "q", "r"])
    schema = Schema(Label("y", ["b", "a"]), [Boolean(name) for name in "pqr"])
    settings = dict(epsilon=5.0, random_state=0)
    for model in (
        PrivateDecisionListClassifier(schema=schema, **settings).fit(frame, y),
        PrivateDecisionListClassifier(classes=["b", "a"], **settings).fit(X, y),
    ):
        data = frame if model.schema is not None else X
        assert model.classes_.tolist() == ["a", "b"]
        assert roc_auc_score(y, model.predict_proba(data)[:, 1]) > 0.95


# What takes too long, or too much.


def test_too_many_conditions_are_refused_before_anything_is_built() -> None:
    columns = [Boolean(f"b{i}") for i in range(1_000)]
    data = {column.name: [True] for column in columns} | {"y": ["0"]}
    request = FitRequest(data, Schema(Y, columns), ListSettings(width=3))
    for job in (check_fit, fit):
        with pytest.raises(ParameterError, match="conditions are too many"):
            job(request)


def test_five_thousand_values() -> None:
    values = [f"v{i}" for i in range(5_000)]
    cells = np.random.default_rng(0).choice(values, 20_000)
    labels = np.where(cells == "v7", "1", "0")
    schema = Schema(Y, [Categorical("c", values), Boolean("b")])
    request = FitRequest(
        {"c": cells, "b": labels == "1", "y": labels}, schema, ListSettings(width=1), epsilon=1, seed=0
    )
    assert fit(request).verify()
    assert len(fit_without_privacy(request, max_rules=2, width=1).rules) >= 1


@pytest.mark.slow
def test_ten_thousand_columns_of_five_thousand_rows() -> None:
    random = np.random.default_rng(0)
    matrix = random.random((5_000, 10_000)) < 0.5
    y = matrix[:, 4_711].astype(int)
    model = PrivateDecisionListClassifier(epsilon=2.0, width=1, random_state=0).fit(matrix, y)
    assert (model.predict(matrix) == y).mean() > 0.95
