"""Exports read cells as the package does: SQL and Python give the answers of `Literal.holds`, whatever is in a cell."""

import datetime
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.models.export import python
from dprules.models.export.sql import ConditionWriter, quote_table
from dprules.schema import Boolean, Categorical, Column, Numeric, Positive, literals_of

from .odd import OBJECTS

COLUMNS: tuple[Column, ...] = (
    Categorical("c", ["a", "b's", "1", "-0.5", "0", "10"], missing_literal=True),
    Categorical("c", ["true", "false"], missing_literal=True),
    Categorical("c", [0, 1], missing_literal=True),
    Categorical("c", ["No", "01", "1.50", "2024-02-29"], missing_literal=True),
    Numeric("c", [-0.5, 0.0, 0.7, 1e15], missing_literal=True),
    Boolean("c", missing_literal=True),
    Positive("c", missing_literal=True),
)
LITERALS = [literal for column in COLUMNS for literal in literals_of(column)]
NUMBERS = ["0.7", "0.70000000000000000000001", "0.69999999999999999999", "6.9e-1", "7E-1", "-.5", "-0.5", "5.", "+.5"]
BEYOND = ["1e99", "1e100", "-1e100", "1e999", "-1e999", "1e-999", "-1e-999", "1e1000", "nan", "inf", "Infinity", "0x1"]
LONG = ["1." + "0" * zeros for zeros in (99, 100, 101, 198, 199)] + ["0" * 199 + "1", "0" * 200 + "1", "9" * 400]
WORDS = ["t.0", "yes.0", "true.0", "TRUE", " True ", "T", "oN", "no", "1.0", "-0", "-0.0", "00", "0.", ".0", "1.00"]
TORN = ["", " ", ".", "-", "e", "1e", "e1", "1e+", "1.2.3", "--1", "+1", "b's", "1\u00a0", "\uff11", " " * 250 + "1"]
CURATED = [*NUMBERS, *BEYOND, *LONG, *WORDS, *TORN]
TEXTS = st.one_of(
    st.text("0019.-+eE tTrRuUyYnNoOfFaAlLsS'\"%_\\\u00a0\uff11\u0660,x\n\t", max_size=8),
    st.floats(allow_nan=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-3, max_value=3).map(str),
)
SOME_TEXTS = st.lists(st.one_of(st.none(), TEXTS), min_size=30, max_size=60)
DATES = [datetime.date(2024, 2, 29), datetime.date(1, 1, 1), None]
DOUBLES = [0.7, 0.1 + 0.2, 0.69999999999999996, -0.0, 0.0, 1.0, 10.0, -0.5, 1e-320, 1e15, 1e16, 1e99, 1e101, None]
NARROW = [float(np.float32(x)) for x in (0.7, 0.69, 0.1, 1.0, 10.0, -0.5, 0.0, 1e30)] + [None]
WHOLE = [0, 1, 10, -1, 2**31 - 1, None]
FRACTIONS = [Decimal("0.700"), Decimal("0.699"), Decimal("1.500"), Decimal("10.000"), Decimal("0.000"), None]


def query(dialect: str) -> str:
    writer = ConditionWriter(dialect)
    asked = ", ".join(f"CASE WHEN {writer.write([literal])} THEN 1 ELSE 0 END" for literal in LITERALS)
    return f"SELECT {asked} FROM {quote_table('t')} ORDER BY i"


QUERIES = {dialect: query(dialect) for dialect in ("duckdb", "sqlite", "postgres")}


def compare(cells: Sequence[object], answers: Sequence[Sequence[Any]]) -> None:
    """Every literal says of every cell what `holds` says."""
    for cell, found in zip(cells, answers, strict=True):
        wanted = [literal.holds({"c": cell}) for literal in LITERALS]
        wrong = [str(literal) for literal, a, b in zip(LITERALS, wanted, found, strict=True) if a != bool(b)]
        assert not wrong, (cell, wrong)


def in_duckdb(connection: duckdb.DuckDBPyConnection, kind: str, cells: Sequence[object]) -> list[tuple[Any, ...]]:
    rows = pa.table({"i": list(range(len(cells))), "v": pa.array(cells)})
    connection.register("given", rows)
    connection.execute(f"CREATE OR REPLACE TABLE t AS SELECT i, CAST(v AS {kind}) AS c FROM given")
    return connection.execute(QUERIES["duckdb"]).fetchall()


def in_sqlite(connection: sqlite3.Connection, kind: str, cells: Sequence[object]) -> list[tuple[Any, ...]]:
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(f"CREATE TABLE t (i INTEGER, c {kind})")
    connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(cells)))
    return connection.execute(QUERIES["sqlite"]).fetchall()


def in_postgres(connection: psycopg.Connection, kind: str, cells: Sequence[object]) -> list[tuple[Any, ...]]:
    connection.prepare_threshold = None  # the table changes under prepared statements
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(f"CREATE TEMPORARY TABLE t (i INTEGER, c {kind})")
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO t VALUES (%s, %s)", list(enumerate(cells)))
    return connection.execute(QUERIES["postgres"]).fetchall()


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def lite() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    yield connection
    connection.close()


def test_odd_texts_in_duckdb(duck: duckdb.DuckDBPyConnection) -> None:
    compare(CURATED, in_duckdb(duck, "VARCHAR", CURATED))


@settings(max_examples=8, deadline=None)
@given(cells=SOME_TEXTS)
def test_texts_in_duckdb(duck: duckdb.DuckDBPyConnection, cells: list[str | None]) -> None:
    compare(cells, in_duckdb(duck, "VARCHAR", cells))


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("BOOLEAN", [True, False, None]),
        ("INTEGER", WHOLE),
        ("HUGEINT", WHOLE),
        ("DOUBLE", DOUBLES),
        ("FLOAT", NARROW),
        ("DECIMAL(10, 3)", FRACTIONS),
        ("DATE", DATES),
    ],
)
def test_types_of_duckdb(duck: duckdb.DuckDBPyConnection, kind: str, cells: list[object]) -> None:
    compare(cells, in_duckdb(duck, kind, cells))


def test_odd_texts_in_sqlite(lite: sqlite3.Connection) -> None:
    compare(CURATED, in_sqlite(lite, "TEXT", CURATED))


@settings(max_examples=20, deadline=None)
@given(cells=SOME_TEXTS)
def test_texts_in_sqlite(lite: sqlite3.Connection, cells: list[str | None]) -> None:
    """Columns are text, as `.import` makes them."""
    compare(cells, in_sqlite(lite, "TEXT", cells))


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("INTEGER", WHOLE),
        ("REAL", DOUBLES),
        ("NUMERIC", ["1.0", "0.70", "10", "-0.5", "0.30000000000000004", "a", ""]),
        ("", [1, 1.0, "1", "1.0", True, 0.7, "0.7", None, b"1", b"a"]),
    ],
)
def test_types_of_sqlite(lite: sqlite3.Connection, kind: str, cells: list[object]) -> None:
    answers = in_sqlite(lite, kind, cells)
    kept = [cell for (cell,) in lite.execute("SELECT c FROM t ORDER BY i")]
    compare(kept, answers)
    if kind != "":  # the affinity of a column changes cells, and no answer
        compare(cells, answers)


def test_texts_and_types_of_postgres(database: psycopg.Connection) -> None:
    compare(CURATED, in_postgres(database, "text", CURATED))
    compare([True, False, None], in_postgres(database, "boolean", [True, False, None]))
    compare(WHOLE, in_postgres(database, "integer", WHOLE))
    compare(FRACTIONS, in_postgres(database, "numeric(10, 3)", FRACTIONS))
    compare(DATES, in_postgres(database, "date", DATES))
    compare(DOUBLES, in_postgres(database, "double precision", DOUBLES))
    compare(NARROW, in_postgres(database, "real", NARROW))
    not_finite = in_postgres(database, "double precision", [float("nan"), float("inf"), -float("inf")])
    compare([None] * 3, not_finite)


@settings(max_examples=20, deadline=None)
@given(cells=SOME_TEXTS)
def test_texts_in_postgres(server: str, cells: list[str | None]) -> None:
    with psycopg.connect(server) as connection:
        compare(cells, in_postgres(connection, "text", cells))


def exported(column: Column) -> list[Callable[[dict[str, object]], object]]:
    """Each literal of a column as a list with one rule, exported as Python and run."""
    made = []
    for literal in literals_of(column):
        names: dict[str, Any] = {}
        exec(python.write_list([((literal,), "yes")], "no", (column,)), names)
        made.append(names["predict"])
    return made


PREDICT = [predict for column in COLUMNS for predict in exported(column)]


@settings(max_examples=150, deadline=None)
@given(
    cell=st.one_of(TEXTS, st.none(), st.booleans(), st.integers(), st.floats(), st.decimals(), st.binary(max_size=4))
)
def test_cells_in_python(cell: object) -> None:
    compare([cell], [[predict({"c": cell}) == "yes" for predict in PREDICT]])


@pytest.mark.parametrize("cell", [*CURATED, *OBJECTS.values()], ids=lambda cell: type(cell).__name__)
def test_odd_cells_in_python(cell: object) -> None:
    compare([cell], [[predict({"c": cell}) == "yes" for predict in PREDICT]])


def test_an_absent_key_is_a_missing_cell_in_python() -> None:
    compare([None], [[predict({}) == "yes" for predict in PREDICT]])
