"""What users hand to estimators: shapes and types are checked, cells are not looked at."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from dprules.errors import DataError, ParameterError
from dprules.jobs import as_labels, kind_of_labels, read_names
from dprules.schema import Label

_NO_NUMBERS = "X has cells that are not numbers or Booleans. Describe the columns in a schema (schema=...)."
_SENTENCES = {
    "could not convert": _NO_NUMBERS,
    "setting an array element": "X has rows of different lengths. Give a matrix.",
    "Expected 2D array": "Expected 2D array. Reshape your data: X.reshape(1, -1) is one row.",
    "Complex data": "Complex data not supported. Give real numbers.",
}
"""What scikit-learn says begins so and may go on with cells; what we say instead."""


def read_features(estimator: BaseEstimator, X: Any, *, reset: bool) -> tuple[Any, list[str]]:
    """Return X as it is (frames) or as an array of its own type, and the names of its columns.

    scikit-learn checks dimensions, the number of features and their names; no cell is converted, so that none can stop
    a fit.
    """
    if is_frame(X):
        names = read_names(X)
        if hasattr(X, "dtypes"):
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        else:
            _check_names(estimator, names, reset=reset)
        return X, names
    if isinstance(X, list | tuple):
        X = _as_matrix(X)
    try:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=None,
            ensure_all_finite=False,
            ensure_min_samples=0,
        )
    except ValueError as error:
        sentence = next((sentence for start, sentence in _SENTENCES.items() if str(error).startswith(start)), None)
        if sentence is None:
            raise
    else:
        sentence = _NO_NUMBERS if X.dtype.kind in "USMm" else None
    if sentence is not None:
        raise DataError(sentence)
    return X, [f"x{i}" for i in range(X.shape[1])]


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns."""
    return hasattr(X, "columns") and (hasattr(X, "dtypes") or hasattr(X, "schema"))


def _check_names(estimator: Any, names: list[str], *, reset: bool) -> None:
    """Do what scikit-learn does for frames that it does not know (Arrow, Ibis)."""
    if reset:
        estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator.n_features_in_ = len(names)
    elif len(names) != estimator.n_features_in_:
        raise DataError(f"X has {len(names)} features, but {estimator.n_features_in_} are expected. Give those.")
    elif names != list(getattr(estimator, "feature_names_in_", names)):
        raise DataError("X has other columns than the fit, or in another order. Give the same ones.")


def _as_matrix(rows: Any) -> Any:
    """Return a list of rows as an array of objects: a type or shape that NumPy infers would depend on single cells."""
    widths = {len(row) if _is_row(row) else -1 for row in rows}
    if len(widths) != 1 or -1 in widths:
        return rows  # scikit-learn says what is wrong with it
    matrix = np.empty((len(rows), widths.pop()), dtype=object)
    for place, row in enumerate(rows):
        for column, cell in enumerate(row):
            matrix[place, column] = cell
    return matrix


def _is_row(row: Any) -> bool:
    return isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1)


def typed_classes(label: Label, labels: Any, given: Sequence[Any]) -> NDArray[Any]:
    """Return the classes in the type of y; where y has none, as they were given."""
    return np.array(given) if kind_of_labels(labels) == "O" else as_labels(label.classes, labels)


def as_columns(X: Any, names: list[str]) -> Any:
    """Return an array as a dictionary of columns, a frame as it is."""
    if is_frame(X):
        return X
    dense = X.toarray() if hasattr(X, "toarray") else X
    return {name: dense[:, i] for i, name in enumerate(names)}


def read_labels(y: Any) -> Any:
    """Return labels with one dimension; a column of them is taken as one, with scikit-learn's usual warning.

    A list has no type, so its labels are objects. An array, a series or an Arrow array is returned as it is.
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None. Give a label for each row.")
    if isinstance(y, list | tuple):
        return _as_objects(y)
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
        made[place] = label[0] if isinstance(label, list | tuple) and len(label) == 1 else label
    return made


def find_classes(y: Any) -> NDArray[Any]:
    """Return the classes that occur in y, sorted: they are assumed public. Missing labels are none."""
    labels = np.asarray(y.dropna() if hasattr(y, "dropna") else y)
    if labels.dtype.kind == "f":
        if np.isinf(labels).any():
            raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
        labels = labels[~np.isnan(labels)]
    if labels.dtype.kind == "O":
        labels = _as_array([label for label in labels.tolist() if not _is_missing(label)])
    with warnings.catch_warnings():  # a warning would tell how many classes and rows there are
        warnings.simplefilter("ignore")
        if len(labels):
            check_classification_targets(labels)
    found = _sort(labels)
    if len(found) == 0:
        raise ValueError("Input y contains NaN only: there is no class to learn. Give labels, or classes=...")
    return found


_ODD_LABELS = "y has labels that are not text, numbers or Booleans. Name the classes with classes=..."


def _as_array(labels: list[Any]) -> NDArray[Any]:
    """Return objects in the type that NumPy gives them: numbers among text become text."""
    try:
        made = np.array(labels)
    except ValueError:  # it would tell how many there are
        made = None
    if made is None or made.ndim != 1:
        raise ParameterError(_ODD_LABELS)
    return made


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
