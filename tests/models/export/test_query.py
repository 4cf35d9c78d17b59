"""Queries with several answers: numbers by stages, sums and functions that are not too long for an engine."""

import sqlite3

import duckdb
import pytest

from dprules.models.export.header import Header
from dprules.models.export.query import Query, add_up


@pytest.mark.parametrize("number", [1, 2, 100, 101, 5000])
def test_long_sums_are_not_nested_too_deep(number):
    connection = sqlite3.connect(":memory:")
    assert connection.execute(f"SELECT {add_up(['1'] * number)}").fetchone() == (number,)
    connection.close()


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@pytest.mark.parametrize("number", [1, 99, 100, 101, 250])
def test_numbers_are_computed_by_stages_and_none_is_mistaken_for_another(dialect, number):
    query = Query("people", dialect, Header(("one",)), [])
    query.add_numbers("first", "the numbers", {f"n{place}": str(place * 7 % 251) for place in range(number)})
    numbers = [query.fetch("first", f"n{place}") for place in range(number)]
    query.add_numbers("second", "the largest", {"m": query.greatest(numbers)})
    answers = {f"a{place}": f"{fetched} * 2" for place, fetched in enumerate(numbers)}
    text = query.write_answers(answers | {"most": query.fetch("second", "m")})
    connection = duckdb.connect() if dialect == "duckdb" else sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE people AS SELECT 5 AS x")
    (row,) = connection.execute(text).fetchall()
    connection.close()
    wanted = [place * 7 % 251 for place in range(number)]
    assert row == (5, *(2 * each for each in wanted), max(wanted))


def test_types_are_those_of_the_dialect():
    assert Query("t", "sqlite", Header(()), []).cast("1", "double") == "CAST(1 AS REAL)"
    assert Query("t", "postgres", Header(()), []).cast("1", "double") == "CAST(1 AS DOUBLE PRECISION)"
