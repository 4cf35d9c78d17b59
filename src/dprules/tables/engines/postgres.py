"""Tables of PostgreSQL, through its own driver."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from dprules.errors import DataError, ParameterError
from dprules.tables.table import Batch, Table, call_quietly

_ROWS = 50_000
_NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision")


class PostgresTable(Table):
    """A table or view of a PostgreSQL database.

    Parameters
    ----------
    url : str
        postgresql://user@host/database
    table : str
        Its name, also as schema.name.
    """

    __slots__ = ("_connection", "_table", "_types")

    def __init__(self, url: str, table: str) -> None:
        super().__init__(f"table {table}")
        try:
            import psycopg
        except ImportError:
            raise ParameterError("PostgreSQL needs its driver: pip install 'dprules[postgres]'.") from None
        refusal = "the database cannot be reached. Check the URL."
        self._connection: Any = call_quietly(lambda: psycopg.connect(url), refusal)
        # How the server was told to write dates and moments must not change what they are read as.
        call_quietly(lambda: self._connection.execute("SET datestyle TO ISO; SET timezone TO 'UTC'"), refusal)
        self._table = ".".join(_quote(part) for part in table.split("."))
        try:
            self._types = self._describe(table)
        except DataError:
            self.close()
            raise

    def _describe(self, table: str) -> dict[str, str]:
        query = (
            "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute "
            "WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
        )
        refusal = f"the database has no table {table!r} that can be read. Name one with --table, also as schema.name."
        rows = call_quietly(lambda: self._connection.execute(query, (self._table,)).fetchall(), refusal)
        if not rows:
            raise DataError(refusal)
        return {_decode(name): _decode(kind) for name, kind in rows}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._types)

    def kinds(self) -> dict[str, str]:
        """By PostgreSQL's types."""
        return {name: _kind(kind) for name, kind in self._types.items()}

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        texts = ", ".join(self._text(name) for name in names) or "1"
        with self._connection.cursor(name="dprules") as cursor:  # named: the server keeps the rows
            cursor.execute(f"SELECT {texts} FROM {self._table}")
            while rows := cursor.fetchmany(_ROWS):
                columns = list(zip(*rows, strict=True))
                # Bytes: a database without an encoding may hold anything.
                cells = {name: pa.array(column, pa.binary()) for name, column in zip(names, columns, strict=False)}
                yield len(rows), cells

    def _text(self, name: str) -> str:
        """A cell as text; floats by their value and only if they are finite, as in every other source."""
        column = _quote(name)
        if self._types[name] in ("real", "double precision"):
            finite = f"{column} NOT IN ('NaN', 'Infinity', '-Infinity')"
            return f"CASE WHEN {finite} THEN CAST(CAST({column} AS DOUBLE PRECISION) AS TEXT) END"
        return f"CAST({column} AS TEXT)"


def _decode(name: str | bytes) -> str:
    """A database without an encoding hands out bytes."""
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _kind(kind: str) -> str:
    if kind == "boolean":
        return "boolean"
    if kind == "date" or kind.startswith("timestamp"):
        return "date"
    return "numeric" if kind in _NUMBERS else "categorical"
