"""What users hand to estimators: checked by scikit-learn, without its words about cells and rows."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from dprules.errors import DataError

INFERRED = (
    "the classes, read off y",
    "the number and names of the columns",
    "that numbers are read as x > 0",
)


def validated(estimator: BaseEstimator, *arrays: Any, **asked: Any) -> Any:
    """scikit-learn's checks; where they would quote a cell or count rows, a sentence of our own."""
    try:
        return validate_data(estimator, *arrays, accept_sparse="csr", **asked)
    except ValueError as error:
        told = next((own for start, own in _SENTENCES.items() if str(error).startswith(start)), None)
        if told is None:
            raise
    except OverflowError:
        told = _SENTENCES["could not convert"]
    raise DataError(told)


_SENTENCES = {
    "could not convert": "X has cells that are not numbers or Booleans. Describe the columns in a schema (schema=...).",
    "Found input variables with inconsistent": "X and y have different numbers of rows. Give one label for each row.",
    "Expected 2D array": "Expected 2D array. Reshape your data: X.reshape(1, -1) is one row.",
    "Complex data": "Complex data not supported. Give real numbers.",
}


def check_targets(y: NDArray[Any]) -> None:
    """Refuse labels that are no classes, without scikit-learn's warning about them."""
    with warnings.catch_warnings():  # a warning would tell how many classes and rows there are
        warnings.simplefilter("ignore")
        check_classification_targets(y)


def tolerant(X: Any) -> Any:
    """Numbers where cells may be anything: what is none becomes NaN, which no feature holds at."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):  # pandas
        odd = [name for name, kind in X.dtypes.items() if str(kind) == "object"] if hasattr(X.dtypes, "items") else []
        return X.assign(**{name: X[name].map(as_float) for name in odd}) if odd else X
    if not isinstance(X, np.ndarray) or X.dtype.kind != "O" or X.ndim != 2:
        return X
    return np.array([[as_float(cell) for cell in row] for row in X.tolist()]).reshape(X.shape)


def as_float(value: Any) -> float:
    """A number or a Boolean; anything else is NaN."""
    try:
        return float(value) if isinstance(value, int | float | np.number | np.bool_) else float("nan")
    except OverflowError:
        return float("nan")
