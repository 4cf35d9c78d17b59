import json

import duckdb
import pytest

from cli.helpers import assert_one_sentence, assert_refused
from dprules.cli.exits import Exit


@pytest.fixture
def evaluate(stays):
    return ("evaluate", stays / "model.json", stays / "stays.csv")


def test_accuracy_is_bought_or_of_public_rows(shell, evaluate):
    assert "on 3,000 rows, on public rows" in shell(*evaluate, "--public").out
    bought = json.loads(shell(*evaluate, "--epsilon", "1", "--json").out)
    assert 0.5 < bought["accuracy"] <= 1
    assert bought["epsilon"] == 1
    assert 0 < bought["error"] < 0.1
    assert "for epsilon 1 a row (replace)" in shell(*evaluate, "--epsilon", "1", "--neighbours", "replace").out


def test_it_is_the_accuracy_of_the_predictions(shell, evaluate, stays):
    public = json.loads(shell(*evaluate, "--public", "--json").out)
    predicted = shell("predict", *evaluate[1:], "--keep", "readmitted").out.splitlines()[1:]
    right = sum(truth == label for truth, label in (line.split(",") for line in predicted))
    assert public["accuracy"] == pytest.approx(right / len(predicted))
    assert public["rows"] == len(predicted)


def test_a_view_without_an_order_is_read_once(shell, evaluate, stays, tmp_path):
    with duckdb.connect(str(tmp_path / "views.db")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM read_csv('{stays / 'stays.csv'}', all_varchar = true)")
        connection.execute("CREATE VIEW v AS SELECT * FROM t ORDER BY random()")
    source = (*evaluate[:2], f"duckdb:///{tmp_path / 'views.db'}", "--public", "--table")
    assert shell(*source, "v").out == shell(*source, "t").out == shell(*evaluate, "--public").out


@pytest.mark.parametrize("more", [(), ("--epsilon", "1", "--public")], ids=["neither", "both"])
def test_one_of_the_two_must_be_said(shell, evaluate, more):
    code, out, err = shell(*evaluate, *more)
    assert_one_sentence(code, err, Exit.PRIVACY)
    assert out == ""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (("--epsilon", "0"), Exit.PARAMETER),
        (("--epsilon", "1", "--neighbours", "zero-out"), Exit.PARAMETER),
        (("--public", "--label", "nothing"), Exit.INPUT),
    ],
)
def test_what_makes_no_sense(shell, evaluate, more, expected):
    assert_refused(shell(*evaluate, *more), expected)
