"""`dprules schema draft`: names and types only, unless values are public."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import duckdb
import pyarrow.csv
import pyarrow.parquet
import pytest

from cli.helpers import assert_one_sentence
from dprules.cli.exits import Exit
from dprules.schema import PrivateCuts, Schema


def test_no_value_is_in_a_draft_unless_values_are_public(shell, stays, tmp_path):
    draft = ("schema", "draft", stays / "stays.csv", "--label", "readmitted", "-o", tmp_path / "s.toml")
    ran = shell(*draft)
    assert ran.code == Exit.OK
    assert " entries to fill in; then `dprules schema check" in ran.out
    assert "maternity" not in (tmp_path / "s.toml").read_text()
    fit = ("fit", stays / "stays.csv", "--schema", tmp_path / "s.toml", "-o", tmp_path / "m.json")
    for refused in (fit, (*fit, "--dry-run"), ("stream", "init", tmp_path / "x", "--features", tmp_path / "s.toml")):
        code, _, err = shell(*refused)
        assert_one_sentence(code, err, Exit.INPUT)
        assert "must be filled in" in err
        assert "`dprules schema check` lists them" in err
    assert not (tmp_path / "x").exists()
    assert shell(*draft, "--values-are-public", "--force").code == Exit.OK
    assert "maternity" in (tmp_path / "s.toml").read_text()
    assert "values and cuts, read off the data and declared public" in shell(*fit).out


def test_a_draft_is_never_overwritten_unless_it_is_asked_for(shell, stays, tmp_path):
    (tmp_path / "s.toml").write_text("mine")
    draft = ("schema", "draft", stays / "stays.csv", "--label", "readmitted", "-o", tmp_path / "s.toml")
    code, _, err = shell(*draft)
    assert_one_sentence(code, err, Exit.FILE)
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
        connection.execute(
            "CREATE TABLE t AS SELECT true AS flag, 1.5 AS size, 'a' AS name, DATE '2024-01-01' AS d, 'b' AS y"
        )
    url = f"duckdb:///{tmp_path / 'd.db'}"
    shell("schema", "draft", url, "--table", "t", "--label", "y", "-o", tmp_path / "s.toml")
    columns = tomllib.loads((tmp_path / "s.toml").read_text())["columns"]
    assert [entry["kind"] for entry in columns.values()] == ["boolean", "numeric", "categorical", "date"]


@pytest.mark.parametrize(
    ("label", "sentence"), [("nothing", "has no column 'nothing'"), ("", "has no column ''")], ids=["unknown", "empty"]
)
def test_a_label_that_is_not_there(label, sentence, shell, stays, tmp_path):
    code, _, err = shell("schema", "draft", stays / "stays.csv", "--label", label, "-o", tmp_path / "s.toml")
    assert_one_sentence(code, err, Exit.INPUT)
    assert sentence in err


def test_a_draft_is_filled_in_checked_and_fitted(shell, stays, tmp_path):
    """The way of somebody who may not look at the data, with what is printed at each step."""
    data = stays / "stays.csv"
    schema = tmp_path / "s.toml"
    shell("schema", "draft", data, "--label", "readmitted", "-o", schema)
    ran = shell("schema", "check", schema, "--data", data)
    assert ran.code == Exit.INPUT
    lines = ran.out.splitlines()
    text = schema.read_text()
    assert len(lines) == text.count('= "?"') + 1
    assert lines[-1] == f"{len(lines) - 1} gaps to mend."
    for line in lines[:-1]:
        number = int(line.split(":")[0].removeprefix("line "))
        assert '= "?"' in text.splitlines()[number - 1]
    filled = {"classes": '["no", "yes"]', "age": '{ kind = "numeric", lower = 0, upper = 110, step = 1 }'}
    edited = []
    for line in text.splitlines():
        name = line.split(" = ")[0]
        edited.append(f"{name} = {filled.get(name, repr('ignore'))}" if '= "?"' in line else line)
    schema.write_text("\n".join(edited))
    ran = shell("schema", "check", schema, "--data", data)
    assert ran.code == Exit.OK, ran.out
    assert "No gaps. At most 14 literals" in ran.out
    assert "cuts of age: epsilon 0.1" in ran.out
    assert "class counts: epsilon 0.02" in ran.out
    assert shell("fit", data, "--schema", schema, "-o", tmp_path / "m.json").code == Exit.OK


def test_a_check_as_json(shell, stays, tmp_path):
    ran = shell("schema", "check", stays / "schema.toml", "--data", stays / "stays.csv", "--json", "--epsilon", "2")
    report = json.loads(ran.out)
    assert report["complete"]
    assert sum(part["epsilon"] for part in report["spending"]) == pytest.approx(2)
    text = (stays / "schema.toml").read_text().replace("[columns.age]", "[columns.size]")
    (tmp_path / "s.toml").write_text(text)
    ran = shell("schema", "check", tmp_path / "s.toml", "--data", stays / "stays.csv", "--json")
    assert ran.code == Exit.INPUT
    report = json.loads(ran.out)
    assert [gap["where"] for gap in report["gaps"]] == ["columns.size"]
    assert text.splitlines()[report["gaps"][0]["line"] - 1] == "[columns.size]"
    assert (report["unused"], report["unused_number"]) == ([], 1)  # names of a text file may be a record


def test_a_codebook_a_public_table_and_parquet(shell, stays, tmp_path):
    table = pyarrow.csv.read_csv(stays / "stays.csv")
    pyarrow.parquet.write_table(table, tmp_path / "stays.parquet")
    pyarrow.csv.write_csv(table.slice(0, 300), tmp_path / "public.csv")
    (tmp_path / "book.csv").write_text(
        "column,kind,lower,upper,step,values,label\nage,numeric,0,110,1,,\nreadmitted,,,,,no|yes,yes\n"
    )
    draft = ("schema", "draft", tmp_path / "stays.parquet", "-o", tmp_path / "s.toml")
    ran = shell(*draft, "--codebook", tmp_path / "book.csv", "--like", tmp_path / "public.csv")
    assert ran.code == Exit.OK, ran.err
    assert "check it, then `dprules fit" in ran.out
    text = (tmp_path / "s.toml").read_text()
    assert 'age = { kind = "numeric", lower = 0, upper = 110, step = 1 }' in text.splitlines()
    assert 'values_like = "public.csv"' in text.splitlines()
    fit = ("fit", tmp_path / "stays.parquet", "--schema", tmp_path / "s.toml", "-o", tmp_path / "m.json")
    assert "taken from the public table 'public.csv'" in shell(*fit).out
    assert shell("verify", tmp_path / "m.json").code == Exit.OK
    code, _, err = shell(*draft, "--label", "readmitted", "--like", tmp_path / "stays.parquet", "--force")
    assert_one_sentence(code, err, Exit.PRIVACY)


def test_a_file_with_decimal_commas(shell, tmp_path):
    rows = [f'"{i},5";{"ab"[i % 2]}' for i in range(60)]
    (tmp_path / "d.csv").write_text("\n".join(["n;y", *rows]) + "\n")
    draft = ("schema", "draft", tmp_path / "d.csv", "--label", "y", "-o", tmp_path / "s.toml", "--values-are-public")
    assert shell(*draft, "--decimal", ",").code == Exit.OK
    column = Schema.from_file(tmp_path / "s.toml").columns[0]
    assert (column.kind, column.code("3,5"), column.code("59,5")) == ("numeric", 0, 8)
    code, _, err = shell(*draft, "--decimal", ";", "--force")
    assert_one_sentence(code, err, Exit.PARAMETER)


def test_a_check_of_what_is_not_there(shell, stays, tmp_path):
    code, _, err = shell("schema", "check", tmp_path / "none.toml")
    assert_one_sentence(code, err, Exit.FILE)
    url = f"duckdb:///{tmp_path / 'd.db'}"
    duckdb.connect(str(tmp_path / "d.db")).close()
    code, _, err = shell("schema", "check", stays / "schema.toml", "--data", url, "--table", "none")
    assert_one_sentence(code, err, Exit.INPUT)
    assert "Name one with --table" in err


def test_the_worked_example_of_the_docs(shell, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "schema.md").read_text()
    drafted, filled = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[:2]
    complete, gaps, book = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[:3]
    (tmp_path / "patients.csv").write_text("id,age,ward,admitted,weight,readmitted\n")
    schema = tmp_path / "schema.toml"
    draft = ("schema", "draft", tmp_path / "patients.csv", "-o", schema, "--force")
    assert shell(*draft, "--label", "readmitted").code == Exit.OK
    assert schema.read_text().endswith(drafted)
    schema.write_text(filled)
    assert shell("schema", "check", schema, "--data", tmp_path / "patients.csv").out == complete
    wrong = filled.replace('["no", "yes"]', '"?"').replace("upper = 110", "upper = 0").replace("ward =", "wing =")
    schema.write_text(wrong)
    out = shell("schema", "check", schema, "--data", tmp_path / "patients.csv").out
    assert out == gaps
    (tmp_path / "codebook.csv").write_text(book)
    assert shell(*draft, "--codebook", tmp_path / "codebook.csv").code == Exit.OK
    assert schema.read_text().count('= "?"') == 1  # the weight, which is not in the codebook


def test_odd_names_of_columns_stay_on_their_line(shell, tmp_path):
    (tmp_path / "s.toml").write_text('[label]\ncolumn = "y"\nclasses = "?"\n[columns]\n"a\\u001b[31m" = "?"\n')
    (tmp_path / "d.csv").write_text('"b\x1b[32m",y\n')
    ran = shell("schema", "check", tmp_path / "s.toml", "--data", tmp_path / "d.csv")
    assert "\x1b" not in ran.out
    assert len(ran.out.splitlines()) == 5


def test_a_file_without_a_header(shell, stays, tmp_path):
    """Nothing tells its first record from names: both commands say what to look for, and the check shows none of it."""
    secrets = ("P0001", "47", "HIV positive", "yes")
    (tmp_path / "d.csv").write_text(",".join(secrets) + "\n")
    for as_json in ((), ("--json",)):
        ran = shell("schema", "check", stays / "schema.toml", "--data", tmp_path / "d.csv", *as_json)
        assert ran.code == Exit.INPUT
        assert not any(secret in ran.out + ran.err for secret in ("P0001", "47", "HIV"))
    ran = shell("schema", "draft", tmp_path / "d.csv", "--label", "yes", "-o", tmp_path / "s.toml")
    assert "If that line is a record, add a header line first" in ran.out
    assert "If that line is a record" in (tmp_path / "s.toml").read_text()


def test_wide_tables_stay_readable(shell, tmp_path):
    names = [f"f{i:03}" for i in range(200)]
    (tmp_path / "d.csv").write_text(",".join([*names, "y"]) + "\n")
    schema = tmp_path / "s.toml"
    shell("schema", "draft", tmp_path / "d.csv", "--label", "y", "-o", schema)
    first = schema.read_text().splitlines().index('f000 = "?"  # categorical, numeric, boolean, date, or ignore') + 1
    ran = shell("schema", "check", schema, "--data", tmp_path / "d.csv")
    assert len(ran.out.splitlines()) == 3
    assert f"lines {first}-{first + 199}: 200 entries from columns.f000 to columns.f199 must be filled in" in ran.out
    assert "201 gaps to mend." in ran.out
    entries = "\n".join(f'{name.upper()} = {{ kind = "numeric", lower = 0, upper = 9, step = 1 }}' for name in names)
    schema.write_text(f'[label]\ncolumn = "y"\nclasses = ["a", "b"]\n[columns]\n{entries}\n')
    assert (
        "columns.F003 must be a column of the data (did you mean 'f003'?)"
        in shell("schema", "check", schema, "--data", tmp_path / "d.csv").out
    )
    (tmp_path / "other.csv").write_text("y,z\n")
    ran = shell("schema", "check", schema, "--data", tmp_path / "other.csv")
    assert [len(line) < 200 for line in ran.out.splitlines()] == [True] * 3
    ran = shell("schema", "check", schema, "--width", "1")
    assert ran.code == Exit.OK
    assert all(len(line) < 200 for line in ran.out.splitlines())


def test_lines_of_gaps_are_joined_where_they_are_neighbours(shell, tmp_path):
    lines = [f'a{i} = "?"' if i != 5 else 'a5 = "boolean"' for i in range(14)]
    text = "\n".join(["[label]", 'column = "y"', 'classes = ["a", "b"]', "[columns]", *lines])
    (tmp_path / "s.toml").write_text(text)
    assert (
        "lines 5-9, 11-18: 13 entries from columns.a0 to columns.a13 must be"
        in shell("schema", "check", tmp_path / "s.toml").out
    )


def test_identifiers_of_a_public_table_are_named_on_standard_error(shell, tmp_path):
    rows = [f"P{i},{'ab'[i % 2]}" for i in range(60)]
    (tmp_path / "public.csv").write_text("\n".join(["id,y", *rows]) + "\n")
    (tmp_path / "d.csv").write_text("id,y\n")
    draft = ("schema", "draft", tmp_path / "d.csv", "--label", "y", "-o", tmp_path / "s.toml")
    ran = shell(*draft, "--like", tmp_path / "public.csv")
    assert ran.code == Exit.OK
    assert ran.err.startswith("Column 'id' has more than 50 different values. Declare it as numeric")
    assert len(ran.err.splitlines()) == 1
    assert "different values" not in ran.out


def test_a_codebook_with_decimal_commas_fills_in_everything(shell, tmp_path):
    (tmp_path / "d.csv").write_text("sum;ill\n")
    (tmp_path / "book.csv").write_text(
        "column;lower;upper;step;values;label;positive\nsum;0;10000,50;0,5;;;\nill;;;;no|yes;x;yes\n"
    )
    draft = ("schema", "draft", tmp_path / "d.csv", "-o", tmp_path / "s.toml", "--decimal", ",")
    ran = shell(*draft, "--codebook", tmp_path / "book.csv")
    assert ran.code == Exit.OK, ran.err
    assert "?" not in (tmp_path / "s.toml").read_text()
    schema = Schema.from_file(tmp_path / "s.toml")
    assert schema.columns == (PrivateCuts("sum", lower=0, upper=10000.5, step=0.5, decimal=","),)
    assert schema.label.positive == "yes"
    code, _, err = shell(*draft, "--codebook", tmp_path / "book.csv", "--label", "sum", "--force")
    assert_one_sentence(code, err, Exit.INPUT)
    assert "marks 'ill' as the label" in err
