"""One cell that the declared type of a Parquet column does not allow is missing, here and on Spark."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from dprules.accounting import Unit
from dprules.errors import DataError, PrivacyError
from dprules.jobs import FitRequest, ListSettings, fit
from dprules.mechanisms import SeededBits
from dprules.schema import Categorical, Date, Label, Numeric, PrivateCuts, PrivateDates, PrivateValues, Schema
from dprules.tables import open_table, read_records, read_text_columns

from .harness import assert_neighbours
from .odd_parquet import COLUMNS, KINDS, declare_decimals, write_odd

FEATURES = ("number", "category", "cuts", "values")
ODD = (FEATURES, ("y",), ("who",), ("unused",), COLUMNS)
DAYS = ["1970-01-02", "1970-01-03", "1970-01-04"]


def declare(name: str) -> Schema:
    """The columns of the odd tables: numbers, or days where moments are stored."""
    zone = "+00:00" if "UTC" in name else ""
    moments = [f"{day} 00:00:00{zone}" for day in DAYS]
    values = moments if "milliseconds" in name else ["1", "2", "3"]
    number: Any = Date("number", DAYS) if "milliseconds" in name else Numeric("number", [1.5, 2.5])
    cuts: Any = PrivateDates("cuts", DAYS[0], DAYS[2]) if "milliseconds" in name else PrivateCuts("cuts", 0, 4, step=1)
    return Schema(Label("y", values), (number, Categorical("category", values), cuts, PrivateValues("values")))


def read_lines(path: Path, schema: Schema, unit: Unit) -> list[tuple[Any, ...]]:
    with open_table(path) as table:
        records = read_records(table, schema, unit, SeededBits(0))
    number, category, cuts, _ = schema.columns
    known = [number, category, Categorical("values", schema.label.classes)]
    codes = [records.codes(column).tolist() for column in known]
    assert isinstance(cuts, PrivateCuts | PrivateDates)
    assert sum(records.grid_counts(cuts)) in (len(codes[0]), len(codes[0]) - 1)
    return sorted(zip(*codes, records.labels.tolist(), strict=True))


@pytest.mark.parametrize("name", KINDS)
def test_a_cell_that_its_type_does_not_allow_changes_no_other(name: str, tmp_path: Path) -> None:
    schema = declare(name)
    for unit in (Unit(), Unit("who", 1)):
        before = read_lines(write_odd(tmp_path / "a.parquet", KINDS[name], []), schema, unit)
        assert len(before) == 12
        assert all(min(line[0], line[1], line[-1]) >= 0 for line in before)
        for columns in ODD:
            after = read_lines(write_odd(tmp_path / "b.parquet", KINDS[name], [columns]), schema, unit)
            if unit.column is None:
                assert_neighbours(before, after)
            else:
                assert len(before) - 1 <= len(after) <= len(before)


@pytest.mark.parametrize("name", KINDS)
def test_the_cell_itself_is_missing(name: str, tmp_path: Path) -> None:
    path = write_odd(tmp_path / "a.parquet", KINDS[name], [FEATURES])
    with open_table(path) as table:
        columns = read_text_columns(table, COLUMNS)
    assert [column[5] for column in columns[:4]] == [None] * 4
    assert all(cell is not None for column in columns for at, cell in enumerate(column) if at != 5)


def test_decimals_that_are_stored_with_more_bytes_than_they_need(tmp_path: Path) -> None:
    cells = [number.to_bytes(size, "big", signed=True) for number in (150, -150) for size in (2, 16, 20, 32)]
    path = tmp_path / "wide.parquet"
    pa.parquet.write_table(pa.table({"x": pa.array([*cells, None], pa.binary())}), path)
    declare_decimals(path, {"x": (5, 2)})
    with open_table(path) as table:
        assert read_text_columns(table, ["x"]) == [["1.50"] * 4 + ["-1.50"] * 4 + [None]]


def test_columns_with_parts_are_not_read(tmp_path: Path) -> None:
    """A decimal inside a list would stop Arrow; a list has no value anyway."""
    path = tmp_path / "list.parquet"
    lists = pa.array([[b""], [b"\1"]], pa.list_(pa.field("inner", pa.binary())))
    pa.parquet.write_table(pa.table({"list": lists, "x": [1, 2]}), path)
    declare_decimals(path, {"element": (5, 2), "inner": (5, 2)})
    with open_table(path) as table:
        assert read_text_columns(table, ["list", "x"]) == [[None, None], ["1", "2"]]
        assert sum(size for size, _ in table.batches(["list"])) == 2


def test_a_file_that_is_damaged_stops_a_fit_with_one_sentence(tmp_path: Path) -> None:
    path = write_odd(tmp_path / "a.parquet", KINDS["decimal of too many bytes"], [FEATURES])
    data = bytearray(path.read_bytes())
    data[4:400] = b"\xff" * 396
    path.write_bytes(data)
    with open_table(path) as table, pytest.raises(DataError, match="cannot be read") as caught:
        read_text_columns(table, COLUMNS)
    assert caught.value.__context__ is None


def learn(data: object, schema: Schema, unit: str | None, **options: Any) -> dict[str, Any]:
    settings = ListSettings(width=1, max_rules=2)
    released = fit(FitRequest(data, schema, settings, epsilon=4, unit=unit, seed=1, **options))
    document: dict[str, Any] = json.loads(released.model.to_json())
    return document


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # py4j's
@pytest.mark.parametrize("name", KINDS)
def test_spark_reads_such_cells_as_one_machine_does(spark: Any, name: str, tmp_path: Path) -> None:
    """By a path, a frame and a table of the catalogue; the cell is a feature, the label, the unit, or not used."""
    path = write_odd(tmp_path / "a.parquet", KINDS[name], ODD)
    schema = declare(name)
    frame = spark.read.parquet(str(path))
    with open_table(path) as local, open_table(path, master="local[2]") as whole:
        wanted = sorted(zip(*read_text_columns(local, COLUMNS), strict=True), key=str)
        assert sorted(zip(*read_text_columns(whole, COLUMNS), strict=True), key=str) == wanted
    chosen = (
        frame.alias("a")
        .where("unused is null or number is not null")
        .select(*reversed(COLUMNS))
        .union(frame.where("number is null and unused is not null").select(*reversed(COLUMNS)))
    )
    with open_table(chosen) as table:  # columns of a frame keep their places in the rest of its query
        assert sorted(zip(*read_text_columns(table, COLUMNS), strict=True), key=str) == wanted
    for unit in (None, "who"):
        assert learn(path, schema, unit, master="local[2]") == learn(path, schema, unit)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # py4j's
def test_spark_stops_at_no_cell_of_other_types(spark: Any, tmp_path: Path) -> None:
    """The largest and smallest days and moments, old days under strict settings, and tables of the catalogue."""
    days = pa.array([0, 2**31 - 1, -(2**31), -400_000], pa.int32()).cast(pa.date32())
    ticks = pa.array([0, 2**63 - 1, -(2**63), -(10**17)], pa.int64())
    table = pa.table(
        {"day": days, "moment": ticks.cast(pa.timestamp("us")), "in utc": ticks.cast(pa.timestamp("us", "UTC"))}
    )
    pa.parquet.write_table(table, tmp_path / "a.parquet", store_schema=False)
    with open_table(tmp_path / "a.parquet") as local:
        wanted = read_text_columns(local, table.column_names)
    frame = spark.read.parquet(str(tmp_path / "a.parquet"), datetimeRebaseMode="EXCEPTION")
    with open_table(frame) as found:
        assert read_text_columns(found, table.column_names) == wanted
    odd = write_odd(tmp_path / "odd.parquet", KINDS["decimal of 64 bits"], ODD)
    spark.read.parquet(str(odd)).createOrReplaceTempView("odd_table")
    with open_table("odd_table", table="odd_table", master="local[2]") as found, open_table(odd) as local:
        assert read_text_columns(found, COLUMNS) == read_text_columns(local, COLUMNS)
    with pytest.raises(PrivacyError, match="Write it as a join"):
        open_table(frame.where("exists (select 1 from odd_table)")).__enter__()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # py4j's
def test_files_that_store_a_column_in_different_ways_are_refused(spark: Any, tmp_path: Path) -> None:
    write_odd(tmp_path / "a.parquet", KINDS["decimal of 32 bits"], [])
    write_odd(tmp_path / "b.parquet", replace(KINDS["decimal of 64 bits"], decimal=(5, 2)), [])
    with pytest.raises(DataError, match="in different ways"), open_table(tmp_path, master="local[2]"):
        pass
