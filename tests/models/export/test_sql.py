"""Exported SQL gives the answers of `predict`, whatever the types of the columns."""

import random
import sqlite3

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.errors import ParameterError
from dprules.models import Halfspace, Rule, RuleList, Term
from dprules.models.export.dialects import DIALECTS
from dprules.models.export.header import Header
from dprules.schema import Categorical, Clipped, Numeric, Scaled, literals_of
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
    frame = pd.DataFrame(rows).astype({"smoker": "boolean"}).assign(i=range(len(rows)))
    with duckdb.connect() as connection:
        connection.register("people", frame)
        return [row[-1] for row in connection.execute(query + " ORDER BY i").fetchall()]


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


MODELS: list[RuleList | Halfspace] = [
    *(random_list(seed) for seed in range(6)),
    *(random_halfspace(seed) for seed in range(6)),
]


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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # py4j's
def test_spark_gives_the_same_answers(spark):
    kinds = ["double", "string", "int", "boolean", "double"]
    schema = ", ".join(f"`{name}` {kind}" for name, kind in zip(NAMES, kinds, strict=True))
    for place in (0, 1, 6, 7):
        rows = random_rows(place, size=60)
        frame = spark.createDataFrame([tuple(row.values()) for row in rows], schema).coalesce(1)
        frame.createOrReplaceTempView("people")
        found = [row[-1] for row in spark.sql(MODELS[place].to_sql("people", "spark")).collect()]
        assert found == list(MODELS[place].predict(rows))


ODD_CELLS = st.one_of(
    st.none(),
    st.text("0123.-eE itsbcdTRUEtrue'\"", max_size=6),
    st.sampled_from(
        ["it's", "b", "c d", "1", "2.0", "3.00", "01", "true", "NO", "49.9", "50.5", "5e1", "1e100", " 30 "]
    ),
)
ODD_ROWS = st.lists(st.tuples(*[ODD_CELLS] * len(NAMES)), min_size=1, max_size=30)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), cells=ODD_ROWS)
def test_any_list_on_any_text(seed, cells):
    rules = random_list(seed)
    rows = [dict(zip(NAMES, row, strict=True)) for row in cells]
    wanted = rules.predict(rows).tolist()
    assert in_sqlite(rules.to_sql("people", "sqlite"), rows, text=True) == wanted
    table = pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in NAMES})
    with duckdb.connect() as connection:
        connection.register("people", table.append_column("i", pa.array(range(len(rows)))))
        assert [row[-1] for row in connection.execute(rules.to_sql("people") + " ORDER BY i").fetchall()] == wanted


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_written_is_one_query_of_the_dialect(dialect):
    """Which selects the columns of the table and one more, from the table that was named."""
    for model in MODELS:
        (query,) = sqlglot.parse(model.to_sql('a."b`.c', dialect), read=dialect)
        assert [select.alias_or_name for select in query.selects] == ["*", "prediction"]
        tables = [table for table in query.find_all(sqlglot.exp.Table) if table.db]
        assert [(table.catalog, table.db, table.name) for table in tables] == [("a", '"b`', "c")]


def test_an_empty_list_has_one_answer():
    empty = RuleList((), "y'es", CLASSES).to_sql("t")
    assert empty.splitlines()[-2:] == ["SELECT t.*, 'y''es' AS \"prediction\"", 'FROM "t" AS t']


@pytest.mark.parametrize(("classes", "kind"), [((0, 1), "INTEGER"), ((0.5, 1), "DOUBLE"), (("a", "b"), "VARCHAR")])
def test_answers_have_the_type_of_the_classes(classes, kind):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x")
        rules = RuleList((Rule(literals_of(Numeric("x", (1.0,)))[:1], classes[0]),), classes[1], classes)
        found = connection.execute(rules.to_sql("t"))
        assert [(column[0], str(column[1])) for column in found.description] == [("x", "INTEGER"), ("prediction", kind)]
        assert found.fetchall() == [(1, classes[1])]


BREAKING = [
    "a\n; DROP TABLE people; --",
    "*/ x /* y",
    "a\r\u2028b -- '",
    "back\\slash'`\"",
    "${env:HOME}",
    "%s ? :x {x}",
]


@pytest.mark.parametrize("name", BREAKING)
def test_no_name_can_leave_its_quotes_or_its_comment(name):
    columns = [Numeric(name, (1.0,)), Categorical(f"{name} too", (name, "other"))]
    rules = RuleList(tuple(Rule(literals_of(column)[:1], name) for column in columns), "y'es", (name, "y'es"))
    rows = [{name: 0, f"{name} too": "other"}, {name: 2, f"{name} too": name}, {name: 2, f"{name} too": "other"}]
    header = Header(("one",), f"predicted_{name}")
    with duckdb.connect() as connection:
        connection.register("people", pd.DataFrame(rows).assign(i=range(len(rows))))
        done = connection.execute(rules.to_sql("people", header=header) + " ORDER BY i")
        assert done.description[-1][0] == f"predicted_{name}"
        assert [row[-1] for row in done.fetchall()] == rules.predict(rows).tolist() == [name, name, "y'es"]
    for dialect in DIALECTS:
        if dialect == "spark" and "${" in name:
            with pytest.raises(ParameterError, match="Spark cannot name"):
                rules.to_sql("people", dialect)
        else:
            assert len(sqlglot.parse(rules.to_sql("people", dialect), read=dialect)) == 1


def test_spark_does_not_replace_variables_in_values():
    column = Categorical("x", ("${env:HOME}", "other"))
    written = RuleList((Rule(literals_of(column)[:1], "no"),), "yes", ("no", "yes")).to_sql("t", "spark")
    assert "${" not in written
    assert "'$\\{env:HOME}'" in written


@pytest.mark.parametrize("table", ["", "a..b", "a.b.c.d", "."])
def test_a_table_that_is_no_name_is_refused(table):
    with pytest.raises(ParameterError, match="table must be a name"):
        random_list(1).to_sql(table)


def test_dialects_that_were_not_run_are_refused():
    for dialect in ("oracle", "mysql", "tsql", "bigquery", "snowflake", ""):
        with pytest.raises(ParameterError, match="dialect must be one of duckdb, postgres, spark, sqlite"):
            random_list(1).to_sql("t", dialect)


WEIGHED = (Scaled("a", 0.1, 7.3), Scaled("b", -1e50, 1e50), Clipped("c"), Scaled("d", 0, 10, decimal=","))
BORDERS = [
    (0.1 + 7.2 * (k + 0.5) / 128, (k + 0.5) / 128 * 2e50 - 1e50, (k - 64.5) / 64, 10 * (k + 0.5) / 128)
    for k in range(128)
]
"""Numbers halfway between two steps of the grid, where engines round in ways of their own."""
ODD_NUMBERS = ["", "x", "1e99", "1e100", "-1e99", "-0", "1", "true", "No", "7.3", "5,5", "1,2,3", "1.5,2", "1e-300"]
ODD_NUMBERS += ["1e-320", "nan", "inf", "  4 ", "0.0234375", "-0.0078125", "0.128125", "9" * 201, "\u0661", None]


def weighed_halfspace(seed: int) -> Halfspace:
    """Weights on the grid of the dense learner, and others."""
    chance = random.Random(seed)
    weights = [chance.randrange(-9, 9) / (8 if seed % 2 else 10) for _ in range(5)]
    terms = [Term(column, weight) for column, weight in zip(WEIGHED, weights, strict=False)]
    terms.append(Term(literals_of(Numeric("e", (1.0,)))[1:], weights[4]))
    return Halfspace.ranked(terms, chance.randrange(-9, 9) / 8, ("no", "yes"), 1)


def weighed_rows(seed: int, text: bool) -> list[dict]:
    chance = random.Random(seed)
    cells: list[list] = [[chance.uniform(-1, 9) for _ in range(5)] for _ in range(150)] + [
        [*row, 1.5] for row in BORDERS
    ]
    if text:
        cells = [[chance.choice(ODD_NUMBERS) if chance.random() < 0.3 else repr(x) for x in row] for row in cells]
    return [dict(zip("abcde", row, strict=True)) for row in cells]


def in_engine(execute, query: str, rows: list[dict], kind: str) -> list[str]:
    columns = ", ".join(f"{name} {kind}" for name in "abcde")
    execute(f"CREATE TABLE people (i int, {columns})")
    for i, row in enumerate(rows):
        shown = ["NULL" if cell is None else f"'{cell}'" if kind == "text" else repr(cell) for cell in row.values()]
        execute(f"INSERT INTO people VALUES ({i}, {', '.join(shown)})")
    return [row[-1] for row in execute(query + " ORDER BY i").fetchall()]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("text", [False, True], ids=["typed", "text"])
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_numbers_are_weighed_as_predict_weighs_them(dialect, seed, text):
    model, rows = weighed_halfspace(seed), weighed_rows(seed, text)
    connection = duckdb.connect() if dialect == "duckdb" else sqlite3.connect(":memory:")
    found = in_engine(connection.execute, model.to_sql("people", dialect), rows, "text" if text else "double")
    connection.close()
    assert found == list(model.predict(rows))
    assert len(set(found)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("text", [False, True], ids=["typed", "text"])
def test_postgresql_weighs_numbers_as_predict_does(text, database):
    model, rows = weighed_halfspace(1), weighed_rows(1, text)
    kind = "text" if text else "float8"
    found = in_engine(lambda query: database.execute(query.encode()), model.to_sql("people", "postgres"), rows, kind)
    assert found == list(model.predict(rows))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # py4j's
def test_spark_weighs_numbers_as_predict_does(spark):
    for text, kind in ((True, "string"), (False, "double")):
        model, rows = weighed_halfspace(1), weighed_rows(1, text)
        schema = ", ".join(f"{name} {kind}" for name in "abcde")
        spark.createDataFrame([tuple(row.values()) for row in rows], schema).coalesce(1).createOrReplaceTempView(
            "people"
        )
        found = [row[-1] for row in spark.sql(model.to_sql("people", "spark")).collect()]
        assert found == list(model.predict(rows))
