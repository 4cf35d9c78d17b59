"""`dprules schema draft`: names and types only, unless values are public."""

import shlex

import duckdb
import pytest

from cli.helpers import assert_one_sentence
from dprules.cli.exits import Exit
from dprules.schema import Schema


def test_no_value_is_in_a_draft_unless_values_are_public(shell, stays, tmp_path):
    draft = ("schema", "draft", stays / "stays.csv", "--label", "readmitted", "-o", tmp_path / "s.toml")
    assert shell(*draft).code == Exit.OK
    assert "maternity" not in (tmp_path / "s.toml").read_text()
    fit = ("fit", stays / "stays.csv", "--schema", tmp_path / "s.toml", "-o", tmp_path / "m.json")
    for dry in ((), ("--dry-run",)):
        code, _, err = shell(*fit, *dry)
        assert_one_sentence(code, err, Exit.INPUT)
        assert "placeholder" in err
    assert shell(*draft, "--values-are-public", "--force").code == Exit.OK
    assert "maternity" in (tmp_path / "s.toml").read_text()
    assert "values and cuts, read off the data and declared public" in shell(*fit).out


def test_a_draft_is_never_overwritten_unless_it_is_asked_for(shell, stays, tmp_path):
    (tmp_path / "s.toml").write_text("mine")
    draft = ("schema", "draft", stays / "stays.csv", "--label", "readmitted", "-o", tmp_path / "s.toml")
    code, _, err = shell(*draft)
    assert_one_sentence(code, err, Exit.INPUT)
    assert (tmp_path / "s.toml").read_text() == "mine"
    assert shell(*draft, "--force").code == Exit.OK


def test_the_hint_can_be_copied(shell, stays, tmp_path):
    """With the table of a database, the delimiter, and quotes where they are needed."""
    (tmp_path / "my data").mkdir()
    database = tmp_path / "my data" / "d.db"
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"CREATE TABLE stays AS SELECT * FROM read_csv('{stays / 'stays.csv'}', all_varchar = true)")
    output = tmp_path / "my data" / "s.toml"
    source = (f"duckdb:///{database}", "--table", "stays")
    ran = shell("schema", "draft", *source, "--label", "readmitted", "-o", output, "--values-are-public")
    assert ran.code == Exit.OK, ran.err
    command = shlex.split(ran.out.split("`")[1])
    assert command[0] == "dprules"
    assert shell(*command[1:], "-o", tmp_path / "m.json", "--dry-run").code == Exit.OK


def test_types_of_a_database_become_kinds(shell, tmp_path):
    with duckdb.connect(str(tmp_path / "d.db")) as connection:
        connection.execute("CREATE TABLE t AS SELECT true AS flag, 1.5 AS size, 'a' AS name, 'b' AS y")
    url = f"duckdb:///{tmp_path / 'd.db'}"
    shell("schema", "draft", url, "--table", "t", "--label", "y", "-o", tmp_path / "s.toml")
    schema = Schema.from_file(tmp_path / "s.toml")
    assert [column.kind for column in schema.columns] == ["boolean", "numeric", "categorical"]


@pytest.mark.parametrize(
    ("label", "sentence"), [("nothing", "has no column 'nothing'"), ("", "has no column ''")], ids=["unknown", "empty"]
)
def test_a_label_that_is_not_there(label, sentence, shell, stays, tmp_path):
    code, _, err = shell("schema", "draft", stays / "stays.csv", "--label", label, "-o", tmp_path / "s.toml")
    assert_one_sentence(code, err, Exit.INPUT)
    assert sentence in err
