"""scikit-learn's own checks and river's, for every estimator in every setting."""

import pytest
from river import checks
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from dprules import (
    ConfidentWinnowClassifier,
    DecisionListClassifier,
    PrivateDecisionListClassifier,
    PrivateWinnowClassifier,
    WinnowClassifier,
)

LISTS = [
    DecisionListClassifier(),
    DecisionListClassifier(width=1, max_rules=2, reward=0.0),
    PrivateDecisionListClassifier(),
    PrivateDecisionListClassifier(reward=0.5, max_rules=5, shares={"counts": 0.2}),
    PrivateDecisionListClassifier(class_weight="balanced"),
    PrivateDecisionListClassifier(neighbours="replace"),
    PrivateDecisionListClassifier(accounting="paper"),
    PrivateDecisionListClassifier(width=3, max_rules=3, reward=0.5, random_state=0),
]
STREAMS = [
    WinnowClassifier(),
    WinnowClassifier(values="real"),
    ConfidentWinnowClassifier(),
    PrivateWinnowClassifier(),
    PrivateWinnowClassifier(values="real"),
    PrivateWinnowClassifier(width=2, random_state=0),
    PrivateWinnowClassifier(algorithm="guarded", delta=1e-6, horizon=1000, margin=0.3),
]


def refused(estimator: BaseEstimator) -> dict[str, str]:
    """What a setting refuses by its nature."""
    if getattr(estimator, "accounting", None) == "paper":
        return {"check_class_weight_classifiers": "the paper's score knows no class weights"}
    return {}


@parametrize_with_checks([*LISTS, *STREAMS], expected_failed_checks=refused)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", STREAMS, ids=repr)
def test_river_checks(model):
    assert isinstance(model, BaseEstimator)
    for check in checks.yield_checks(model):
        if check.__name__ not in model._unit_test_skips():
            check(model.clone())
