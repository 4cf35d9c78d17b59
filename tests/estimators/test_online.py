"""Stream learners as scikit-learn classifiers: blocks, what is printed, and what stays inside."""

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier

from dprules import ConfidentWinnowClassifier, PrivateWinnowClassifier, WinnowClassifier
from dprules.accounting import Assumption
from dprules.errors import ParameterError, PrivacyError
from dprules.models import RuleList

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


NUMBERS = ("integers", "float16", "long doubles", "big-endian", "pandas, categories", "pandas, text")
"""Kinds whose cells are 0 and 1, and not Booleans."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "setting", [dict(values="real"), dict(values="positive"), dict(values="boolean", width=2)], ids=str
)
def test_every_kind_of_input_is_read_alike(kind, setting):
    """Where numbers are weighed, 0 is 0 and false is -1."""
    first = KINDS["integers"] if setting["values"] == "real" and kind in NUMBERS else np.asarray
    model = PrivateWinnowClassifier(epsilon=50.0, random_state=0, **setting)
    models = [clone(model).fit(make(X[:2000]), Y[:2000]) for make in (first, KINDS[kind])]
    assert models[0].hypothesis_.releases > 0
    assert [term.weight for term in models[0].hypothesis_.terms] == [
        term.weight for term in models[1].hypothesis_.terms
    ]


def test_many_batches_of_arrow():
    parts = pa.concat_tables([pa.Table.from_pandas(frame(X[i : i + 4000])) for i in range(0, len(X), 4000)])
    for setting in (dict(), dict(values="real"), dict(values="positive", width=2)):
        assert (WinnowClassifier(**setting).fit(parts, Y).predict(parts) == Y).mean() > 0.95


# What is printed is what is run.

SETTINGS = [
    dict(),
    dict(values="positive"),
    dict(values="positive", width=2, epsilon=20.0),
    dict(algorithm="dense"),
    dict(algorithm="epochs", values="positive"),
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_hypothesis_says_what_the_classifier_says(setting):
    signs = np.where(X, 1.0, -1.0) * RANDOM.random(X.shape)
    signs[::7, 2] = np.nan
    signs[::11, 5] = np.inf
    model = PrivateWinnowClassifier(**{"epsilon": 4.0} | setting).fit(signs, Y)
    rows = [dict(zip(NAMES, row, strict=True)) for row in signs[:400]]
    assert model.hypothesis_.predict(rows).tolist() == model.predict(signs[:400]).tolist()
    assert [model.predict_one(row) for row in rows[:40]] == model.predict(signs[:40]).tolist()
    shares = model.predict_proba(signs[:40])
    assert shares.sum(axis=1) == pytest.approx(1)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(signs[:40])).all()
    assert [list(model.predict_proba_one(row).values()) for row in rows[:40]] == pytest.approx(shares)


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
    assert set(found.assumptions) == always | {Assumption.CLIPPED_NUMBERS}
    found = PrivateWinnowClassifier(classes=["no", "yes"], values="positive").fit(X.astype(int), Y).certificate_
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
@pytest.mark.parametrize("setting", [dict(), dict(values="real"), dict(values="boolean", width=2)], ids=str)
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


def test_numbers_are_never_asked_about_in_silence():
    """A column of numbers in conditions is refused by its type; what objects hold is nobody's business."""
    for setting in (dict(width=2), dict(algorithm="epochs")):
        for numbers in (X.astype(float), frame(X.astype(int)), pl.DataFrame(frame(X.astype(np.float32)))):
            with pytest.raises(ParameterError, match=r"column 'x0' holds numbers.*values='positive'"):
                PrivateWinnowClassifier(**setting).fit(numbers, Y)
        with pytest.raises(ParameterError, match=r"single examples have no types"):
            PrivateWinnowClassifier(features=["a"], **setting).learn_one({"a": True}, True)
        mixed = X[:100].astype(object)
        mixed[0, 0] = 0.5
        assert PrivateWinnowClassifier(**setting).fit(mixed, Y[:100]).n_features_in_ == 12
    model = PrivateWinnowClassifier(epsilon=20.0).fit(np.where(X, 0.9, 0.1), Y)
    assert "> 0" not in str(model.hypothesis_)
    assert "weight times feature" in str(model.hypothesis_)


def test_columns_of_both_kinds():
    both = frame(X).astype(dict.fromkeys(NAMES[:4], float))
    model = PrivateWinnowClassifier(epsilon=10.0).fit(both, Y)
    assert (model.predict(both) == Y).mean() > 0.95
    assert {"x2", "x5 is true"} <= {term.name for term in model.hypothesis_.terms}
    rows = both[:300].to_dict("records")
    assert model.hypothesis_.predict(rows).tolist() == model.predict(both[:300]).tolist()
    assert [model.predict_one(row) for row in rows] == model.predict(both[:300]).tolist()


def test_more_than_two_classes():
    label = np.where(X[:, 1], "a", np.where(X[:, 4], "b", "c"))
    with pytest.raises(ParameterError, match=r"Only binary.*algorithm='epochs'.*OneVsRestClassifier"):
        PrivateWinnowClassifier().fit(X, label)
    model = PrivateWinnowClassifier(epsilon=4.0, delta=1e-6, algorithm="epochs").fit(X, label)
    assert (model.predict(X) == label).mean() > 0.9
    assert isinstance(model.hypothesis_, RuleList)
    assert model.predict_proba(X[:5]).shape == (5, 3)
    assert not hasattr(model, "decision_function")
    assert model.certificate_.verify()
    against = OneVsRestClassifier(PrivateWinnowClassifier(epsilon=4.0)).fit(X, label)
    assert (against.predict(X) == label).mean() > 0.9


@pytest.mark.parametrize("model", [WinnowClassifier(), PrivateWinnowClassifier()], ids=repr)
def test_other_classes_than_before_are_refused(model):
    model = clone(model).partial_fit(X[:10], Y[:10], classes=["no", "yes"])
    model.partial_fit(X[:10], Y[:10], classes=["yes", "no"]).partial_fit(X[:10], Y[:10])
    for other in (["no", "perhaps"], ["no"], ["no", "yes", "perhaps"], ["no", "no"]):
        with pytest.raises(ValueError, match=r"is not the same as on last call to partial_fit, was: array"):
            model.partial_fit(X[:10], Y[:10], classes=other)
    encoded = clone(model).partial_fit(X[:10], [0, 1] * 5, classes=["0", "1"])
    encoded.partial_fit(X[:10], [0, 1] * 5, classes=["0", "1"]).partial_fit(X[:10], [0, 1] * 5, classes=[0, 1])


def test_errors_never_quote_examples():
    model = PrivateWinnowClassifier(classes=["no", "yes"])
    for wrong in (np.array([41.0, 42.0, 43.0]), np.array([[41 + 2j]]), np.array(41.0)):
        with pytest.raises(ValueError, match=r"Expected 2D|Complex data") as refused:
            model.partial_fit(wrong, ["no"])
        assert "41" not in str(refused.value)


def test_a_stream_that_fit_has_ended_is_not_replaced_silently():
    """What was learned before is lost, and its rows have paid for it."""
    model = PrivateWinnowClassifier(features=NAMES, classes=["no", "yes"]).fit(frame(X), Y)
    with pytest.warns(UserWarning, match="its epsilon adds to"):
        model.partial_fit(frame(X[:5]), Y[:5])
    assert model.hypothesis_.releases == 0
    model.fit(frame(X), Y)
    with pytest.warns(UserWarning, match="its epsilon adds to"):
        model.learn_one({"a": True}, "yes")
    assert model.predict_one({"a": 1}) == "no"
