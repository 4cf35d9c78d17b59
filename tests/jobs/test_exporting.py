"""A model in another language says what `predict` says."""

import sqlite3
from dataclasses import replace

import duckdb
import pytest

from dprules.errors import ParameterError
from dprules.jobs import export, predict
from dprules.models import Halfspace


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_sql(released, table, dialect):
    sql = export(released, "sql", "t", dialect)
    if dialect == "duckdb":
        with duckdb.connect() as connection:
            connection.register("t", table)
            found = [row[-1] for row in connection.execute(sql).fetchall()]
    else:
        with sqlite3.connect(":memory:") as connection:
            table.to_pandas().to_sql("t", connection, index=False)
            found = [row[-1] for row in connection.execute(sql).fetchall()]
    assert found == predict(released.model, table).tolist()


def test_python_and_markdown(released, table):
    module: dict[str, object] = {}
    exec(export(released, "python"), module)
    assert [module["predict"](row) for row in table.to_pylist()] == predict(released.model, table).tolist()  # type: ignore[operator]
    assert "| --- |" in export(released, "markdown")


def test_the_table_is_the_one_of_the_fit_unless_another_is_named(released):
    named = replace(released, table="main.stays")
    assert 'FROM "main"."stays"' in export(named, "sql")
    assert 'FROM "other"' in export(named, "sql", "other")
    assert 'FROM "data"' in export(released, "sql")


def test_what_there_is_not(released):
    halfspace = replace(released, model=Halfspace((), 0.0, ("no", "yes")))
    for to in ("python", "markdown"):
        with pytest.raises(ParameterError, match="has no"):
            export(halfspace, to)
    with pytest.raises(ParameterError, match="to must be one of"):
        export(released, "cobol")
    with pytest.raises(ParameterError, match="dialect must be one of"):
        export(released, "sql", dialect="dbase")


def test_a_scorecard_in_every_form(card, table):
    with duckdb.connect() as connection:
        connection.register("t", table)
        found = connection.sql(export(card, "sql", "t")).to_arrow_table()
    assert found[f"predicted_{card.label.name}"].to_pylist() == predict(card.model, table).tolist()
    module: dict[str, object] = {}
    exec(export(card, "python"), module)
    assert [module["predict"](row) for row in table.to_pylist()] == predict(card.model, table).tolist()  # type: ignore[operator]
    assert "| --- |" in export(card, "markdown").replace("---:", "---")
