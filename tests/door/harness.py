"""Every source, with and without one odd record: what the door promises is that the other records stay as they are.

`RECORDS` is a small table with every kind of column. A source builds a table of it as a user would, and its neighbour
with one more record, so that libraries change the types of columns as they do for users. Where a library refuses the
odd cell, or replaces all other cells by something else (Polars makes structs of numbers), there is no such neighbour.
"""

import datetime
import gzip
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet

from dprules.accounting import Unit
from dprules.mechanisms import SeededBits
from dprules.schema import (
    Boolean,
    Categorical,
    Column,
    Date,
    Label,
    Numeric,
    Ordered,
    Positive,
    PrivateCuts,
    PrivateDates,
    Schema,
)
from dprules.tables import open_table, read_records

Record = dict[str, object]
Line = tuple[int, ...]
"""The codes of one record, its class last."""

FIRST = datetime.datetime(2020, 1, 1)
SECOND = datetime.datetime(2021, 6, 30, 12, 30)
LABEL = "y"
RECORDS: list[Record] = [
    {
        "grade": 1 + i % 3,
        "age": 20 + 7 * i,
        "share": (0.7, 0.1, 1.5, 0.69)[i % 4],
        "sex": "fm"[i % 2],
        "smoker": i % 3 == 0,
        "consent": i % 4 == 0,
        "since": (FIRST, SECOND)[i // 2 % 2],
        "dose": i % 5 - 2,
        "born": datetime.date(1950 + 7 * i, 1 + i, 28),
        "seen": (FIRST, SECOND)[i % 2],
        "price": ("0,7", "12", "-1,50", "0.7")[i % 4],
        LABEL: int(i % 4 > 1),
    }
    for i in range(12)
]
LABELS = Label(LABEL, [0, 1])
COLUMNS: tuple[Column, ...] = (
    Categorical("grade", ["1", "2", "3"]),
    Numeric("age", [30, 50, 2**53]),
    PrivateCuts("share", 0, 2, decimal=","),
    Categorical("sex", ["f", "m"]),
    Boolean("smoker"),
    Categorical("consent", ["true", "false"]),
    Categorical("since", [str(FIRST), str(SECOND)]),
    Positive("dose"),
    Date("born", ["1964-03-28", "1985-06-29", "2020-01-01"]),
    PrivateDates("seen", "2019-01-01", "2022-01-01"),
    Numeric("price", [0, 0.7, 12], decimal=","),
)
SCHEMA = Schema(LABELS, COLUMNS)
BOUGHT: dict[str, Ordered] = {
    "share": Numeric("share", [0.1, 0.7, 1.0], bought=True, decimal=","),
    "seen": Date("seen", ["2020-01-01", "2020-01-02"], bought=True),
}
"""The columns whose cuts are private, with cuts as if they had been bought."""
KNOWN = tuple(BOUGHT.get(column.name, column) for column in COLUMNS)
PUBLIC = tuple(replace(BOUGHT[column.name], bought=False) if column.name in BOUGHT else column for column in COLUMNS)
FEATURES = [column.name for column in COLUMNS]


def read_lines(source: object, **options: Any) -> list[Line]:
    """The usable records of a source, in their order, as a learner gets them."""
    with open_table(source, **options) as table:
        records = read_records(table, SCHEMA, Unit(), SeededBits(0))
    codes = [records.codes(column).tolist() for column in KNOWN]
    return list(zip(*codes, records.labels.tolist(), strict=True))


def assert_neighbours(before: Sequence[object], after: Sequence[object]) -> None:
    """The second is the first, in its order, with at most one more record somewhere."""
    if list(after) == list(before):
        return
    assert len(after) == len(before) + 1, f"{len(before)} records became {len(after)}"
    same = next((k for k, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
    assert list(after[same + 1 :]) == list(before[same:]), "one record changed how others are read"


class RefusedError(Exception):
    """The library that makes the frame does not take the cell: there is no such neighbour."""


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Libraries warn when types change, and trip over objects that fail."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.unraisablehook = hook


Build = Callable[[Sequence[Record], Record | None, Path], object]


@dataclass(frozen=True)
class Source:
    """A kind of table: how it is built of records and one more, and how it is opened."""

    build: Build
    options: Mapping[str, Any] = field(default_factory=dict)
    narrow: bool = False
    """Whether it holds 32-bit floats, whose values are not those of the records."""

    def make(self, records: Sequence[Record], odd: Record | None, folder: Path) -> object:
        """Build it, or say that its library refuses."""
        with quiet_libraries():
            try:
                return self.build(records, odd, folder)
            except KeyboardInterrupt:
                raise
            except BaseException:  # some libraries panic
                pass
        raise RefusedError

    def lines(self, odd: Record | None, folder: Path) -> list[Line]:
        """The usable records with the odd one."""
        made = self.make(RECORDS, odd, folder)
        return read_lines(made, **self.options)

    def neighbours(self, cell: object, folder: Path) -> Iterator[list[Line]]:
        """Add a record with an odd cell in every column, or in as many as the library takes; then an odd label."""
        odd = RECORDS[0] | dict.fromkeys(FEATURES, cell)
        try:
            made = self.make(RECORDS, odd, folder)
        except RefusedError:
            yield from self._one_by_one(cell, folder)
        else:
            yield read_lines(made, **self.options)
        try:
            made = self.make(RECORDS, RECORDS[0] | {LABEL: cell}, folder)
        except RefusedError:
            return
        yield read_lines(made, **self.options)

    def _one_by_one(self, cell: object, folder: Path) -> Iterator[list[Line]]:
        for name in FEATURES:
            try:
                made = self.make(RECORDS, RECORDS[0] | {name: cell}, folder)
            except RefusedError:
                continue
            yield read_lines(made, **self.options)


def inserted(records: Sequence[Record], odd: Record | None) -> list[Record]:
    """The records, and the odd one among them."""
    return list(records) if odd is None else [*records[:5], odd, *records[5:]]


def as_columns(records: Sequence[Record]) -> dict[str, list[object]]:
    return {name: [record[name] for record in records] for name in RECORDS[0]}


def as_bytes(cell: object) -> bytes | None:
    """A cell as a file has it; None for objects that no file holds."""
    if isinstance(cell, bytes):
        return cell
    if isinstance(cell, str):
        return str.__str__(cell).encode("utf-8", "surrogatepass")
    if isinstance(cell, int) and abs(cell) > 10**400:
        return b"1" + b"0" * 5000
    if cell is None or isinstance(cell, bool | int | float | np.generic | datetime.date | datetime.time):
        return b"" if cell is None else str(cell).encode()
    raise RefusedError


def csv_line(record: Record, delimiter: bytes) -> bytes:
    return delimiter.join(_quoted(as_bytes(cell) or b"", delimiter) for cell in record.values())


def _quoted(cell: bytes, delimiter: bytes) -> bytes:
    needs = any(mark in cell for mark in (delimiter, b'"', b"\n", b"\r"))
    return b'"' + cell.replace(b'"', b'""') + b'"' if needs else cell


def header(delimiter: bytes) -> bytes:
    return delimiter.join(name.encode() for name in RECORDS[0])


def csv(name: str = "data.csv", delimiter: bytes = b",", end: bytes = b"\n") -> Build:
    def build(records: Sequence[Record], odd: Record | None, folder: Path) -> object:
        lines = [header(delimiter), *(csv_line(record, delimiter) for record in inserted(records, odd))]
        data = b"".join(line + end for line in lines)
        (folder / name).write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
        return folder / name

    return build


def arrow_text(records: Sequence[Record], odd: Record | None, folder: Path) -> pa.Table:
    """Every column text, whether it is UTF-8 or not."""
    columns = {}
    for name, cells in as_columns(inserted(records, odd)).items():
        raw = pa.array([None if cell is None else as_bytes(cell) for cell in cells], pa.binary())
        columns[name] = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers(), raw.null_count)
    return pa.table(columns)


def arrow_typed(records: Sequence[Record], odd: Record | None, folder: Path) -> pa.Table:
    """Columns by the types of the records; the odd one is cast to them, as far as they hold it."""
    base = pa.Table.from_pylist(list(records))
    if odd is None:
        return base
    row = {name: pa.array([odd[name]], from_pandas=False) for name in odd}
    return pa.concat_tables([base, pa.table(row)], promote_options="permissive")


def arrow_inferred(records: Sequence[Record], odd: Record | None, folder: Path) -> pa.Table:
    return pa.Table.from_pylist(inserted(records, odd))


def parquet(table: Build, folders: bool = False) -> Build:
    def build(records: Sequence[Record], odd: Record | None, folder: Path) -> object:
        if not folders:
            pyarrow.parquet.write_table(table(records, odd, folder), folder / "data.parquet")
            return folder / "data.parquet"
        parts = folder / "parts"
        parts.mkdir(exist_ok=True)
        pyarrow.parquet.write_table(table(records[:5], None, folder), parts / "a.parquet")
        pyarrow.parquet.write_table(table(records[5:], odd, folder), parts / "b.parquet")
        return parts

    return build


def pandas_of_list(records: Sequence[Record], odd: Record | None, folder: Path) -> pd.DataFrame:
    return pd.DataFrame(as_columns(inserted(records, odd)))


NUMPY_TYPES = {"grade": "int8", "age": "int64", "share": "float32", "sex": "category", "dose": "float32"}
CATEGORIES = {"grade": "category", "sex": "category", "smoker": "category", "since": "category", LABEL: "category"}


def pandas_joined(change: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame) -> Build:
    """A typed frame, to which a frame of one row is joined."""

    def build(records: Sequence[Record], odd: Record | None, folder: Path) -> object:
        base = change(pd.DataFrame(as_columns(records)))
        if odd is None:
            return base
        return pd.concat([base, pd.DataFrame(as_columns([odd]))], ignore_index=True)

    return build


def pandas_located(records: Sequence[Record], odd: Record | None, folder: Path) -> pd.DataFrame:
    """A frame to which a row is added in place."""
    frame = pd.DataFrame(as_columns(records))
    if odd is not None:
        row: Any = list(odd.values())
        frame.loc[len(frame)] = row
    return frame


def pandas_parquet(records: Sequence[Record], odd: Record | None, folder: Path) -> Path:
    pandas_of_list(records, odd, folder).to_parquet(folder / "pandas.parquet")
    return folder / "pandas.parquet"


def polars_of_list(strict: bool) -> Build:
    def build(records: Sequence[Record], odd: Record | None, folder: Path) -> object:
        return without_structs(pl.DataFrame(as_columns(inserted(records, odd)), strict=strict))

    return build


def without_structs(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame in which numbers have not been made structs, or times numbers."""
    if any(kind.is_nested() for kind in frame.dtypes):
        raise RefusedError
    if any(name in frame.columns and frame[name].dtype.is_numeric() for name in ("since", "born", "seen")):
        raise RefusedError
    return frame


def polars_joined(records: Sequence[Record], odd: Record | None, folder: Path) -> pl.DataFrame:
    base = pl.DataFrame(as_columns(records))
    if odd is None:
        return base
    return without_structs(pl.concat([base, pl.DataFrame(as_columns([odd]))], how="vertical_relaxed"))


def polars_objects(records: Sequence[Record], odd: Record | None, folder: Path) -> pl.DataFrame:
    columns = as_columns(inserted(records, odd)).items()
    return pl.DataFrame([pl.Series(name, cells, dtype=pl.Object) for name, cells in columns])


def polars_categorical(records: Sequence[Record], odd: Record | None, folder: Path) -> pl.DataFrame:
    frame = without_structs(pl.DataFrame(as_columns(inserted(records, odd)), strict=False))
    return frame.with_columns(pl.col("sex").cast(pl.Categorical), pl.col("grade").cast(pl.String).cast(pl.Categorical))


def lists(records: Sequence[Record], odd: Record | None, folder: Path) -> dict[str, list[object]]:
    return as_columns(inserted(records, odd))


def arrays(records: Sequence[Record], odd: Record | None, folder: Path) -> dict[str, Any]:
    return {name: np.array(cells) for name, cells in as_columns(inserted(records, odd)).items()}


def duckdb_table(kinds: str) -> Build:
    """A table whose types stay; of the odd record it takes the cells that they hold."""

    def build(records: Sequence[Record], odd: Record | None, folder: Path) -> object:
        return write_duckdb(kinds, records, [] if odd is None else [odd], folder)

    return build


def write_duckdb(kinds: str, records: Sequence[Record], odd: Sequence[Record], folder: Path) -> str:
    path = folder / "data.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE t ({kinds})")
        connection.register("given", pa.Table.from_pylist(list(records)))
        connection.execute("INSERT INTO t SELECT * FROM given")
        for record in odd:
            connection.execute("INSERT INTO t SELECT * FROM given LIMIT 1")
            changed = [name for name, cell in record.items() if cell is not RECORDS[0][name]]
            for name in changed:
                _update(connection, name, record[name])
    return f"duckdb:///{path}"


def _update(connection: duckdb.DuckDBPyConnection, name: str, cell: object) -> None:
    """Put a cell into the last row, if its column takes it."""
    last = "rowid = (SELECT max(rowid) FROM t)"
    with suppress(Exception):
        connection.execute(f"UPDATE t SET {name} = ? WHERE {last}", [cell])


KINDS = (
    "INT",
    "BIGINT",
    "FLOAT",
    "VARCHAR",
    "BOOLEAN",
    "BOOLEAN",
    "TIMESTAMP",
    "DOUBLE",
    "DATE",
    "TIMESTAMP",
    "VARCHAR",
    "INT",
)
TYPED = ", ".join(f"{name} {kind}" for name, kind in zip(RECORDS[0], KINDS, strict=True))
VARCHARS = ", ".join(f"{name} VARCHAR" for name in RECORDS[0])


def ibis_table(table: Build) -> Build:
    def build(records: Sequence[Record], odd: Record | None, folder: Path) -> object:
        made = ibis.memtable(table(records, odd, folder))
        made.to_pyarrow()  # what Ibis cannot read itself is no table
        return made

    return build


SOURCES: dict[str, Source] = {
    "csv": Source(csv()),
    "csv with semicolons": Source(csv(delimiter=b";")),
    "csv with tabs": Source(csv("data.tsv", b"\t")),
    "csv of another system": Source(csv(end=b"\r\n")),
    "csv compressed": Source(csv("data.csv.gz")),
    "csv with line ends in cells": Source(csv(), {"multiline": True}),
    "parquet": Source(parquet(arrow_inferred)),
    "parquet of texts": Source(parquet(arrow_text)),
    "parquet of promoted types": Source(parquet(arrow_typed)),
    "parquet folder": Source(parquet(arrow_inferred, folders=True)),
    "parquet by pandas": Source(pandas_parquet),
    "arrow": Source(arrow_inferred),
    "arrow of texts": Source(arrow_text),
    "arrow of promoted types": Source(arrow_typed),
    "pandas of lists": Source(pandas_of_list),
    "pandas joined": Source(pandas_joined()),
    "pandas with a row added": Source(pandas_located),
    "pandas with narrow types": Source(pandas_joined(lambda frame: frame.astype(NUMPY_TYPES)), narrow=True),
    "pandas with categories": Source(pandas_joined(lambda frame: frame.astype(CATEGORIES))),
    "pandas with nullable types": Source(pandas_joined(lambda frame: frame.convert_dtypes())),
    "pandas on Arrow": Source(pandas_joined(lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"))),
    "polars": Source(polars_of_list(strict=True)),
    "polars of anything": Source(polars_of_list(strict=False)),
    "polars joined": Source(polars_joined),
    "polars of objects": Source(polars_objects),
    "polars of categories": Source(polars_categorical),
    "lists": Source(lists),
    "numpy arrays": Source(arrays),
    "ibis": Source(ibis_table(arrow_inferred)),
    "ibis on pandas": Source(ibis_table(pandas_of_list)),
}
DATABASES: dict[str, str] = {"duckdb": TYPED, "duckdb of texts": VARCHARS}
"""Tables whose types are declared: no record can change them, so all odd records are read at once."""
