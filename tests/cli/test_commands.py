import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from dprules import __version__
from dprules.cli.exits import Exit
from dprules.cli.main import app, main

RUNNER = CliRunner()


def run(monkeypatch, capsys, *arguments):
    """The command as a shell would run it: exit code, standard output, standard error."""
    monkeypatch.setattr(sys, "argv", ["dprules", *arguments])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as stopped:
        main()
    out, err = capsys.readouterr()
    return stopped.value.code or 0, out, err


LIST = ("plan", "list", "--features", "30")
STREAM = ("plan", "stream", "--features", "100", "--margin", "0.25", "--horizon", "1000000")


def test_plan_list_prints_rows_error_and_ratio(monkeypatch, capsys):
    code, out, _ = run(monkeypatch, capsys, *LIST, "--rows", "50000", "--error", "0.1")
    assert code == Exit.OK
    assert "error at most 0.127" in out
    assert "63,687" in out
    assert "times ours" in out


def test_plan_list_says_when_rows_promise_nothing(monkeypatch, capsys):
    _, out, _ = run(monkeypatch, capsys, *LIST, "--rows", "100")
    assert "no error below 50% is guaranteed" in out


def test_plan_stream_prints_bounds(monkeypatch, capsys):
    code, out, _ = run(monkeypatch, capsys, *STREAM)
    assert code == Exit.OK
    assert "promises nothing" in out
    assert "mistakes, guarded" in out


@pytest.mark.parametrize("command", [(*LIST, "--error", "0.1"), STREAM])
def test_json_is_json(monkeypatch, capsys, command):
    code, out, _ = run(monkeypatch, capsys, *command, "--json")
    assert code == Exit.OK
    assert json.loads(out)["ratio"] > 5


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
        ((*LIST, "--delta", "1"), "delta must lie strictly between 0 and 1; got 1.0"),
        ((*LIST, "--delta", "0"), "delta must lie strictly between 0 and 1"),
        ((*LIST, "--error", "2"), "error must lie strictly between 0 and 1"),
        ((*LIST, "--rows", "0"), "rows must be an integer of at least 1"),
        (("plan", "list", "--features", "2", "--width", "3"), "width must be at most the number of features"),
        ((*LIST, "--width", "0"), "width must be an integer"),
        ((*LIST, "--neighbours", "near"), "neighbours must be one of"),
        ((*LIST, "--failure", "1"), "failure must lie strictly between"),
        (("plan", "list", "--features", "0"), "features must be an integer"),
        ((*STREAM[:-4], "--margin", "2", "--horizon", "9"), "margin must lie in (0, 1]; got 2.0"),
        ((*STREAM[:-4], "--margin", "nan", "--horizon", "9"), "margin must be finite"),
        ((*STREAM[:-2], "--horizon", "0"), "horizon must be an integer"),
        (("audit", "--mutate", "nothing"), "mutate must be one of"),
        (("audit", "--only", "nothing"), "only must name a check"),
    ],
)
def test_values_that_make_no_sense_get_one_sentence(monkeypatch, capsys, arguments, sentence):
    code, out, err = run(monkeypatch, capsys, *arguments)
    assert code == Exit.PARAMETER
    assert out == ""
    assert err.startswith(f"dprules: {sentence}")
    assert err.count("\n") == 1


def test_what_is_not_private_has_its_own_code(monkeypatch, capsys):
    code, _, err = run(monkeypatch, capsys, *STREAM, "--neighbours", "add-remove")
    assert code == Exit.PRIVACY
    assert "replace or zero-out" in err


def test_an_unknown_option_is_a_usage_error(monkeypatch, capsys):
    assert run(monkeypatch, capsys, *LIST, "--colour")[0] == Exit.USAGE


def test_a_large_epsilon_has_a_plan_though_the_papers_lemma_fails(monkeypatch, capsys):
    code, out, _ = run(monkeypatch, capsys, *LIST, "--epsilon", "90")
    assert code == Exit.OK
    assert "its lemma fails here" in out


def test_a_check_without_a_curve_has_no_picture_and_json_is_strict(tmp_path):
    arguments = ["audit", "--only", "list, add-remove, 3 rounds", "--mutate", "doubled-tilt", "--output", str(tmp_path)]
    result = RUNNER.invoke(app, [*arguments, "--json"])
    assert result.exit_code == Exit.BROKEN
    json.loads(result.stdout, parse_constant=lambda name: pytest.fail(name))
    (tmp_path / "b").mkdir()
    alone = RUNNER.invoke(app, ["audit", "--only", "noisy counts, as they run", "--output", str(tmp_path / "b")])
    assert alone.exit_code == Exit.OK
    assert not (tmp_path / "b" / "audit.svg").exists()


def test_audit_writes_a_picture_and_numbers(tmp_path):
    result = RUNNER.invoke(app, ["audit", "--only", "list, replace", "--output", str(tmp_path / "a")])
    assert result.exit_code == Exit.OK, result.output
    assert "holds" in result.output
    assert (tmp_path / "a" / "audit.svg").read_text().lstrip().startswith("<?xml")
    (finding,) = json.loads((tmp_path / "a" / "audit.json").read_text())
    assert finding["holds"]
    assert finding["ratio"] <= 1 + 1e-9


def test_audit_fails_on_a_planted_fault(tmp_path):
    arguments = [
        "audit",
        "--only",
        "batched, zero-out",
        "--mutate",
        "halved-noise",
        "--output",
        str(tmp_path),
        "--json",
    ]
    result = RUNNER.invoke(app, arguments)
    assert result.exit_code == Exit.BROKEN
    assert not json.loads(result.stdout)[0]["holds"]
    table = RUNNER.invoke(app, [*arguments[:-1]])
    assert "BROKEN" in table.output


def test_an_output_that_cannot_be_written_is_one_sentence(monkeypatch, capsys, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = run(monkeypatch, capsys, "audit", "--only", "list, replace", "--output", str(tmp_path / "file"))
    assert code == Exit.FILE
    assert err.startswith("dprules: cannot read or write")


def test_interrupts_are_quiet(monkeypatch, capsys):
    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("dprules.planning.plan_list", interrupt)
    code, out, err = run(monkeypatch, capsys, *LIST)
    assert code == Exit.INTERRUPTED
    assert out == ""
    assert err == "dprules: interrupted; no result was written.\n"


def test_version_and_help():
    assert RUNNER.invoke(app, ["--version"]).output.strip() == f"dprules {__version__}"
    shown = subprocess.run([sys.executable, "-m", "dprules", "-h"], capture_output=True, text=True, check=True)
    assert "plan" in shown.stdout
    assert "audit" in shown.stdout
