"""A schema for data without one: from types and names, never from cells."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules.errors import SchemaError
from dprules.jobs.infer import infer_columns, infer_label, infer_schema, read_names

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
    assert infer_label(["only"], [], declared=False).classes == ("only",)
    with pytest.raises(SchemaError, match="at least two"):
        infer_label(["only"], [], declared=True)
