"""`dprules show` and `dprules verify`; and what they do not load."""

import json
import subprocess
import sys

import pytest

from cli.helpers import assert_one_sentence, assert_refused, run_process
from dprules.accounting import SEEDED
from dprules.cli.exits import Exit
from dprules.cli.options import CHECKED

HEAVY = ("duckdb", "ibis", "numba", "pandas", "polars", "pyarrow", "scipy", "sklearn", "matplotlib")


def test_a_model_is_printed_with_its_statement(shell, stays):
    ran = shell("show", stays / "model.json")
    assert ran.code == Exit.OK
    assert "differentially private" in ran.out
    assert ran.out.endswith(CHECKED + "\n")
    assert ran.err == ""
    shown = json.loads(shell("show", stays / "model.json", "--json").out)
    assert shown == json.loads((stays / "model.json").read_text())


def test_verify_says_what_it_checks(shell, stays):
    ran = shell("verify", stays / "model.json")
    claim, checked = ran.out.splitlines()
    assert (ran.code, checked) == (Exit.OK, CHECKED)
    assert claim.startswith("(1, 1e-06)-differentially private")
    assert "does not say who wrote the file" in CHECKED
    assert json.loads(shell("verify", stays / "model.json", "--json").out) == {
        "verified": True,
        "private": True,
        "faults": [],
    }


def test_a_seeded_model_has_an_exit_code_of_its_own(shell, stays, tmp_path):
    seeded = tmp_path / "seeded.json"
    assert shell("fit", stays / "stays.csv", "--schema", stays / "schema.toml", "--seed", "5", "-o", seeded).code == 0
    assert shell("verify", seeded) == (Exit.NOT_PRIVATE, "", f"{SEEDED}\n")
    ran = shell("verify", seeded, "--json")
    assert ran.code == Exit.NOT_PRIVATE
    assert json.loads(ran.out) == {"verified": True, "private": False, "faults": []}
    document = json.loads(seeded.read_text())
    document["certificate"]["epsilon"] = 0.5
    seeded.write_text(json.dumps(document))
    assert shell("verify", seeded).code == Exit.UNVERIFIED


@pytest.mark.parametrize("damage", ["truncated", "future", "binary", "empty", "deep", "another document"])
@pytest.mark.parametrize("command", ["show", "verify"])
def test_files_that_cannot_be_read(damage, command, shell, stays, tmp_path):
    text = (stays / "model.json").read_text()
    path = tmp_path / "damaged.json"
    damaged = {
        "truncated": text[: len(text) // 2],
        "future": text.replace('"version": 1', '"version": 9', 1),
        "empty": "",
        "deep": "[" * 100_000,
        "another document": '{"format": "something"}',
    }
    path.write_bytes(b"\xff\x00\x01" if damage == "binary" else damaged[damage].encode())
    code, out, err = shell(command, path)
    assert_one_sentence(code, err, Exit.INPUT)
    assert out == ""


def test_a_file_that_is_not_there(shell, tmp_path):
    code, _, err = shell("show", tmp_path / "none.json")
    assert_one_sentence(code, err, Exit.FILE)
    assert_refused(shell("show", tmp_path), Exit.FILE)


@pytest.mark.parametrize("command", [("show",), ("verify",), ("export", "--to", "sql"), ("report",)], ids=" ".join)
def test_nothing_heavy_is_loaded(command, stays, tmp_path):
    """Nobody should wait for a table engine to read a list."""
    output = ["-o", str(tmp_path / "report.html")] if command == ("report",) else []
    words = [command[0], str(stays / "model.json"), *command[1:], *output]
    code = f"""
import sys
sys.argv[1:] = {words!r}
from dprules.cli import main
try:
    main()
except SystemExit as stopped:
    assert not stopped.code, stopped.code
print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert ran.stderr.splitlines()[-1] == "[]"


def test_plans_and_versions_load_nothing_heavy_either():
    for words in (["--version"], ["-h"], ["fit", "-h"]):
        ran = run_process(*words, environment={"PYTHONPROFILEIMPORTTIME": "1"})
        loaded = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in ran.stderr.splitlines() if "|" in line}
        assert not set(HEAVY) & loaded
