"""A schema of a frame: from types and declarations, never from cells."""

import datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules.errors import ParameterError, SchemaError
from dprules.schema import Boolean, Categorical, GapsError, Numeric, PrivateCuts, PrivateDates, Schema
from dprules.schema.frames import frame_kind

DAY = datetime.date(2024, 3, 1)
CELLS = {"n": [1.5, 2.5], "i": [1, 2], "b": [True, False], "t": ["CANARY", "v"], "d": [DAY, DAY], "y": ["no", "yes"]}
PANDAS = pd.DataFrame(CELLS).astype({"d": "datetime64[ns]"})
FRAMES = {
    "pandas": PANDAS,
    "pandas with nullable types": PANDAS.convert_dtypes(),
    "pandas on Arrow": PANDAS.convert_dtypes(dtype_backend="pyarrow"),
    "pandas with categories": PANDAS.astype({"t": "category", "y": "category"}),
    "polars": pl.DataFrame(CELLS),
    "polars, lazy": pl.DataFrame(CELLS).lazy().collect(),
    "polars with an enum": pl.DataFrame(CELLS).with_columns(pl.col("t").cast(pl.Enum(["CANARY", "v"]))),
    "arrow": pa.table(CELLS),
}
SAID = {
    "classes": ["no", "yes"],
    "values": {"t": ["u", "v"]},
    "bounds": {"n": (0, 5, 0.5), "i": (0, 9), "d": ("2020-01-01", DAY, 7)},
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_columns_by_their_types_and_what_is_said_of_them(frame: object) -> None:
    schema = Schema.from_frame(frame, label="y", positive="yes", **SAID)
    assert schema.columns == (
        PrivateCuts("n", 0, 5, step=0.5),
        PrivateCuts("i", 0, 9),
        Boolean("b"),
        Categorical("t", ["u", "v"]),
        PrivateDates("d", "2020-01-01", DAY, step=7),
    )
    assert schema.label.positive == "yes"
    assert not schema.values_are_public


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_what_is_still_unknown_is_named_at_once_and_no_cell_is(frame: object) -> None:
    with pytest.raises(
        GapsError, match=r"5 gaps: classes must be given.*n must be.*i must be.*t must be.*d must"
    ) as caught:
        Schema.from_frame(frame)
    assert "CANARY" not in str(caught.value)


def test_objects_are_dates_or_numbers_by_their_bounds() -> None:
    frame = pd.DataFrame({"d": [DAY], "n": [None]})
    schema = Schema.from_frame(frame, classes=[0, 1], bounds={"d": (DAY, "2030-01-01"), "n": (0, 1)})
    assert schema.columns == (PrivateDates("d", DAY, "2030-01-01"), PrivateCuts("n", 0, 1))


def test_a_label_apart_and_columns_that_are_ignored() -> None:
    schema = Schema.from_frame(PANDAS[["b", "t"]], "outcome", classes=[0, 1], ignore=["t"])
    assert schema.columns == (Boolean("b"),)
    assert schema.ignored == ("t",)
    assert Schema.from_toml(schema.to_toml()) == schema


def test_categories_only_when_they_are_declared() -> None:
    frame = PANDAS.astype({"t": "category", "y": "category"})[["t", "y"]]
    with pytest.raises(GapsError, match=r"2 gaps: classes must be given.*t must be given"):
        Schema.from_frame(frame)
    schema = Schema.from_frame(frame, categories_are_public=True)
    assert schema.columns == (Categorical("t", ["CANARY", "v"]),)
    assert schema.label.classes == ("no", "yes")
    numbers = pd.DataFrame({"c": pd.Categorical([3, 1, 2]), "y": [0, 1, 0]})
    assert Schema.from_frame(numbers, classes=[0, 1], categories_are_public=True).columns == (
        Categorical("c", [1, 2, 3]),
    )
    enum = FRAMES["polars with an enum"].select("t")
    assert Schema.from_frame(enum, classes=[0, 1], categories_are_public=True).columns == schema.columns


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_values_when_they_are_public(make) -> None:
    frame = make({"n": [float(i) for i in range(50)], "t": ["u", "v"] * 25, "none": [None] * 50, "y": ["a", "b"] * 25})
    with pytest.raises(GapsError, match="none must be given"):
        Schema.from_frame(frame, values_are_public=True)
    schema = Schema.from_frame(frame, values_are_public=True, ignore=["none"])
    assert schema.values_are_public
    assert schema.label.classes == ("a", "b")
    number, text = schema.columns
    assert isinstance(number, Numeric)
    assert text == Categorical("t", ["u", "v"])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Schema.from_frame([1, 2]), "made from a pandas, Polars or Arrow frame"),
        (lambda: Schema.from_frame(PANDAS, ignore=["x"]), "the frame has no column 'x' among its 6. Check the name"),
        (lambda: Schema.from_frame(PANDAS, bounds={"x": (0, 1)}), "the frame has no column 'x'"),
        (lambda: Schema.from_frame(PANDAS, **SAID | {"bounds": {"n": (0,)}}), r"bounds.n must be \(lower, upper\)"),
        (lambda: Schema.from_frame(PANDAS, **SAID | {"bounds": {"n": "01"}}), r"bounds.n must be \(lower, upper\)"),
    ],
)
def test_what_cannot_be_made_is_refused(call, sentence: str) -> None:
    with pytest.raises(SchemaError, match=sentence):
        call()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (pa.decimal128(5, 2), "numeric"),
        (pa.float16(), "numeric"),
        (pa.timestamp("us", "UTC"), "date"),
        (pa.date64(), "date"),
        (pa.time64("us"), "categorical"),
        (pa.list_(pa.int64()), "categorical"),
        (pl.Decimal(5, 2), "numeric"),
        (pl.Datetime("us", "UTC"), "date"),
        (pl.Duration(), "categorical"),
        (pl.List(pl.Int64), "categorical"),
        (pd.DatetimeTZDtype("ns", "UTC"), "date"),
        (pd.Int8Dtype(), "numeric"),
        (pd.StringDtype(), "categorical"),
        (pd.IntervalDtype("int64"), "categorical"),
    ],
    ids=str,
)
def test_types_of_every_library(kind: object, expected: str) -> None:
    assert frame_kind(kind) == expected


@pytest.mark.parametrize("name", ["values_are_public", "categories_are_public"])
def test_only_true_opens_rows_and_categories(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be True or False"):
        Schema.from_frame(pd.DataFrame({"a": [1], "y": [1]}), classes=[0, 1], **{name: "no"})
