"""What PostgreSQL sends of a cell reads as the cell does: places in the schema against texts, for every type."""

import math
from dataclasses import replace

import psycopg
import pytest

from dprules.accounting import Unit
from dprules.mechanisms import os_bits
from dprules.schema import Boolean, Categorical, Column, Date, Label, Numeric, PrivateCuts, Schema
from dprules.tables import open_table, read_matrix, read_records, read_text_columns
from dprules.tables.engines import postgres, postgres_copy
from dprules.tables.engines.postgres_copy import copy_rows
from dprules.tables.engines.postgres_packing import Packing, write_text

CUTS = (-1e16, -2.5, 0.0, 0.1, 1.0, 2.0**53, 1e99)
NUMBERS = [
    *CUTS,
    *(math.nextafter(cut, -math.inf) for cut in CUTS),
    *(math.nextafter(cut, math.inf) for cut in CUTS),
    *(-0.0, math.nan, math.inf, -math.inf, 1e100, -1e300, 5e-324, None),
]
INTEGERS = [0, 1, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), None]
TEXTS = [
    "a",
    "1",
    "1.0",
    "1.00",
    "01",
    " 1",
    "A",
    "true",
    "TRUE",
    "yes",
    "",
    " ",
    "x'y",
    "b\\c",
    "'; --",
    "é",
    "e\u0301",
    "東京",
    None,
]
COLUMNS: tuple[Column, ...] = (
    Categorical("c", ["a", "1", "x'y", "b\\c", "é", "'; --"]),
    Categorical("c", ["0", "1", "0.1", "-1"]),
    Categorical("c", [str(i) for i in range(60)]),  # more than are compared one by one
    Categorical("c", ["true", "false"]),
    Boolean("c"),
    Numeric("c", CUTS),
    Numeric("c", CUTS, decimal=","),
    Date("c", ["1999-12-31", "2020-02-29"]),
)
DATES = ["1999-12-31", "2000-01-01", "2020-02-29", "0044-03-15 BC", "infinity", "99999-01-01", None]
KINDS = {
    "text": TEXTS,
    "varchar": TEXTS,
    "double precision": NUMBERS,
    "real": [n for n in NUMBERS if n is None or (not 3e38 < abs(n) < math.inf and not 0 < abs(n) < 1e-40)],
    "bigint": INTEGERS,
    "integer": [0, 1, -1, 2**31 - 1, None],
    "smallint": [0, 1, -1, 3, None],
    "numeric": [0, 1, "0.10", "NaN", "1e40", "123456789012345678901234567890.5", None],
    "boolean": [True, False, None],
    "date": DATES,
    "timestamp": DATES,
    "timestamp with time zone": [day for day in DATES if day != "99999-01-01"],
    "json": ['{"a": 1}', "1", None],
    "integer[]": ["{1,2}", None],
    "bytea": [b"a", b"\xff", None],
    "uuid": ["12345678-1234-1234-1234-123456789012", None],
}


def fill(database: psycopg.Connection, kind: str, cells: list, name: str = "c") -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    database.execute(f"CREATE TABLE t ({quoted} {kind}, y text, place integer)")
    with database.cursor() as cursor:
        for place, cell in enumerate(cells):
            cursor.execute(
                f"INSERT INTO t VALUES (%s::text::{kind}, 'p', %s)"
                if not isinstance(cell, bytes)
                else "INSERT INTO t VALUES (%s, 'p', %s)",
                (_written(cell), place),
            )


def _written(cell: object) -> object:
    if isinstance(cell, float):
        return repr(cell)
    return cell if cell is None or isinstance(cell, bytes | str) else str(cell)


@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_is_read_as_its_text_is(kind, database, server):
    fill(database, kind, KINDS[kind])
    place = Numeric("place", range(1, 100))
    for column in COLUMNS:
        schema = Schema(Label("y", ["p", "q"]), (column, place))
        with open_table(server, "t") as table:
            texts = sorted(map(tuple, next(iter(read_matrix(table, [place, column]))).tolist()))
            records = read_records(table, schema, Unit(), os_bits)
        found = sorted(zip(records.codes(place).tolist(), records.codes(column).tolist(), strict=True))
        assert found == texts, column


def test_places_on_a_private_grid(database, server):
    fill(database, "double precision", NUMBERS)
    asked = PrivateCuts("c", 0, 2, step=0.1)
    with open_table(server, "t") as table:
        packed = read_records(table, Schema(Label("y", ["p", "q"]), (asked,)), Unit(), os_bits).grid_counts(asked)
    with open_table({"c": NUMBERS, "y": ["p"] * len(NUMBERS)}) as table:
        local = read_records(table, Schema(Label("y", ["p", "q"]), (asked,)), Unit(), os_bits).grid_counts(asked)
    assert packed.tolist() == local.tolist()


@pytest.mark.parametrize("name", ['odd "name', "a;b", "x'y", "é", "select", " "])
def test_columns_of_any_name(name, database, server):
    fill(database, "text", TEXTS, name)
    column = replace(COLUMNS[0], name=name)
    with open_table(server, "t") as table:
        codes = read_records(table, Schema(Label("y", ["p", "q"]), (column,)), Unit(), os_bits).codes(column)
    assert sorted(codes.tolist()) == sorted(column.code(text) for text in TEXTS)


def test_equal_rows_are_sent_once_where_there_are_many(database, server, monkeypatch):
    database.execute("CREATE TABLE t AS SELECT (i % 3)::text AS c, 'p' AS y FROM generate_series(1, 5000) AS i")
    database.execute("INSERT INTO t VALUES ('1.0', 'p'), ('odd', 'q')")
    database.execute("ANALYZE t")
    column = Categorical("c", ["0", "1", "2"])
    sizes = []
    kept = copy_rows

    def watched(*arguments):
        for rows in kept(*arguments):
            sizes.append(len(rows))
            yield rows

    monkeypatch.setattr(postgres, "copy_rows", watched)
    with open_table(server, "t") as table:
        records = read_records(table, Schema(Label("y", ["p", "q"]), (column,)), Unit(), os_bits)
    assert sizes == [5]  # three values, another form of one, and one that was not foreseen
    assert sorted(records.codes(column).tolist()) == sorted([*[i % 3 for i in range(1, 5001)], 1, -1])
    sample = records.sample(Schema(Label("y", ["p", "q"]), (column,)).literals(), 2)
    assert sample.totals().tolist() == [5001, 1]


def test_a_query_holds_the_schema_and_nothing_else(database, server):
    packing = Packing({"c": "text", "y": "text"}, ["c", "y"], [COLUMNS[0], Label("y", ["p", "q"]).column()])
    query = packing.query('"t"', grouped=False)
    assert query.count("'p'") == 1
    assert write_text("x'y\\") == "E'x\\'y\\\\'"


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_other_encodings(encoding, server):
    """A database without an encoding holds anything; one with another cannot be asked for what it cannot hold."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE odd ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    url = server.rpartition("/")[0] + "/odd"
    odd = b"\xff\xfe" if encoding == "SQL_ASCII" else b"\xc3\xbf"
    column = Categorical("c", ["a", "é", "東京"])
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"SET client_encoding TO '{'SQL_ASCII' if encoding == 'SQL_ASCII' else 'UTF8'}'")
            connection.execute("CREATE TABLE t (c text, y text)")
            with connection.cursor() as cursor, cursor.copy("COPY t FROM STDIN") as copy:
                copy.write(b"a\tp\n" + odd + b"\tp\n\xc3\xa9\tp\n\\N\tp\n")
        with open_table(url, "t") as table:
            codes = read_records(table, Schema(Label("y", ["p", "q"]), (column,)), Unit(), os_bits).codes(column)
        assert sorted(codes.tolist()) == [-1, -1, 0, 1]
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("DROP DATABASE odd")


def codes_of(server, column, unit=None, classes=("p", "q")):
    schema = Schema(Label("y", classes), (column,))
    with open_table(server, "t") as table:
        return read_records(table, schema, unit or Unit(), os_bits).codes(column).tolist()


def test_a_unit_that_is_a_feature_too_is_sent_as_it_is(database, server):
    """Between two cuts there are many persons."""
    database.execute("CREATE TABLE t AS SELECT i AS person, 'p' AS y FROM generate_series(1, 100) AS i")
    assert len(codes_of(server, Numeric("person", (50.0,)), Unit("person", 1))) == 100


def test_a_byte_that_is_no_text_stops_nothing(server):
    """chr(129) is in databases of the encoding WIN1252, and in no other encoding."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE odd ENCODING 'WIN1252' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    url = server.rpartition("/")[0] + "/odd"
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE TABLE t AS SELECT chr(129) AS c, chr(129) AS d, 'p' AS y")
            connection.execute("INSERT INTO t VALUES ('é', 'é', 'p')")
        assert sorted(codes_of(url, Categorical("c", ["é", "да"]))) == [-1, 0]
        assert codes_of(url, Categorical("c", ["да", "нет"])) == [-1, -1]  # none of which it can hold
        with open_table(url, "t") as table:
            assert sorted(map(str, read_text_columns(table, ["d"])[0])) == ["None", "é"]
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("DROP DATABASE odd")


def test_very_long_cells_are_missing(database, server):
    database.execute("CREATE TABLE t AS SELECT repeat('x', 5000000) AS c, 'p' AS y UNION ALL SELECT 'a', 'p'")
    assert sorted(codes_of(server, COLUMNS[0])) == [-1, 0]
    with open_table(server, "t") as table:
        assert sorted(map(str, read_text_columns(table, ["c"])[0])) == ["None", "a"]


def test_a_cast_to_nothing_takes_no_other_row_with_it(database, server):
    database.execute("CREATE TYPE pair AS (a integer, b integer)")
    database.execute("CREATE FUNCTION nothing(pair) RETURNS text LANGUAGE sql AS 'SELECT NULL::text'")
    database.execute("CREATE CAST (pair AS text) WITH FUNCTION nothing(pair)")
    database.execute("CREATE TABLE t (c pair, y text)")
    database.execute("INSERT INTO t VALUES (ROW(1, 2), 'p'), (NULL, 'q'), (ROW(3, 4), 'p')")
    assert codes_of(server, COLUMNS[0]) == [-1, -1, -1]


def test_hundreds_of_columns(database, server):
    columns = ", ".join(f"'a'::text AS c{i}" for i in range(900))
    database.execute(f"CREATE TABLE t AS SELECT {columns}, 'p' AS y")
    schema = Schema(Label("y", ["p", "q"]), tuple(Categorical(f"c{i}", ["a", "b"]) for i in range(900)))
    with open_table(server, "t") as table:
        records = read_records(table, schema, Unit(), os_bits)
    assert all(records.codes(column).tolist() == [0] for column in schema.columns)


def test_floats_are_read_by_their_value(database, server):
    fill(database, "double precision", [1e15, 1e-7, 0.5])
    assert codes_of(server, Categorical("c", ["1000000000000000", "0.5", "1e-07"])) == [0, 2, 1]


def test_what_was_expected_is_forgotten(database, server):
    database.execute("CREATE TABLE t AS SELECT 'a' AS c, 'p' AS y FROM generate_series(1, 1000)")
    database.execute("ANALYZE t")
    with open_table(server, "t") as table:
        read_records(table, Schema(Label("y", ["p", "q"]), (COLUMNS[0],)), Unit(), os_bits)
        assert sum(len(part) for part in read_matrix(table, [COLUMNS[0]])) == 1000


def test_batches_are_bounded_in_bytes(database, server, monkeypatch):
    monkeypatch.setattr(postgres_copy, "MOST_BYTES", 1000)
    database.execute("CREATE TABLE t AS SELECT repeat('x', 300) AS c, 'p' AS y FROM generate_series(1, 20)")
    with open_table(server, "t") as table:
        assert [size for size, _ in table.batches(["c"])] == [3] * 6 + [2]
