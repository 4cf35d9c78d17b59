"""Stream learners as scikit-learn and river classifiers: blocks, single examples, and what stays inside."""

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import base, evaluate, metrics, preprocessing
from scipy.sparse import csr_matrix
from sklearn.base import clone

from dprules import ConfidentWinnowClassifier, PrivateWinnowClassifier, WinnowClassifier
from dprules.accounting import Assumption
from dprules.errors import DataError, ParameterError, PrivacyError
from dprules.estimators.online_base import HASHED

RANDOM = np.random.default_rng(0)
X = RANDOM.random((20_000, 12)) < 0.4
Y = np.where(X[:, 2] | X[:, 5], "yes", "no")
MODELS = [WinnowClassifier(), ConfidentWinnowClassifier(), PrivateWinnowClassifier()]
NAMES = [f"x{i}" for i in range(12)]


def frame(rows):
    return pd.DataFrame(rows, columns=NAMES[: rows.shape[1]])


KINDS = {
    "Booleans": np.asarray,
    "integers": lambda rows: rows.astype(np.int8),
    "float16": lambda rows: rows.astype(np.float16),
    "long doubles": lambda rows: rows.astype(np.longdouble),
    "big-endian": lambda rows: rows.astype(">f8"),
    "objects": lambda rows: rows.astype(object),
    "sparse": csr_matrix,
    "pandas": frame,
    "pandas, nullable": lambda rows: frame(rows).astype("boolean"),
    "pandas, categories": lambda rows: frame(rows.astype(int)).astype("category"),
    "pandas, text": lambda rows: frame(rows.astype(int)).astype(str),
    "Polars": lambda rows: pl.DataFrame(frame(rows)),
    "Arrow": lambda rows: pa.Table.from_pandas(frame(rows)),
}


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_of_input_learns_the_disjunction(model, kind):
    model = clone(model)
    for start in range(0, len(X), 5000):
        model.partial_fit(kind(X[start : start + 5000]), Y[start : start + 5000], classes=["no", "yes"])
    assert (model.predict(kind(X)) == Y).mean() > 0.95
    assert {term.name.split()[0] for term in model.hypothesis_.terms[:2]} == {"x2", "x5"}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("setting", [dict(values="real"), dict(width=2)], ids=str)
def test_every_kind_of_input_is_read_alike(kind, setting):
    models = [WinnowClassifier(**setting).fit(make(X[:2000]), Y[:2000]) for make in (np.asarray, kind)]
    assert [term.weight for term in models[0].hypothesis_.terms] == [
        term.weight for term in models[1].hypothesis_.terms
    ]


def test_many_batches_of_arrow():
    parts = pa.concat_tables([pa.Table.from_pandas(frame(X[i : i + 4000])) for i in range(0, len(X), 4000)])
    for setting in (dict(), dict(values="real"), dict(width=2)):
        assert (WinnowClassifier(**setting).fit(parts, Y).predict(parts) == Y).mean() > 0.95


# One example at a time.


def test_single_examples_with_names():
    model = PrivateWinnowClassifier(epsilon=20.0, features=["a", "b"], classes=["no", "yes"])
    assert model.predict_one({"a": True}) is None
    for row, label in zip(X[:3000, :2].tolist(), np.where(X[:3000, 0], "yes", "no"), strict=True):
        model.learn_one({"a": row[0], "b": row[1], "new": "unknown"}, label)
    assert model.predict_one({"a": True, "b": False}) == "yes"
    assert model.predict_one({}) == "no"
    assert model.hypothesis_.predict([{"a": True}]) == ["yes"]
    assert "a > 0" in str(model.hypothesis_)
    assert (model.predict(pd.DataFrame({"a": [True, False], "b": [False, False]})) == ["yes", "no"]).all()


@pytest.mark.parametrize("values", ["boolean", "real"])
def test_without_names_features_are_hashed(values):
    """Names that are read off an example would publish that example."""
    model = PrivateWinnowClassifier(epsilon=20.0, values=values)
    for truth in X[:3000, 0].tolist():
        model.learn_one({"secret name": 0.9 if truth else -0.9}, truth)
    assert model.n_features_in_ == HASHED
    assert all(name == f"hash {i}" for i, name in enumerate(model.feature_names_in_))
    assert "secret" not in str(model.hypothesis_) + str(model.certificate_) + str(vars(model))
    assert [model.predict_one({"secret name": value}) for value in (0.9, -0.9)] == [True, False]


def test_classes_of_single_examples_are_declared_or_boolean():
    with pytest.raises(ParameterError, match="needs to know both classes"):
        WinnowClassifier().learn_one({"a": 1}, "yes")
    model = WinnowClassifier(classes=["no", "yes"])
    model.learn_one({"a": 1}, "yes")
    assert model.predict_one({"a": 1}) == "yes"


@pytest.mark.parametrize("make", [frame, lambda rows: pl.DataFrame(frame(rows)), lambda rows: pa.table(frame(rows))])
@pytest.mark.parametrize("features", [None, NAMES])
def test_many_examples_are_learnt_as_one_after_the_other(make, features):
    single = WinnowClassifier(features=features, classes=["no", "yes"])
    many = clone(single)
    for row, label in zip(frame(X[:300]).to_dict("records"), Y[:300], strict=True):
        single.learn_one(row, label)
    many.learn_many(make(X[:100]), Y[:100])
    many.learn_many(make(X[100:300]), Y[100:300])
    assert many.hypothesis_ == single.hypothesis_
    assert list(many.predict_many(make(X[:50]))) == [
        single.predict_one(row) for row in frame(X[:50]).to_dict("records")
    ]


def test_many_examples_need_a_frame_and_a_label_each():
    with pytest.raises(DataError, match="must be a data frame"):
        WinnowClassifier(classes=[0, 1]).learn_many(X, Y)
    with pytest.raises(DataError, match="different numbers of rows"):
        WinnowClassifier(classes=[0, 1]).learn_many(frame(X[:3]), [0, 1])


def test_in_a_pipeline_of_river():
    pipeline = preprocessing.MinMaxScaler() | WinnowClassifier()
    assert isinstance(WinnowClassifier(), base.Classifier)
    stream = [({"a": i % 2, "b": 1}, i % 2 == 1) for i in range(50)]
    assert evaluate.progressive_val_score(stream, pipeline, metrics.Accuracy()).get() > 0.8


# What is printed is what is run.


@pytest.mark.parametrize("setting", [dict(), dict(values="real"), dict(width=2, epsilon=20.0)], ids=str)
def test_the_hypothesis_says_what_the_classifier_says(setting):
    signs = np.where(X, 1.0, -1.0) * RANDOM.random(X.shape)
    signs[::7, 2] = np.nan
    signs[::11, 5] = np.inf
    model = PrivateWinnowClassifier(**{"epsilon": 4.0} | setting).fit(signs, Y)
    rows = [dict(zip(NAMES, row, strict=True)) for row in signs[:400]]
    assert model.hypothesis_.predict(rows).tolist() == model.predict(signs[:400]).tolist()
    assert [model.predict_one(row) for row in rows[:40]] == model.predict(signs[:40]).tolist()


def test_lists_on_streams():
    """The label is a conjunction, which no halfspace over few features says with a large margin."""
    label = np.where(X[:, 1] & ~X[:, 4], "yes", "no")
    model = PrivateWinnowClassifier(epsilon=8.0, width=2).partial_fit(X, label)
    assert (model.predict(X) == label).mean() > 0.95
    assert any(set(term.name.split(" and ")) == {"x1 is true", "x4 is false"} for term in model.hypothesis_.terms)


# Privacy.


def test_the_private_state_stays_inside():
    model = PrivateWinnowClassifier().partial_fit(X, Y)
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy, lambda m: m.__getstate__()):
        with pytest.raises(PrivacyError, match="cannot be copied or pickled"):
            attempt(model)
    fitted = PrivateWinnowClassifier().fit(X, Y)
    assert (pickle.loads(pickle.dumps(fitted)).predict(X) == fitted.predict(X)).all()
    assert "private" in repr(vars(model))
    assert fitted.partial_fit(X[:10], Y[:10]).hypothesis_.releases == 0  # a new stream


def test_single_examples_after_a_fit_start_a_new_stream():
    model = PrivateWinnowClassifier(features=["a"], classes=["no", "yes"]).fit(X, Y)
    model.learn_one({"a": 1}, "yes")
    assert model.hypothesis_.releases == 0
    assert model.predict_one({"a": 1}) == "no"


@pytest.mark.parametrize("algorithm", ["guarded", "batched", "paper"])
def test_learners_with_a_bound_need_to_know_the_stream(algorithm):
    with pytest.raises(ParameterError, match="needs delta, horizon, margin"):
        PrivateWinnowClassifier(algorithm=algorithm).fit(X, Y)
    model = PrivateWinnowClassifier(delta=1e-6, algorithm=algorithm, horizon=20_000, margin=0.3)
    model.partial_fit(X, Y)
    assert model.certificate_.verify()
    assert model.certificate_.delta == 1e-6


def test_what_is_assumed_is_named():
    always = {Assumption.FEATURES, Assumption.SETTINGS, Assumption.ROUND_COUNT}
    always |= {Assumption.COLUMN_NAMES, Assumption.RECORD_BY_RECORD}
    found = PrivateWinnowClassifier().fit(X, Y).certificate_
    assert set(found.assumptions) == always | {Assumption.CLASSES_FROM_LABELS}
    found = PrivateWinnowClassifier(classes=["no", "yes"]).fit(X.astype(int), Y).certificate_
    assert set(found.assumptions) == always | {Assumption.POSITIVE_NUMBERS}
    found = PrivateWinnowClassifier(classes=["no", "yes"], values="real").fit(X, Y).certificate_
    assert set(found.assumptions) == always | {Assumption.CLIPPED_NUMBERS}


def test_a_seed_is_told():
    assert not PrivateWinnowClassifier(random_state=1).fit(X, Y).certificate_.private
    assert PrivateWinnowClassifier().fit(X, Y).certificate_.private


def test_undeclared_labels_are_rounds_in_which_nothing_happened():
    model = PrivateWinnowClassifier(classes=["no", "yes"]).partial_fit(X, np.full(len(X), "perhaps"))
    assert model.hypothesis_.releases == 0
    assert "nothing has been released" in str(model.hypothesis_)


ODD: dict[str, tuple[list[Any], list[Any]]] = {
    "numbers": ([0, 1, 0.5, float("nan"), float("inf")], [0, 1]),
    "nothing": (["no", "yes", None, pd.NA, 3], ["no", "yes"]),
    "arrays": (["no", "yes", np.zeros(2), [1, 2], {}], ["no", "yes"]),
}


@pytest.mark.parametrize("case", ODD)
def test_with_known_classes_no_label_stops_a_stream(case):
    labels, classes = ODD[case]
    plain = [*labels[:2], None, None, None]
    models = [WinnowClassifier(classes=classes, features=["x0", "x1"]) for _ in range(2)]
    for model, answers in zip(models, (labels, plain), strict=True):
        model.partial_fit(np.ones((5, 2)), answers).partial_fit(np.ones((5, 2)), answers)
        model.partial_fit(np.ones((0, 2)), [])
        model.learn_one({"x0": 10**400, "x1": "text"}, answers[2])
    assert models[0].hypothesis_ == models[1].hypothesis_


ODD_CELLS = {
    "text and nothing": np.array([["text", None], [1, 0]], dtype=object),
    "a huge number": [[10**400, 1], [1, 0]],
    "not finite": np.array([[np.nan, np.inf], [1, 0]]),
    "a list": [[[1, 2], 1], [1, 0]],
    "categories": pd.DataFrame({"a": ["x", None], "b": [1, 0]}).astype({"a": "category"}),
    "text": pd.DataFrame({"a": ["x", None], "b": [1, 0]}).astype({"a": "string"}),
}


@pytest.mark.parametrize("case", ODD_CELLS)
@pytest.mark.parametrize("setting", [dict(), dict(values="real"), dict(width=2)], ids=str)
def test_no_cell_stops_a_stream(case, setting):
    model = PrivateWinnowClassifier(classes=[0, 1], **setting).partial_fit(ODD_CELLS[case], [0, 1])
    assert len(model.predict(ODD_CELLS[case])) == 2


def test_parameters_are_frozen_when_a_stream_begins():
    model = WinnowClassifier(classes=[0, 1]).partial_fit(np.full((1, 3), 0.5), [1])
    changed = clone(model).partial_fit(np.full((1, 3), 0.5), [1]).set_params(values="real", width=2, features=["a"])
    for one in (model, changed):
        one.partial_fit(np.full((5, 3), 0.5), [1] * 5)
    assert model.hypothesis_ == changed.hypothesis_
    with pytest.raises(ParameterError, match="conditions are made of Boolean"):
        PrivateWinnowClassifier(values="real", width=2).fit(X, Y)
    with pytest.raises(ParameterError, match="values must be"):
        PrivateWinnowClassifier(values="complex").fit(X, Y)
    with pytest.raises(ParameterError, match="Only binary"):
        PrivateWinnowClassifier(classes=["a", "b", "c"]).fit(X, Y)


def test_errors_never_quote_examples():
    model = PrivateWinnowClassifier(classes=["no", "yes"])
    for wrong in (np.array([41.0, 42.0, 43.0]), np.array([[41 + 2j]]), np.array(41.0)):
        with pytest.raises(ValueError, match=r"Expected 2D|Complex data") as refused:
            model.partial_fit(wrong, ["no"])
        assert "41" not in str(refused.value)
