"""Open whatever users have as a table."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dprules.errors import ParameterError
from dprules.tables.files import open_files
from dprules.tables.frames import open_frame
from dprules.tables.scratch import scratch_folder
from dprules.tables.table import Table

if TYPE_CHECKING:  # engines take a while to load
    from dprules.tables.engines.duckdb import DuckDBTable
    from dprules.tables.engines.postgres import PostgresTable

_DATABASES = ("duckdb", "postgresql", "postgres")


@contextmanager
def open_table(
    source: object,
    table: str | None = None,
    delimiter: str | None = None,
    multiline: bool = False,
    memory: int | None = None,
    master: str | None = None,
) -> Iterator[Table]:
    """Open a file, a folder, a pattern, a database URL, a data frame or an Ibis table.

    Parameters
    ----------
    source : object
        CSV (also .gz), TSV, Parquet; duckdb:///file.db or postgresql://...; pandas, Polars, Arrow, Spark, Ibis; a
        dictionary of columns; or a table that is open already.
    table : str or None
        The table's name in a database, also as schema.name.
    delimiter : str or None
        Of a CSV file, if it is not found in the header.
    multiline : bool
        Whether cells of a CSV file may hold line ends between quotes. Then one record with an odd quote could swallow
        others: the certificate lists as assumed that there is none.
    memory : int or None
        Bytes that an embedded engine may use; None: its own limit.
    master : str or None
        Where Spark runs, which then reads the source: a path, an address or the name of a table.
    """
    if isinstance(source, Table):
        yield source
    elif master is not None:
        with _on_spark(source, master, table, delimiter, multiline) as opened:
            yield opened
    elif isinstance(source, Path) or (isinstance(source, str) and urlsplit(source).scheme not in _DATABASES):
        _refuse_addresses(str(source))
        yield open_files(str(source), delimiter, multiline)
    elif isinstance(source, str):
        if not table:
            raise ParameterError("a database needs the name of a table. Give --table NAME (or table=...).")
        with scratch_folder() as folder, closing(_open_database(source, table, folder, memory)) as database:
            yield database
    else:
        with closing(open_frame(source)) as frame:
            yield frame


def _refuse_addresses(source: str) -> None:
    """Refuse an address that nothing here opens, by its scheme alone: the rest may hold a password."""
    scheme, found, _ = source.partition("://")
    if found and scheme.isascii() and scheme.replace("+", "").replace("-", "").isalnum():
        raise ParameterError(
            f"addresses that begin with {scheme}:// are not read here. Databases are duckdb:///file.db and "
            "postgresql://..., and --engine spark reads what Spark can reach."
        )


def _open_database(url: str, table: str, scratch: str, memory: int | None) -> "DuckDBTable | PostgresTable":
    if not url.startswith("duckdb:"):
        from dprules.tables.engines.postgres import PostgresTable

        return PostgresTable(url, table)
    from dprules.tables.engines.duckdb import DuckDBTable

    path = url.removeprefix("duckdb:").removeprefix("//").removeprefix("/")
    return DuckDBTable(path, table, scratch, memory)


@contextmanager
def _on_spark(
    source: object, master: str, table: str | None, delimiter: str | None, multiline: bool
) -> Iterator[Table]:
    from dprules.tables.engines.spark_session import open_on_spark, spark_session  # Spark is an extra

    if not isinstance(source, str | Path):
        raise ParameterError("Spark reads files and tables of its catalogue. Leave out the engine for a frame.")
    with (
        scratch_folder() as folder,
        spark_session(master, folder) as session,
        closing(open_on_spark(session, str(source), table, delimiter, multiline)) as opened,
    ):
        yield opened
