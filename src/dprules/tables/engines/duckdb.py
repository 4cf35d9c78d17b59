"""Tables of DuckDB files."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dprules.signals import hold_signals

with hold_signals():  # an exception while it is loaded would abort the process
    import duckdb

from dprules.errors import DataError, FileError
from dprules.tables.files import require_readable
from dprules.tables.table import Batch, Table, call_quietly

_ROWS = 1 << 16
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")


class DuckDBTable(Table):
    """A table or view of a DuckDB file, opened for reading only.

    Parameters
    ----------
    path : str
        The file.
    table : str
        Its name, also as schema.name.
    scratch : str
        A private folder for what the engine puts aside.
    memory : int or None
        Bytes that the engine may use; None: its own limit.
    """

    __slots__ = ("_connection", "_name", "_table", "_types")

    def __init__(self, path: str, table: str, scratch: str, memory: int | None = None) -> None:
        super().__init__(f"table {table}")
        if not Path(path).is_file():
            raise FileError(
                f"{path}: no such database file. Check the URL: duckdb:///relative.db or duckdb:////absolute.db."
            )
        require_readable(Path(path))
        # Extensions would be fetched from the network at run time; a table of no such name would be a variable of ours.
        options: dict[str, Any] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
            "temp_directory": scratch,
        }
        if memory is not None:
            options["memory_limit"] = f"{memory // 1_000_000}MB"
        self._connection = call_quietly(
            lambda: duckdb.connect(path, read_only=True, config=options), f"{path} is not a DuckDB file."
        )
        with suppress(duckdb.Error):  # without time zones built in, moments are written in UTC anyway
            self._connection.execute("SET TimeZone = 'UTC'")  # the machine's zone must not change what is read
        self._connection.execute("SET arrow_large_buffer_size = true")  # long texts must not stop the others
        self._table = ".".join(_quote(part) for part in table.split("."))
        *folders, name = table.split(".")
        self._name = (name, folders[-1] if folders else "main")
        try:
            described = call_quietly(
                lambda: self._connection.execute(f"DESCRIBE SELECT * FROM {self._table}").fetchall(),
                f"the database has no table {table!r} that can be read. Name one with --table, also as schema.name.",
            )
        except DataError:
            self.close()
            raise
        self._types = {str(row[0]): str(row[1]) for row in described}

    @property
    def is_query(self) -> bool:  # type: ignore[override]
        """A view, or a table with columns that are computed whenever they are read."""
        query = "SELECT sql FROM duckdb_tables() WHERE lower(table_name) = lower(?) AND lower(schema_name) = lower(?)"
        rows = call_quietly(lambda: self._connection.execute(query, self._name).fetchall(), self._describe_failure())
        return len(rows) != 1 or "GENERATED ALWAYS" in str(rows[0][0]).upper()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._types)

    def kinds(self) -> dict[str, str]:
        """By DuckDB's types."""
        return {name: _kind(kind) for name, kind in self._types.items()}

    def _describe_failure(self) -> str:
        return f"DuckDB cannot read {self._source}. Check that its file is whole, and that no other program changes it."

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        cells = ", ".join(self._cell(name) for name in names) or "1"
        reader: Any = self._connection.sql(f"SELECT {cells} FROM {self._table}").to_arrow_reader(_ROWS)
        for batch in reader:
            yield batch.num_rows, dict(zip(names, batch.columns, strict=False))

    def _cell(self, name: str) -> str:
        """A cell as text; floats as doubles and bytes as bytes, which are read as in every other source."""
        column = _quote(name)
        if self._types[name] in ("FLOAT", "DOUBLE"):
            return f"TRY_CAST({column} AS DOUBLE)"  # DuckDB 2.0 writes some powers of two as other numbers
        return column if self._types[name] == "BLOB" else f"TRY_CAST({column} AS VARCHAR)"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _kind(kind: str) -> str:
    if kind == "BOOLEAN":
        return "boolean"
    if kind.startswith(("DATE", "TIMESTAMP")) and not kind.endswith("]"):
        return "date"
    is_number = kind.removeprefix("U").startswith(_NUMBERS) and not kind.endswith("]")
    return "numeric" if is_number else "categorical"
