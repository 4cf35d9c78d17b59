"""Tables on a real PostgreSQL server."""

import os
import signal

import numpy as np
import psycopg
import pytest

from dprules.accounting import Unit
from dprules.errors import DataError
from dprules.mechanisms import SeededBits
from dprules.schema import Boolean, Categorical, Label, Numeric, Schema
from dprules.schema.cells import read_date
from dprules.tables import open_table, read_matrix, read_records, read_text_columns
from dprules.tables.engines import postgres

NUMBERS = ["20", "31.5", " 4e1 ", "secret-cell", None, "1e999", "inf", "", "0x10"]
CODES = [0, 1, 1, -1, -1, -1, -1, -1, -1]
COLUMNS = (Numeric("age", (40.0,)), Numeric("weight", (30.0,)), Categorical("sex", ("f", "m")), Boolean("smoker"))
SCHEMA = Schema(Label("y", ("a", "b")), COLUMNS)


@pytest.fixture
def stays(database: psycopg.Connection) -> psycopg.Connection:
    database.execute("CREATE TABLE stays (person int, age float8, weight text, sex text, smoker boolean, y text)")
    random = np.random.default_rng(0)
    rows = [
        (i % 100, float(random.integers(20, 80)), NUMBERS[i % len(NUMBERS)], "fmx"[i % 3], i % 2 == 0, "ab"[i % 2])
        for i in range(400)
    ]
    with database.cursor() as cursor:
        cursor.executemany("INSERT INTO stays VALUES (%s, %s, %s, %s, %s, %s)", rows)
    return database


def test_a_table_gives_the_same_codes_as_the_reader_of_cells(server: str, stays: psycopg.Connection) -> None:
    rows = stays.execute("SELECT age, weight, sex, smoker, y FROM stays").fetchall()
    expected = [[column.code(cell) for column, cell in zip(COLUMNS, row, strict=False)] for row in rows]
    with open_table(server, table="public.stays") as table:
        codes = np.concatenate(list(read_matrix(table, COLUMNS)))
        assert codes.tolist() == expected
        assert codes[: len(NUMBERS), 1].tolist() == CODES
        assert len(read_records(table, SCHEMA, Unit(), SeededBits(0)).labels) == len(rows)
        assert table.kinds() == {
            "person": "numeric",
            "age": "numeric",
            "weight": "categorical",
            "sex": "categorical",
            "smoker": "boolean",
            "y": "categorical",
        }


def test_at_most_so_many_rows_of_a_unit(server: str, stays: psycopg.Connection) -> None:
    with open_table(server, table="stays") as table:
        assert len(read_records(table, SCHEMA, Unit("person", 2), SeededBits(0)).labels) == 200


def test_cells_of_every_type_as_text(server: str, database: psycopg.Connection) -> None:
    database.execute(
        "CREATE TABLE t (b boolean, i bigint, n numeric(5, 2), f real, x double precision, s varchar, day date, "
        "l int[], k bytea, j jsonb)"
    )
    database.execute("""INSERT INTO t VALUES (true, -1, 1.50, 0.7, 0.1, 'a', '2020-01-01', '{1}', 'a', '{"a": 1}')""")
    database.execute("INSERT INTO t (f, x) VALUES ('NaN', 'Infinity')")
    with open_table(server, table="t") as table:
        cells = dict(zip(table.names, read_text_columns(table, table.names), strict=True))
    first = {name: column[0] for name, column in cells.items()}
    assert [first[name] for name in "binxs"] == ["true", "-1", "1.50", "0.1", "a"]
    assert first["f"] == repr(float(np.float32(0.7)))
    assert first["day"] == "2020-01-01"
    assert all(column[1] is None for column in cells.values())


def test_domains_and_bytes(server: str, database: psycopg.Connection) -> None:
    """A domain is read as what it is made from, a float by its value; bytes are text, as in every other source."""
    database.execute("CREATE DOMAIN weight AS real; CREATE DOMAIN height AS weight")
    database.execute("CREATE TABLE t (w height, k bytea)")
    database.execute("INSERT INTO t VALUES (0.7, %s), (0.75, %s), (NULL, NULL)", ("ä".encode(), b"\xff"))
    with open_table(server, table="t") as table:
        assert table.kinds() == {"w": "numeric", "k": "categorical"}
        codes = np.concatenate(list(read_matrix(table, [Numeric("w", (0.7, 0.72)), Categorical("k", ("ä", "b"))])))
    assert codes.tolist() == [[0, 0], [2, -1], [-1, -1]]


def test_a_database_without_an_encoding_may_hold_any_bytes(server: str, database: psycopg.Connection) -> None:
    """A cell that is not UTF-8 is missing, and the fit goes on."""
    database.execute("DROP DATABASE IF EXISTS bytes")
    database.execute("CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    url = server.replace("/postgres", "/bytes")
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("CREATE TABLE t (s text)")
        other.execute(rb"INSERT INTO t VALUES ('a'), (E'\xff'), ('b')")
    with open_table(url, table="t") as table:
        assert read_text_columns(table, ["s"]) == [["a", None, "b"]]
    database.execute("DROP DATABASE bytes")


def test_what_cannot_be_reached_is_told_without_the_server_s_words(server: str, stays: psycopg.Connection) -> None:
    with (
        pytest.raises(DataError, match=r"has no table 'none' that can be read. Name one with --table") as caught,
        open_table(server, table="none"),
    ):
        pass
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    url = "postgresql://u:secret@127.0.0.1:1/x"
    with pytest.raises(DataError, match="cannot be reached") as caught, open_table(url, table="t"):
        pass
    assert "secret" not in str(caught.value)
    stays.execute("CREATE VIEW v AS SELECT CAST(weight AS int) AS a FROM stays")
    with open_table(server, table="v") as table, pytest.raises(DataError, match="PostgreSQL stopped") as caught:
        read_text_columns(table, ["a"])
    assert "secret-cell" not in str(caught.value)
    assert caught.value.__context__ is None


def test_settings_of_the_server_change_no_date(server: str, database: psycopg.Connection) -> None:
    database.execute("CREATE TABLE moments (d date, m timestamptz)")
    database.execute("INSERT INTO moments VALUES ('2024-03-01', '2024-03-01 02:00:00+00')")
    for setting in ("datestyle TO 'German'", "timezone TO 'America/New_York'"):
        database.execute(f"ALTER ROLE CURRENT_USER SET {setting}")
    try:
        with open_table(server, table="moments") as table:
            assert table.kinds() == {"d": "date", "m": "date"}
            texts = [column[0] for column in read_text_columns(table, ["d", "m"])]
        assert [read_date(text) for text in texts] == ["2024-03-01", "2024-03-01"]
    finally:
        database.execute("ALTER ROLE CURRENT_USER RESET ALL")


def test_what_is_computed_when_it_is_read_is_known(server: str, stays: psycopg.Connection) -> None:
    stays.execute("CREATE VIEW v AS SELECT age FROM stays; CREATE MATERIALIZED VIEW m AS SELECT age FROM stays")
    for name, computed in {"stays": False, "v": True, "m": False}.items():
        with open_table(server, table=name) as table:
            assert table.is_query is computed, name


def test_a_lost_connection_is_told_in_a_sentence_that_names_postgres(server: str, database: psycopg.Connection) -> None:
    database.execute("CREATE TABLE many AS SELECT n, repeat('x', 200) AS t FROM generate_series(1, 200000) AS n")
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with open_table(server, table="many") as table, pytest.raises(DataError) as caught:
        _ = [database.execute(end) for _ in table.batches(["n", "t"])]
    assert str(caught.value).startswith("PostgreSQL stopped answering while table many was read. Check that")
    assert caught.value.__context__ is None


def test_a_server_that_is_frozen_ends_the_reading(
    server: str, database: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process of the connection is stopped, as by a debugger or a full disk: its socket stays open."""
    database.execute("CREATE TABLE many AS SELECT n, repeat('x', 200) AS t FROM generate_series(1, 200000) AS n")
    monkeypatch.setattr(postgres, "SILENCE", 0.5)
    with open_table(server, table="many") as table:
        batches = table.batches(["n", "t"])
        next(batches)
        (process,) = database.execute(
            "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE 'COPY%'"
        ).fetchone() or (0,)
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(DataError, match="PostgreSQL stopped answering"):
                _ = list(batches)
        finally:
            os.kill(process, signal.SIGCONT)


def test_a_text_that_the_server_cannot_make_stops_nothing(server: str, database: psycopg.Connection) -> None:
    """Of this document of 180 MB the text has more than 1 GB: each of its characters is written with six."""
    database.execute("CREATE TABLE documents (k int, j jsonb)")
    database.execute("INSERT INTO documents VALUES (1, '{}'), (2, to_jsonb(repeat(E'\\x01', 180000000))), (3, '[1]')")
    with open_table(server, table="documents") as table:
        assert read_text_columns(table, ["j", "k"]) == [["{}", None, "[1]"], ["1", "2", "3"]]
