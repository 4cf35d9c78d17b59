import json
import sqlite3

import duckdb
import pyarrow.csv
import pytest

from cli.helpers import assert_one_sentence
from dprules.cli.exits import Exit
from dprules.errors import BANNER
from dprules.models import Released

SIGNS = {"sql": 'FROM "stays"', "python": "def predict", "markdown": "| --- |"}


@pytest.mark.parametrize("form", SIGNS)
def test_every_form(form, shell, stays, tmp_path):
    ran = shell("export", stays / "model.json", "--to", form, "--table", "stays")
    assert (ran.code, SIGNS[form] in ran.out) == (Exit.OK, True)
    written = shell("export", stays / "model.json", "--to", form, "--table", "stays", "-o", tmp_path / "e")
    assert (written.code, written.out) == (Exit.OK, "")
    assert (tmp_path / "e").read_text() == ran.out


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_sql_says_what_predict_says(dialect, shell, stays):
    sql = shell("export", stays / "model.json", "--to", "sql", "--table", "stays", "--dialect", dialect).out
    predicted = shell("predict", stays / "model.json", stays / "stays.csv").out.splitlines()[1:]
    table = pyarrow.csv.read_csv(stays / "stays.csv")
    if dialect == "duckdb":
        with duckdb.connect() as connection:
            connection.register("stays", table)
            found = [row[-1] for row in connection.execute(sql).fetchall()]
    else:
        with sqlite3.connect(":memory:") as connection:
            frame = table.to_pandas()
            frame.to_sql("stays", connection, index=False)
            found = [row[-1] for row in connection.execute(sql).fetchall()]
    assert found == predicted


@pytest.mark.parametrize("form", SIGNS)
def test_files_are_overwritten_only_when_asked(form, shell, stays, tmp_path):
    kept = tmp_path / "kept.txt"
    kept.write_text("by hand")
    code, _, err = shell("export", stays / "model.json", "--to", form, "-o", kept)
    assert_one_sentence(code, err, Exit.FILE)
    assert "--force" in err
    assert kept.read_text() == "by hand"
    assert shell("export", stays / "model.json", "--to", form, "-o", kept, "--force").code == Exit.OK
    assert SIGNS[form] in kept.read_text()


def test_a_model_is_not_overwritten_by_an_export(shell, stays, tmp_path):
    paid = tmp_path / "paid.json"
    paid.write_text((stays / "model.json").read_text())
    code, _, err = shell("export", stays / "model.json", "--to", "sql", "-o", paid, "--force")
    assert_one_sentence(code, err, Exit.FILE)


def test_what_is_written_says_what_it_is(shell, stays):
    released = Released.load(stays / "model.json")
    for form in ("sql", "python", "markdown"):
        text = shell("export", stays / "model.json", "--to", form).out
        assert f"It predicts {released.label.name}," in text.replace("\\_", "_")
        assert "epsilon 1, delta 1e-06, add-remove neighbours; unit: row" in text
        assert released.digest() in text


def test_an_export_of_a_model_that_does_not_verify_says_so(shell, stays, tmp_path):
    document = json.loads((stays / "model.json").read_text())
    document["label"]["column"] = "another"
    (tmp_path / "forged.json").write_text(json.dumps(document))
    for form in SIGNS:
        assert shell("export", tmp_path / "forged.json", "--to", form).code == Exit.UNVERIFIED
        assert BANNER in shell("export", tmp_path / "forged.json", "--to", form, "--unverified").out
        assert BANNER not in shell("export", stays / "model.json", "--to", form, "--unverified").out


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--to", "cobol"), "to must be one of sql, python, markdown"),
        (("--to", "sql", "--dialect", "dbase"), "dialect must be one of"),
    ],
)
def test_unknown_forms_are_refused(more, sentence, shell, stays):
    code, _, err = shell("export", stays / "model.json", *more)
    assert_one_sentence(code, err, Exit.PARAMETER)
    assert sentence in err


def test_a_seeded_model_is_marked_wherever_it_goes(shell, stays, tmp_path):
    seeded = tmp_path / "seeded.json"
    shell("fit", stays / "stays.csv", "--schema", stays / "schema.toml", "--seed", "5", "-o", seeded)
    for form in ("sql", "python", "markdown"):
        assert "NOT PRIVATE" in shell("export", seeded, "--to", form).out
        assert "NOT PRIVATE" not in shell("export", stays / "model.json", "--to", form).out
    assert "NOT PRIVATE" in shell("verify", seeded).err
    assert "NOT PRIVATE" in shell("evaluate", seeded, stays / "stays.csv", "--public").err
