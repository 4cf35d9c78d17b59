"""Estimators for scikit-learn and river."""

from dprules.estimators.lists import DecisionListClassifier, PrivateDecisionListClassifier
from dprules.estimators.online import ConfidentWinnowClassifier, PrivateWinnowClassifier, WinnowClassifier
from dprules.estimators.scorecards import PrivateScorecardClassifier

__all__ = [
    "ConfidentWinnowClassifier",
    "DecisionListClassifier",
    "PrivateDecisionListClassifier",
    "PrivateScorecardClassifier",
    "PrivateWinnowClassifier",
    "WinnowClassifier",
]
