"""Every source gives the same records."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from dprules.accounting import Unit
from dprules.errors import DataError, ParameterError
from dprules.mechanisms import SeededBits
from dprules.schema import Categorical, Label, Numeric, Schema
from dprules.tables import open_table, read_matrix, read_records

FRAME = pd.DataFrame(
    {
        "age": ["20", "31", "secret-cell", "60", None, "31"],
        "sex": ["f", "m", "f", "x", "m", "m"],
        "y": ["no", "yes", "no", "yes", "maybe", "yes"],
    }
)
SCHEMA = Schema(Label("y", ("no", "yes")), (Numeric("age", (30.0,)), Categorical("sex", ("f", "m"))))
CODES = [[0, 0], [1, 1], [-1, 0], [1, -1], [-1, 1], [1, 1]]
LABELS = [0, 1, 0, 1, -1, 1]


def csv(folder: Path, name: str = "data.csv", **options: object) -> str:
    FRAME.to_csv(folder / name, index=False, **options)  # type: ignore[call-overload]
    return str(folder / name)


def parquet(folder: Path) -> Path:
    (folder / "parts").mkdir()
    for i in range(2):
        part = FRAME[3 * i : 3 * i + 3]
        pyarrow.parquet.write_table(pa.Table.from_pandas(part), folder / "parts" / f"{i}.parquet")
    return folder / "parts"


SOURCES: dict[str, Callable[[Path], object]] = {
    "csv": csv,
    "path": lambda folder: Path(csv(folder)),
    "semicolons": lambda folder: csv(folder, sep=";"),
    "tabs": lambda folder: csv(folder, "data.tsv", sep="\t"),
    "gzip": lambda folder: csv(folder, "data.csv.gz"),
    "parquet folder": lambda folder: str(parquet(folder)),
    "parquet pattern": lambda folder: str(parquet(folder) / "*.parquet"),
    "pandas": lambda folder: FRAME,
    "polars": lambda folder: pl.from_pandas(FRAME),
    "arrow": lambda folder: pa.Table.from_pandas(FRAME),
    "ibis": lambda folder: ibis.memtable(pa.Table.from_pandas(FRAME)),
    "columns": lambda folder: FRAME.to_dict("list"),
}


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_every_source_gives_the_same_codes(make: Callable[[Path], object], tmp_path: Path) -> None:
    with open_table(make(tmp_path)) as table:
        assert [row for part in read_matrix(table, SCHEMA.columns) for row in part.tolist()] == CODES
        records = read_records(table, SCHEMA, Unit(), SeededBits(0))
    assert records.labels.tolist() == [label for label in LABELS if label >= 0]


def test_an_open_table_is_taken_as_it_is(tmp_path: Path) -> None:
    with open_table(csv(tmp_path)) as table, open_table(table) as again:
        assert again is table


def test_a_database(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "d.db")) as connection:
        connection.register("frame", FRAME)
        connection.execute("CREATE TABLE people AS SELECT * FROM frame")
    url = f"duckdb:///{tmp_path / 'd.db'}"
    for name in ("people", "main.people"):
        with open_table(url, table=name) as table:
            assert [row for part in read_matrix(table, SCHEMA.columns) for row in part.tolist()] == CODES
    with pytest.raises(ParameterError, match="needs the name of a table"), open_table(url):
        pass
    with pytest.raises(DataError, match="no such database file"), open_table("duckdb:///none.db", table="t"):
        pass


def test_a_missing_column_is_named_and_cells_are_not(tmp_path: Path) -> None:
    with open_table(csv(tmp_path)) as table, pytest.raises(DataError) as caught:
        list(read_matrix(table, (Numeric("weight", (1.0,)),)))
    assert "no column 'weight'; it has " in str(caught.value)
    assert "secret-cell" not in str(caught.value)


@pytest.mark.parametrize("size", [0, 1])
def test_empty_tables_and_single_rows_are_not_errors(size: int, tmp_path: Path) -> None:
    FRAME[:size].to_csv(tmp_path / "few.csv", index=False)
    pyarrow.parquet.write_table(pa.Table.from_pandas(FRAME)[:size], tmp_path / "few.parquet")
    sources = [tmp_path / "few.csv", tmp_path / "few.parquet", FRAME[:size], pl.from_pandas(FRAME[:size])]
    for source in [*sources, pa.Table.from_pandas(FRAME)[:size], ibis.memtable(pa.Table.from_pandas(FRAME)[:size])]:
        with open_table(source) as table:
            assert len(read_records(table, SCHEMA, Unit(), SeededBits(0)).labels) == size
