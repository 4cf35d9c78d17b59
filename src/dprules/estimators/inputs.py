"""What users hand to estimators: shapes and types are checked, cells are not looked at."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from dprules.errors import DataError, ParameterError


def read_features(estimator: BaseEstimator, X: Any, *, reset: bool) -> tuple[Any, list[str]]:
    """Return X as it is (frames) or as an array of its own type, and the names of its columns.

    scikit-learn checks dimensions, the number of features and their names; no cell is converted, so that none can stop
    a fit.
    """
    if is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X, [str(name) for name in X.columns]
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
        sentence = next((own for start, own in _SENTENCES.items() if str(error).startswith(start)), None)
        if sentence is None:
            raise
    else:
        if hasattr(X, "dtype") and X.dtype.kind in "USMm":
            raise DataError(
                "X has cells that are not numbers or Booleans. Describe the columns in a schema (schema=...)."
            )
        return X, [f"x{i}" for i in range(X.shape[1])]
    raise DataError(sentence)


_SENTENCES = {
    "could not convert": "X has cells that are not numbers or Booleans. Describe the columns in a schema (schema=...).",
    "setting an array element": "X has rows of different lengths. Give a matrix.",
    "Expected 2D array": "Expected 2D array. Reshape your data: X.reshape(1, -1) is one row.",
    "Complex data": "Complex data not supported. Give real numbers.",
}


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns."""
    return hasattr(X, "columns") and (hasattr(X, "dtypes") or hasattr(X, "schema"))


def as_columns(X: Any, names: list[str]) -> Any:
    """Return an array as a dictionary of columns, a frame as it is."""
    if is_frame(X):
        return X
    dense = X.toarray() if hasattr(X, "toarray") else X
    return {name: dense[:, i] for i, name in enumerate(names)}


def read_labels(y: Any) -> Any:
    """Return labels with one dimension; a column of them is taken as one, with scikit-learn's usual warning."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None. Give a label for each row.")
    shape = np.shape(y)
    if len(shape) == 2 and shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning, stacklevel=4)
        return y.iloc[:, 0] if hasattr(y, "iloc") else np.asarray(y).reshape(-1)
    if len(shape) != 1:
        raise ParameterError("y must have one label for each row: a list, or an array with one dimension.")
    return y if hasattr(y, "dtype") else _as_array(y)


def _as_array(y: Any) -> NDArray[Any]:
    """A list in the type that NumPy gives it, objects where that would change values (numbers among text)."""
    listed = list(y)
    made = np.array(listed)
    kinds = {type(label) for label in listed}
    return made if len(kinds) <= 1 and made.ndim == 1 else np.array([*listed, None], dtype=object)[:-1]


def find_classes(y: Any) -> NDArray[Any]:
    """Return the classes that occur in y, sorted: they are assumed public. Missing labels are none."""
    labels = np.asarray(y.dropna() if hasattr(y, "dropna") else y)
    if labels.dtype.kind == "f":
        if np.isinf(labels).any():
            raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
        labels = labels[~np.isnan(labels)]
    if labels.dtype.kind == "O":
        labels = np.array([label for label in labels.tolist() if not _is_missing(label)])
    with warnings.catch_warnings():  # a warning would tell how many classes and rows there are
        warnings.simplefilter("ignore")
        if len(labels):
            check_classification_targets(labels)
    found = np.unique(labels)
    if len(found) == 0:
        raise ValueError("Input y contains NaN only: there is no class to learn. Give labels, or classes=...")
    return found


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):  # pandas' NA
        return True
