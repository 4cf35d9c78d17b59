"""Whole columns are read as the reader of cells reads them one by one, whatever library holds them."""

import datetime
import math
from collections.abc import Callable, Sequence
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from door.odd import NUMBERS, OBJECTS, TEXTS
from dprules.schema import Boolean, Categorical, Clipped, Column, Date, Numeric, Positive, PrivateCuts, PrivateDates
from dprules.schema.cells import read_number, read_value
from dprules.tables import open_table
from dprules.tables.cells import (
    Cells,
    CodedCells,
    count_values,
    read_clipped,
    read_codes,
    read_numbers,
    read_texts,
)

COLUMNS: tuple[Column, ...] = (
    Categorical("c", ["a", "1", "0.5", "-3", "2020-01-01 00:00:00", "2020-01-02", "01:02:03"]),
    Categorical("c", [0, 1]),
    Categorical("c", [True, False]),
    Numeric("c", [-1, 0.0, 0.7, 1e15, 2**53]),
    Numeric("c", [-1, 0.0, 0.7], decimal=","),
    Date("c", ["1970-01-01", "2020-01-01"]),
    Boolean("c"),
    Positive("c"),
)
NUMBER = PrivateCuts("c", 0, 1)
DAYS = PrivateDates("c", "2000-01-01", "2030-01-01")


def check(cells: Cells, plain: Sequence[object]) -> None:
    """The vectorised readers agree with the reader of one cell; `plain` holds the same cells as Python objects."""
    assert len(cells) == len(plain)
    for column in COLUMNS:
        codes = read_codes(column, cells)
        assert codes.dtype == np.int16
        assert codes.tolist() == [column.code(cell) for cell in plain], column
    numbers = [math.nan if (number := read_number(cell)) is None else number for cell in plain]
    assert np.array_equal(read_numbers(NUMBER, cells), np.array(numbers, dtype=float), equal_nan=True)
    days = [math.nan if (day := DAYS.read(cell)) is None else day for cell in plain]
    assert np.array_equal(read_numbers(DAYS, cells), np.array(days, dtype=float), equal_nan=True)
    assert read_texts(cells) == [read_value(cell) for cell in plain]
    clipped = Clipped("c")
    assert read_clipped(clipped, cells).tolist() == [clipped.number(cell) for cell in plain]


def cells_of(frame: object) -> Cells:
    """The cells of the one column of a frame, as a table hands them out."""
    with open_table(frame) as table:
        ((_, cells),) = table.batches(["c"])
    return cells["c"]


def arrow_cells(values: pa.Array) -> list[object]:
    """The cells of an Arrow array one by one; what Python cannot hold is None."""
    found = []
    for value in values:
        try:
            found.append(value.as_py())
        except Exception:
            found.append(None)
    return found


INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
BITS = {"int8": 7, "int16": 15, "int32": 31, "int64": 63, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}


def integers(kind: str) -> st.SearchStrategy[list[int]]:
    lowest = 0 if kind.startswith("u") else -(2 ** BITS[kind])
    edges = [lowest, 2 ** BITS[kind] - 1, 0, 1, min(2 ** BITS[kind] - 1, 2**53 + 1)]
    return st.lists(st.integers(lowest, 2 ** BITS[kind] - 1) | st.sampled_from(edges), max_size=12)


FLOATS = st.lists(st.floats(width=64) | st.sampled_from([0.7, -0.0, 1e100, -1e100, 2.0**53, 1e16]), max_size=12)
WORDS = st.lists(
    st.text("a1.0e- tTrue\u00a0\uff11\0", max_size=5) | st.sampled_from(["a", "1.0", "true", "0.50"]), max_size=12
)
BYTES = st.lists(st.binary(max_size=3) | st.sampled_from([b"a", b"1.0", b"\xff", b""]), max_size=12)


@settings(max_examples=30, deadline=None)
@given(st.data(), st.sampled_from(sorted(BITS)))
def test_integers_of_every_width(data: st.DataObject, kind: str) -> None:
    values = data.draw(integers(kind))
    array = np.array(values, dtype=kind)
    check(array, values)
    check(array.astype(array.dtype.newbyteorder()), values)
    check(pa.array([*values, None], kind), [*values, None])
    check(cells_of(pd.DataFrame({"c": array})), values)
    nullable = pd.array([*values, None], dtype=kind.replace("i", "I", 1).replace("uI", "UI"))
    check(cells_of(pd.DataFrame({"c": nullable})), [*values, None])
    check(cells_of(pd.DataFrame({"c": pd.Series(values, dtype="object")})), values)
    check(
        cells_of(
            pl.DataFrame(
                {"c": pl.Series([*values, None], dtype=getattr(pl, kind.replace("int", "Int").replace("u", "U")))}
            )
        ),
        [*values, None],
    )
    check(pa.array([*values, None], kind).dictionary_encode(), [*values, None])


@settings(max_examples=30, deadline=None)
@given(FLOATS)
@pytest.mark.parametrize("width", [16, 32, 64])
def test_floats_of_every_width(width: int, values: list[float]) -> None:
    with np.errstate(over="ignore"):
        array = np.array(values, dtype=f"float{width}")
    plain = [float(value) for value in array]
    check(array, plain)
    check(array.astype(np.longdouble), plain)
    check(pa.array(array), plain)
    check(pa.array(array, mask=np.ones(len(array), dtype=bool)), [None] * len(array))
    check(cells_of(pd.DataFrame({"c": array})), plain)
    check(cells_of(pd.DataFrame({"c": array.astype(object)})), plain)
    if width > 16:
        check(cells_of(pl.DataFrame({"c": array})), plain)
        check(cells_of(pd.DataFrame({"c": pd.Series(array, dtype=f"Float{width}")})), plain)
        check(pa.array(array).dictionary_encode(), plain)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.none() | st.booleans(), max_size=8))
def test_booleans(values: list[bool | None]) -> None:
    known = [value for value in values if value is not None]
    check(np.array(known, dtype=bool), known)
    check(pa.array(values, pa.bool_()), values)
    check(pa.array(values, pa.bool_()).dictionary_encode(), values)
    check(cells_of(pd.DataFrame({"c": known}, dtype=bool)), known)
    check(cells_of(pd.DataFrame({"c": pd.array(values, dtype="boolean")})), values)
    check(cells_of(pd.DataFrame({"c": pd.Series(values, dtype="object")})), values)
    check(cells_of(pl.DataFrame({"c": pl.Series(values, dtype=pl.Boolean)})), values)


TEXT_TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]


def as_text(values: list[bytes | None], kind: pa.DataType) -> pa.Array:
    """Bytes as a text array, without asking whether they are UTF-8."""
    raw = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    made = pa.array(values, pa.binary()).cast(raw.get(kind, kind))
    return pa.Array.from_buffers(kind, len(made), made.buffers()) if kind in raw else made


@settings(max_examples=30, deadline=None)
@given(BYTES)
@pytest.mark.parametrize("kind", TEXT_TYPES, ids=str)
def test_texts_of_every_type_that_need_not_be_utf8(kind: pa.DataType, values: list[bytes]) -> None:
    cells = [*values, None]
    check(as_text(cells, kind), cells)
    for index in (pa.int8(), pa.uint8(), pa.int32(), pa.uint32()):
        places = pa.array([*range(len(cells)), None], index)
        check(pa.DictionaryArray.from_arrays(places, as_text(cells, kind)), [*cells, None])


@settings(max_examples=30, deadline=None)
@given(WORDS)
def test_texts_of_frames(values: list[str]) -> None:
    cells = [*values, None]
    for kind in ("string", "str", "object", "category"):
        check(cells_of(pd.DataFrame({"c": pd.Series(cells, dtype=kind)})), cells)
    check(cells_of(pd.DataFrame({"c": pd.Series(cells, dtype=pd.ArrowDtype(pa.string()))})), cells)
    check(cells_of(pl.DataFrame({"c": pl.Series(cells, dtype=pl.String)})), cells)
    check(cells_of(pl.DataFrame({"c": pl.Series(cells, dtype=pl.Categorical)})), cells)
    check(cells_of({"c": cells}), cells)
    check(cells_of({"c": tuple(cells)}), cells)


UNITS = ("s", "ms", "us", "ns")
# NumPy itself wraps around within the first microsecond of its range.
TICKS = st.lists(
    st.integers(-(2**63) + 1000, 2**63 - 1) | st.integers(-(10**13), 10**13) | st.just(1577836800), max_size=8
)


def moment(ticks: int, unit: str, zone: datetime.tzinfo | None = None) -> datetime.datetime | None:
    """The time so many units after 1970, rounded down to microseconds; None beyond Python's years."""
    micro = {"s": 10**6, "ms": 1000, "us": 1}
    count = ticks // 1000 if unit == "ns" else ticks * micro[unit]
    try:
        found = datetime.datetime(1970, 1, 1, tzinfo=zone) + datetime.timedelta(microseconds=count)
    except OverflowError:
        return None
    return found


@settings(max_examples=40, deadline=None)
@given(TICKS)
@pytest.mark.parametrize("unit", UNITS)
def test_timestamps_of_every_unit(unit: str, ticks: list[int]) -> None:
    plain = [moment(tick, unit) for tick in ticks]
    array = np.array(ticks, dtype="int64").view(f"datetime64[{unit}]")
    check(array, plain)
    check(pa.array([*ticks, None], pa.int64()).cast(pa.timestamp(unit)), [*plain, None])
    aware = [moment(tick, unit, datetime.UTC) for tick in ticks]
    check(pa.array(ticks, pa.int64()).cast(pa.timestamp(unit, "UTC")), aware)
    check(cells_of(pd.DataFrame({"c": pd.Series(array)})), plain)
    if unit != "s":
        check(cells_of(pl.DataFrame({"c": pl.Series(ticks, dtype=pl.Int64).cast(pl.Datetime(unit))})), plain)  # type: ignore[arg-type]


def test_a_timestamp_in_a_column_of_objects_reads_as_in_one_of_timestamps() -> None:
    for text in (
        "1969-12-31 23:59:59.999999999",
        "2020-01-01",
        "2262-04-11 23:47:16.854775807",
        "1900-01-01 00:00:00.1",
    ):
        typed = pd.Series([pd.Timestamp(text)])
        check(cells_of(pd.DataFrame({"c": typed})), typed.tolist())


def test_a_zone_that_nobody_knows_is_no_reason_to_stop() -> None:
    cells = pa.array([0, 1], pa.int64()).cast(pa.timestamp("us", "Nowhere/Land"))
    assert read_texts(cells) == [None, None]


DAY = datetime.date(2020, 1, 1)
OTHERS: dict[str, pa.Array] = {
    "date32": pa.array([DAY, None], pa.date32()),
    "date32 beyond": pa.array([2**31 - 1, -(2**31), 0], pa.int32()).cast(pa.date32()),
    "date64": pa.array([DAY, None], pa.date64()),
    "time32": pa.array([datetime.time(1, 2, 3), None], pa.time32("s")),
    "time64": pa.array([datetime.time(1, 2, 3, 4), None], pa.time64("us")),
    "time64 nanoseconds": pa.array([1, 3_723_000_000_001], pa.int64()).cast(pa.time64("ns")),
    "decimal32": pa.array([Decimal("0.5"), None], pa.decimal32(5, 1)),
    "decimal64": pa.array([Decimal("0.5"), None], pa.decimal64(5, 1)),
    "decimal128": pa.array([Decimal("0.50"), Decimal("1.00"), Decimal("-3.00"), None], pa.decimal128(10, 2)),
    "decimal128 widest": pa.array([Decimal(10) ** 37, Decimal(-1)], pa.decimal128(38, 0)),
    "decimal256": pa.array([Decimal("0.5"), Decimal("1.0")], pa.decimal256(50, 1)),
    "null": pa.nulls(3),
    "list": pa.array([[1], None]),
    "large list": pa.array([[1], None], pa.large_list(pa.int64())),
    "fixed list": pa.array([[1], None], pa.list_(pa.int64(), 1)),
    "struct": pa.array([{"a": 1}, None]),
    "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    "duration": pa.array([1, None], pa.duration("ns")),
    "interval": pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
    "fixed binary": pa.array([b"a", b"1", b"\xff", None], pa.binary(1)),
    "run ends": pa.RunEndEncodedArray.from_arrays([2, 3], ["1", "a"]),
    "uuid": pa.array([bytes(16)], pa.uuid()),
    "json": pa.ExtensionArray.from_storage(pa.json_(), pa.array(["1", None])),
    "8-bit Booleans": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None], pa.int8())),
    "dictionary of numbers": pa.array([1, None, 1]).dictionary_encode(),
    "dictionary of floats": pa.array([0.5, None, 0.1], pa.float32()).dictionary_encode(),
}


@pytest.mark.parametrize("cells", OTHERS.values(), ids=OTHERS)
def test_every_other_type_of_arrow(cells: pa.Array) -> None:
    nested = pa.types.is_nested(cells.type) and not pa.types.is_run_end_encoded(cells.type)
    check(cells, [None] * len(cells) if nested else arrow_cells(cells))


@pytest.mark.parametrize("kind", [pa.int64(), pa.timestamp("ms"), pa.string(), pa.decimal128(12, 2)])
def test_where_an_engine_fails_each_cell_is_read_by_itself(kind: pa.DataType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch with an odd cell that Arrow does not convert is read as each of its cells is."""
    cells = pa.array([1, 2, None, 3, 1]).cast(kind if kind != pa.decimal128(12, 2) else pa.float64()).cast(kind)
    wanted = read_texts(cells)
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5]), pa.array([1, 2]).cast(pa.float64()))

    def fail(*_: object) -> None:
        raise pa.ArrowInvalid("CANARY")

    monkeypatch.setattr(pc, "dictionary_encode", fail)
    monkeypatch.setattr(pc, "run_end_decode", fail)
    assert read_texts(cells) == wanted
    assert read_texts(runs) == ["1.0", "1.0", "2.0", "2.0", "2.0"]


def test_a_decimal_beyond_its_own_type_is_missing() -> None:
    """Arrow holds such decimals, and other programs may write them."""
    unscaled = [150, 10**5 - 1, 10**5, 1 - 10**5, -(10**5)]
    data = b"".join(number.to_bytes(16, "little", signed=True) for number in unscaled)
    cells = pa.Array.from_buffers(pa.decimal128(5, 2), 5, [None, pa.py_buffer(data)])
    assert read_texts(cells) == ["1.50", "999.99", None, "-999.99", None]


def test_unions_are_missing() -> None:
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array(["a", "b"]), pa.array([1, 2])])
    check(union, [None, None])


PANDAS: dict[str, Callable[[], pd.Series]] = {
    "category of integers": lambda: pd.Series([1, 0, 1], dtype="category"),
    "category of integers and a missing one": lambda: pd.Series([1, 0, None], dtype="category"),
    "category of floats": lambda: pd.Series(np.array([0.5, 0.1], dtype="float32")).astype("category"),
    "category of texts": lambda: pd.Series(["a", "1.0", None], dtype="category"),
    "category of Booleans": lambda: pd.Series([True, False, None], dtype="category"),
    "category of timestamps": lambda: pd.Series(pd.to_datetime(["2020-01-01"])).astype("category"),
    "category of anything": lambda: pd.Series(["a", 1, 2.5, (1, 2)], dtype="category"),
    "objects": lambda: pd.Series([*OBJECTS.values(), *NUMBERS.values(), *TEXTS.values()], dtype="object"),
    "timestamps": lambda: pd.Series(pd.to_datetime(["2020-01-01", None])),
    "timestamps with a zone": lambda: pd.Series(pd.to_datetime(["2020-01-01", None]).tz_localize("Europe/Paris")),
    "timedelta": lambda: pd.Series(pd.to_timedelta([1, None], unit="ns")),
    "period": lambda: pd.Series(pd.period_range("2020", periods=2, freq="D")),
    "interval": lambda: pd.Series(pd.interval_range(0, 2)),
    "sparse": lambda: pd.Series(pd.arrays.SparseArray([0, 1, 0])),
    "complex": lambda: pd.Series([1j, 1]),
    "arrow decimals": lambda: pd.Series([Decimal("0.5"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 1))),
    "arrow lists": lambda: pd.Series([[1], None], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "arrow Booleans": lambda: pd.Series([True, None], dtype="bool[pyarrow]"),
    "arrow integers": lambda: pd.Series([1, None], dtype="int64[pyarrow]"),
    "arrow timestamps": lambda: pd.Series([-1], dtype="int64[pyarrow]").astype("timestamp[ns][pyarrow]"),
}


@pytest.mark.parametrize("make", PANDAS.values(), ids=PANDAS)
def test_every_type_of_pandas(make: Callable[[], pd.Series]) -> None:
    series = make()
    check(cells_of(pd.DataFrame({"c": series})), list(series))


POLARS: dict[str, Callable[[], pl.Series]] = {
    "objects": lambda: pl.Series([object(), "a", [1], None, 1.0, b"\xff"], dtype=pl.Object),
    "categorical": lambda: pl.Series(["a", "1", None], dtype=pl.Categorical),
    "enum": lambda: pl.Series(["a", "1", None], dtype=pl.Enum(["a", "1"])),
    "null": lambda: pl.Series([None, None]),
    "128 bits": lambda: pl.Series([1, 2**100, None], dtype=pl.Int128),
    "decimal": lambda: pl.Series([Decimal("0.5"), None]),
    "date": lambda: pl.Series([DAY, None]),
    "time": lambda: pl.Series([datetime.time(1, 2, 3), None]),
    "binary": lambda: pl.Series([b"\xff", b"a", None]),
    "zone": lambda: pl.Series([datetime.datetime(2020, 1, 1)]).dt.replace_time_zone("Europe/Paris"),
}
NESTED: dict[str, Callable[[], pl.Series]] = {
    "list": lambda: pl.Series([[1], None]),
    "array": lambda: pl.Series([[1]], dtype=pl.Array(pl.Int64, 1)),
    "struct": lambda: pl.Series([{"a": 1}]),
    "duration": lambda: pl.Series([datetime.timedelta(1)]),
}


@pytest.mark.parametrize("make", POLARS.values(), ids=POLARS)
def test_every_type_of_polars(make: Callable[[], pl.Series]) -> None:
    series = make()
    check(cells_of(pl.DataFrame({"c": series})), series.to_list())


@pytest.mark.parametrize("make", NESTED.values(), ids=NESTED)
def test_what_holds_no_single_value_in_polars_is_missing(make: Callable[[], pl.Series]) -> None:
    series = make()
    check(cells_of(pl.DataFrame({"c": series})), [None] * len(series))


NUMPY: dict[str, np.ndarray] = {
    "bytes": np.array([b"a", b"1\xff", b"1"]),
    "texts": np.array(["a", "1.0", "\u00a01"]),
    "empty": np.array([], dtype="U1"),
    "complex": np.array([1j, 1]),
    "timedelta": np.array([1, 2], dtype="m8[ns]"),
    "days": np.array(["2020-01-01", "NaT", "30000-01-01"], dtype="M8[D]"),
    "records": np.array([(1, 2)], dtype="i,i"),
    "objects": np.array([*OBJECTS.values(), *NUMBERS.values(), *TEXTS.values(), None], dtype=object)[:-1],
}


@pytest.mark.parametrize("array", NUMPY.values(), ids=NUMPY)
def test_every_other_type_of_numpy(array: np.ndarray) -> None:
    check(array, list(array))


def test_coded_cells() -> None:
    check(CodedCells(np.array([1, 0, -1]), ["a", 1.0]), [1.0, "a", None])
    check(CodedCells(np.array([], dtype=np.int64), []), [])
    assert repr(CodedCells(np.array([0]), ["secret"])) == "<private CodedCells>"


def test_public_values_are_counted() -> None:
    counts: dict[str, int] = {}
    count_values(pa.array(["a", "b", "a", None]), counts)
    count_values(["a", 1], counts)
    assert counts == {"a": 3, "b": 1, "1": 1}


def test_only_clipped_columns_are_weighed() -> None:
    with pytest.raises(TypeError, match="clipped"):
        read_clipped(Boolean("b"), np.array([1]))
