import copy
import datetime
import sqlite3
from contextlib import closing
from zoneinfo import ZoneInfo

import duckdb
import ibis
import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules.errors import DataError, PrivacyError
from dprules.schema import Date, Numeric
from dprules.tables import ColumnsTable, open_table
from dprules.tables.cells import read_codes
from dprules.tables.frames import open_frame, polars_cells
from dprules.tables.table import call_quietly

CELLS = {"n": [1.5, 2.5], "b": [True, False], "t": ["secret", "v"]}
KINDS = {"n": "numeric", "b": "boolean", "t": "categorical"}
FRAMES = {
    "pandas": pd.DataFrame(CELLS),
    "nullable pandas": pd.DataFrame(CELLS).convert_dtypes(),
    "pandas on Arrow": pd.DataFrame(CELLS).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame(CELLS),
    "lazy polars": pl.DataFrame(CELLS).lazy(),
    "arrow": pa.table(CELLS),
    "a batch of arrow": pa.table(CELLS).to_batches()[0],
    "ibis": ibis.memtable(pa.table(CELLS)),
    "columns": {"n": np.array([1.5, 2.5]), "b": np.array([True, False]), "t": ["secret", "v"]},
    "columns of arrow": {name: pa.array(cells) for name, cells in CELLS.items()},
}


@pytest.mark.parametrize("name", FRAMES)
def test_names_and_kinds_of_columns(name: str) -> None:
    with open_table(FRAMES[name]) as table:
        assert table.names == ("n", "b", "t")
        assert table.kinds() == (KINDS | {"t": "unknown"} if name == "columns" else KINDS)  # a list has no type
        assert "secret" not in repr(table)


def test_kinds_of_dates_and_objects() -> None:
    days = [datetime.date(2024, 3, 1), None]
    moments = pd.to_datetime(pd.Series(days))
    arrow = pa.table({"d": days, "m": pa.array(moments), "z": pa.array(moments.dt.tz_localize("UTC"))})
    for frame in (arrow, pl.from_arrow(arrow), ibis.memtable(arrow)):
        with open_table(frame) as table:
            assert set(table.kinds().values()) == {"date"}
    mixed = pd.DataFrame({"m": moments, "z": moments.dt.tz_localize("UTC"), "o": days, "c": pd.Categorical(["a", "b"])})
    with open_table(mixed) as table:
        assert table.kinds() == {"m": "date", "z": "date", "o": "unknown", "c": "categorical"}
    with open_table({"m": moments.to_numpy(), "o": np.array(days)}) as table:
        assert table.kinds() == {"m": "date", "o": "unknown"}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_batches_have_the_columns_asked_for(frame: object) -> None:
    with open_table(frame) as table:
        batches = list(table.batches(["t", "n"]))
        assert sum(size for size, _ in batches) == 2
        assert all(list(cells) == ["t", "n"] for _, cells in batches)
        assert sum(size for size, _ in table.batches([])) == 2
        with pytest.raises(DataError, match="no column 'x'"):
            next(table.batches(["x"]))


def test_a_frame_does_not_speak_of_delimiters() -> None:
    for frame in FRAMES.values():
        with (
            open_table(frame) as table,
            pytest.raises(DataError, match="Check the names of its columns and the schema"),
        ):
            table.require(["x"])


def test_of_polars_only_the_columns_that_are_asked_for_are_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    converted: list[tuple[str, int]] = []

    def convert(series: pl.Series) -> object:
        converted.append((series.name, len(series)))
        return polars_cells(series)

    monkeypatch.setattr("dprules.tables.frames.polars_cells", convert)
    with open_table(pl.DataFrame(CELLS)) as table:
        assert table.names == ("n", "b", "t")
        assert converted == []
        assert table.kinds() == KINDS
        assert {rows for _, rows in converted} == {0}
        converted.clear()
        list(table.batches(["t"]))
    assert converted == [("t", 2)]


@pytest.mark.parametrize("odd", [3, None, object(), [1, 2], np.zeros((2, 2))], ids=lambda odd: type(odd).__name__)
def test_what_is_no_frame_is_refused(odd: object) -> None:
    with pytest.raises(DataError, match="X must be a data frame"):
        open_frame(odd)


def test_columns_have_one_name_and_one_length() -> None:
    with pytest.raises(DataError, match="two columns have one name"):
        open_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(DataError, match="two columns have one name"):
        open_frame(pd.DataFrame([[1, 2]], columns=["1", 1]))
    with pytest.raises(DataError, match="two columns have one name"):
        open_frame(pa.table([[1], [2]], names=["a", "a"]))
    with pytest.raises(DataError, match="different numbers of rows"):
        ColumnsTable({"a": [1], "b": [1, 2]})
    with pytest.raises(DataError, match="more than one dimension"):
        ColumnsTable({"a": np.zeros((2, 2))})


def test_names_are_texts() -> None:
    with open_table(pd.DataFrame({0: [1], "b": [2]})) as table:
        assert table.names == ("0", "b")


class Derived(pd.DataFrame):
    """As GeoPandas and others make of a pandas frame."""


@pytest.mark.parametrize("wrap", [Derived, narwhals.from_native], ids=["of a class of its own", "wrapped by narwhals"])
def test_frames_of_pandas_are_read_cell_by_cell_whoever_wraps_them(wrap) -> None:
    """Arrow would infer one type of all cells: an odd one would move the others to another zone, or stop the fit."""
    tokyo = ZoneInfo("Asia/Tokyo")
    days = [datetime.datetime(2020, 1, 1, 1, tzinfo=tokyo), datetime.datetime(2019, 12, 31, 1, tzinfo=tokyo)]
    column = Date("d", ["2020-01-01"])
    for odd in ([], [datetime.datetime(2022, 1, 1, tzinfo=datetime.UTC)], ["x"]):
        frame = wrap(pd.DataFrame({"d": pd.Series([*odd, *days], dtype=object)}))
        with open_table(frame) as table:
            ((_, cells),) = table.batches(["d"])
            assert read_codes(column, cells["d"]).tolist()[len(odd) :] == [1, 0]


def test_what_speaks_arrow_has_types_of_its_own() -> None:
    class Speaker:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table(CELLS).__arrow_c_stream__(requested_schema)

    with open_table(pa.RecordBatchReader.from_stream(pa.table(CELLS))) as table:
        assert table.kinds() == KINDS
    with duckdb.connect() as connection, open_table(connection.from_arrow(pa.table(CELLS))) as table:
        assert table.kinds() == KINDS
    with pytest.raises(DataError, match="X must be a data frame"):
        open_frame(Speaker())  # whoever made it may infer types from all rows


def test_cells_of_any_type_in_a_column_of_sqlite(tmp_path) -> None:
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?)", [(1,), ("abc",), (7,), (None,), (0.5,)])
        connection.commit()
    with open_table(ibis.sqlite.connect(tmp_path / "t.db").table("t")) as table:
        ((_, batch),) = table.batches(["n"])
        assert read_codes(Numeric("n", [0.75, 5]), batch["n"]).tolist() == [1, -1, 2, -1, 0]


def test_years_beyond_those_of_datetime_are_missing_however_they_come() -> None:
    far = pd.Series(np.array(["11474-01-01", "-0005-01-01", "2020-01-01"], dtype="datetime64[s]"))
    column = Date("d", ["1971-01-01"])
    for cells in (far, far.astype(object)):
        with open_table(pd.DataFrame({"d": cells})) as table:
            ((_, batch),) = table.batches(["d"])
            assert read_codes(column, batch["d"]).tolist() == [-1, -1, 1]


def test_a_panic_of_a_library_is_one_sentence() -> None:
    def fail() -> None:
        raise type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})("secret-cell")

    with pytest.raises(DataError) as caught:
        call_quietly(fail, "cannot be read.")
    assert caught.value.__context__ is None
    with pytest.raises(KeyboardInterrupt):
        call_quietly(lambda: (_ for _ in ()).throw(KeyboardInterrupt()), "cannot be read.")


def test_many_chunks_are_one_table() -> None:
    chunks = pa.chunked_array([["u"], [], ["v", None]])
    with open_table(pa.table({"t": chunks})) as table:
        assert sum(size for size, _ in table.batches(["t"])) == 3
    with open_table(pl.DataFrame(pa.table({"t": chunks}))) as table:
        assert sum(size for size, _ in table.batches(["t"])) == 3


def test_a_frame_cannot_be_copied_out_of_its_table() -> None:
    with open_table(pd.DataFrame(CELLS)) as table, pytest.raises(PrivacyError):
        copy.copy(table)
