"""Tables in memory: pandas, Polars, Arrow, whatever speaks Arrow, Ibis tables, and dictionaries of columns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from dprules.errors import DataError
from dprules.tables.cells import Cells, CodedCells
from dprules.tables.table import Batch, Table, call_quietly

_ROWS = 1 << 18
"""Records of a batch."""
_KINDS_OF_NUMPY = {"b": "boolean", "i": "numeric", "u": "numeric", "f": "numeric", "M": "date", "O": "unknown"}
_TYPED = ("pyarrow", "duckdb", "nanoarrow", "arro3", "datafusion")
"""Whose columns have types of their own. Others may infer them from all rows when they are asked for Arrow's."""
_REFUSAL = "X must be a data frame (pandas, Polars or Arrow), an Ibis table, a file or a URL."


def collect_frame(source: Any) -> Any:
    """Return a lazy frame of Polars as the frame that it stands for, also inside narwhals; anything else as it is.

    Its query runs here, once, and its errors, which may quote cells, do not come out.
    """
    if _is_of(source, "narwhals") and hasattr(source, "to_native"):
        source = source.to_native()
    if not _is_of(source, "polars") or not hasattr(source, "collect") or hasattr(source, "iter_columns"):
        return source
    return call_quietly(source.collect, "the query of the lazy frame fails. Collect it first and see why.")


def _is_of(source: Any, *libraries: str) -> bool:
    """Whether an object is of a library, or of a class that was made from one of its own."""
    return any(kind.__module__.split(".")[0] in libraries for kind in type(source).__mro__)


def open_frame(source: Any) -> Table:
    """Take a table in memory by what it can do; none of these libraries is imported."""
    source = collect_frame(source)
    if isinstance(source, Mapping):
        return ColumnsTable(source)
    if _is_of(source, "pandas") and hasattr(source, "columns"):
        return _PandasTable(source)
    if _is_of(source, "polars") and hasattr(source, "iter_columns"):
        return _PolarsTable(source)
    if _is_of(source, "pyspark") and hasattr(source, "mapInArrow"):
        from dprules.tables.engines.spark import SparkTable

        return SparkTable(source)
    if hasattr(source, "to_pyarrow_batches"):
        return _IbisTable(source)
    if isinstance(source, pa.RecordBatch):
        return ArrowTable(pa.Table.from_batches([source]))
    if _is_of(source, *_TYPED) and hasattr(source, "__arrow_c_stream__"):
        return ArrowTable(call_quietly(lambda: pa.table(source), _REFUSAL))
    raise DataError(_REFUSAL)


class ColumnsTable(Table):
    """Columns by name: sequences or NumPy arrays of one length."""

    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, Any], source: str = "the dictionary of columns") -> None:
        super().__init__(source)
        self._columns = columns
        if not all(hasattr(cells, "__len__") and not isinstance(cells, str | bytes) for cells in columns.values()):
            raise DataError(f"{source}: a column is not a list of cells. Give one, such as {{'age': [41, 56]}}.")
        if any(getattr(cells, "ndim", 1) != 1 for cells in columns.values()):
            raise DataError(f"{source}: a column has more than one dimension. Give one cell for each row.")
        if len({len(cells) for cells in columns.values()}) > 1:
            raise DataError(f"{source}: columns have different numbers of rows. Give one cell for each row.")

    @property
    def names(self) -> tuple[str, ...]:
        """The keys."""
        return tuple(self._columns)

    def kinds(self) -> dict[str, str]:
        """Of arrays by their type; of sequences nothing is known."""
        return {name: _kind_of_cells(cells) for name, cells in self._columns.items()}

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        size = len(next(iter(self._columns.values()), ()))
        yield size, {name: self._columns[name] for name in names}


def _kind_of_cells(cells: Any) -> str:
    if isinstance(cells, pa.Array):
        return arrow_kind(cells.type)
    kind = getattr(getattr(cells, "dtype", None), "kind", "O")
    return _KINDS_OF_NUMPY.get(kind, "categorical")


class ArrowTable(Table):
    """An Arrow table."""

    __slots__ = ("_table",)

    def __init__(self, table: pa.Table, source: str = "the data frame") -> None:
        super().__init__(source)
        self._table = table
        _refuse_doubles(table.column_names, source)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._table.column_names)

    def kinds(self) -> dict[str, str]:
        """By the Arrow types."""
        return {field.name: arrow_kind(field.type) for field in self._table.schema}

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        if not names:
            yield self._table.num_rows, {}
            return
        for batch in self._table.select(list(names)).to_batches(max_chunksize=_ROWS):
            yield batch.num_rows, dict(zip(names, batch.columns, strict=True))


class _PandasTable(Table):
    """A pandas frame: each column by its own type, objects as they are."""

    __slots__ = ("_frame", "_names")

    def __init__(self, frame: Any) -> None:
        super().__init__("the data frame")
        self._frame = frame
        self._names = [str(name) for name in frame.columns]
        _refuse_doubles(self._names, "the data frame")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, as text."""
        return tuple(self._names)

    def kinds(self) -> dict[str, str]:
        """By the types of the columns."""
        return {name: _kind_of_pandas(kind) for name, kind in zip(self._names, self._frame.dtypes, strict=True)}

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        place = {name: i for i, name in enumerate(self._names)}
        yield len(self._frame), {name: series_cells(self._frame.iloc[:, place[name]]) for name in names}


def _kind_of_pandas(kind: Any) -> str:
    """Objects may be anything; categories and texts of pandas' own types have kind "O", too."""
    if getattr(kind, "name", "") != "object" and getattr(kind, "kind", "O") == "O":
        return "categorical"
    return _KINDS_OF_NUMPY.get(kind.kind, "categorical")


def series_cells(series: Any) -> Cells:
    """The cells of one column of pandas."""
    kind = series.dtype
    if getattr(kind, "name", "") == "category":
        return CodedCells(np.asarray(series.cat.codes, dtype=np.int64), series.cat.categories.tolist())
    if isinstance(kind, np.dtype) and kind.kind in "biuf":
        cells: Cells = series.to_numpy()
        return cells
    if getattr(kind, "name", "") == "object":
        return series.tolist()
    try:
        converted = pa.array(series, from_pandas=True)
        joined = converted.combine_chunks() if isinstance(converted, pa.ChunkedArray) else converted
    except Exception:  # a cell that Arrow cannot hold: each cell for itself
        return list(series)
    # Periods and intervals are numbers to Arrow; cells of an object column they are not.
    return list(series) if isinstance(joined, pa.ExtensionArray) else joined


class _PolarsTable(Table):
    """A Polars frame: of each column that is asked for the Arrow array, objects as they are."""

    __slots__ = ("_frame",)

    def __init__(self, frame: Any) -> None:
        super().__init__("the data frame")
        self._frame = frame

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._frame.columns)

    def kinds(self) -> dict[str, str]:
        """By the Arrow types that the columns become, without a row."""
        empty = self._frame.head(0)
        return {name: _kind_of_cells(polars_cells(empty[name])) for name in self.names}

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        yield self._frame.height, {name: polars_cells(self._frame[name]) for name in names}


def polars_cells(series: Any) -> Cells:
    """The cells of one column of Polars."""
    if str(series.dtype) == "Object":
        return series.to_list()
    try:
        converted = series.to_arrow()
        return converted.combine_chunks() if isinstance(converted, pa.ChunkedArray) else converted
    except Exception:  # kinds that Arrow does not have, such as 128-bit integers
        return series.to_list()


class _IbisTable(Table):
    """An Ibis expression, read by its own engine."""

    __slots__ = ("_expression",)
    is_query = True

    def __init__(self, expression: Any) -> None:
        super().__init__("the Ibis table")
        self._expression = expression

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._expression.columns)

    def kinds(self) -> dict[str, str]:
        """By Ibis' types."""
        schema = self._expression.schema()
        return {name: _ibis_kind(schema[name]) for name in self.names}

    def _describe_failure(self) -> str:
        return "the engine of the Ibis table stopped answering. Check that it runs, and that the expression runs there."

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        chosen = self._expression.select(*map(self._select, names)) if names else self._expression
        # Not `to_pyarrow_batches`: Ibis 12 calls a method there that DuckDB 2 no longer has.
        for batch in chosen.to_pyarrow().to_batches(max_chunksize=_ROWS):
            yield batch.num_rows, {name: batch.column(name) for name in names}

    def _select(self, name: str) -> Any:
        """Of SQLite, whose columns hold cells of any type, each cell as text: one of them must not stop the others."""
        column = self._expression[name]
        return column.cast("string").name(name) if self._engine == "sqlite" else column

    @property
    def _engine(self) -> str:
        return str(self._expression.get_backend().name)


def _ibis_kind(kind: Any) -> str:
    if kind.is_boolean():
        return "boolean"
    if kind.is_date() or kind.is_timestamp():
        return "date"
    return "numeric" if kind.is_numeric() else "categorical"


def arrow_kind(kind: pa.DataType) -> str:
    """Return the kind of column that an Arrow type suggests."""
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "date"
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return "numeric" if numeric else "categorical"


def _refuse_doubles(names: Sequence[str], source: str) -> None:
    if len(set(names)) < len(names):
        raise DataError(f"{source}: two columns have one name. Rename one.")
