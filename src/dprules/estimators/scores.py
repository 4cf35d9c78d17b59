"""Accuracy that reads labels as a fit reads them, whatever type they have."""

from typing import Any

import numpy as np

from dprules.errors import DataError
from dprules.estimators.targets import read_labels
from dprules.jobs import read_label_codes
from dprules.schema import Label


class LabelScorer:
    """`score` of the classifiers."""

    _label: Label
    """What the fit predicts: public."""

    def _find_labels(self, X: Any) -> Any:
        """Return the labels that X itself has; None where y must be given."""
        return None

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of rows whose label is predicted. On private rows it is a private output.

        Labels are read as in a fit, so that True, 1, "true" and "1" are one class where classes are Booleans. A label
        that is not a class counts as wrong.

        Parameters
        ----------
        X : object
            As for `predict`.
        y : array-like or None
            A label for each row; None if X has the label column that the schema names.
        sample_weight : array-like or None
            A weight for each row.
        """
        predicted = read_label_codes(self.predict(X), self._label)  # type: ignore[attr-defined]
        labels = self._find_labels(X) if y is None else y
        codes = read_label_codes(read_labels(labels), self._label)
        if len(codes) != len(predicted) or not len(codes):
            raise DataError("score needs at least one row, and one label for each row.")
        return float(np.average(codes == predicted, weights=sample_weight))
