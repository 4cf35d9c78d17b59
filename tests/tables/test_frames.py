import copy
import datetime

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules.errors import DataError, PrivacyError
from dprules.tables import ColumnsTable, open_table
from dprules.tables.frames import open_frame, polars_cells

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


def test_whatever_speaks_arrow_is_a_frame() -> None:
    class Speaker:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table(CELLS).__arrow_c_stream__(requested_schema)

    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise RuntimeError("secret-cell")

    with open_table(Speaker()) as table:
        assert table.kinds() == KINDS
    with pytest.raises(DataError, match="X must be a data frame") as caught:
        open_frame(Broken())
    assert caught.value.__context__ is None


def test_many_chunks_are_one_table() -> None:
    chunks = pa.chunked_array([["u"], [], ["v", None]])
    with open_table(pa.table({"t": chunks})) as table:
        assert sum(size for size, _ in table.batches(["t"])) == 3
    with open_table(pl.DataFrame(pa.table({"t": chunks}))) as table:
        assert sum(size for size, _ in table.batches(["t"])) == 3


def test_a_frame_cannot_be_copied_out_of_its_table() -> None:
    with open_table(pd.DataFrame(CELLS)) as table, pytest.raises(PrivacyError):
        copy.copy(table)
