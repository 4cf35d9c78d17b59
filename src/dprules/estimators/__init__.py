"""The scikit-learn faces."""

from dprules.estimators.lists import DecisionListClassifier, PrivateDecisionListClassifier

__all__ = ["DecisionListClassifier", "PrivateDecisionListClassifier"]
