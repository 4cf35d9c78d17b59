"""Tables on a real PostgreSQL server: in from there, and predictions out."""

import numpy as np
import pytest
from typer.testing import CliRunner

from dprules.cli.main import app
from dprules.data import Boolean, Categorical, Label, Numeric, Unit, open_table
from dprules.data.draft import draft_schema
from dprules.errors import DataError
from dprules.lists import Model

NUMBERS = ["20", "31.5", " 4e1 ", "secret-cell", None, "1e999", "inf", "", "0x10"]
CODES = [0, 1, 1, -1, -1, -1, -1, -1, -1]


def _stays(connection, size=400):
    connection.execute("CREATE TABLE stays (person int, age float8, weight text, sex text, smoker boolean, y text)")
    random = np.random.default_rng(0)
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO stays VALUES (%s, %s, %s, %s, %s, %s)",
            [
                (
                    i % 100,
                    float(random.integers(20, 80)),
                    NUMBERS[i % len(NUMBERS)],
                    "fmx"[i % 3],
                    i % 2 == 0,
                    "ab"[i % 2],
                )
                for i in range(size)
            ],
        )


COLUMNS = (
    Numeric("age", False, (40.0,)),
    Numeric("weight", False, (30.0,)),
    Categorical("sex", False, ("f", "m")),
    Boolean("smoker", False),
)
LABEL = Label("y", ("a", "b"))


def test_a_table_gives_the_same_codes_as_a_frame(server, database):
    _stays(database)
    rows = database.execute("SELECT age, weight, sex, smoker, y FROM stays").fetchall()
    expected = [[column.code(cell) for column, cell in zip(COLUMNS, row, strict=False)] for row in rows]
    with open_table(server, table="public.stays") as table:
        assert table.codes(COLUMNS).tolist() == expected
        assert table.codes(COLUMNS[1:2])[: len(NUMBERS), 0].tolist() == CODES
        grouped = table.sample_codes(COLUMNS, LABEL)
        assert int(grouped.weights.sum()) == len(rows)
        assert table.types() == dict.fromkeys(("person", "age"), "numeric") | dict.fromkeys(
            ("weight", "sex", "y"), "categorical"
        ) | {"smoker": "boolean"}


def test_at_most_so_many_rows_of_a_unit(server, database):
    _stays(database)
    with open_table(server, table="stays") as table:
        kept = table.bounded(Unit("person", 2), ["y", *(c.name for c in COLUMNS)]).sample_codes(COLUMNS, LABEL)
        assert int(kept.weights.sum()) == 200


def test_the_command_fits_and_predicts(server, database, tmp_path):
    _stays(database)
    with open_table(server, table="stays") as table:
        (tmp_path / "schema.toml").write_text(draft_schema(table, "y", values_are_public=True).to_toml())
    run = CliRunner().invoke
    model, out = tmp_path / "model.json", tmp_path / "out.csv"
    asked = ["fit", server, "--table", "stays", "--schema", str(tmp_path / "schema.toml"), "--epsilon", "1"]
    done = run(app, [*asked, "-o", str(model)])
    assert done.exit_code == 0, done.output
    assert Model.from_json(model.read_text()).certificate.verify()
    done = run(app, ["predict", str(model), server, "--table", "stays", "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert len(out.read_text().splitlines()) == 401


def test_what_cannot_be_reached_is_told_without_the_server_s_words(server, database):
    with pytest.raises(DataError, match="has no table 'none'") as told, open_table(server, table="none"):
        pass
    assert told.value.__cause__ is None
    assert told.value.__context__ is None
    with (
        pytest.raises(DataError, match="cannot be reached") as told,
        open_table("postgresql://u:secret@127.0.0.1:1/x", table="t"),
    ):
        pass
    assert "secret" not in str(told.value)
