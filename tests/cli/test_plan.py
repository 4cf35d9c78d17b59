import json

import pytest

from cli.helpers import assert_one_sentence
from dprules.cli.exits import Exit

LIST = ("plan", "list", "--features", "30")
STREAM = ("plan", "stream", "--features", "100", "--margin", "0.25", "--horizon", "1000000")


def test_a_list_prints_rows_error_and_ratio(shell):
    ran = shell(*LIST, "--width", "1", "--rows", "50000", "--error", "0.1")
    assert ran.code == Exit.OK
    assert "error at most 0.1" in ran.out
    assert "times ours" in ran.out


def test_a_list_says_when_rows_promise_nothing(shell):
    assert "no error below 50% is guaranteed" in shell(*LIST, "--rows", "100").out


def test_a_schema_has_a_simulation_beside_the_bound(shell, stays, monkeypatch):
    monkeypatch.setattr("dprules.jobs.typical.TABLES", 2)
    ran = shell("plan", "list", "--schema", stays / "schema.toml", "--rows", "2000")
    assert ran.code == Exit.OK, ran.err
    assert "Typical accuracy from 2,000 rows" in ran.out
    for words in ("majority", "private", "lowest to", "without", "best"):
        assert words in ran.out
    assert "A simulation, no promise" in ran.out
    assert "no error below 50% is guaranteed" in ran.out
    typical = json.loads(shell("plan", "list", "--schema", stays / "schema.toml", "--rows", "2000", "--json").out)
    assert all(one["baseline"] < one["accuracy"] for one in typical["typical"])


def test_eighty_columns_hold_the_tables(shell, stays, monkeypatch):
    monkeypatch.setattr("dprules.jobs.typical.TABLES", 1)
    monkeypatch.setenv("COLUMNS", "80")
    ran = shell("plan", "list", "--schema", stays / "schema.toml", "--rows", "500", "--error", "0.1")
    lines = ran.out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    # No cell is broken: each kind of table is one line with its six cells.
    rows = [line for line in lines if line.count("│") == 7]
    assert len(rows) == 3
    assert all(cell.strip() for row in rows for cell in row.split("│")[1:-1])


def test_a_delta_above_one_over_rows_is_refused(shell):
    code, out, err = shell(*LIST, "--rows", "1000", "--delta", "0.01")
    assert_one_sentence(code, err, Exit.PRIVACY)
    assert "1 / rows" in err
    assert out == ""


def test_a_schema_that_is_not_there(shell, tmp_path):
    code, out, err = shell("plan", "list", "--schema", tmp_path / "none.toml", "--rows", "1000")
    assert_one_sentence(code, err, (Exit.FILE, Exit.INPUT))
    assert out == ""


def test_a_stream_prints_bounds(shell):
    ran = shell(*STREAM)
    assert ran.code == Exit.OK
    assert "promises nothing" in ran.out
    assert "mistakes, guarded" in ran.out


@pytest.mark.parametrize("command", [(*LIST, "--error", "0.1"), STREAM], ids=["list", "stream"])
def test_json_is_json(shell, command):
    ran = shell(*command, "--json")
    assert ran.code == Exit.OK
    assert json.loads(ran.out)["ratio"] > 5


def test_a_large_epsilon_has_a_plan_though_the_papers_lemma_fails(shell):
    ran = shell(*LIST, "--epsilon", "90")
    assert ran.code == Exit.OK
    assert "its lemma fails here" in ran.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((*LIST, "--epsilon", "0"), "epsilon must be positive; got 0.0"),
        ((*LIST, "--epsilon", "inf"), "epsilon must be finite"),
        ((*LIST, "--epsilon", "1000"), "epsilon must lie between 1e-100 and 500"),
        ((*LIST, "--delta", "5e-324"), "delta must lie strictly between 0 and 1"),
        (("plan", "list", "--features", "1" * 400), "features must be at most"),
        (("plan", "list", "--features", "100000", "--width", "50000"), "width must be at most 10"),
        ((*STREAM[:-2], "--horizon", "9" * 200), "horizon must be at most"),
        ((*STREAM[:-4], "--margin", "1e-300", "--horizon", "9"), "margin must lie in (0, 1]"),
        ((*LIST, "--epsilon", "nan"), "epsilon must be finite"),
        ((*LIST, "--delta", "1"), "delta must lie strictly between 0 and 1; got 1"),
        ((*LIST, "--delta", "0"), "delta must lie strictly between 0 and 1"),
        ((*LIST, "--error", "2"), "error must lie strictly between 0 and 1"),
        ((*LIST, "--rows", "0"), "rows must be an integer of at least 1"),
        (("plan", "list", "--features", "2", "--width", "3"), "width must be at most the number of features"),
        ((*LIST, "--width", "0"), "width must be an integer"),
        ((*LIST, "--neighbours", "near"), "neighbours must be add-remove or replace"),
        ((*LIST, "--failure", "1"), "failure must lie strictly between"),
        (("plan", "list", "--features", "0"), "features must be an integer"),
        (("plan", "list"), "a plan is for a number of features or for a schema"),
        ((*STREAM[:-4], "--margin", "2", "--horizon", "9"), "margin must lie in (0, 1]; got 2.0"),
        ((*STREAM[:-4], "--margin", "nan", "--horizon", "9"), "margin must be finite"),
        ((*STREAM[:-2], "--horizon", "0"), "horizon must be an integer"),
    ],
)
def test_values_that_make_no_sense_get_one_sentence(shell, arguments, sentence):
    code, out, err = shell(*arguments)
    assert_one_sentence(code, err, Exit.PARAMETER)
    assert err.startswith(f"dprules: {sentence}")
    assert out == ""


def test_what_is_not_private_has_its_own_code(shell):
    ran = shell(*STREAM, "--neighbours", "add-remove")
    assert ran.code == Exit.PRIVACY
    assert "replace or zero-out" in ran.err
