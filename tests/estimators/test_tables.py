"""Classifiers that learn from tables: with and without a schema, in any frame, inside other estimators."""

import pickle
import sqlite3
from html import escape
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from dprules import DecisionListClassifier, PrivateDecisionListClassifier, PrivateScorecardClassifier
from dprules.accounting import Assumption
from dprules.errors import DataError, DprulesError, ParameterError
from dprules.jobs import export
from dprules.models import Released
from dprules.schema import Boolean, Categorical, Label, Numeric, PrivateCuts, Schema

RANDOM = np.random.default_rng(0)
X = RANDOM.random((3000, 5)) < 0.5
Y = np.where(X[:, 2], "yes", np.where(X[:, 0], "no", "yes"))
NAMES = list("abcde")


@pytest.fixture(params=[PrivateDecisionListClassifier, PrivateScorecardClassifier])
def classifier(request) -> Any:
    """Whatever is private and learns from tables."""
    return request.param


def arrow(columns):
    return pa.table({name: list(cells) for name, cells in columns.items()})


def in_duckdb(columns):
    return ibis.memtable(pd.DataFrame(columns))


FRAMES = {"pandas": pd.DataFrame, "Polars": pl.DataFrame, "Arrow": arrow, "Ibis": in_duckdb}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_name_the_columns(make, classifier):
    frame = make({name: X[:, i] for i, name in enumerate(NAMES)})
    model = classifier(epsilon=3.0, random_state=0)
    if make is in_duckdb:
        with pytest.raises(ParameterError, match="leave y out"):
            model.fit(frame, Y)
        return
    model.fit(frame, Y)
    assert {column.name for column in model.model_.model.columns} <= set(NAMES)
    assert "c is " in str(model.model_.model)
    assert model.feature_names_in_.tolist() == NAMES
    assert (model.predict(frame) == Y).mean() > 0.95


@pytest.mark.parametrize("make", [arrow], ids=["Arrow"])
def test_frames_that_scikit_learn_does_not_know_are_checked_all_the_same(make):
    model = DecisionListClassifier().fit(make({"a": [1, 0], "b": [0, 0]}), ["x", "y"])
    with pytest.raises(DataError, match="X has 1 features, but 2 are expected"):
        model.predict(make({"a": [1]}))
    with pytest.raises(DataError, match="other columns than the fit"):
        model.predict(make({"b": [1], "a": [1]}))


def test_sparse_and_dense_agree(classifier):
    model = classifier(epsilon=3.0).fit(csr_matrix(X.astype(float)), Y)
    assert (model.predict(csr_matrix(X.astype(float))) == model.predict(X)).all()


# With a schema.

TABLE = {"a": X[:, 0].tolist(), "b": np.where(X[:, 2], "u", "v").tolist()}
SCHEMA = Schema(Label("y", ("no", "yes")), (Boolean("a"), Categorical("b", ("u", "v"))))


MODELS = [
    PrivateDecisionListClassifier(epsilon=3.0),
    PrivateScorecardClassifier(epsilon=3.0),
    DecisionListClassifier(),
]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_every_frame_with_a_schema(make, model):
    """Also the list without privacy takes one; the label may be a column of the table."""
    model = clone(model).set_params(schema=SCHEMA)
    model.fit(make(TABLE | {"y": Y}))
    assert (model.predict(make(TABLE)) == Y).mean() > 0.95
    assert model.classes_.tolist() == ["no", "yes"]


def test_what_is_assumed_is_named(classifier):
    frame = pd.DataFrame(TABLE)
    declared = classifier(schema=SCHEMA).fit(frame, Y).certificate_
    assert set(declared.assumptions) == {Assumption.SCHEMA, Assumption.RECORD_BY_RECORD, Assumption.SETTINGS}
    inferred = classifier().fit(X.astype(int), Y).certificate_
    assert set(inferred.assumptions) == {
        Assumption.COLUMN_NAMES,
        Assumption.RECORD_BY_RECORD,
        Assumption.POSITIVE_NUMBERS,
        Assumption.CLASSES_FROM_LABELS,
        Assumption.SETTINGS,
    }
    known = classifier(classes=["no", "yes"], neighbours="replace").fit(X, Y).certificate_
    assert set(known.assumptions) == {
        Assumption.COLUMN_NAMES,
        Assumption.RECORD_BY_RECORD,
        Assumption.ROW_COUNT,
        Assumption.SETTINGS,
    }
    checked = classifier(rows_are_public=True).fit(X, Y).certificate_
    assert Assumption.ROWS_CHECKED in checked.assumptions
    for certificate in (declared, inferred, known, checked):
        assert certificate.verify()
        assert "computed record by record" in certificate.statement()


def test_a_file_with_a_schema(tmp_path, classifier):
    path = str(tmp_path / "d.csv")
    pd.DataFrame(TABLE | {"y": Y}).to_csv(path, index=False)
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml())
    model = classifier(epsilon=3.0, schema=tmp_path / "s.toml").fit(path)
    assert (model.predict(path) == Y).mean() > 0.95
    assert (model.predict(pd.read_csv(path)) == model.predict(path)).all()
    assert Assumption.RECORD_BY_RECORD not in model.certificate_.assumptions  # the file is the record
    with pytest.raises(ParameterError, match="leave y out"):
        classifier(schema=SCHEMA).fit(path, Y)


def test_the_declared_order_is_for_printing_and_classes_are_sorted(classifier):
    schema = Schema(Label("y", ("yes", "no"), positive="yes"), SCHEMA.columns)
    model = classifier(epsilon=3.0, schema=schema).fit(pd.DataFrame(TABLE), Y)
    assert model.model_.model.classes == ("yes", "no")
    assert model.classes_.tolist() == ["no", "yes"]
    assert roc_auc_score(Y == "yes", model.predict_proba(pd.DataFrame(TABLE))[:, 1]) > 0.95


def test_units_and_public_rows_are_parameters_of_the_estimator(classifier):
    frame = pd.DataFrame(TABLE | {"person": np.arange(3000) // 3})
    model = classifier(epsilon=5.0, schema=SCHEMA, unit="person", unit_rows=3).fit(frame, Y)
    assert str(model.certificate_.unit) == "value of 'person' (at most 3 rows of each)"
    assert model.certificate_.verify()
    with pytest.raises(DataError, match="all rows are of class yes"):
        classifier(schema=SCHEMA, rows_are_public=True).fit(frame, np.full(3000, "yes"))
    with pytest.raises(DataError, match="no rows"):
        classifier(classes=[0, 1], rows_are_public=True).fit(np.zeros((0, 2)), np.zeros(0))


def test_bought_cuts(classifier):
    ages = RANDOM.integers(0, 100, 3000)
    schema = Schema(Label("y", ("no", "yes")), (PrivateCuts("age", lower=0, upper=100),))
    frame = pd.DataFrame({"age": ages})
    model = classifier(epsilon=5.0, schema=schema).fit(frame, np.where(ages < 50, "no", "yes"))
    assert model.certificate_.verify()


# Without a schema what is printed is the classifier.

NUMBERS = pd.DataFrame(RANDOM.normal(size=(2000, 3)).round(1), columns=list("abc"))
NUMBERS.iloc[::50, 0] = np.nan
SIGNS = np.where(NUMBERS["a"] > 0, 1, np.where(NUMBERS["b"] > 0, 0, 1))


@pytest.fixture(scope="module", params=[PrivateDecisionListClassifier, PrivateScorecardClassifier])
def signs(request) -> Any:
    return request.param(epsilon=5.0, random_state=1).fit(NUMBERS, SIGNS)


def test_numbers_print_as_they_are_read(signs):
    assert {column.kind for column in signs.model_.model.columns} == {"positive"}
    text = str(signs.model_.model)
    assert " > 0" in text or " <= 0" in text
    assert "is true" not in text
    assert (signs.predict(NUMBERS) == SIGNS).mean() > 0.95


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_sql_without_a_schema_agrees_with_predict(signs, dialect):
    sql = export(signs.model_, "sql", "numbers", dialect)
    if dialect == "duckdb":
        with duckdb.connect() as connection:
            connection.register("numbers", NUMBERS.assign(i=range(len(NUMBERS))))
            found = [row[-1] for row in connection.execute(sql + " ORDER BY i").fetchall()]
    else:
        with sqlite3.connect(":memory:") as connection:
            NUMBERS.to_sql("numbers", connection, index=False)
            found = [row[-1] for row in connection.execute(sql).fetchall()]
    assert found == signs.predict(NUMBERS).tolist()


def test_python_without_a_schema_agrees_with_predict(signs):
    module: dict[str, Any] = {}
    exec(export(signs.model_, "python"), module)
    rows = NUMBERS.to_dict("records")
    assert [module["predict"](row) for row in rows] == signs.predict(NUMBERS).tolist()
    assert signs.model_.model.predict(rows).tolist() == signs.predict(NUMBERS).tolist()


# What fitted estimators hold, and repeat.


def test_pipelines_clones_and_pickles_hold_released_values_only(tmp_path, classifier):
    pipeline = make_pipeline(StandardScaler(), classifier(epsilon=3.0)).fit(X.astype(float), Y)
    fitted = pipeline[-1]
    assert clone(fitted).get_params() == fitted.get_params()
    again = pickle.loads(pickle.dumps(fitted))
    assert again.model_.model == fitted.model_.model
    kept = {name for name in vars(fitted) if name.endswith("_")}
    assert kept - {"rule_list_", "scorecard_"} == {"model_", "certificate_", "classes_", "n_features_in_"}
    assert len(kept) == 5
    fitted.model_.save(tmp_path / "model.json")
    assert Released.load(tmp_path / "model.json").model == fitted.model_.model


def test_a_second_fit_forgets_the_first(tmp_path, classifier):
    pd.DataFrame(TABLE | {"y": Y}).to_csv(tmp_path / "d.csv", index=False)
    model = classifier(schema=SCHEMA).fit(pd.DataFrame(TABLE), Y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    model.set_params(schema=None).fit(X, Y)
    assert model.n_features_in_ == 5
    assert not hasattr(model, "feature_names_in_")
    model.set_params(schema=SCHEMA).fit(tmp_path / "d.csv")
    assert model.n_features_in_ == 2


SEEDS: dict[str, Any] = {
    "a number": lambda: 3,
    "a number of NumPy": lambda: np.int64(3),
    "RandomState": lambda: np.random.RandomState(3),
    "Generator": lambda: np.random.default_rng(3),
}


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
def test_a_seed_repeats_and_is_not_private(seed, classifier):
    fits = [classifier(random_state=seed()).fit(X, Y) for _ in range(2)]
    assert fits[0].model_.model == fits[1].model_.model
    assert not fits[0].certificate_.private
    assert "NOT PRIVATE" in fits[0].certificate_.statement()
    assert "NOT PRIVATE" in fits[0]._repr_html_()


def test_scikit_learn_is_told_what_repeats(classifier):
    assert get_tags(classifier()).non_deterministic
    assert not get_tags(classifier(random_state=0)).non_deterministic


CHANGED: dict[Any, dict[str, Any]] = {
    PrivateDecisionListClassifier: dict(accounting="paper"),
    PrivateScorecardClassifier: dict(terms=3),
}


def test_a_model_does_not_change_with_the_parameters(classifier):
    """What was fitted is read as it was fitted, and shown with what it was fitted with."""
    frame = pd.DataFrame(TABLE)
    model = classifier(epsilon=3.0, schema=SCHEMA).fit(frame, Y)
    before = model.get_params()
    predicted = model.predict(frame)
    assert "Changed after the fit" not in model._repr_html_()
    model.set_params(schema=None, epsilon=0.25, **CHANGED[classifier])
    assert (model.predict(frame) == predicted).all()
    assert model.predict_proba(frame).shape == (3000, 2)
    assert model.certificate_.epsilon == 3.0
    shown = model._repr_html_()
    names = sorted(["epsilon", "schema", *CHANGED[classifier]])
    assert f"Changed after the fit: {', '.join(names)}." in shown
    assert f"fitted with {names[0]}={escape(repr(before[names[0]]))}, " in shown
    assert "(3, 1e-06)-differentially private" in shown


# Inside other estimators.

THREE = RANDOM.choice(["red", "green", "blue"], 3000)
COLOURS = np.column_stack([colour == THREE for colour in ("red", "green", "blue")])
ENCODING = {
    "one against the rest": lambda model: OneVsRestClassifier(model),
    "a vote": lambda model: VotingClassifier([("a", model), ("b", clone(model))]),
    "a stack": lambda model: StackingClassifier([("a", model)], cv=2),
    "a bag": lambda model: BaggingClassifier(model, n_estimators=2),
}


@pytest.mark.parametrize("wrap", ENCODING.values(), ids=ENCODING)
def test_meta_estimators_that_encode_labels(wrap, classifier):
    """They hand over integers: text that was declared can never occur among them."""
    model = classifier(epsilon=8.0)
    assert wrap(model).fit(COLOURS, THREE).score(COLOURS, THREE) == 1.0
    declared = wrap(clone(model).set_params(classes=["blue", "green", "red"]))
    with pytest.raises(ParameterError, match="y holds integers, which match none of the declared classes"):
        declared.fit(COLOURS, THREE)


def test_an_ensemble_that_sets_seeds_is_not_private_and_says_so(classifier):
    bagged = BaggingClassifier(classifier(epsilon=3.0), n_estimators=2).fit(X, Y)
    assert all("NOT PRIVATE" in str(member.certificate_) for member in bagged.estimators_)


def test_a_bag_hands_over_arrays_whose_columns_a_schema_names_by_position(classifier):
    schema = Schema(Label("y", (0, 1)), [Boolean(name) for name in NAMES])
    frame, codes = pd.DataFrame(X, columns=NAMES), (Y == "yes").astype(int)
    bag = BaggingClassifier(classifier(epsilon=5, schema=schema), n_estimators=2).fit(frame, codes)
    assert bag.score(frame, codes) > 0.9


def test_searches_and_scores(classifier):
    model = classifier(epsilon=3.0, classes=["no", "yes"])
    assert cross_val_score(model, X, Y, cv=3).mean() > 0.9
    assert GridSearchCV(model, {"epsilon": [3.0, 5.0]}, cv=2).fit(X, Y).best_score_ > 0.9
    calibrated = CalibratedClassifierCV(model, cv=2).fit(X, Y)
    assert calibrated.score(X, Y) > 0.9
    assert roc_auc_score(Y == "yes", calibrated.predict_proba(X)[:, 1]) > 0.95


RARE = np.where(X[:, 1] & X[:, 3] & (RANDOM.random(3000) < 0.3), "yes", "no")


@pytest.mark.parametrize(
    "weight", ["balanced", {"no": 1, "yes": 9}, {np.str_("no"): np.float64(0.1), "yes": 1}], ids=str
)
def test_class_weights_find_a_rare_class(weight, classifier):
    plain = classifier(epsilon=5.0).fit(X, RARE)
    weighted = clone(plain).set_params(class_weight=weight).fit(X, RARE)
    found = weighted.predict(X)[RARE == "yes"]
    assert (found == "yes").mean() > 0.9
    assert (plain.predict(X)[RARE == "yes"] == "yes").mean() < 0.1
    assert weighted.model_.verify()
    assert weighted.certificate_.settings["class_weight"] is not None


@pytest.mark.parametrize("labels", [RARE == "yes", (RARE == "yes").astype(int), (RARE == "yes").astype(float)])
def test_weights_name_classes_as_y_has_them(labels, classifier):
    weight = {labels.dtype.type(0): 1, 1: 9}
    model = classifier(epsilon=5.0, class_weight=weight).fit(X, labels)
    assert model.predict(X)[labels == 1].mean() > 0.9
    with pytest.raises(ParameterError, match="which is no class"):
        model.set_params(class_weight={7: 1}).fit(X, labels)


def test_three_classes_and_declared_classes(classifier):
    labels = RANDOM.integers(0, 3, 3000)
    labels[X[:, 1]] = 2
    model = classifier(epsilon=5.0, classes=[0, 1, 2], random_state=0).fit(X, labels)
    assert (model.predict(X)[X[:, 1]] == 2).all()


# What is refused, and what is not.

BAD: dict[str, dict[str, Any]] = {
    "unit": dict(unit="a"),
    "unit_rows": dict(unit_rows=2),
    "neighbours": dict(neighbours="near"),
    "epsilon": dict(epsilon=-1),
    "delta": dict(delta=0),
    "shares": dict(shares={"rules": 0.5}),
    "class weights": dict(class_weight="heavy"),
    "a class weight": dict(class_weight={"yes": -1}),
    "one class": dict(classes=["yes"]),
    "schema": dict(schema={"label": 3}),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_bad_parameters_get_a_sentence(bad, classifier):
    with pytest.raises((ParameterError, DprulesError), match=r"\.$"):
        classifier(**bad).fit(X, Y)


ODD: dict[str, tuple[Any, Any]] = {
    "an undeclared number": ([[0, 1], [1, 0], [1, 1]], [0.5, "no", "yes"]),
    "no label": ([[0, 1], [1, 0], [1, 1]], [None, "no", "yes"]),
    "labels of many kinds": ([[0, 1], [1, 0], [1, 1]], [float("nan"), 7, "yes"]),
    "a list for a label": ([[0, 1], [1, 0], [1, 1]], [[1, 2], "no", "yes"]),
    "NaN": ([[0, np.nan], [1, 0], [1, 1]], ["yes", "no", "yes"]),
    "infinity": ([[0, np.inf], [1, -np.inf], [1, 1]], ["yes", "no", "yes"]),
    "text in a list of rows": ([[0, "text"], [1, 0], [1, None]], ["yes", "no", "yes"]),
    "a huge number in a list of rows": ([[0, 10**400], [1, 0], [1, 1]], ["yes", "no", "yes"]),
    "a list in a list of rows": ([[0, [1, 2]], [1, 0], [1, 1]], ["yes", "no", "yes"]),
    "lists in all cells": ([[[0], [1]], [[1], [0]]], ["yes", "no"]),
    "a list of arrays": ([np.array([0, 1]), np.array([1, 0])], ["yes", "no"]),
    "one class": ([[0, 1], [1, 0]], ["yes", "yes"]),
    "no rows": (np.zeros((0, 2)), []),
    "text and huge numbers": (np.array([["abc", 1], [10**400, 0], [None, pd.NA]], dtype=object), ["yes", "no", "yes"]),
    "a frame of anything": (pd.DataFrame({"a": ["x", 1, [2]], "b": [1, 0, 1]}), ["yes", "no", "yes"]),
    "labels that are missing in a column": (np.eye(3), pd.Series(["yes", None, "no"], dtype="category")),
}


@pytest.mark.parametrize("case", ODD)
def test_with_declared_classes_no_row_stops_a_fit(case, classifier):
    model = classifier(classes=["no", "yes"]).fit(*ODD[case])
    assert set(model.classes_) == {"no", "yes"}
    assert len(model.predict(ODD[case][0])) == len(ODD[case][1])


UNREADABLE: dict[str, Any] = {
    "text": pd.DataFrame({"b": [1, 0, 1], "a": ["x", "1", None]}).astype({"a": "string"}),
    "categories": pd.DataFrame({"b": [1, 0, 1], "a": [3, 1, None]}).astype({"a": "category"}),
    "times": pd.DataFrame({"b": [1, 0, 1], "a": pd.Series(["2020-01-01", None, None], dtype="datetime64[us]")}),
    "text of Arrow": pa.table({"b": [1, 0, 1], "a": ["x", "1", None]}),
    "an enumeration of Polars": pl.DataFrame({"b": [1, 0, 1], "a": pl.Series(["u", "v", "u"], dtype=pl.Enum("uv"))}),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_frame_of_text_needs_a_schema(case, classifier):
    """By the types of its columns alone, which are public: the sentence quotes no cell and no category."""
    with pytest.raises(DataError, match=r"column 'a' holds neither .* by its type \(\w+\). Describe .* schema"):
        classifier(classes=["no", "yes"]).fit(UNREADABLE[case], Y[:3])


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame], ids=["Arrow", "Polars"])
def test_a_column_without_values_is_no_reason_to_refuse(make, classifier):
    frame = make({"a": [None, None, None], "b": [1, 0, 1]})
    assert len(classifier(classes=["no", "yes"]).fit(frame, Y[:3]).predict(frame)) == 3


def test_with_a_schema_no_cell_stops_a_fit(classifier):
    schema = Schema(Label("y", ("no", "yes")), (Categorical("a", ("x", "z")), Numeric("n", (3.0,))))
    frame = pd.DataFrame({"a": ["x", 3, None, [1]], "n": pd.array([1, 10**30, "text", None], dtype=object)})
    frame["a"] = frame["a"].map(lambda cell: np.zeros(2) if cell == 3 else "\ud800" if cell is None else cell)
    labels = ["no", np.zeros(2), "\ud800", "yes"]
    model = classifier(schema=schema).fit(frame, labels)
    assert len(model.predict(frame)) == 4
    model.fit(frame.assign(y=pd.Series(labels, dtype=object)))
    assert len(model.predict(frame)) == 4
