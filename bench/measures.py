"""What probabilities are worth on rows whose classes are known."""

from collections.abc import Sequence
from statistics import mean

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score

from dprules.schema import Schema

MEASURES = ("accuracy", "AUC", "log loss", "Brier")
SMALLER = ("log loss", "Brier")
"""Measures of which less is better."""
Floats = NDArray[np.float64]
Places = NDArray[np.int64]


def true_classes(table: pa.Table, schema: Schema) -> Places:
    """Return the place of each row's class among the declared ones."""
    names = [str(label) for label in schema.label.classes]
    return np.array([names.index(str(cell)) for cell in table[schema.label.name].to_pylist()], dtype=np.int64)


def measure(truth: Places, shares: Floats, predicted: Places | None = None) -> dict[str, float]:
    """Return all measures of class probabilities; AUC and Brier for two classes only.

    Parameters
    ----------
    truth : array
        The place of each row's class.
    shares : array
        How likely each class is, a row for each row.
    predicted : array or None
        The place of the class that was said, if that is not the likeliest.
    """
    said = shares.argmax(axis=1) if predicted is None else predicted
    number = shares.shape[1]
    found = {
        "accuracy": float((said == truth).mean()),
        "log loss": float(log_loss(truth, shares, labels=list(range(number)))),
    }
    if number == 2:
        found["AUC"] = float(roc_auc_score(truth, shares[:, 1]))
        found["Brier"] = float(np.square(shares[:, 1] - truth).mean())
    return found


def means(found: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each measure."""
    return {name: mean(one[name] for one in found) for name in found[0]}


def better(name: str, one: float, other: float) -> float:
    """Return the better of two values of a measure."""
    return min(one, other) if name in SMALLER else max(one, other)
