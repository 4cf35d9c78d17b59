"""Labels that are given apart from the table: their type and shape are public, no more."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules.errors import DataError, ParameterError
from dprules.jobs.labels import (
    LabelledTable,
    as_labels,
    kind_of_labels,
    label_cells,
    list_label_texts,
    require_matching_kind,
    require_readable,
    with_labels,
)
from dprules.schema import Label
from dprules.tables import open_table
from dprules.tables.cells import read_codes

KINDS = {
    "b": [np.array([True]), pd.Series([True]), pd.Series([True], dtype="boolean"), pl.Series([True]), pa.array([True])],
    "i": [
        np.array([1]),
        pl.Series([1], dtype=pl.Int128),
        pd.Series([1]),
        pd.Series([1], dtype="Int64"),
        pl.Series([1]),
        pa.array([1]),
    ],
    "u": [
        np.array([1], dtype=np.uint8),
        np.array([1], dtype=">u4"),
        pl.Series([1], dtype=pl.UInt8),
        pa.array([1], pa.uint8()),
    ],
    "f": [np.array([1.0]), pd.Series([1.0]), pl.Series([1.0]), pa.array([1.0]), pa.array([1.0], pa.float32())],
    "U": [
        np.array(["a"]),
        np.array(["a"], dtype=">U1"),
        np.array(["a"], dtype=np.dtypes.StringDType()),
        pd.Series(["a"]),
        pd.Series(["a"], dtype="string"),
        pd.Series(["a"], dtype=pd.ArrowDtype(pa.large_string())),
        pd.Series(["a"], dtype="category"),
        pl.Series(["a"]),
        pl.Series(["a"], dtype=pl.Categorical),
        pa.array(["a"]),
        pa.array(["a"], pa.string_view()),
        pa.array(["a"]).dictionary_encode(),
    ],
    "M": [
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        pd.Series([pd.Timestamp("2020-01-01")]),
        pd.Series([pd.Timestamp("2020-01-01", tz="UTC")]),
        pl.Series([datetime.datetime(2020, 1, 1)]),
        pa.array([datetime.datetime(2020, 1, 1)]),
    ],
    "D": [
        pl.Series([datetime.date(2020, 1, 1)]),
        pa.array([datetime.date(2020, 1, 1)]),
        pd.Series([None], dtype="date32[pyarrow]"),
    ],
    "V": [pa.array([{"a": 1}]), pl.Series([{"a": 1}]), pa.array([["a"]]), np.zeros(1, dtype=[("a", "i4")])],
    "O": [[1], [True], np.array([1], dtype=object), pd.Series([1], dtype=object), pa.nulls(1), pl.Series([None]), None],
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_are_those_of_the_declared_type(kind):
    assert {kind_of_labels(labels) for labels in KINDS[kind]} == {kind}


@pytest.mark.parametrize(
    ("labels", "classes", "readable"),
    [
        (np.array([1]), ("no", "yes"), False),
        (np.array([1]), ("0", "1"), True),
        (np.array([1]), ("0", "1", "unknown"), True),
        (np.array([1]), ("False", "True"), True),
        (np.array([1.0]), (0, 1), True),
        (np.array([True]), (0, 1), True),
        (np.array([True]), ("no", "yes"), False),
        (np.array([True]), (1, 2), False),
        (np.array(["a"]), (1, 2), True),
        ([1], ("no", "yes"), True),
        (pa.array([["a"]]), ("a", "b"), False),
        (np.array(["2020-01-01"], dtype="datetime64[s]"), ("2020-01-01 00:00:00", "other"), True),
        (np.array(["2020-01-01"], dtype="datetime64[s]"), ("2020-01-01", "2020-01-02"), False),
        (pa.array([datetime.date(2020, 1, 1)]), ("2020-01-01", "other"), True),
        (pa.array([datetime.date(2020, 1, 1)]), ("2020-01-01 00:00:00", "other"), False),
        (pa.nulls(3), ("no", "yes"), True),
    ],
)
def test_a_type_that_matches_no_class_is_refused(labels, classes, readable):
    label = Label("y", classes)
    if readable:
        require_readable(labels, label)
        return
    with pytest.raises(ParameterError, match="match none of the declared classes"):
        require_readable(labels, label)


def test_classes_come_in_the_type_of_y():
    assert as_labels(("False", "True"), np.array([True])).tolist() == [False, True]
    assert as_labels(("0", "1"), np.array([1], dtype=np.int8)).dtype == np.int8
    assert as_labels((0, 300), np.array([1], dtype=np.int8)).tolist() == [0, 300]
    assert as_labels(("0", "unknown"), np.array([1])).tolist() == ["0", "unknown"]
    assert as_labels((1, 2.5), np.array(["a"])).tolist() == ["1", "2.5"]
    assert as_labels(("a", "b"), ["a"]).tolist() == ["a", "b"]
    moments = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[s]")
    assert (as_labels(("2020-01-01 00:00:00", "2020-01-02 00:00:00"), moments) == moments).all()
    assert as_labels(("2020-01-01 00:00:00", "other"), moments).tolist() == ["2020-01-01 00:00:00", "other"]


@pytest.mark.parametrize(
    ("kind", "classes", "fits"),
    [
        ("boolean", (0, 1), True),
        ("boolean", ("no", "yes"), False),
        ("numeric", (1, 2), True),
        ("numeric", ("no", "yes"), False),
        ("date", ("2020-01-01", "2020-01-02"), True),
        ("date", ("2020-01-01 00:00:00", "2020-01-02 00:00:00"), True),
        ("date", ("no", "yes"), False),
        ("categorical", (1, 2), True),
        ("unknown", ("no", "yes"), True),
    ],
)
def test_a_column_whose_kind_matches_no_class_is_refused(kind, classes, fits):
    if fits:
        require_matching_kind(kind, Label("y", classes))
        return
    with pytest.raises(DataError, match=r"column 'y' holds \w+, which match none .* as the table has them, such as \["):
        require_matching_kind(kind, Label("y", classes))


def test_labels_are_listed_as_their_cells_are_read():
    assert list_label_texts(np.array(["2021-01-01", "2020-01-01", "NaT"], dtype="datetime64[D]")) == [
        "2020-01-01 00:00:00",
        "2021-01-01 00:00:00",
    ]
    assert list_label_texts(pa.array([datetime.date(2020, 1, 1), None])) == ["2020-01-01"]


@pytest.mark.parametrize(
    "labels",
    [
        ["1", "0", None],
        np.array(["1", "0", "x"]),
        np.array([1.0, 0.0, np.nan]),
        np.array([[1], [0], [7]]),
        pd.Series([1, 0, None]),
        pd.Series(["1", "0", None], dtype="category"),
        pl.Series([1, 0, None]),
        pa.array([1, 0, None]),
        pa.chunked_array([[1, 0], [None]]),
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_every_column_of_labels_is_read_alike(labels):
    assert read_codes(Label("y", (0, 1)).column(), label_cells(labels)).tolist() == [1, 0, -1]


def test_a_matrix_of_labels_is_refused():
    with pytest.raises(ParameterError, match="one label for each row"):
        label_cells(np.zeros((2, 2)))


def test_a_labelled_table_has_one_more_column():
    with open_table({"a": [1, 2], "y": [7, 7]}) as table:
        labelled = LabelledTable(table, "y", np.array([0, 1]))
    assert labelled.names == ("a", "y")
    assert labelled.kinds()["y"] == "categorical"
    ((size, cells),) = labelled.batches(["a", "y"])
    assert (size, list(cells["y"])) == (2, [0, 1])
    with pytest.raises(DataError, match="different numbers of rows"):
        list(LabelledTable(table, "y", [0]).batches(["y"]))


@pytest.mark.parametrize("data", ["file.csv", "duckdb:///d.db"])
def test_files_have_their_labels(data):
    with pytest.raises(ParameterError, match="leave y out"):
        with_labels(data, [1], Label("y", (0, 1)))
