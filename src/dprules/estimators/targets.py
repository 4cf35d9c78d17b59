"""Labels that users hand to estimators, and the classes in them: no error quotes a label."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from dprules.errors import ParameterError
from dprules.jobs import as_labels, kind_of_labels, list_label_texts
from dprules.schema import Label, Value
from dprules.schema.cells import read_value

_ODD_LABELS = "y has labels that are not text, numbers or Booleans. Name the classes with classes=..."
_MIXED_LABELS = "y has Booleans among numbers, and true is not 1. Give labels of one kind, or name them: classes=..."
_NO_CLASSES = "Unknown label type: y holds numbers or objects that name no classes. Name the classes with classes=..."


@dataclass(frozen=True)
class Classes:
    """The classes of a fit, sorted as scikit-learn expects: public.

    Parameters
    ----------
    shown : array
        As y has them.
    values : tuple
        As the model has them, in the same order.
    """

    shown: NDArray[Any]
    values: tuple[Value, ...]

    @classmethod
    def sorted(cls, label: Label, shown: NDArray[Any]) -> "Classes":
        """Return the classes of a label, of which it is known how y has them, in their order."""
        try:
            order = np.argsort(shown, kind="stable")
        except TypeError:  # objects that have no order
            order = np.argsort([str(value) for value in label.classes], kind="stable")
        return cls(shown[order], tuple(label.classes[place] for place in order))


def typed_classes(label: Label, labels: Any, given: Sequence[Any]) -> NDArray[Any]:
    """Return the classes in the type of y; where y has none, as they were given."""
    return as_labels(label.classes, labels) if kind_of_labels(labels) in "biufUMD" else np.array(given)


def read_labels(y: Any) -> Any:
    """Return labels with one dimension; a column of them is taken as one, with scikit-learn's usual warning.

    A list has no type, so its labels are objects. An array, a series or an Arrow array is returned as it is.
    """
    if y is None:
        raise ParameterError("requires y to be passed, but the target y is None. Give a label for each row.")
    if isinstance(y, list | tuple):
        return _as_objects(y)
    if hasattr(y, "to_native"):  # narwhals
        y = y.to_native()
    if hasattr(y, "type") and hasattr(y, "to_pylist"):  # Arrow: one dimension, always
        return y
    if not hasattr(y, "shape"):
        y = np.asarray(y)
    if len(y.shape) == 2 and y.shape[1] == 1:
        sentence = "A column-vector y was passed when a 1d array was expected. Give y.ravel()."
        warnings.warn(sentence, DataConversionWarning, stacklevel=4)
        return y.iloc[:, 0] if hasattr(y, "iloc") else y.to_series() if hasattr(y, "to_series") else np.ravel(y)
    if len(y.shape) != 1:
        raise ParameterError("y must have one label for each row: a list, or an array with one dimension.")
    return y


def _as_objects(labels: Any) -> NDArray[Any]:
    """Return each label for itself; one that is a list of a single label stands for that label."""
    made = np.empty(len(labels), dtype=object)
    for place, label in enumerate(labels):
        made[place] = label[0] if type(label) in (list, tuple) and len(label) == 1 else label
    return made


def find_classes(y: Any) -> list[Any]:
    """Return the classes that occur in y, sorted: they are assumed public. Missing labels are none."""
    if len(y) == 0:
        raise ParameterError("y has no labels, so there is no class to learn. Give rows, or classes=...")
    if kind_of_labels(y) in "DM":
        found: list[Any] = list(list_label_texts(y))
    else:
        labels = _as_known(y)
        _require_classes(labels)
        found = list(_sort(labels))
    if not found:
        raise ParameterError("Input y contains NaN only: there is no class to learn. Give labels, or classes=...")
    return found


def _as_known(y: Any) -> NDArray[Any]:
    """Return the labels that are not missing; a missing one must not turn integers into floats."""
    for drop in ("dropna", "drop_nulls", "drop_null"):  # pandas, Polars, Arrow
        y = getattr(y, drop)() if hasattr(y, drop) else y
    labels = np.asarray(y)
    if labels.dtype.kind == "f":
        if np.isinf(labels).any():
            raise ParameterError("Input y contains infinity or a value too large for dtype('float64').")
        labels = labels[~np.isnan(labels)]
    if labels.dtype.kind == "O":
        labels = _as_array([label for label in labels.tolist() if not _is_missing(label)])
    return labels


def _require_classes(labels: NDArray[Any]) -> None:
    """Refuse what scikit-learn does not take for classes, such as fractions; its own errors quote labels."""
    fits = True
    with warnings.catch_warnings():  # a warning would tell how many classes and rows there are
        warnings.simplefilter("ignore")
        try:
            if len(labels):
                check_classification_targets(labels)
        except Exception:
            fits = False
    if not fits:
        raise ParameterError(_NO_CLASSES)


def _as_array(labels: list[Any]) -> NDArray[Any]:
    """Return objects in the type that they share; among text, numbers are the text that their cells are read as."""
    if any(isinstance(label, str) for label in labels):
        labels = [str(label) if _is_truth(label) else read_value(label) for label in labels]
    elif 0 < sum(map(_is_truth, labels)) < len(labels):
        raise ParameterError(_MIXED_LABELS)
    try:
        made = None if None in labels else np.array(labels)
    except Exception:  # it would tell how many there are
        made = None
    if made is None or made.ndim != 1:
        raise ParameterError(_ODD_LABELS)
    return made


def _is_truth(label: Any) -> bool:
    return isinstance(label, bool | np.bool_)


def _sort(labels: NDArray[Any]) -> NDArray[Any]:
    try:
        return np.unique(labels)
    except TypeError:  # objects that have no order
        pass
    raise ParameterError(_ODD_LABELS)


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except Exception:  # pandas' NA; and a label may be any object, with any methods
        return True
