import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from dprules import DecisionListClassifier, PrivateDecisionListClassifier
from dprules.data import Boolean, Categorical, Label, Numeric, Schema
from dprules.errors import ParameterError

RANDOM = np.random.default_rng(0)
X = RANDOM.random((3000, 5)) < 0.5
Y = np.where(X[:, 2], "yes", np.where(X[:, 0], "no", "yes"))


@parametrize_with_checks(
    [DecisionListClassifier(), PrivateDecisionListClassifier(), PrivateDecisionListClassifier(shares={"counts": 0.2})]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_frames_name_the_columns():
    model = PrivateDecisionListClassifier(epsilon=3.0).fit(pd.DataFrame(X, columns=list("abcde")), Y)
    assert {column.name for column in model.rule_list_.columns} <= set("abcde")
    assert "c is " in str(model.rule_list_)
    assert (model.predict(pd.DataFrame(X, columns=list("abcde"))) == Y).mean() > 0.95


def test_sparse_and_dense_agree():
    model = PrivateDecisionListClassifier(epsilon=3.0).fit(csr_matrix(X.astype(float)), Y)
    assert (model.predict(csr_matrix(X.astype(float))) == model.predict(X)).all()


def test_probabilities_need_counts():
    model = PrivateDecisionListClassifier().fit(X, Y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="has no attribute 'predict_proba'"):
        model.predict_proba(X)
    counted = PrivateDecisionListClassifier(epsilon=3.0, shares={"counts": 0.1}).fit(X, Y)
    probabilities = counted.predict_proba(X)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (counted.classes_[probabilities.argmax(axis=1)] == Y).mean() > 0.9


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_with_a_schema(make):
    schema = Schema(Label("y", ("no", "yes")), (Boolean("a"), Categorical("b", False, ("u", "v"))))
    frame = make({"a": X[:, 0].tolist(), "b": np.where(X[:, 2], "u", "v").tolist()})
    model = PrivateDecisionListClassifier(epsilon=3.0, schema=schema).fit(frame, Y)
    assert (model.predict(frame) == Y).mean() > 0.95
    assert model.classes_.tolist() == ["no", "yes"]
    assert not any("read off y" in line for line in model.certificate_.assumed_public)


def test_a_file_with_a_schema(tmp_path):
    schema = Schema(Label("y", ("no", "yes")), (Boolean("a"), Boolean("c")))
    pd.DataFrame({"a": X[:, 0], "c": X[:, 2], "y": Y}).to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "s.toml").write_text(schema.to_toml())
    model = PrivateDecisionListClassifier(epsilon=3.0, schema=tmp_path / "s.toml").fit(str(tmp_path / "d.csv"))
    assert (model.predict(str(tmp_path / "d.csv")) == Y).mean() > 0.95
    with pytest.raises(ParameterError, match="leave y out"):
        PrivateDecisionListClassifier(schema=schema).fit(str(tmp_path / "d.csv"), Y)


def test_pipelines_clones_and_pickles_hold_released_values_only():
    pipeline = make_pipeline(StandardScaler(), PrivateDecisionListClassifier(epsilon=3.0)).fit(X.astype(float), Y)
    fitted = pipeline[-1]
    assert clone(fitted).get_params() == fitted.get_params()
    again = pickle.loads(pickle.dumps(fitted))
    assert again.rule_list_ == fitted.rule_list_
    kept = {name for name in vars(fitted) if name.endswith("_")}
    assert kept == {"rule_list_", "certificate_", "classes_", "n_features_in_"}


def test_three_classes_and_declared_classes():
    labels = RANDOM.integers(0, 3, 3000)
    labels[X[:, 1]] = 2
    model = PrivateDecisionListClassifier(epsilon=5.0, classes=[0, 1, 2], random_state=0).fit(X, labels)
    assert (model.predict(X)[X[:, 1]] == 2).all()
    assert not any("read off y" in line for line in model.certificate_.assumed_public)


def test_a_seed_repeats_and_is_not_private():
    fits = [PrivateDecisionListClassifier(random_state=3).fit(X, Y) for _ in range(2)]
    assert fits[0].rule_list_ == fits[1].rule_list_
    assert not fits[0].certificate_.private


@pytest.mark.parametrize(
    "bad", [dict(reward="some"), dict(accounting="loose"), dict(ledger="x"), dict(unit="a"), dict(neighbours="near")]
)
def test_bad_parameters_get_a_sentence(bad):
    with pytest.raises(ParameterError):
        PrivateDecisionListClassifier(**bad).fit(X, Y)


ODD = {
    "an undeclared number": ([[0, 1], [1, 0], [1, 1]], [0.5, "no", "yes"]),
    "no label": ([[0, 1], [1, 0], [1, 1]], [None, "no", "yes"]),
    "labels of many kinds": ([[0, 1], [1, 0], [1, 1]], [float("nan"), 7, "yes"]),
    "a list for a label": ([[0, 1], [1, 0], [1, 1]], [[1], "no", "yes"]),
    "NaN": ([[0, np.nan], [1, 0], [1, 1]], ["yes", "no", "yes"]),
    "one class": ([[0, 1], [1, 0]], ["yes", "yes"]),
    "no rows": (np.zeros((0, 2)), []),
    "text and huge numbers": (np.array([["abc", 1], [10**400, 0], [None, pd.NA]], dtype=object), ["yes", "no", "yes"]),
    "a frame of anything": (pd.DataFrame({"a": ["x", 1, [2]], "b": [1, 0, 1]}), ["yes", "no", "yes"]),
}


@pytest.mark.parametrize("case", ODD)
def test_with_declared_classes_no_row_stops_a_fit(case):
    model = PrivateDecisionListClassifier(classes=["no", "yes"]).fit(*ODD[case])
    assert set(model.classes_) == {"no", "yes"}


def test_with_a_schema_no_cell_stops_a_fit():
    schema = Schema(Label("y", ("no", "yes")), (Categorical("a", False, ("x",)), Numeric("n", False, (3.0,))))
    frame = pd.DataFrame({"a": ["x", 3, None, [1]], "n": pd.array([1, 10**30, "text", None], dtype=object)})
    frame["a"] = frame["a"].map(lambda cell: np.zeros(2) if cell == 3 else "\ud800" if cell is None else cell)
    model = PrivateDecisionListClassifier(schema=schema).fit(frame, ["no", np.zeros(2), "\ud800", "yes"])
    assert len(model.predict(frame)) == 4
