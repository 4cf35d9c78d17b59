"""A schema for data without one: from types and names, never from cells."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules.errors import DataError, SchemaError
from dprules.jobs.infer import collect_lazy, infer_columns, infer_label, infer_schema, read_names, require_numbers

FRAMES = [pd.DataFrame, pl.DataFrame, pa.table, dict]


@pytest.mark.parametrize("make", FRAMES)
def test_types_become_kinds(make):
    frame = make({"flag": np.array([True, False]), "size": np.array([1.5, 2.0]), "name": np.array(["a", "b"])})
    names = ["flag", "size", "name"]
    assert [column.kind for column in infer_columns(frame, names)] == ["boolean", "positive", "positive"]
    assert {column.kind for column in infer_columns(frame, names, real=True)} == {"clipped"}
    assert read_names(frame) == names


def test_a_label_has_a_name_of_its_own():
    label = infer_label([0, 1], ["y", "y_"], declared=True)
    assert label.name == "y__"
    assert infer_schema({"y": [1], "y_": [1]}, ["y", "y_"], label).names == ("y__", "y", "y_")


def test_classes_become_values():
    assert infer_label([False, True], [], declared=True).classes == ("False", "True")
    assert infer_label(np.array([1.5, 2.0]), [], declared=False).classes == (1.5, 2.0)  # type: ignore[arg-type]
    assert infer_label([pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")], [], declared=True).classes == (
        "2020-01-01 00:00:00",
        "2021-01-01 00:00:00",
    )
    assert infer_label([np.datetime64("2020-01-01", "ns"), np.datetime64("2021-01-01")], [], declared=True).classes == (
        "2020-01-01 00:00:00",
        "2021-01-01 00:00:00",
    )
    assert infer_label(["only"], [], declared=False).classes == ("only",)
    with pytest.raises(SchemaError, match="at least two"):
        infer_label(["only"], [], declared=True)


def test_lazy_frames_are_collected_and_others_left():
    frame = pl.DataFrame({"a": [1]})
    assert collect_lazy(frame.lazy()).equals(frame)
    assert collect_lazy(frame) is frame
    assert collect_lazy("d.csv") == "d.csv"


READABLE = {
    "NumPy's types": pd.DataFrame({"a": [1.5], "b": [True], "c": np.array([1], dtype=np.int8)}),
    "nullable types": pd.DataFrame({"a": pd.array([None], dtype="Int64"), "b": pd.array([None], dtype="boolean")}),
    "Arrow's types in pandas": pd.DataFrame({"a": pd.array([None], dtype="double[pyarrow]")}),
    "no values": pa.table({"a": pa.nulls(1), "b": [1.5]}),
    "no values in Polars": pl.DataFrame({"a": [None], "b": [1.5]}),
    "objects, one of them odd": pd.DataFrame({"a": pd.Series([1, "x"], dtype=object)}),
    "decimals": pa.table({"a": pa.array([None], pa.decimal128(5, 2))}),
}


@pytest.mark.parametrize("frame", READABLE.values(), ids=READABLE)
def test_numbers_and_booleans_need_no_schema(frame):
    require_numbers(frame)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "Polars", "Arrow"])
def test_text_does_and_no_cell_is_quoted(make):
    with pytest.raises(DataError, match="column 'b' holds neither numbers nor Booleans") as refused:
        require_numbers(make({"a": [1], "b": ["secret"]}))
    assert "schema=" in str(refused.value)
    assert "secret" not in str(refused.value)
