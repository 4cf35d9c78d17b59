"""Types and shapes of y are public: predictions come in y's own type, and what can match no class is refused."""

import datetime
import traceback

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from dprules import PrivateDecisionListClassifier, PrivateWinnowClassifier, WinnowClassifier
from dprules.errors import DataError, DprulesError, ParameterError
from dprules.estimators.targets import find_classes, read_labels
from dprules.schema import Boolean, Label, Schema

RANDOM = np.random.default_rng(1)
X = RANDOM.random((2000, 3)) < 0.5
TRUTH = X[:, 1]
FRAME = pd.DataFrame(X, columns=list("abc"))

BOOLEANS = {
    "array": TRUTH,
    "series": pd.Series(TRUTH),
    "nullable": pd.Series(TRUTH, dtype="boolean"),
    "Arrow's in pandas": pd.Series(TRUTH, dtype="bool[pyarrow]"),
    "Polars": pl.Series(TRUTH),
    "Arrow": pa.array(TRUTH),
    "chunks": pa.chunked_array([TRUTH[:500], TRUTH[500:]]),
}
INTEGERS = {
    "array": TRUTH.astype(int),
    "small": TRUTH.astype(np.int8),
    "unsigned": TRUTH.astype(np.uint16),
    "floats": TRUTH.astype(float),
    "float32": TRUTH.astype(np.float32),
    "nullable": pd.Series(TRUTH.astype(int), dtype="Int64"),
    "category": pd.Series(TRUTH.astype(int), dtype="category"),
    "Polars": pl.Series(TRUTH.astype(int)),
    "Arrow": pa.array(TRUTH.astype(int)),
}
FORMS = [("False", "True"), ("false", "true"), (0, 1), ("0", "1"), (False, True)]


def fitted(classes, labels, declare):
    model = PrivateDecisionListClassifier(epsilon=5.0)
    if declare == "classes":
        return model.set_params(classes=list(classes)).fit(FRAME, labels)
    schema = Schema(Label("y", classes), tuple(map(Boolean, "abc")))
    return model.set_params(schema=schema).fit(FRAME, labels)


@pytest.mark.parametrize("labels", BOOLEANS.values(), ids=BOOLEANS)
@pytest.mark.parametrize("classes", FORMS, ids=str)
@pytest.mark.parametrize("declare", ["classes", "schema"])
def test_booleans_against_every_form_of_the_classes(labels, classes, declare):
    predicted = fitted(classes, labels, declare).predict(FRAME)
    assert predicted.dtype == np.bool_
    assert (predicted == TRUTH).mean() > 0.95


@pytest.mark.parametrize("labels", INTEGERS.values(), ids=INTEGERS)
@pytest.mark.parametrize("classes", FORMS, ids=str)
def test_numbers_against_every_form_of_the_classes(labels, classes):
    predicted = fitted(classes, labels, "schema").predict(FRAME)
    expected = np.asarray(labels).dtype
    assert predicted.dtype == expected
    assert (predicted == TRUTH).mean() > 0.95


@pytest.mark.parametrize(
    "text", [np.array(["0", "1"]), pd.Series(["0", "1"], dtype="string"), pl.Series(["0", "1"])], ids=type
)
def test_text_against_numbers(text):
    labels = text[TRUTH.astype(int)]
    predicted = fitted((0, 1), labels.reset_index(drop=True) if hasattr(labels, "iloc") else labels, "schema")
    assert predicted.classes_.tolist() == ["0", "1"]


def test_one_missing_label_changes_nothing():
    """It makes integers floats, and Booleans objects."""
    for labels in (pd.Series(TRUTH.astype(int)), pd.Series(TRUTH)):
        torn = labels.astype(object)
        torn[3] = None
        if labels.dtype != np.bool_:
            torn = torn.astype(float)
        model = fitted((0, 1), torn, "schema")
        assert (model.predict(FRAME).astype(int) == TRUTH).mean() > 0.95


def test_labels_of_a_column_of_the_frame_have_a_type_too():
    schema = Schema(Label("y", ("False", "True")), tuple(map(Boolean, "abc")))
    model = PrivateDecisionListClassifier(epsilon=5.0, schema=schema)
    for frame in (FRAME.assign(y=TRUTH), pl.DataFrame(FRAME.assign(y=TRUTH)), pa.table(FRAME.assign(y=TRUTH))):
        assert model.fit(frame).predict(FRAME).dtype == np.bool_
    with pytest.raises(ParameterError, match="y holds integers"):
        PrivateDecisionListClassifier(schema=Schema(Label("y", ("no", "yes")), schema.columns)).fit(
            FRAME.assign(y=TRUTH.astype(int))
        )


@pytest.mark.parametrize("labels", [TRUTH.astype(int), TRUTH], ids=lambda y: str(y.dtype))
@pytest.mark.parametrize("estimator", [PrivateDecisionListClassifier, PrivateWinnowClassifier, WinnowClassifier])
def test_a_type_that_matches_no_class_is_refused(labels, estimator):
    with pytest.raises(ParameterError, match="match none of the declared classes"):
        estimator(classes=["no", "yes"]).fit(X, labels)


def test_floats_that_match_no_class_are_refused_in_a_fit_of_a_list():
    with pytest.raises(ParameterError, match="match none of the declared classes"):
        PrivateDecisionListClassifier(classes=["no", "yes"]).fit(X, TRUTH.astype(float))


@pytest.mark.parametrize("missing", [np.full(3, np.nan), pd.Series([None] * 3, dtype=float)], ids=["array", "series"])
@pytest.mark.parametrize("estimator", [PrivateWinnowClassifier, WinnowClassifier])
def test_a_block_without_labels_is_learnt_from_like_any_other(missing, estimator):
    """It has the type of floats for no other reason than its rows: at the beginning of a stream and in its midst."""
    model = estimator(classes=["no", "yes"]).partial_fit(X[:3], missing)
    model.partial_fit(X, np.where(TRUTH, "yes", "no")).partial_fit(X[:3], missing)
    assert model.classes_.tolist() == ["no", "yes"]
    assert set(model.predict(X)) == {"no", "yes"}


COLUMNS = {
    "array": TRUTH[:, None].astype(int),
    "pandas": pd.DataFrame({"y": TRUTH.astype(int)}),
    "Polars": pl.DataFrame({"y": TRUTH.astype(int)}),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("model", [PrivateDecisionListClassifier(epsilon=5.0), WinnowClassifier()], ids=repr)
def test_a_column_of_labels_is_taken_with_the_usual_warning(column, model):
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model.fit(X, column)
    assert (model.predict(X) == TRUTH).mean() > 0.95


def test_a_list_has_no_type_and_each_label_is_read_for_itself():
    """What NumPy would make of a list depends on single labels: one text among numbers makes all of them text."""
    labels = TRUTH.tolist()
    odd = [*labels[:-1], "text"]
    for listed in (labels, odd, [[label] for label in labels]):
        model = PrivateDecisionListClassifier(epsilon=5.0, classes=[False, True]).fit(X, listed)
        assert model.classes_.dtype == np.bool_
        assert (model.predict(X) == TRUTH).mean() > 0.95


@pytest.mark.parametrize("wrong", [np.zeros((2, 2)), np.zeros((2, 2, 1)), pd.DataFrame(np.zeros((2, 2)))], ids=np.shape)
def test_other_shapes_of_y_are_refused(wrong):
    with pytest.raises(ParameterError, match="one label for each row"):
        PrivateDecisionListClassifier(classes=[0, 1]).fit(np.eye(2), wrong)


@pytest.mark.parametrize("length", [0, 1, 3])
@pytest.mark.parametrize("estimator", [PrivateDecisionListClassifier, PrivateWinnowClassifier])
def test_different_numbers_of_rows_are_refused(length, estimator):
    with pytest.raises(DataError, match="different numbers of rows"):
        estimator(classes=[0, 1]).fit(np.eye(2), np.zeros(length))


def test_classes_that_are_read_off():
    assert find_classes(pd.Series(["b", None, "a"])) == ["a", "b"]
    assert find_classes(np.array([1.0, np.nan, 0.0])) == [0.0, 1.0]
    assert find_classes(read_labels([True, None, False])) == [False, True]
    assert find_classes(read_labels([1, "a"])) == ["1", "a"]
    for odd in ([[1, 2], [3]], [[1, 2], [3, 4]], [{}, 3], [1 + 2j, "a", object()]):
        with pytest.raises((DprulesError, ValueError)) as refused:
            find_classes(read_labels(odd))
        assert "shape" not in str(refused.value)


def test_classes_of_a_type_that_cannot_hold_them():
    labels = np.array([0, 1] * 10, dtype=np.int8)
    assert fitted((0, 300), np.resize(labels, 2000), "schema").classes_.tolist() == [0, 300]


# Labels that are read off y.


@pytest.mark.parametrize(
    "make", [pl.Series, pa.array, lambda y: pd.Series(y, dtype="Int64")], ids=["Polars", "Arrow", "pandas"]
)
def test_a_missing_label_leaves_integers_integers(make):
    model = PrivateDecisionListClassifier(epsilon=5.0).fit(X, make([None, *TRUTH[1:].astype(int).tolist()]))
    assert model.classes_.dtype.kind == "i"
    assert (model.predict(X) == TRUTH).mean() > 0.95


def test_labels_of_mixed_kinds_match_or_are_refused():
    with pytest.raises(ParameterError, match="Booleans among numbers"):
        find_classes(read_labels([True, 2]))
    mixed = [7 if truth else "a" for truth in TRUTH]
    assert (PrivateDecisionListClassifier(epsilon=5.0).fit(X, mixed).predict(X) == np.array(mixed)).mean() > 0.95
    assert find_classes(read_labels([True, "a"])) == ["True", "a"]


@pytest.mark.parametrize("odd", [1234567j, 0.1234567, object()], ids=type)
def test_no_error_quotes_a_label(odd):
    labels = [odd, *(1234567 * TRUTH[1:]).tolist()]
    for given in (labels, np.array(labels)):
        with pytest.raises(ValueError, match=r"classes=\.\.\.") as refused:
            PrivateDecisionListClassifier().fit(X, given)
        assert "1234567" not in "".join(map(str, refused.value.args))
        assert refused.value.__context__ is None
        assert "1234567" not in "".join(traceback.format_exception_only(refused.value))


def test_no_rows_and_no_labels():
    with pytest.raises(ValueError, match="y has no labels"):
        PrivateDecisionListClassifier().fit(X[:0], TRUTH[:0])
    with pytest.raises(ValueError, match="NaN only"):
        PrivateDecisionListClassifier().fit(X, np.full(2000, np.nan))


# Dates.

DAYS = np.array(["2020-01-01", "2021-05-05"], dtype="datetime64[D]")[TRUTH.astype(int)]
MOMENTS = ("2020-01-01 00:00:00", "2021-05-05 00:00:00")
ONLY_DAYS = ("2020-01-01", "2021-05-05")
DATES = {
    "days of NumPy": (DAYS, MOMENTS),
    "nanoseconds": (DAYS.astype("datetime64[ns]"), MOMENTS),
    "pandas": (pd.Series(DAYS), MOMENTS),
    "moments of Polars": (pl.Series(DAYS.astype("datetime64[us]")), MOMENTS),
    "days of Polars": (pl.Series(DAYS), ONLY_DAYS),
    "moments of Arrow": (pa.array(DAYS.astype("datetime64[ms]")), MOMENTS),
    "days of Arrow": (pa.array(DAYS.tolist()), ONLY_DAYS),
    "days of Arrow in pandas": (pd.Series(DAYS.tolist(), dtype=pd.ArrowDtype(pa.date32())), ONLY_DAYS),
}


@pytest.mark.parametrize("labels", [labels for labels, _ in DATES.values()], ids=DATES)
@pytest.mark.parametrize("estimator", [PrivateDecisionListClassifier(epsilon=5.0), WinnowClassifier()], ids=repr)
def test_dates_that_are_read_off(labels, estimator):
    predicted = estimator.fit(X, labels).predict(X)
    assert predicted.dtype.kind == "M"
    assert (predicted == DAYS).mean() > 0.95


@pytest.mark.parametrize("case", DATES)
@pytest.mark.parametrize("declare", ["classes", "schema"])
def test_dates_match_the_text_of_their_cells_or_are_refused(case, declare):
    labels, written = DATES[case]
    assert (fitted(written, labels, declare).predict(FRAME) == DAYS).mean() > 0.95
    for wrong in ({MOMENTS, ONLY_DAYS} - {written}).pop(), ("no", "yes"):
        with pytest.raises(ParameterError, match=r"y holds dates.*, which match none of the declared classes"):
            fitted(wrong, labels, declare)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "Polars", "Arrow"])
def test_a_column_of_dates_too(make):
    columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": DAYS.astype("datetime64[us]")}
    for classes, fits in ((MOMENTS, True), (ONLY_DAYS, False)):
        model = PrivateDecisionListClassifier(epsilon=5.0, schema=Schema(Label("y", classes), map(Boolean, "abc")))
        if fits:
            assert (model.fit(make(columns)).predict(make(columns)) == DAYS).mean() > 0.95
            continue
        with pytest.raises(ParameterError, match="y holds dates with times"):
            model.fit(make(columns))


def test_dates_in_a_list_are_matched_if_they_are_declared():
    classes = [datetime.date(2020, 1, 1), datetime.date(2021, 5, 5)]
    model = PrivateDecisionListClassifier(epsilon=5.0, classes=classes).fit(X, DAYS.tolist())
    assert (model.predict(X) == np.array(DAYS.tolist())).mean() > 0.95
    with pytest.raises(ParameterError, match="Name the classes"):
        PrivateDecisionListClassifier().fit(X, DAYS.tolist())


def test_time_zones_and_ticks():
    model = PrivateDecisionListClassifier(epsilon=5.0)
    aware = pd.Series(DAYS).dt.tz_localize("UTC")
    assert (model.fit(X, aware).predict(X) == np.array(aware, dtype=object)).mean() > 0.95
    ticks = TRUTH.astype("timedelta64[D]")
    assert (model.fit(X, ticks).predict(X) == ticks).mean() > 0.95
