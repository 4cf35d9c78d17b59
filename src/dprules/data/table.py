"""Tables of every usual kind, read through Ibis; the engine turns cells into codes.

Engines quote data in their own errors: every call that touches rows runs under `quietly`, which raises our own
sentence instead, outside the handler.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import ibis
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dprules.data.columns import Column, text
from dprules.data.csv_files import csv_reader, header, require_utf8
from dprules.data.schema import Label
from dprules.errors import DataError, ParameterError

T = TypeVar("T")
CHUNK = 200
"""Columns in one query: engines choke on expressions with thousands."""
GROUPED = 64
"""Up to so many columns the engine sends each pattern once, with its multiplicity."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One person may have several rows: keep at most `rows` of each, chosen at random in the engine."""

    column: str
    rows: int = 1


class Codes:
    """Cells as codes: private."""

    __slots__ = ("labels", "matrix", "weights")

    def __init__(self, matrix: NDArray[np.int16], labels: NDArray[np.int16], weights: NDArray[np.int64] | None) -> None:
        self.matrix, self.labels, self.weights = matrix, labels, weights

    def __repr__(self) -> str:
        return "<private codes>"


class Table:
    """A table of an engine, with what is public of it: its column names."""

    __slots__ = ("_source", "_stored", "_table")

    def __init__(self, table: ir.Table, source: str, stored: bool = False) -> None:
        self._table, self._source, self._stored = table, source, stored

    def __repr__(self) -> str:
        return f"<table {self._source}>"

    @property
    def _unreadable(self) -> str:
        return f"{self._source} cannot be read. Check that it is a table of the usual kind."

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return tuple(self._table.columns)

    def types(self) -> dict[str, str]:
        """Each column's kind by its engine type: boolean, numeric or categorical."""
        schema = self._table.schema()
        return {name: _kind(schema[name]) for name in self.names}

    def require(self, columns: Sequence[str]) -> None:
        """Refuse a table without these columns."""
        for name in columns:
            if name not in self.names:
                raise DataError(
                    f"{self._source} has no column {name!r}. Check the header, the delimiter and the schema."
                )

    def settled(self, names: Sequence[str]) -> "Table":
        """A copy of these columns (itself, if it is one): only a copy has its rows in one order for several queries."""
        self.require(names)
        if self._stored or not names:
            return self
        copied = quietly(lambda: _copied(self._table.get_backend(), self._table.select(*names)), self._unreadable)
        return Table(copied, self._source, stored=True)

    def bounded(self, unit: Unit, names: Sequence[str]) -> "Table":
        """A copy of these columns with at most so many rows of each unit, chosen at random; none without a unit."""
        self.require([unit.column, *names])
        luck, rank = ibis.util.gen_name("luck"), ibis.util.gen_name("rank")
        engine, kept = self._table.get_backend(), list(dict.fromkeys([unit.column, *names]))

        def chosen() -> ir.Table:
            known = self._table.select(*kept).filter(ibis._[unit.column].notnull())
            shuffled = _copied(engine, known.mutate(**{luck: ibis.random()}))
            order = ibis.row_number().over(ibis.window(group_by=unit.column, order_by=luck))
            return _copied(engine, shuffled.mutate(**{rank: order}).filter(ibis._[rank] < unit.rows).drop(rank, luck))

        return Table(quietly(chosen, self._unreadable), self._source, stored=True)

    def sample_codes(self, columns: Sequence[Column], label: Label) -> Codes:
        """Codes of all rows with a declared label."""
        self.require([label.name, *(column.name for column in columns)])
        target, table = label.column(), self._table
        if len(columns) > GROUPED:
            matrix = self._codes([target, *columns])
            kept = matrix[matrix[:, 0] >= 0]
            return Codes(kept[:, 1:], kept[:, 0], None)
        coded = _coded(table, [target, *columns])
        coded = coded.filter(coded["c0"] >= 0).group_by(coded.columns).aggregate(n=ibis._.count())
        fetched = self._fetch(coded)
        matrix = _stacked(fetched, len(columns) + 1)
        return Codes(matrix[:, 1:], matrix[:, 0], fetched["n"].astype(np.int64))

    def codes(self, columns: Sequence[Column]) -> NDArray[np.int16]:
        """Codes of all rows, in the table's order."""
        self.require([column.name for column in columns])
        if columns:
            return self._codes(columns)
        size = len(self._fetch(self._table.select(rows=ibis.literal(0)))["rows"])
        return np.zeros((size, 0), dtype=np.int16)

    def _codes(self, columns: Sequence[Column]) -> NDArray[np.int16]:
        """Codes in the table's order, so many columns a query, if it takes several, of a copy."""
        if len(columns) <= CHUNK or self._table.get_backend().name != "duckdb":
            return _stacked(self._fetch(_coded(self._table, columns)), len(columns))
        table = self.settled([column.name for column in columns])
        chunks = [columns[start : start + CHUNK] for start in range(0, len(columns), CHUNK)]
        return np.hstack([_stacked(table._fetch(_coded(table._table, chunk)), len(chunk)) for chunk in chunks])

    def numbers(self, name: str) -> NDArray[np.float64]:
        """One numeric column, missing cells left out: private."""
        from dprules.data.columns import as_number

        self.require([name])
        cells = self._fetch(self._table.select(x=as_number(self._table[name])))["x"].astype(np.float64)
        return cells[np.isfinite(cells)]

    def distinct(self, name: str, most: int) -> list[str]:
        """Up to `most` values of a column, most frequent first: only for `values_are_public`."""
        cell = self._table[name].cast("string")
        counted = self._table.select(v=cell).filter(ibis._.v.notnull()).group_by("v").aggregate(n=ibis._.count())
        fetched = self._fetch(counted.order_by([ibis.desc("n"), "v"]).limit(most))
        return [str(value) for value in fetched["v"].tolist()]

    def columns(self, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Whole columns as they are, in the table's order."""
        self.require(names)
        return self._fetch(self._table.select(*names)) if names else {}

    def _fetch(self, expression: ir.Table) -> dict[str, NDArray[Any]]:
        arrow = quietly(expression.to_pyarrow, self._unreadable)
        return {name: arrow.column(name).to_numpy(zero_copy_only=False) for name in arrow.column_names}


def _coded(table: ir.Table, columns: Sequence[Column]) -> ir.Table:
    table = table.select(*{column.name for column in columns})  # expressions over wide tables are slow to build
    return table.select(**{f"c{i}": column.expression(table) for i, column in enumerate(columns)})


def _stacked(fetched: dict[str, NDArray[Any]], columns: int) -> NDArray[np.int16]:
    return np.column_stack([fetched[f"c{i}"] for i in range(columns)]).astype(np.int16)


def _kind(kind: Any) -> str:
    return "boolean" if kind.is_boolean() else "numeric" if kind.is_numeric() else "categorical"


def quietly(call: Callable[[], T], sentence: str) -> T:
    """Run an engine call; if it fails, raise our sentence with nothing of the engine's."""
    try:
        return call()
    except Exception:
        failed = True
    assert failed
    raise DataError(sentence)


@contextmanager
def open_table(source: object, table: str | None = None, delimiter: str | None = None) -> Iterator[Table]:
    """Open a file, a folder, a glob, a database URL, a data frame or an Ibis table.

    Parameters
    ----------
    source: CSV (also .gz), TSV, Parquet; duckdb:///file.db or postgresql://...; pandas, Polars, Arrow; an Ibis table
    table: the table's name in a database, also as schema.name
    delimiter: of a CSV file, if it is not found out
    """
    if isinstance(source, Table):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="dprules-") as spill:  # made with mode 0700
        at = urlsplit(source) if isinstance(source, str) else None
        url = at is not None and at.scheme in ("duckdb", "postgresql", "postgres")
        connection = _database(str(source), spill) if url else _duckdb(spill)
        try:
            yield _named(connection, table) if url else _opened(connection, source, delimiter)
        finally:
            connection.disconnect()


def _duckdb(spill: str, database: str | None = None, read_only: bool = False) -> Any:
    settings = {"autoinstall_known_extensions": False, "autoload_known_extensions": False, "temp_directory": spill}
    return ibis.duckdb.connect(database or ":memory:", read_only=read_only, **settings)


def _opened(connection: Any, source: object, delimiter: str | None) -> Table:
    if isinstance(source, ir.Table):
        return Table(source, "the Ibis table")
    if isinstance(source, str | Path):
        return _file(connection, str(source), delimiter)
    sentence = "X must be a data frame (pandas, Polars or Arrow), a file or a URL."
    made = quietly(lambda: ibis.memtable(as_frame(source)), sentence)
    copied = quietly(lambda: _copied(connection, made), "the data frame cannot be read.")
    return Table(copied, "the data frame", stored=True)


def as_frame(source: Any) -> Any:
    """The frame with columns that have a kind: of pandas, objects become text; empty columns of Arrow, too.

    So no cell decides how others are read, and a column without any value is read like one with some.
    """
    if isinstance(source, pa.Table):
        empty = [f.name for f in source.schema if pa.types.is_null(f.type)]
        for name in empty:
            place = source.schema.get_field_index(name)
            source = source.set_column(place, name, pa.nulls(len(source), pa.string()))
        return source
    if type(source).__module__.split(".")[0] != "pandas" or not hasattr(source, "dtypes"):
        return source
    odd = [name for name in source.columns if source[name].dtype == object or source[name].dtype.name == "category"]
    return source.assign(**{name: source[name].astype(object).map(text).astype("string") for name in odd})


def _database(url: str, spill: str) -> Any:
    """Connect to a database: DuckDB's own files, and others through their own drivers."""
    if not url.startswith("duckdb:"):
        return quietly(lambda: ibis.connect(url), "the database cannot be reached. Check the URL and the driver extra.")
    path = url.removeprefix("duckdb:").removeprefix("//")
    path = path[1:] if path.startswith("/") else path
    if not Path(path).is_file():
        raise DataError(
            f"{path}: no such database file. Check the URL: duckdb:///relative.db or duckdb:////absolute.db."
        )
    return quietly(lambda: _duckdb(spill, path, read_only=True), f"{path} is not a DuckDB file.")


def _named(connection: Any, table: str | None) -> Table:
    if not table:
        raise ParameterError("a database needs the name of a table. Give --table NAME (or table=...).")
    schema, _, name = table.rpartition(".")
    opened = quietly(
        lambda: connection.table(name, database=schema or None),
        f"the database has no table {table!r} that can be read.",
    )
    return Table(opened, f"table {table}")


def _file(connection: Any, path: str, delimiter: str | None) -> Table:
    where = Path(path)
    wildcard = any(mark in path for mark in "*?[") and not where.exists()
    if where.is_dir():
        kinds = [kind for kind in ("parquet", "csv", "csv.gz") if any(where.glob(f"*.{kind}"))]
        if not kinds:
            raise DataError(f"{path}: no CSV or Parquet files in this folder. Name another one.")
        if len(kinds) > 1:
            raise DataError(
                f"{path}: files of several kinds ({', '.join(kinds)}). Name those of one kind, as in '*.csv'."
            )
        return _file(connection, str(where / f"*.{kinds[0]}"), delimiter)
    if not wildcard and not where.exists():
        raise DataError(f"{path}: no such file. Check the name.")
    if wildcard and not list(Path(where.anchor or ".").glob(str(where.relative_to(where.anchor)))):
        raise DataError(f"{path}: no file matches. Check the pattern.")
    if where.suffix in (".parquet", ".pq"):
        return Table(quietly(lambda: connection.read_parquet(path), f"{path} is not a Parquet file."), path)
    files = sorted(Path(where.anchor or ".").glob(str(where.relative_to(where.anchor)))) if wildcard else [where]
    for file in files:
        require_utf8(file)
        if header(file, delimiter) != header(files[0], delimiter):
            raise DataError(f"{file}: its header differs from that of {files[0]}. Give them one header.")
    sentence = f"{path} cannot be read as CSV. Check the delimiter (--delimiter) and that there is a header."
    return Table(quietly(lambda: _appended(connection, files, delimiter), sentence), path, stored=True)


def _appended(connection: Any, files: Sequence[Path], delimiter: str | None) -> ir.Table:
    """One table of the engine with the lines of all files."""
    name = ibis.util.gen_name("dprules")
    for i, file in enumerate(files):
        incoming = csv_reader(file, delimiter)
        connection.con.register("incoming", incoming)
        connection.con.execute(
            f"{'INSERT INTO' if i else 'CREATE TEMP TABLE'} {name} {'' if i else 'AS'} FROM incoming"
        )
        connection.con.unregister("incoming")
    return connection.table(name)


def _copied(connection: Any, source: Any) -> ir.Table:
    return connection.create_table(ibis.util.gen_name("dprules"), source, temp=True)
