"""Estimators for scikit-learn and river."""

from dprules.estimators.lists import DecisionListClassifier, PrivateDecisionListClassifier
from dprules.estimators.online import ConfidentWinnowClassifier, PrivateWinnowClassifier, WinnowClassifier

__all__ = [
    "ConfidentWinnowClassifier",
    "DecisionListClassifier",
    "PrivateDecisionListClassifier",
    "PrivateWinnowClassifier",
    "WinnowClassifier",
]
