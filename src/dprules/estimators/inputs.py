"""What users hand to estimators: shapes and types are checked, cells are not looked at."""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from dprules.errors import DataError
from dprules.jobs import collect_lazy, read_names

_NO_NUMBERS = "X has cells that are not numbers or Booleans. Describe the columns in a schema (schema=...)."
_SENTENCES = {
    "could not convert": _NO_NUMBERS,
    "setting an array element": "X is not a matrix. Give a list with a row of cells for each record.",
    "Expected a 2-dimensional container": "Expected 2D array, not a series. Give a data frame: series.to_frame().",
    "Expected 2D array": "Expected 2D array. Reshape your data: X.reshape(1, -1) is one row.",
    "Complex data": "Complex data not supported. Give real numbers.",
}
"""What scikit-learn says begins so and may go on with cells; what we say instead."""


@dataclass(frozen=True)
class Features:
    """What the columns of a fit are called: public.

    Parameters
    ----------
    names : tuple of str
        In the model; an array has x0, x1, ....
    shown : array or None
        In `feature_names_in_`: None where scikit-learn knows of no names.
    """

    names: tuple[str, ...]
    shown: NDArray[Any] | None

    @classmethod
    def named(cls, names: Sequence[str]) -> "Features":
        """Return features that have names."""
        return cls(tuple(names), np.array(names, dtype=object))

    def keep_in(self, estimator: Any) -> None:
        """Set what scikit-learn expects of a fitted estimator."""
        estimator.n_features_in_ = len(self.names)
        if self.shown is not None:
            estimator.feature_names_in_ = self.shown
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_


def read_features(estimator: BaseEstimator, X: Any) -> tuple[Any, Features]:
    """Return the X of a fit as it is (frames) or as an array of its own type, and what its columns are called.

    The estimator stays as it is: a fit that is refused later on changes nothing.
    """
    unfitted = type(estimator)(**estimator.get_params(deep=False))
    X = _validate(unfitted, X, reset=True)
    names = read_names(X) if is_frame(X) else [f"x{i}" for i in range(X.shape[1])]
    return X, Features(tuple(names), getattr(unfitted, "feature_names_in_", None))


def check_features(estimator: BaseEstimator, X: Any) -> Any:
    """Return the X of a prediction like that of a fit; other columns than those of the fit are refused.

    Columns are those of the fit by their places. Where one X has names and the other has none, scikit-learn warns.
    """
    return _validate(estimator, X, reset=False)


def _validate(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Let scikit-learn check dimensions, the number of features and their names.

    No cell is converted, so that none can stop a fit.
    """
    X = collect_lazy(X)
    if is_frame(X):
        if hasattr(X, "dtypes"):
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        else:
            _check_names(estimator, read_names(X), reset=reset)
        return X
    if isinstance(X, list | tuple):
        X = _as_matrix(X, None if reset else getattr(estimator, "n_features_in_", None))
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
    return X


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns."""
    return hasattr(X, "columns") and (hasattr(X, "dtypes") or hasattr(X, "schema"))


def _check_names(estimator: Any, names: list[str], *, reset: bool) -> None:
    """Do what scikit-learn does for frames that not every version of it knows (Arrow, Ibis)."""
    if reset:
        Features.named(names).keep_in(estimator)
    elif len(names) != estimator.n_features_in_:
        raise DataError(f"X has {len(names)} features, but {estimator.n_features_in_} are expected. Give those.")
    elif not hasattr(estimator, "feature_names_in_"):
        name = type(estimator).__name__
        warnings.warn(f"X has feature names, but {name} was fitted without feature names", stacklevel=5)
    elif names != list(estimator.feature_names_in_):
        raise DataError("X has other columns than the fit, or in another order. Give the same ones.")


def _as_matrix(rows: Any, width: int | None) -> Any:
    """Return a list of rows as an array of objects: a type or shape that NumPy infers would depend on single cells.

    A shorter row has missing cells at its end, further cells of a longer one are left out, and what is not a row has
    missing cells only. So no row can stop a fit, or change how others are read.

    Parameters
    ----------
    rows : list or tuple
        Of lists, tuples and arrays.
    width : int or None
        Number of columns; None: that of most rows. It is public, as the names of a frame are.
    """
    plain = [_as_row(row) for row in rows]
    widths = Counter(len(row) for row in plain if row is not None)
    if not widths:
        return rows  # scikit-learn says what is wrong with it
    if width is None:
        width = max(widths, key=lambda one: (widths[one], one))
    matrix = np.full((len(rows), width), None, dtype=object)
    for place, row in enumerate(plain):
        for column, cell in enumerate([] if row is None else row[:width]):
            matrix[place, column] = cell
    return matrix


def _as_row(row: Any) -> list[Any] | None:
    """Return the cells of a row, None for what is not a row; no method of a subclass is called."""
    kind = type(row)
    if issubclass(kind, list):
        return list.copy(row)
    if issubclass(kind, tuple):
        return list(tuple.__iter__(row))
    if kind is np.ndarray and row.ndim == 1:
        return list(row)
    return None


def name_columns(X: Any, names: Sequence[str]) -> Any:
    """Return a matrix as columns with the names that a schema declares, by their places; anything else as it is."""
    if not isinstance(X, np.ndarray):
        return X
    if X.ndim != 2 or X.shape[1] != len(names):
        raise DataError(
            f"X must have {len(names)} columns, those of the schema in their order. Give them, or a data frame."
        )
    return as_columns(X, names)


def as_columns(X: Any, names: Sequence[str]) -> Any:
    """Return an array as a dictionary of columns, a frame as it is."""
    if is_frame(X):
        return X
    dense = X.toarray() if hasattr(X, "toarray") else X
    return {name: dense[:, i] for i, name in enumerate(names)}
