"""Exported SQL gives the answers of `predict`, whatever the types of the columns."""

import random
import sqlite3

import duckdb
import pandas as pd
import pytest

from dprules.errors import ParameterError
from dprules.models import Halfspace, Rule, RuleList, Term
from dprules.models.export import sql
from dprules.schema import Clipped, Numeric, literals_of
from models.random_lists import CLASSES, COLUMNS, random_list, random_rows

NAMES = [column.name for column in COLUMNS]
QUOTED = ", ".join('"' + name.replace('"', '""') + '"' for name in NAMES)


def random_halfspace(seed: int) -> Halfspace:
    chance = random.Random(seed)
    asked = [literal for column in COLUMNS for literal in literals_of(column)]
    terms = [Term(tuple(chance.sample(asked, chance.choice((1, 2)))), chance.randrange(-9, 9) / 10) for _ in range(6)]
    return Halfspace.ranked(terms, chance.randrange(-9, 9) / 10, ("no", "y'es"), 1)


def as_text(cell: object) -> str | None:
    """As a CSV file would have it."""
    return None if cell is None else str(cell)


def in_duckdb(query: str, rows: list[dict]) -> list[str]:
    frame = pd.DataFrame(rows).astype({"smoker": "boolean"})
    with duckdb.connect() as connection:
        connection.register("people", frame)
        return [row[-1] for row in connection.execute(query).fetchall()]


def in_sqlite(query: str, rows: list[dict], text: bool) -> list[str]:
    kind = " TEXT" if text else ""
    columns = ", ".join(f"{name}{kind}" for name in QUOTED.split(", "))
    values = [tuple(as_text(cell) if text else cell for cell in row.values()) for row in rows]
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE people ({columns})")
    connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(NAMES))})", values)
    found = [row[-1] for row in connection.execute(query).fetchall()]
    connection.close()
    return found


MODELS = [*(random_list(seed) for seed in range(6)), *(random_halfspace(seed) for seed in range(6))]


@pytest.mark.parametrize("place", range(len(MODELS)))
def test_duckdb_gives_the_same_answers(place):
    rows = random_rows(place)
    assert in_duckdb(MODELS[place].to_sql("people"), rows) == list(MODELS[place].predict(rows))


@pytest.mark.parametrize("place", range(len(MODELS)))
@pytest.mark.parametrize("text", [False, True], ids=["typed", "text"])
def test_sqlite_gives_the_same_answers(place, text):
    """Also where every column is text, as `.import` makes them."""
    rows = random_rows(place)
    found = in_sqlite(MODELS[place].to_sql("people", "sqlite"), rows, text)
    assert found == list(MODELS[place].predict(rows))


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(MODELS)))
@pytest.mark.parametrize("text", [False, True], ids=["typed", "text"])
def test_postgresql_gives_the_same_answers(place, text, database):
    rows = random_rows(place)
    kinds = ["text"] * 5 if text else ["float8", "text", "int", "boolean", "float8"]
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(QUOTED.split(", "), kinds, strict=True))
    database.execute(f"CREATE TABLE people ({columns})")
    values = [tuple(as_text(cell) if text else cell for cell in row.values()) for row in rows]
    with database.cursor() as cursor:
        cursor.executemany("INSERT INTO people VALUES (%s, %s, %s, %s, %s)", values)
    query = MODELS[place].to_sql("public.people", "postgres")
    found = [row[-1] for row in database.execute(query.encode()).fetchall()]
    assert found == list(MODELS[place].predict(rows))


def test_names_and_values_are_quoted():
    assert sql.quote("it's") == "'it''s'"
    assert sql.quote(1.5) == "1.5"
    assert sql.quote_table('a.b"c') == '"a"."b""c"'
    empty = RuleList((), "y'es", CLASSES).to_sql("t")
    assert empty == "SELECT *, 'y''es' AS prediction\nFROM \"t\""


def test_a_name_with_a_line_end_cannot_leave_its_comment():
    column = Numeric("a\n; DROP TABLE people; --", (1.0,))
    rules = RuleList((Rule(literals_of(column)[:1], "no"),), "y'es", CLASSES)
    with duckdb.connect() as connection:
        connection.register("people", pd.DataFrame({column.name: [0.0, 2.0]}))
        found = [row[-1] for row in connection.execute(rules.to_sql("people")).fetchall()]
    assert found == ["no", "y'es"]


def test_dialects_and_models_without_sql_are_refused():
    with pytest.raises(ParameterError, match="dialect must be one of"):
        random_list(1).to_sql("t", "oracle")
    with pytest.raises(ParameterError, match="no SQL yet"):
        Halfspace((Term(Clipped("x"), 1.0),), 0.0, ("a", "b")).to_sql("t")
