"""Exports read cells as the package does: SQL and Python give the answers of `Literal.holds`, whatever is in a cell."""

import csv
import datetime
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.models import Rule, RuleList
from dprules.schema import Boolean, Categorical, Column, Date, Numeric, Positive, literals_of

from .odd import OBJECTS

COLUMNS: tuple[Column, ...] = (
    Categorical("c", ["a", "b's", "1", "-0.5", "0", "10"], missing_literal=True),
    Categorical("c", ["true", "false"], missing_literal=True),
    Categorical("c", [0, 1], missing_literal=True),
    Categorical("c", ["No", "01", "1.50", "2024-02-29", "nan", "1e-05", "2024-02-29 01:02:03.5"], missing_literal=True),
    Categorical("c", [0.1, 0.3, 0.7, 1e7, 1e15], missing_literal=True),
    Numeric("c", [-0.5, 0.0, 0.7, 1e15], missing_literal=True),
    Numeric("c", [-0.5, 1.5], decimal=",", missing_literal=True),
    Date("c", ["1999-12-31", "2024-02-29"], missing_literal=True),
    Boolean("c", missing_literal=True),
    Positive("c", missing_literal=True),
)
LITERALS = [literal for column in COLUMNS for literal in literals_of(column)]
NUMBERS = ["0.7", "0.70000000000000000000001", "0.69999999999999999999", "6.9e-1", "7E-1", "-.5", "-0.5", "5.", "+.5"]
BEYOND = ["1e99", "1e100", "-1e100", "1e999", "-1e999", "1e-999", "-1e-999", "1e1000", "nan", "inf", "Infinity", "0x1"]
LONG = ["1." + "0" * zeros for zeros in (99, 100, 101, 198, 199)] + ["0" * 199 + "1", "0" * 200 + "1", "9" * 400]
WORDS = ["t.0", "yes.0", "true.0", "TRUE", " True ", "T", "oN", "no", "1.0", "-0", "-0.0", "00", "0.", ".0", "1.00"]
COMMAS = ["1,5", "-0,5", "1,5,0", "1.5,0", "1,5e0", ",5", "5,", ","]
DAYS = ["2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "0000-01-01", "0001-01-01", "2024-13-01", "2024-04-31"]
DAYS += ["1999-12-31T23:59:59Z", "2024-02-29 01:02:03.500", "2024-02-29 01", " 2024-03-01 ", "2024-03-01x", "2024-3-01"]
DAYS += [
    "9999-12-31",
    "2024-02-28 24:61:99+99",
    "2024-02-29 01:02:03.5",
    "2024-02-29 01:02\n",
    "2024-02-29\n",
    "12024-02-29",
]
NULS = ["1\0", "\0", "a\0", "1\x002", "2024-02-29\0", "true\0"]
TORN = [
    "1\n",
    "1\r\n",
    "1e-05",
    "1e-05.0",
    "",
    " ",
    ".",
    "-",
    "e",
    "1e",
    "e1",
    "1e+",
    "1.2.3",
    "--1",
    "+1",
    "b's",
    "1\u00a0",
    "\uff11",
    " " * 250 + "1",
]
CURATED = [*NUMBERS, *BEYOND, *LONG, *WORDS, *TORN, *COMMAS, *DAYS]
TEXTS = st.one_of(
    st.text("0019.-+eE tTrRuUyYnNoOfFaAlLsS'\"%_\\\u00a0\uff11\u0660,x\n\t", max_size=8),
    st.floats(allow_nan=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-3, max_value=3).map(str),
)
SOME_TEXTS = st.lists(st.one_of(st.none(), TEXTS), min_size=30, max_size=60)
MOMENTS = [datetime.datetime(2024, 2, 29, 1, 2, 3, 500_000), datetime.datetime(1999, 12, 31), None]
DATES = [datetime.date(2024, 2, 29), datetime.date(1, 1, 1), None]
DOUBLES = [
    0.7,
    0.1 + 0.2,
    0.69999999999999996,
    -0.0,
    0.0,
    1.0,
    10.0,
    -0.5,
    1e-320,
    1e-5,
    0.1,
    0.3,
    1e7,
    1e15,
    1e16,
    1e99,
    1e101,
    None,
]
NARROW = [float(np.float32(x)) for x in (0.7, 0.69, 0.1, 1.0, 10.0, -0.5, 0.0, 1e30)] + [None]
WHOLE = [0, 1, 10, -1, 2**31 - 1, None]
FRACTIONS = [Decimal("0.700"), Decimal("0.699"), Decimal("1.500"), Decimal("10.000"), Decimal("0.000"), None]


LISTS = [RuleList((Rule((literal,), 1),), 0, (0, 1)) for literal in LITERALS]
QUERIES = {
    dialect: [f"SELECT prediction FROM (\n{one.to_sql('t', dialect)}\n) AS q ORDER BY i" for one in LISTS]
    for dialect in ("duckdb", "sqlite", "postgres")
}


def compare(cells: Sequence[object], answers: Sequence[Sequence[Any]]) -> None:
    """Every literal says of every cell what `holds` says."""
    for cell, found in zip(cells, answers, strict=True):
        wanted = [literal.holds({"c": cell}) for literal in LITERALS]
        wrong = [str(literal) for literal, a, b in zip(LITERALS, wanted, found, strict=True) if a != bool(b)]
        assert not wrong, (cell, wrong)


def in_duckdb(connection: duckdb.DuckDBPyConnection, kind: str, cells: Sequence[object]) -> list[tuple[Any, ...]]:
    rows = pa.table({"i": list(range(len(cells))), "v": pa.array(cells)})
    connection.register("given", rows)
    connection.execute(f"CREATE OR REPLACE TABLE t (i INTEGER, c {kind})")
    connection.execute("INSERT INTO t SELECT i, v FROM given")
    return _answers([connection.execute(query).fetchall() for query in QUERIES["duckdb"]])


def in_sqlite(connection: sqlite3.Connection, kind: str, cells: Sequence[object]) -> list[tuple[Any, ...]]:
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(f"CREATE TABLE t (i INTEGER, c {kind})")
    connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(cells)))
    return _answers([connection.execute(query).fetchall() for query in QUERIES["sqlite"]])


def in_postgres(connection: psycopg.Connection, kind: str, cells: Sequence[object]) -> list[tuple[Any, ...]]:
    connection.prepare_threshold = None  # the table changes under prepared statements
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(f"CREATE TEMPORARY TABLE t (i INTEGER, c {kind})")
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO t VALUES (%s, %s)", list(enumerate(cells)))
    return _answers([connection.execute(query.encode()).fetchall() for query in QUERIES["postgres"]])


def _answers(columns: list[list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    """What the queries say, row by row."""
    return list(zip(*([answer for (answer,) in rows] for rows in columns), strict=True))


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
        ("TIMESTAMP", MOMENTS),
    ],
)
def test_types_of_duckdb(duck: duckdb.DuckDBPyConnection, kind: str, cells: list[object]) -> None:
    compare(cells, in_duckdb(duck, kind, cells))


def test_odd_texts_in_sqlite(lite: sqlite3.Connection) -> None:
    compare([*CURATED, *NULS], in_sqlite(lite, "TEXT", [*CURATED, *NULS]))


def test_columns_that_ignore_case(duck: duckdb.DuckDBPyConnection, lite: sqlite3.Connection) -> None:
    cells = [*WORDS, "A", "a", "B's", "no", "NO", "NaN"]
    compare(cells, in_duckdb(duck, "VARCHAR COLLATE NOCASE", cells))
    compare(cells, in_sqlite(lite, "TEXT COLLATE NOCASE", cells))
    compare(cells, in_sqlite(lite, "TEXT COLLATE RTRIM", [*cells]))


def test_a_file_that_the_sqlite_shell_has_imported(tmp_path: Path) -> None:
    """The shell makes every column text, and empty cells empty texts."""
    shell = shutil.which("sqlite3") or pytest.skip("needs the sqlite3 shell: install the package sqlite3")
    cells = [cell for cell in CURATED if cell.isprintable()]
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("i", "c"), *enumerate(cells)])
    subprocess.run([shell, "t.db"], input=".mode csv\n.import t.csv t\n", text=True, check=True, cwd=tmp_path)
    connection = sqlite3.connect(tmp_path / "t.db")
    queries = [query.replace("ORDER BY i", "ORDER BY CAST(i AS INTEGER)") for query in QUERIES["sqlite"]]
    answers = _answers([connection.execute(query).fetchall() for query in queries])
    connection.close()
    compare(cells, answers)


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
    compare(MOMENTS, in_postgres(database, "timestamp", MOMENTS))
    cases = [*WORDS, "A", "a", "no", "NO"]
    database.execute("CREATE COLLATION ignoring (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    compare(cases, in_postgres(database, "text COLLATE ignoring", cases))
    compare(DOUBLES, in_postgres(database, "double precision", DOUBLES))
    compare(NARROW, in_postgres(database, "real", NARROW))
    not_finite = in_postgres(database, "double precision", [float("nan"), float("inf"), -float("inf")])
    compare([None] * 3, not_finite)


@settings(max_examples=20, deadline=None)
@given(cells=SOME_TEXTS)
def test_texts_in_postgres(server: str, cells: list[str | None]) -> None:
    with psycopg.connect(server) as connection:
        compare(cells, in_postgres(connection, "text", cells))


WHOLE_LISTS = [
    RuleList(tuple(Rule((literal,), k) for k, literal in enumerate(asked)), len(asked), tuple(range(len(asked) + 1)))
    for column in COLUMNS
    for asked in [literals_of(column)]
]
"""A list for each column that tells apart how its cells are read: Spark takes its time over a query."""


def compare_in_spark(session: Any, kind: str, cells: Sequence[object], read_as: Sequence[object] | None = None) -> None:
    rows = session.createDataFrame(list(enumerate(cells)), f"i int, c {kind}")
    rows.createOrReplaceTempView("t")
    each = [
        f"SELECT {k} AS k, i, prediction FROM (\n{rules.to_sql('t', 'spark')}\n)" for k, rules in enumerate(WHOLE_LISTS)
    ]
    found = {(k, i): answer for k, i, answer in session.sql("\nUNION ALL\n".join(each)).collect()}
    for k, rules in enumerate(WHOLE_LISTS):
        wanted = rules.predict([{"c": cell} for cell in read_as or cells]).tolist()
        wrong = [
            (cell, answer) for i, (cell, answer) in enumerate(zip(cells, wanted, strict=True)) if found[k, i] != answer
        ]
        assert not wrong, (str(rules), wrong)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # py4j's
@pytest.mark.slow
def test_texts_and_types_of_spark(spark: Any) -> None:
    compare_in_spark(spark, "string", [*CURATED, *NULS])
    compare_in_spark(spark, "boolean", [True, False, None])
    compare_in_spark(spark, "int", WHOLE)
    compare_in_spark(spark, "decimal(38, 18)", FRACTIONS)
    compare_in_spark(spark, "date", DATES)
    compare_in_spark(spark, "timestamp_ntz", MOMENTS)
    compare_in_spark(spark, "double", DOUBLES)
    compare_in_spark(spark, "float", NARROW)
    compare_in_spark(spark, "double", [float("nan"), float("inf"), -float("inf")], [None] * 3)


def exported(column: Column) -> list[Callable[[dict[str, object]], object]]:
    """Each literal of a column as a list with one rule, exported as Python and run."""
    made = []
    for literal in literals_of(column):
        names: dict[str, Any] = {}
        exec(RuleList((Rule((literal,), "yes"),), "no", ("no", "yes")).to_python(), names)
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
