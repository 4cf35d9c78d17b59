"""scikit-learn's own checks and river's, for every estimator in every setting."""

import pytest
from river import checks
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from dprules import (
    ConfidentWinnowClassifier,
    DecisionListClassifier,
    PrivateDecisionListClassifier,
    PrivateScorecardClassifier,
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
    PrivateDecisionListClassifier(accounting="paper", shares={"counts": 0.2}),
    PrivateDecisionListClassifier(rows_are_public=True),
    PrivateDecisionListClassifier(width=3, max_rules=3, reward=0.5, random_state=0),
]
SCORECARDS = [
    PrivateScorecardClassifier(),
    PrivateScorecardClassifier(terms="all", random_state=0),
]
MORE_SCORECARDS = [
    PrivateScorecardClassifier(terms=1),
    PrivateScorecardClassifier(terms=5, neighbours="replace"),
    PrivateScorecardClassifier(terms="all", epsilon=20.0),
    PrivateScorecardClassifier(epsilon=0.01),
    PrivateScorecardClassifier(epsilon=5.0, delta=1e-9),
    PrivateScorecardClassifier(rows_are_public=True),
    PrivateScorecardClassifier(class_weight="balanced"),
    PrivateScorecardClassifier(class_weight="balanced", neighbours="replace", terms="all"),
    PrivateScorecardClassifier(class_weight="balanced", epsilon=20.0),
    PrivateScorecardClassifier(class_weight="balanced", epsilon=20.0, terms="all", random_state=0),
]
STREAMS = [
    WinnowClassifier(),
    ConfidentWinnowClassifier(),
    PrivateWinnowClassifier(),
    PrivateWinnowClassifier(algorithm="dense"),
    PrivateWinnowClassifier(algorithm="epochs", delta=1e-6, values="positive"),
]
MORE_STREAMS = [
    WinnowClassifier(values="positive"),
    PrivateWinnowClassifier(values="real"),
    PrivateWinnowClassifier(values="boolean"),
    PrivateWinnowClassifier(values="positive", neighbours="zero-out"),
    PrivateWinnowClassifier(values="positive", width=2, random_state=0),
    PrivateWinnowClassifier(features=2**16, vocabulary=("a", "b")),
    PrivateWinnowClassifier(features=2**10, values="positive"),
    PrivateWinnowClassifier(algorithm="guarded", delta=1e-6, horizon=1000, margin=0.3),
    PrivateWinnowClassifier(algorithm="batched", delta=1e-6, horizon=1000, margin=0.3),
    PrivateWinnowClassifier(algorithm="dense", values="positive", epsilon=20.0),
    PrivateWinnowClassifier(algorithm="epochs", values="boolean", memory=1000, epsilon=4.0),
    PrivateWinnowClassifier(algorithm="epochs", delta=1e-6, values="positive", width=2, random_state=0),
]


@pytest.mark.filterwarnings("ignore:class weights differ:UserWarning")
@pytest.mark.filterwarnings("ignore:class_weight is only used:UserWarning")
@parametrize_with_checks([*LISTS, *SCORECARDS, *STREAMS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:class weights differ:UserWarning")
@parametrize_with_checks([*MORE_SCORECARDS, *MORE_STREAMS])
def test_scikit_learn_checks_of_more_settings(estimator, check):
    check(estimator)


QUICK = [PrivateWinnowClassifier(), ConfidentWinnowClassifier()]
"""River's checks take seconds each: those of the other settings are slow."""
OTHERS = [model for model in [*STREAMS, *MORE_STREAMS] if repr(model) not in map(repr, QUICK)]


@pytest.mark.parametrize(
    "model", [*QUICK, *(pytest.param(model, marks=pytest.mark.slow) for model in OTHERS)], ids=repr
)
def test_river_checks(model):
    assert isinstance(model, BaseEstimator)
    for check in checks.yield_checks(model):
        if check.__name__ not in model._unit_test_skips():
            check(model.clone())
