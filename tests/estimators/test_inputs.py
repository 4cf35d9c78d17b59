"""Shapes and names of X are checked by scikit-learn; columns of a prediction are those of the fit by their places."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules import DecisionListClassifier, PrivateDecisionListClassifier, PrivateWinnowClassifier, WinnowClassifier
from dprules.errors import DataError
from dprules.schema import Boolean, Label, Schema

X = np.random.default_rng(1).random((2000, 4)) < 0.5
Y = X[:, 0].astype(int)
NAMES = ["x3", "x2", "x1", "x0"]
FORMS = {
    "array": np.asarray,
    "pandas": lambda rows: pd.DataFrame(rows, columns=NAMES),
    "pandas with numbers for names": pd.DataFrame,
    "Polars": lambda rows: pl.DataFrame(rows, schema=NAMES),
    "lazy Polars": lambda rows: pl.DataFrame(rows, schema=NAMES).lazy(),
    "Arrow": lambda rows: pa.table(dict(zip(NAMES, rows.T, strict=True))),
}
MODELS = [
    PrivateDecisionListClassifier(epsilon=5.0, width=1),
    DecisionListClassifier(width=1),
    WinnowClassifier(),
    PrivateWinnowClassifier(epsilon=5.0),
]
LISTS = MODELS[:2]


@pytest.mark.parametrize("later", FORMS)
@pytest.mark.parametrize("first", FORMS)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_columns_are_those_of_the_fit_by_their_places(model, first, later):
    """The names of the frames are those of arrays, the other way round: by name every column would be a wrong one."""
    nameless = ("array", "pandas with numbers for names")
    model.fit(FORMS[first](X), Y)
    if (first in nameless) == (later in nameless):
        assert (model.predict(FORMS[later](X)) == Y).mean() > 0.95
        return
    with pytest.warns(UserWarning, match="X has feature names, but|X does not have valid feature names, but"):
        assert (model.predict(FORMS[later](X)) == Y).mean() > 0.95


@pytest.mark.parametrize("form", ["pandas", "Polars", "lazy Polars", "Arrow"])
@pytest.mark.parametrize("model", LISTS, ids=repr)
def test_columns_in_another_order_are_refused(model, form):
    model.fit(FORMS["pandas"](X), Y)
    turned = FORMS[form](X).select(NAMES[::-1]) if form != "pandas" else FORMS[form](X)[NAMES[::-1]]
    with pytest.raises(ValueError, match=r"should match those .* during fit|other columns than the fit"):
        model.predict(turned)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_fit_that_is_refused_leaves_the_one_before(model):
    frame = FORMS["pandas"](X)
    model.fit(frame, Y)
    before = dict(vars(model))
    predicted = model.predict(frame)
    refusals = {
        "Unknown label type": (X[:, :2], np.full(2000, 0.5)),
        "different numbers of rows": (X[:, :3], Y[:-1]),
        "Booleans among numbers": (X[:, :1], [True, 2] * 1000),
    }
    for sentence, (other, labels) in refusals.items():
        with pytest.raises(ValueError, match=sentence):
            model.fit(other, labels)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)
    assert (model.predict(frame) == predicted).all()


def test_a_stream_that_is_refused_goes_on():
    model = WinnowClassifier().partial_fit(X, Y)
    with pytest.raises(ValueError, match="only one class"):
        model.fit(X[:, :2], np.zeros(2000))
    assert (model.partial_fit(X, Y).predict(X) == Y).mean() > 0.95
    new = PrivateWinnowClassifier(classes=["no", "yes"], values="boolean", width=9)
    with pytest.raises(ValueError, match="width"):
        new.learn_one({"a": 1}, "yes")
    assert not hasattr(new, "n_features_in_")


SCHEMA = Schema(Label("y", (0, 1)), [Boolean(name) for name in NAMES])


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_lazy_frames_are_collected_once(model):
    calls = []

    def count(frame):
        calls.append(1)
        return frame

    lazy = pl.DataFrame(X, schema=NAMES).lazy().map_batches(count)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Polars warns of what looks at a lazy frame without collecting it
        model.fit(lazy, Y)
        assert len(calls) == 1
        assert model.feature_names_in_.tolist() == NAMES
        assert (model.predict(lazy) == Y).mean() > 0.95
    assert len(calls) == 2


@pytest.mark.parametrize("model", LISTS, ids=repr)
def test_lazy_frames_with_a_schema(model):
    frame = pl.DataFrame(X, schema=NAMES).with_columns(y=Y).lazy()
    fitted = type(model)(schema=SCHEMA).fit(frame)
    assert (fitted.predict(frame) == Y).mean() > 0.95


def test_the_error_of_a_lazy_frame_quotes_no_cell():
    lazy = pl.LazyFrame({"a": ["secret"] * 2000}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(DataError, match="Collect it first") as refused:
        PrivateDecisionListClassifier().fit(lazy, Y)
    assert refused.value.__context__ is None


def test_lists_without_rows_and_text_arrays_are_refused():
    model = PrivateDecisionListClassifier(classes=[0, 1])
    with pytest.raises(DataError, match="not a matrix"):
        model.fit([np.ones((2, 2)), 3], [0, 1])
    with pytest.raises(DataError, match="not numbers or Booleans"):
        model.fit(np.array([["a", "b"], ["c", "d"]]), [0, 1])
