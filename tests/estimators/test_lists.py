"""Decision lists as scikit-learn classifiers: what they have beyond `test_tables`."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from dprules import DecisionListClassifier, PrivateDecisionListClassifier
from dprules.errors import DprulesError, ParameterError
from dprules.schema import Label, PrivateCuts, Schema

RANDOM = np.random.default_rng(0)
X = RANDOM.random((3000, 5)) < 0.5
Y = np.where(X[:, 2], "yes", np.where(X[:, 0], "no", "yes"))

COUNTED = {
    "by default": (dict(), True),
    "a reward of 1": (dict(reward=1), True),
    "a constant reward and a chosen number of rules": (dict(reward=0.5), False),
    "a constant reward": (dict(reward=0.5, max_rules=3), False),
    "a constant reward with a share": (dict(reward=0.5, max_rules=3, shares={"counts": 0.1}), True),
    "the paper": (dict(accounting="paper"), False),
    "the paper with a share": (dict(accounting="paper", shares={"counts": 0.1}), True),
}


@pytest.mark.parametrize("case", COUNTED)
def test_probabilities_are_there_before_the_fit_exactly_where_they_will_be(case):
    parameters, counted = COUNTED[case]
    model = PrivateDecisionListClassifier(epsilon=3.0, **parameters)
    assert hasattr(model, "predict_proba") == counted
    assert hasattr(model.fit(X, Y), "predict_proba") == counted
    if not counted:
        with pytest.raises(AttributeError, match="has no attribute 'predict_proba'"):
            model.predict_proba(X)
        return
    probabilities = model.predict_proba(X)
    assert np.allclose(probabilities.sum(axis=1), 1)
    predicted = np.searchsorted(model.classes_, model.predict(X))
    assert (probabilities[np.arange(len(X)), predicted] == probabilities.max(axis=1)).all()
    with pytest.raises(NotFittedError):
        clone(model).predict_proba(X)


def test_a_list_without_privacy_has_no_bought_cuts():
    schema = Schema(Label("y", ("no", "yes")), (PrivateCuts("age", lower=0, upper=100),))
    with pytest.raises(ParameterError, match="needs public cuts"):
        DecisionListClassifier(schema=schema).fit(pd.DataFrame({"age": [20, 60]}), ["no", "yes"])


def test_a_search_for_a_width():
    model = PrivateDecisionListClassifier(epsilon=3.0, classes=["no", "yes"])
    assert GridSearchCV(model, {"width": [1, 2]}, cv=2).fit(X, Y).best_score_ > 0.9


BAD: dict[str, dict[str, Any]] = {
    "reward": dict(reward="some"),
    "accounting": dict(accounting="loose"),
    "width": dict(width=4),
    "counts that are free": dict(shares={"counts": 0.5}),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_bad_parameters_get_a_sentence(bad):
    with pytest.raises((ParameterError, DprulesError), match=r"\.$"):
        PrivateDecisionListClassifier(**bad).fit(X, Y)


@pytest.mark.parametrize("gone", ["rows"])
def test_parameters_that_are_gone(gone):
    wanted: dict[str, Any] = {gone: 3}
    with pytest.raises(TypeError, match=gone):
        PrivateDecisionListClassifier(**wanted)
