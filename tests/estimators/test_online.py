import pickle

import numpy as np
import pandas as pd
import pytest
from river import base, checks, preprocessing
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from dprules import ConfidentWinnowClassifier, PrivateWinnowClassifier, WinnowClassifier
from dprules.errors import ParameterError, PrivacyError

RANDOM = np.random.default_rng(0)
X = RANDOM.random((20_000, 12)) < 0.4
Y = np.where(X[:, 2] | X[:, 5], "yes", "no")
MODELS = [WinnowClassifier(), ConfidentWinnowClassifier(), PrivateWinnowClassifier()]


@parametrize_with_checks([*MODELS, PrivateWinnowClassifier(values="real")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_river_checks(model):
    for check in checks.yield_checks(model):
        if check.__name__ not in model._unit_test_skips():
            check(model.clone())


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("kind", [np.asarray, lambda x: x.astype(np.int8), csr_matrix, pd.DataFrame])
def test_every_kind_of_input_learns_the_disjunction(model, kind):
    model = clone(model)
    for start in range(0, len(X), 5000):
        model.partial_fit(kind(X[start : start + 5000]), Y[start : start + 5000], classes=["no", "yes"])
    assert (model.predict(kind(X)) == Y).mean() > 0.95
    assert {term.name for term in model.hypothesis_.terms[:2]} in ({"x2", "x5"}, {"2", "5"})


def test_single_examples_with_names():
    model = PrivateWinnowClassifier(epsilon=20.0, features=["a", "b"], classes=["no", "yes"])
    assert model.predict_one({"a": True}) is None
    for row, label in zip(X[:3000, :2].tolist(), np.where(X[:3000, 0], "yes", "no"), strict=True):
        model.learn_one({"a": row[0], "b": row[1], "new": "unknown"}, label)
    assert model.predict_one({"a": True, "b": False}) == "yes"
    assert model.predict_one({}) == "no"
    assert model.hypothesis_.predict({"a": True}) == "yes"
    assert "a" in str(model.hypothesis_)


def test_lists_on_streams():
    """The label is a conjunction, which no halfspace over few features says with a large margin."""
    label = np.where(X[:, 1] & ~X[:, 4], "yes", "no")
    model = PrivateWinnowClassifier(epsilon=8.0, width=2).partial_fit(X, label)
    assert (model.predict(X) == label).mean() > 0.95
    assert any(set(term.name.split(" and ")) == {"x1 is true", "x4 is false"} for term in model.hypothesis_.terms)


def test_the_private_state_stays_inside():
    model = PrivateWinnowClassifier().partial_fit(X, Y)
    for attempt in (pickle.dumps, lambda m: m.__getstate__(), lambda m: pickle.dumps(m._learner)):
        with pytest.raises(PrivacyError, match="cannot be copied or pickled"):
            attempt(model)
    assert repr(model._learner) == "<private learner with Segment>"
    assert repr(model._learner.secret()) == "<private state>"
    fitted = PrivateWinnowClassifier().fit(X, Y)
    assert fitted._learner is None
    assert (pickle.loads(pickle.dumps(fitted)).predict(X) == fitted.predict(X)).all()
    assert fitted.partial_fit(X[:10], Y[:10]).hypothesis_.releases == 0  # a new stream


@pytest.mark.parametrize("algorithm", ["guarded", "batched", "paper"])
def test_learners_with_a_bound_need_to_know_the_stream(algorithm):
    with pytest.raises(ParameterError, match="needs delta, horizon, margin"):
        PrivateWinnowClassifier(algorithm=algorithm).fit(X, Y)
    model = PrivateWinnowClassifier(delta=1e-6, algorithm=algorithm, horizon=20_000, margin=0.3)
    model.partial_fit(X, Y)
    assert model.certificate_.verify()
    assert model.certificate_.delta == 1e-6


def test_undeclared_labels_are_rounds_in_which_nothing_happened():
    model = PrivateWinnowClassifier(classes=["no", "yes"]).partial_fit(X, np.full(len(X), "perhaps"))
    assert model.hypothesis_.releases == 0
    assert "nothing has been released" in str(model.hypothesis_)


def test_a_seed_is_told():
    assert not PrivateWinnowClassifier(random_state=1).fit(X, Y).certificate_.private
    assert PrivateWinnowClassifier().fit(X, Y).certificate_.private


ODD = {
    "numbers": ([0, 1, 0.5, float("nan"), float("inf")], [0, 1]),
    "nothing": (["no", "yes", None, pd.NA, 3], ["no", "yes"]),
    "arrays": (["no", "yes", np.zeros(2), [1], {}], ["no", "yes"]),
}


@pytest.mark.parametrize("case", ODD)
def test_with_known_classes_no_label_stops_a_stream(case):
    labels, classes = ODD[case]
    model = PrivateWinnowClassifier(classes=classes)
    model.partial_fit(np.ones((5, 2)), labels).partial_fit(np.ones((5, 2)), labels).partial_fit(np.ones((0, 2)), [])
    assert model._learner.secret().scores.tolist() == [0, 0, 0]
    model.learn_one({"x0": 10**400, "x1": "text"}, labels[0])


def test_parameters_are_frozen_when_a_stream_begins():
    model = PrivateWinnowClassifier(classes=[0, 1]).partial_fit(np.ones((1, 3)), [1])
    model.set_params(values="real").partial_fit(np.ones((1, 3)), [1])
    assert model._learner.secret().scores.tolist() == [2, 2, 2, 2]
    with pytest.raises(ParameterError, match="conjunctions are made of Boolean"):
        PrivateWinnowClassifier(values="real", width=2).fit(X, Y)
    with pytest.raises(ParameterError, match="Only binary"):
        PrivateWinnowClassifier(classes=["a", "a"]).fit(X, Y)


@pytest.mark.parametrize("values", ["boolean", "real"])
def test_the_hypothesis_says_what_the_classifier_says(values):
    signs = np.where(X, 1.0, -1.0) * RANDOM.random(X.shape)
    model = PrivateWinnowClassifier(epsilon=4.0, values=values).fit(signs, Y)
    rows = [{f"x{j}": value for j, value in enumerate(row)} for row in signs[:200]]
    assert [model.hypothesis_.predict(row) for row in rows] == model.predict(signs[:200]).tolist()
    assert [model.predict_one(row) for row in rows[:20]] == model.predict(signs[:20]).tolist()
    assert ("that numbers are clipped to [-1, 1]" in model.certificate_.assumed_public) == (values == "real")


@pytest.mark.parametrize("kind", [np.float16, np.longdouble, ">f8"])
def test_unusual_numbers(kind):
    model = PrivateWinnowClassifier().fit(X.astype(kind), Y)
    assert (model.predict(X.astype(kind)) == Y).mean() > 0.9


def test_errors_never_quote_examples():
    model = PrivateWinnowClassifier(classes=["no", "yes"])
    for wrong in (np.array([41.0, 42.0, 43.0]), np.array([[41 + 2j]]), np.array(41.0)):
        with pytest.raises(ValueError, match=r"Expected 2D|Complex data") as told:
            model.partial_fit(wrong, ["no"])
        assert "41" not in str(told.value)


def test_in_a_pipeline_of_river():
    pipeline = preprocessing.MinMaxScaler() | WinnowClassifier()
    assert isinstance(WinnowClassifier(), base.Classifier)
    for i in range(50):
        pipeline.learn_one({"a": i % 2, "b": 1}, i % 2 == 1)
    assert [pipeline.predict_one({"a": a, "b": 1}) for a in (0, 1)] == [False, True]
