"""Exported SQL gives the scores, probabilities and labels of the card itself, to the last bit."""

import sqlite3
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.errors import ParameterError
from dprules.models import Odds, Points, RiskTable, Scorecard
from dprules.models.export.dialects import DIALECTS
from dprules.models.export.header import Header
from dprules.schema import Boolean, Categorical, Numeric
from models.cards import CARDS, NAMES, many_classes, random_rows, two_classes, without_points
from models.export.test_sql import BREAKING

QUOTED = ['"' + name.replace('"', '""') + '"' for name in NAMES]
Rows = list[dict[str, Any]]


def wanted(card: Scorecard, rows: Rows) -> list[tuple[Any, ...]]:
    """Scores, probabilities, label: as the query has them, after the columns of the table."""
    scores: list[Any] = card.decision_function(rows).reshape(len(rows), -1).tolist()
    shares = card.predict_proba(rows)
    if isinstance(card.meaning, RiskTable):
        shares = shares[:, [card.classes.index(card.positive)]]
    labels = card.predict(rows).tolist()
    return [(*s, *p, label) for s, p, label in zip(scores, shares.tolist(), labels, strict=True)]


def tails(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(row[len(NAMES) :]) for row in found]


def answers(connection: duckdb.DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    """What DuckDB answers, in the order of the column i, which follows the others."""
    return [tuple(row[len(NAMES) + 1 :]) for row in connection.execute(query + " ORDER BY i").fetchall()]


def as_text(cell: object) -> str | None:
    return None if cell is None else str(cell)


def in_duckdb(query: str, rows: Rows) -> list[tuple[Any, ...]]:
    frame = pd.DataFrame(rows).astype({"smoker": "boolean"}).assign(i=range(len(rows)))
    with duckdb.connect() as connection:
        connection.register("people", frame)
        return answers(connection, query)


def in_sqlite(query: str, rows: Rows, text: bool) -> list[tuple[Any, ...]]:
    kind = " TEXT" if text else ""
    values = [tuple(as_text(row[name]) if text else row[name] for name in NAMES) for row in rows]
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE people ({', '.join(f'{name}{kind}' for name in QUOTED)})")
    connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(NAMES))})", values)
    found = tails(connection.execute(query).fetchall())
    connection.close()
    return found


@pytest.mark.parametrize("name", CARDS)
def test_duckdb_gives_the_same_answers(name):
    card, rows = CARDS[name], random_rows(1)
    assert in_duckdb(card.to_sql("people"), rows) == wanted(card, rows)


@pytest.mark.parametrize("name", CARDS)
@pytest.mark.parametrize("text", [False, True], ids=["typed", "text"])
def test_sqlite_gives_the_same_answers(name, text):
    card, rows = CARDS[name], random_rows(2)
    assert in_sqlite(card.to_sql("people", "sqlite"), rows, text) == wanted(card, rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", CARDS)
@pytest.mark.parametrize("text", [False, True], ids=["typed", "text"])
def test_postgresql_gives_the_same_answers(name, text, database):
    card, rows = CARDS[name], random_rows(3)
    kinds = ["text"] * 7 if text else ["float8", "text", "int", "boolean", "float8", "text", "text"]
    columns = ", ".join(f"{column} {kind}" for column, kind in zip(QUOTED, kinds, strict=True))
    database.execute(f"CREATE TABLE people ({columns})")
    values = [tuple(as_text(row[name]) if text else row[name] for name in NAMES) for row in rows]
    with database.cursor() as cursor:
        cursor.executemany(f"INSERT INTO people VALUES ({', '.join(['%s'] * 7)})", values)
    query = card.to_sql("public.people", "postgres")
    assert tails(database.execute(query.encode()).fetchall()) == wanted(card, rows)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # py4j's
def test_spark_gives_the_same_answers(spark):
    kinds = ["double", "string", "int", "boolean", "double", "string", "string"]
    schema = ", ".join(f"`{name}` {kind}" for name, kind in zip(NAMES, kinds, strict=True))
    rows = random_rows(4, size=60)
    values = [tuple(row[name] for name in NAMES) for row in rows]
    spark.createDataFrame(values, schema).coalesce(1).createOrReplaceTempView("people")
    for name in ("two classes with weights", "many classes with weights", "two classes without points", "one class"):
        card = CARDS[name]
        found = [tuple(row) for row in spark.sql(card.to_sql("people", "spark")).collect()]
        assert tails(found) == wanted(card, rows), name


ODD_CELLS = st.one_of(
    st.none(),
    st.text("0123.,-eE itsbcdTRUEtrue'\"", max_size=6),
    st.sampled_from(
        [
            "it's",
            "c d",
            "1",
            "2.0",
            "3.00",
            "01",
            "true",
            "NO",
            "49.9",
            "50.5",
            "5e1",
            " 30 ",
            "2020-02-29T10:00",
            "0,25",
        ]
    ),
)
ODD_ROWS = st.lists(st.tuples(*[ODD_CELLS] * len(NAMES)), min_size=1, max_size=30)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32), many=st.booleans(), weights=st.booleans(), cells=ODD_ROWS)
def test_any_card_on_any_text(seed, many, weights, cells):
    card = many_classes(seed, weights=weights) if many else two_classes(seed, weights=weights)
    rows = [dict(zip(NAMES, row, strict=True)) for row in cells]
    assert in_sqlite(card.to_sql("people", "sqlite"), rows, text=True) == wanted(card, rows)
    table = pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in NAMES})
    with duckdb.connect() as connection:
        connection.register("people", table.append_column("i", pa.array(range(len(rows)))))
        assert answers(connection, card.to_sql("people")) == wanted(card, rows)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "name", ["two classes, three columns", "two classes without points", "many classes without points"]
)
def test_what_is_written_is_one_query_of_the_dialect(name, dialect):
    """Which selects the columns of the table and the answers, the label last, from the table that was named."""
    card = CARDS[name]
    (query,) = sqlglot.parse(card.to_sql('a."b`.c', dialect), read=dialect)
    middles = [""] if len(card.classes) == 2 else [f"_{label}" for label in card.classes]
    answers = [f"prediction{middle}_{kind}" for kind in ("score", "probability") for middle in middles]
    assert [select.alias_or_name for select in query.selects] == ["*", *answers, "prediction"]
    tables = [table for table in query.find_all(sqlglot.exp.Table) if table.db]
    assert [(table.catalog, table.db, table.name) for table in tables] == [("a", '"b`', "c")]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_columns_of_the_table_are_not_mistaken_for_answers(dialect):
    """A table that was scored before has columns with the very names of the answers, and of what is computed."""
    card = two_classes(5, columns=2)
    rows = [row | {"prediction_score": 999, "score": 999, "value": 999, "s0": 999} for row in random_rows(5, 20)]
    frame = pd.DataFrame(rows).astype({"smoker": "boolean"}).assign(i=range(len(rows)))
    if dialect == "duckdb":
        with duckdb.connect() as connection:
            connection.register("people", frame)
            found = connection.execute(card.to_sql("people") + " ORDER BY i").fetchall()
    else:
        with sqlite3.connect(":memory:") as connection:
            frame.astype({"smoker": "object"}).to_sql("people", connection, index=False)
            found = connection.execute(card.to_sql("people", "sqlite")).fetchall()
        connection.close()
    assert [row[-3:] for row in found] == wanted(card, rows)


def test_answers_are_named_after_the_label():
    card = many_classes(1)
    with duckdb.connect() as connection:
        connection.register("people", pd.DataFrame(random_rows(1, 3)).astype({"smoker": "boolean"}))
        done = connection.execute(card.to_sql("people", header=Header(("one",), "predicted_illness")))
        kinds = {column[0]: str(column[1]) for column in done.description[len(NAMES) :]}
    assert kinds == {
        "predicted_illness_no_score": "INTEGER",
        "predicted_illness_y'es_score": "INTEGER",
        "predicted_illness_may;be_score": "INTEGER",
        "predicted_illness_no_probability": "DOUBLE",
        "predicted_illness_y'es_probability": "DOUBLE",
        "predicted_illness_may;be_probability": "DOUBLE",
        "predicted_illness": "VARCHAR",
    }


def test_many_classes():
    """SQLite limits how many arguments a function has."""
    classes = tuple(f"k{place}" for place in range(130))
    flag = Points.of(Boolean("b"), np.arange(390).reshape(3, 130) % 7)
    card = Scorecard((flag,), tuple(range(130)), classes, "k0", Odds(Fraction(40)), without_points().totals)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE people AS SELECT 'yes' AS b")
    found = connection.execute(card.to_sql("people", "sqlite")).fetchall()
    connection.close()
    assert [row[1:] for row in found] == wanted(card, [{"b": "yes"}])


@pytest.mark.slow
def test_many_columns():
    """SQLite limits how deep sums are nested."""
    names = [f"b{place}" for place in range(1050)]
    points = tuple(Points.of(Boolean(name), np.array([[1], [2], [3]])) for name in names)
    card = Scorecard(points, (0,), ("no", "yes"), "yes", two_classes(1).meaning, without_points().totals)
    row = {name: place % 2 for place, name in enumerate(names) if place % 3}
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE people ({', '.join(names)})")
    connection.execute(f"INSERT INTO people VALUES ({', '.join('?' * 1050)})", [row.get(name) for name in names])
    found = connection.execute(card.to_sql("people", "sqlite")).fetchall()
    connection.close()
    assert [row[1050:] for row in found] == wanted(card, [row])


@pytest.mark.parametrize("name", BREAKING)
def test_no_name_can_leave_its_quotes_or_its_comment(name):
    columns = [Numeric(name, (1.0,)), Categorical(f"{name} too", (name, "other"))]
    points = tuple(Points.of(column, np.array([[0, 3, 9], [5, 0, 1], [0, 0, 2]])) for column in columns)
    classes = (name, "y'es", "other")
    card = Scorecard(points, (0, 0, 0), classes, name, Odds(Fraction(3)), without_points(3).totals)
    rows = [{name: 0, f"{name} too": "other"}, {name: 2, f"{name} too": name}, {name: 2, f"{name} too": "?"}]
    with duckdb.connect() as connection:
        connection.register("people", pd.DataFrame(rows).assign(i=range(len(rows))))
        found = connection.execute(card.to_sql("people") + " ORDER BY i").fetchall()
    assert [tuple(row[3:]) for row in found] == wanted(card, rows)
    for dialect in DIALECTS:
        if dialect == "spark" and "${" in name:
            with pytest.raises(ParameterError, match="Spark cannot name"):
                card.to_sql("people", dialect)
        else:
            assert len(sqlglot.parse(card.to_sql("people", dialect), read=dialect)) == 1


def test_it_says_whose_the_probability_is():
    card = two_classes(1)
    lines = card.to_sql("people", header=Header(("one",))).splitlines()
    assert lines[:2] == ["-- one", f"-- The probability is that of {card.positive}."]
    assert "-- The probability is that of each class." in many_classes(1).to_sql("people")


@pytest.mark.parametrize("dialect", ["oracle", "mysql", ""])
def test_dialects_that_were_not_run_are_refused(dialect):
    with pytest.raises(ParameterError, match="dialect must be one of duckdb, postgres, spark, sqlite"):
        two_classes(1).to_sql("t", dialect)
    with pytest.raises(ParameterError, match="table must be a name"):
        without_points().to_sql("a..b")
