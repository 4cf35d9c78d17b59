"""What a job leaves on disk depends on public facts: compiled kernels, temporary files, modules that were loaded."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from . import left_behind
from .left_behind import NAMES, ODD, PLAIN, SETS, record, write_csv, write_parquet

FAST = ["list of CSV with units", "scorecard of Parquet", "stream"]


def environment(folder: Path, kernels: Path) -> dict[str, str]:
    (folder / "temporary").mkdir(parents=True)
    return {
        **os.environ,
        "NUMBA_CACHE_DIR": str(kernels),
        "TMPDIR": str(folder / "temporary"),
        "DPRULES_CACHE": "",
    }


def run_set(name: str, folder: Path, kernels: Path, *options: str) -> list[dict[str, Any]]:
    command = [sys.executable, left_behind.__file__, str(folder), name, *options]
    done = subprocess.run(command, env=environment(folder, kernels), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


def check(name: str, folder: Path, kernels: Path, *options: str) -> None:
    first, *others = run_set(name, folder, kernels, *options)
    assert first["temporary"] == []
    assert any("tokens._tokenize" in file for file in first["kernels"])
    for other in others:
        for kind in ("kernels", "temporary", "modules"):
            assert sorted(set(other[kind]) ^ set(first[kind])) == []


@pytest.mark.parametrize("name", FAST)
def test_jobs_on_neighbouring_files_leave_the_same_on_disk(name: str, tmp_path: Path, kernels: Path) -> None:
    """The first job has no rows: it compiles and loads all that others need."""
    check(name, tmp_path / "job", kernels)


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_jobs_of_every_kind_leave_the_same_on_disk(name: str, tmp_path: Path) -> None:
    """With a folder for kernels of its own, so that none is there from other kinds of jobs."""
    check(name, tmp_path / "job", tmp_path / "kernels", "large")


def run_command(arguments: list[str], folder: Path, kernels: Path) -> tuple[int, list[str], list[str]]:
    """Run a command with an empty folder for kernels; return its exit code and what is on disk afterwards."""
    child = environment(folder, kernels)
    code = "from dprules.cli import main\nmain()\n"
    done = subprocess.run([sys.executable, "-c", code, *arguments], env=child, capture_output=True)
    return done.returncode, left_behind.listing(str(kernels)), left_behind.listing(child["TMPDIR"])


@pytest.mark.slow
@pytest.mark.parametrize("write", [write_csv, write_parquet])
@pytest.mark.parametrize("model", ["list", "scorecard"])
def test_commands_with_an_empty_cache_leave_the_same_kernels(write: Any, model: str, tmp_path: Path) -> None:
    """A fit of 6,300 + 101 rows left other kernels than one of one row more; so did one cell of 30 digits."""
    usual = [record(i) for i in range(200)]
    files = {
        "no rows": [],
        "6,401 rows": [record(i) for i in range(6_401)],
        "6,402 rows": [record(i) for i in range(6_402)],
        "30 digits": [*usual, record(0) | dict.fromkeys(NAMES[2:], ODD["30 digits"])],
        "not ASCII": [*usual, record(0) | dict.fromkeys(NAMES[2:], ODD["not ASCII"])],
    }
    (tmp_path / "schema.toml").write_text(PLAIN.to_toml())
    outcomes = set()
    for number, records in enumerate(files.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        options = ["--schema", str(tmp_path / "schema.toml"), "--model", model, "-o", str(folder / "model.json")]
        code, compiled, left = run_command(["fit", str(write(records, folder)), *options], folder, folder / "kernels")
        outcomes.add((code, tuple(compiled), tuple(left)))
    assert len(outcomes) == 1
    code, kernels, files_left = outcomes.pop()
    assert code == 0
    assert kernels
    assert not files_left
