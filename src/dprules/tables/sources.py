"""Open whatever users have as a table."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from dprules.errors import ParameterError
from dprules.tables.engines.duckdb import DuckDBTable
from dprules.tables.engines.postgres import PostgresTable
from dprules.tables.files import open_files
from dprules.tables.frames import open_frame
from dprules.tables.scratch import scratch_folder
from dprules.tables.table import Table

_DATABASES = ("duckdb", "postgresql", "postgres")


@contextmanager
def open_table(
    source: object, table: str | None = None, delimiter: str | None = None, multiline: bool = False
) -> Iterator[Table]:
    """Open a file, a folder, a pattern, a database URL, a data frame or an Ibis table.

    Parameters
    ----------
    source : object
        CSV (also .gz), TSV, Parquet; duckdb:///file.db or postgresql://...; pandas, Polars, Arrow, Ibis; a dictionary
        of columns; or a table that is open already.
    table : str or None
        The table's name in a database, also as schema.name.
    delimiter : str or None
        Of a CSV file, if it is not found in the header.
    multiline : bool
        Whether cells of a CSV file may hold line ends between quotes. Then one record with an odd quote could swallow
        others: the certificate lists as assumed that there is none.
    """
    if isinstance(source, Table):
        yield source
    elif isinstance(source, Path) or (isinstance(source, str) and urlsplit(source).scheme not in _DATABASES):
        yield open_files(str(source), delimiter, multiline)
    elif isinstance(source, str):
        if not table:
            raise ParameterError("a database needs the name of a table. Give --table NAME (or table=...).")
        with scratch_folder() as folder:
            opened = _open_database(source, table, folder)
            try:
                yield opened
            finally:
                opened.close()
    else:
        yield open_frame(source)


def _open_database(url: str, table: str, scratch: str) -> DuckDBTable | PostgresTable:
    if not url.startswith("duckdb:"):
        return PostgresTable(url, table)
    path = url.removeprefix("duckdb:").removeprefix("//").removeprefix("/")
    return DuckDBTable(path, table, scratch)
