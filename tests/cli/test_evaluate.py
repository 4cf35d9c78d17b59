import json

import duckdb
import pytest

from cli.helpers import assert_one_sentence, assert_refused, write_lines
from dprules.cli.exits import Exit


@pytest.fixture
def evaluate(stays):
    return ("evaluate", stays / "model.json", stays / "stays.csv")


def test_accuracy_is_bought_or_of_public_rows(shell, evaluate):
    assert "3,000 rows with a declared label, which are public" in shell(*evaluate, "--public").out
    bought = json.loads(shell(*evaluate, "--epsilon", "1", "--json").out)
    accuracy = bought["accuracy"]
    assert 0.5 < accuracy["low"] <= accuracy["value"] <= accuracy["high"] <= 1
    assert bought["epsilon"] == 1
    assert bought["rows"]["low"] <= 3000 <= bought["rows"]["high"]
    said = shell(*evaluate, "--epsilon", "1", "--neighbours", "replace").out
    assert "epsilon 1 for each row, replace neighbours" in said


def test_everything_is_printed(shell, evaluate):
    said = shell(*evaluate, "--public").out
    for words in ("accuracy", "majority baseline", "balanced accuracy", "AUC", "recall", "precision", "truly yes"):
        assert words in said
    assert "By answer" in said


def test_a_model_no_better_than_the_baseline_is_told(shell, evaluate, tmp_path):
    """The right labels turned round: most answers are wrong."""
    lines = evaluate[2].read_text().splitlines()
    turned = {"yes": "no", "no": "yes", '"yes"': "no", '"no"': "yes"}
    place = lines[0].replace('"', "").split(",").index("readmitted")
    rows = [line.split(",") for line in lines[1:]]
    wrong = [",".join([*row[:place], turned[row[place]], *row[place + 1 :]]) for row in rows]
    path = write_lines(tmp_path / "wrong.csv", [lines[0], *wrong])
    for paid in (("--public",), ("--epsilon", "5")):
        assert "The model is right no more often than always saying yes." in shell(*evaluate[:2], path, *paid).out


def test_names_are_printed_as_they_are(shell, tmp_path):
    """Rich would read [red] as a colour."""
    schema = 'label = { column = "y", classes = ["[red]no", "[/]yes"] }\n[columns."[bold]a"]\nkind = "boolean"\n'
    (tmp_path / "s.toml").write_text(schema)
    rows = [f"{i % 2 == 0},{'[red]no' if i % 2 else '[/]yes'}" for i in range(2000)]
    table = write_lines(tmp_path / "t.csv", ["[bold]a,y", *rows])
    fitted = shell("fit", table, "--schema", tmp_path / "s.toml", "-o", tmp_path / "m.json")
    assert fitted.code == Exit.OK, fitted.err
    said = shell("evaluate", tmp_path / "m.json", table, "--public").out
    assert "truly [red]no" in said
    assert "always [" in said
    assert "[bold]a" in said


def test_it_is_the_accuracy_of_the_predictions(shell, evaluate, stays):
    public = json.loads(shell(*evaluate, "--public", "--json").out)
    predicted = shell("predict", *evaluate[1:], "--keep", "readmitted").out.splitlines()[1:]
    right = sum(truth == label for truth, label in (line.split(",") for line in predicted))
    assert public["accuracy"]["value"] == pytest.approx(right / len(predicted))
    assert public["rows"]["value"] == len(predicted)
    assert public["certificate"] is None


def test_units_are_priced(shell, evaluate):
    bought = json.loads(shell(*evaluate, "--epsilon", "8", "--unit", "age", "--unit-rows", "2", "--json").out)
    assert bought["rows"]["high"] < 1000
    assert bought["certificate"]["unit"]["rows"] == 2


def test_a_view_without_an_order_is_read_once(shell, evaluate, stays, tmp_path):
    with duckdb.connect(str(tmp_path / "views.db")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM read_csv('{stays / 'stays.csv'}', all_varchar = true)")
        connection.execute("CREATE VIEW v AS SELECT * FROM t ORDER BY random()")
    source = (*evaluate[:2], f"duckdb:///{tmp_path / 'views.db'}", "--public", "--table")
    assert shell(*source, "v").out == shell(*source, "t").out == shell(*evaluate, "--public").out


@pytest.mark.parametrize(
    ("more", "exit_code"),
    [((), Exit.PRIVACY), (("--epsilon", "1", "--public"), Exit.PARAMETER)],
    ids=["neither", "both"],
)
def test_one_of_the_two_must_be_said(shell, evaluate, more, exit_code):
    code, out, err = shell(*evaluate, *more)
    assert_one_sentence(code, err, exit_code)
    assert out == ""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (("--epsilon", "0"), Exit.PARAMETER),
        (("--epsilon", "1", "--neighbours", "zero-out"), Exit.PARAMETER),
        (("--public", "--label", "nothing"), Exit.INPUT),
        (("--public", "--label", "diabetes"), (Exit.INPUT, Exit.PARAMETER)),  # if the model asks about it
        (("--public", "--neighbours", "near"), Exit.PARAMETER),
        (("--public", "--unit", "age"), Exit.PARAMETER),
        (("--epsilon", "1", "--unit-rows", "2"), Exit.PARAMETER),
        (("--epsilon", "1", "--unit", "nobody"), Exit.INPUT),
    ],
)
def test_what_makes_no_sense(shell, evaluate, more, expected):
    assert_refused(shell(*evaluate, *more), expected)
