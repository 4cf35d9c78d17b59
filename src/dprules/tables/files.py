"""Tables in files: CSV and Parquet, one or many."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from dprules.errors import DataError, FileError
from dprules.tables.cells import Cells, zone_free
from dprules.tables.csv_files import CsvFile
from dprules.tables.frames import arrow_kind
from dprules.tables.parquet_footers import DecimalType, find_byte_decimals, read_plain_metadata
from dprules.tables.table import HEADER, Batch, Part, Table, call_quietly
from dprules.tables.tokens import TokenizedLines

_ROWS = 1 << 16
_DATABASES = (".db", ".duckdb", ".ddb")
PARQUET = (".parquet", ".pq")


class CsvTable(Table):
    """CSV files with one header: every cell is text."""

    __slots__ = ("_files", "_multiline")
    naming = HEADER
    named_by_first_line = True

    def __init__(self, paths: Sequence[Path], delimiter: str | None, multiline: bool) -> None:
        super().__init__(str(paths[0]) if len(paths) == 1 else f"{paths[0].parent} ({len(paths)} files)")
        self._files = [CsvFile(path, delimiter, multiline) for path in paths]
        self._multiline = multiline
        for path, file in zip(paths, self._files, strict=True):
            if file.names != self._files[0].names:
                raise DataError(f"{path}: its header differs from that of {paths[0]}. Give them one header.")

    @property
    def assumes_balanced_quotes(self) -> bool:  # type: ignore[override]
        """With line ends inside quotes."""
        return self._multiline

    @property
    def names(self) -> tuple[str, ...]:
        """The header."""
        return self._files[0].names

    @property
    def left_out(self) -> int:  # type: ignore[override]
        """Lines that the last reading left out; with line ends inside cells they cannot be counted."""
        return 0 if self._multiline else sum(file.left_out for file in self._files)

    def kinds(self) -> dict[str, str]:
        """Nothing is known: a CSV file has no types."""
        return dict.fromkeys(self.names, "unknown")

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        return (part() for part in self._parts(names))

    def _parts(self, names: Sequence[str]) -> Iterator[Part]:
        for file in self._files:
            for find in file.parts(names):
                yield _part(find, names)


def _part(find: Callable[[], TokenizedLines], names: Sequence[str]) -> Part:
    def find_columns() -> Batch:
        lines = find()
        return len(lines), {name: lines.column(slot) for slot, name in enumerate(names)}

    return find_columns


class ParquetTable(Table):
    """Parquet files: each column by the type that its own file has it in."""

    __slots__ = ("_kinds", "_paths", "_types")

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(str(paths[0]) if len(paths) == 1 else f"{paths[0].parent} ({len(paths)} files)")
        self._paths = paths
        schemas = [_read_schema(path) for path in paths]
        self._types = {field.name: field.type for field in schemas[0]}
        self._kinds = {name: arrow_kind(kind) for name, kind in self._types.items()}
        for path, schema in zip(paths, schemas, strict=True):
            if set(schema.names) != set(self._kinds):
                raise DataError(f"{path}: its columns differ from those of {paths[0]}. Give them the same ones.")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the first file."""
        return tuple(self._kinds)

    def kinds(self) -> dict[str, str]:
        """By the types of the first file."""
        return dict(self._kinds)

    def types(self) -> dict[str, pa.DataType]:
        """Return Arrow's types of the columns of the first file."""
        return dict(self._types)

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        for path in self._paths:
            yield from _read_batches(path, names)


def _read_batches(path: Path, names: Sequence[str]) -> Iterator[Batch]:
    """Return the rows of one Parquet file, some at a time: a row group is not held as a whole."""
    from pyarrow.parquet import ParquetFile

    # Cells with parts have no value. They are not read, since one of their parts could stop Arrow.
    schema = _read_schema(path)
    flat = [name for name in names if not pa.types.is_nested(schema.field(name).type)]
    with ParquetFile(path) as file:
        decimals = find_byte_decimals(file.schema)
    metadata = read_plain_metadata(path, decimals) if decimals.keys() & set(flat) else None
    read = 0
    # A text that repeats is decoded and read once; but Arrow's dictionaries end at 2 GiB: then each by itself.
    for texts in (_texts(schema), []):
        try:
            options = {"read_dictionary": texts, "coerce_int96_timestamp_unit": "us", "pre_buffer": False}
            with ParquetFile(path, metadata=metadata, **options) as file:
                start = 0
                for batch in file.iter_batches(batch_size=_ROWS, columns=flat):
                    fresh = batch.slice(max(0, read - start))
                    start += batch.num_rows
                    read = max(read, start)
                    if fresh.num_rows:
                        yield fresh.num_rows, _cells_of(fresh, names, decimals)
            return
        except pa.ArrowCapacityError:
            if not texts:
                raise


def _cells_of(batch: pa.RecordBatch, names: Sequence[str], decimals: Mapping[str, DecimalType]) -> dict[str, Cells]:
    read = set(batch.schema.names)
    cells: dict[str, Cells] = {}
    for name in names:
        if name not in read:
            cells[name] = pa.nulls(batch.num_rows)
        elif name in decimals:
            cells[name] = decimals[name].read_all(batch.column(name))
        else:
            cells[name] = zone_free(batch.column(name))
    return cells


def require_readable(path: Path) -> None:
    """Refuse a file that this account may not read."""
    if path.is_file() and not os.access(path, os.R_OK):
        raise FileError(f"{path}: permission denied. Ask for the right to read it.")


def _read_schema(path: Path) -> Any:
    require_readable(path)
    from pyarrow.parquet import read_schema  # not needed for CSV

    return call_quietly(lambda: read_schema(path), f"{path} is not a Parquet file.")


def _texts(schema: pa.Schema) -> list[str]:
    """Return the columns of text of one file."""
    return [field.name for field in schema if field.type in (pa.string(), pa.large_string())]


def open_files(path: str, delimiter: str | None, multiline: bool) -> Table:
    """Open a file, a folder or a pattern."""
    paths = find_files(path)
    for file in paths:
        if not file.is_file():
            raise FileError(f"{file} is a pipe, a device or a folder, and tables are read more than once. Name a file.")
        if file.suffix.lower() in _DATABASES:
            raise DataError(f"{file} looks like a database. Write duckdb:///{file} and name a table with --table.")
    if all(file.suffix.lower() in PARQUET for file in paths):
        return ParquetTable(paths)
    return CsvTable(paths, delimiter, multiline)


def find_files(path: str) -> list[Path]:
    """Return the files that a path, a folder or a pattern stands for, of one kind."""
    where = Path(path)
    if where.is_dir():
        return _in_folder(where)
    if where.exists():
        return [where]
    if not any(mark in path for mark in "*?["):
        raise FileError(f"{path}: no such file. Check the name.")
    found = sorted(Path(where.anchor or ".").glob(str(where.relative_to(where.anchor))))
    if not found:
        raise FileError(f"{path}: no file matches. Check the pattern.")
    return found


def _in_folder(folder: Path) -> list[Path]:
    kinds = {kind: sorted(folder.glob(f"*.{kind}")) for kind in ("parquet", "pq", "csv", "csv.gz", "tsv")}
    present = [kind for kind, files in kinds.items() if files]
    if not present:
        raise DataError(f"{folder}: no CSV or Parquet files in this folder. Name another one.")
    if len(present) > 1:
        raise DataError(
            f"{folder}: files of several kinds ({', '.join(present)}). Name those of one kind, as in '*.csv'."
        )
    return kinds[present[0]]
