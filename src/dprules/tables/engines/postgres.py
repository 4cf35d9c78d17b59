"""Tables of PostgreSQL, through its own driver."""

from collections.abc import Iterator, Sequence
from typing import Any

from dprules.errors import DataError
from dprules.postgres import Deadline, connect, load_driver
from dprules.schema import Column
from dprules.tables.engines.postgres_copy import CopiedRows, copy_rows, read_places, read_plain
from dprules.tables.engines.postgres_packing import Packing, find_codec, quote
from dprules.tables.table import WEIGHTS, Batch, Table, call_quietly

_NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision")
STATEMENT = 60.0
"""Seconds that a question about the table may take."""
SILENCE = 3600.0
"""Seconds without any rows after which a query counts as lost: a server may group a large table for long."""
GROUPED = 8
"""The server groups where there are so many times fewer different rows than rows, at the least."""


class PostgresTable(Table):
    """A table or view of a PostgreSQL database.

    Parameters
    ----------
    url : str
        postgresql://user@host/database
    table : str
        Its name, also as schema.name.
    """

    __slots__ = ("_columns", "_connection", "_deadline", "_encoding", "_groups", "_table", "_types")

    def __init__(self, url: str, table: str) -> None:
        super().__init__(f"table {table}")
        load_driver()
        refusal = "PostgreSQL cannot be reached. Check the URL, and that the server runs."
        self._connection: Any = call_quietly(lambda: connect(url), refusal)
        self._deadline = Deadline(self._connection)
        self._columns: Sequence[Column] = ()
        self._groups = False
        self._table = ".".join(quote(part) for part in table.split("."))
        try:
            with self._deadline.within(STATEMENT):
                call_quietly(self._prepare, refusal)
                self._types = self._describe(table)
        except DataError:
            self.close()
            raise

    def _prepare(self) -> None:
        """How the server was told to write things must not change what they are read as; nothing is written."""
        self._encoding = _decode(self._connection.execute("SHOW server_encoding").fetchone()[0])
        for setting in (
            "SET datestyle TO ISO",
            "SET intervalstyle TO postgres",
            "SET timezone TO 'UTC'",
            "SET extra_float_digits TO 1",
            "SET bytea_output TO hex",
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        ):
            self._connection.execute(setting)
        self._connection.commit()

    def _describe(self, table: str) -> dict[str, str]:
        # A domain is read as the type that it is made from.
        query = (
            "WITH RECURSIVE kinds(name, place, kind) AS ("
            "SELECT attname, attnum, atttypid FROM pg_attribute "
            "WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped "
            "UNION ALL SELECT name, place, typbasetype FROM kinds JOIN pg_type ON oid = kind WHERE typtype = 'd') "
            "SELECT name, format_type(kind, NULL) FROM kinds JOIN pg_type ON oid = kind WHERE typtype <> 'd' "
            "ORDER BY place"
        )
        refusal = f"the database has no table {table!r} that can be read. Name one with --table, also as schema.name."
        rows = call_quietly(lambda: self._connection.execute(query, (self._table,)).fetchall(), refusal)
        if not rows:
            raise DataError(refusal)
        return {_decode(name): _decode(kind) for name, kind in rows}

    @property
    def is_query(self) -> bool:  # type: ignore[override]
        """A view, or a table of another server: neither a table, nor one with partitions or a stored view."""
        query = "SELECT relkind::text FROM pg_class WHERE oid = to_regclass(%s)"
        row = call_quietly(lambda: self._connection.execute(query, (self._table,)).fetchone(), self._describe_failure())
        return row is None or _decode(row[0]) not in ("r", "p", "m")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._types)

    def kinds(self) -> dict[str, str]:
        """By PostgreSQL's types."""
        return {name: _kind(kind) for name, kind in self._types.items()}

    def close(self) -> None:
        """End the connection."""
        self._deadline.close()
        self._connection.close()

    def _describe_failure(self) -> str:
        return (
            f"PostgreSQL stopped answering while {self._source} was read. Check that the server runs and lets you read "
            "the table, and run the command again."
        )

    def expect(self, columns: Sequence[Column], grouped: bool) -> None:
        """Say how cells will be read: the server then sends places in the schema instead of texts."""
        self._columns = tuple(columns)
        self._groups = grouped

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        codec = find_codec(self._encoding)
        packing = Packing(self._types, names, self._columns, codec)
        grouped = self._groups and not packing.plain and packing.most_rows * GROUPED <= self._guess_size()
        statement = packing.query(self._table, grouped).encode(packing.codec)
        # Bytes that are no text in another encoding must not stop the others.
        self._connection.execute(f"SET client_encoding TO '{'UTF8' if codec is None else self._encoding}'")
        batches = copy_rows(self._connection, statement, 2 if grouped else 1 + len(packing.plain))
        for rows in self._timely(batches):
            cells = read_places(packing, rows, 0)
            if grouped:
                yield len(rows), cells | {WEIGHTS: rows.numbers(1, 8)[0]}
                continue
            plain = {name: read_plain(packing, rows, at, name) for at, name in enumerate(packing.plain, 1)}
            yield len(rows), cells | plain

    def _timely(self, batches: Iterator[CopiedRows]) -> Iterator[CopiedRows]:
        """Wait for each batch, but not for ever; the time that its reader takes does not count."""
        while True:
            with self._deadline.within(SILENCE):
                rows = next(batches, None)
            if rows is None:
                return
            yield rows

    def _guess_size(self) -> float:
        """Return about how many rows there are, by the server's own statistics; a view has none."""
        query = "SELECT reltuples FROM pg_class WHERE oid = to_regclass(%s)"
        row = self._connection.execute(query, (self._table,)).fetchone()
        return float(row[0]) if row else 0.0


def _decode(name: str | bytes) -> str:
    """A database without an encoding hands out bytes."""
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name


def _kind(kind: str) -> str:
    if kind == "boolean":
        return "boolean"
    if kind == "date" or kind.startswith("timestamp"):
        return "date"
    return "numeric" if kind in _NUMBERS else "categorical"
