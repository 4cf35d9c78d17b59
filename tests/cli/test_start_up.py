"""A command loads what it needs, and what it finds on disk changes no guarantee."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from cli.helpers import run_process
from dprules.accounting import disk
from dprules.files import digest

NOT_NEEDED = (
    "dprules.learners.streams",
    "dprules.report",
    "duckdb",
    "jinja2",
    "numba.np.arraymath",
    "pyarrow.parquet",
    "rich.progress",
    "scipy.linalg",
    "scipy.sparse",
    "sklearn",
)


@pytest.mark.parametrize("model", ["list", "scorecard"])
def test_a_fit_loads_nothing_that_it_does_not_need(model, stays, tmp_path):
    files = (stays / "stays.csv", "--schema", stays / "schema.toml", "-o", tmp_path / "model.json", "--force")
    command = [sys.executable, "-X", "importtime", "-m", "dprules", "fit", *map(str, files), "--model", model]
    for _ in range(2):  # the first may have to compile
        shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stderr
    loaded = {line.rpartition("|")[2].strip() for line in shown.splitlines()}
    assert "numba" in loaded
    assert loaded.isdisjoint(NOT_NEEDED)


def test_a_planted_tilt_does_not_spend_more_than_the_budget(stays, tmp_path):
    """A cache says nothing about privacy: a tilt that is too large is found anew."""
    model = tmp_path / "model.json"
    files = (stays / "stays.csv", "--schema", stays / "schema.toml", "-o", model, "--force", "--max-rules", 3)
    kept = {"DPRULES_CACHE": str(tmp_path / "cache")}
    assert run_process("fit", *files, environment=kept).returncode == 0
    honest = _tilt_of(model)
    (file,) = (tmp_path / "cache" / "tilts").iterdir()
    large = float(2 * honest).hex()
    file.write_text(json.dumps({"format": disk.FORMAT, "tilt": large, "digest": digest([file.name, large])}))
    assert run_process("fit", *files, environment=kept).returncode == 0
    assert _tilt_of(model) == honest
    assert run_process("verify", model).returncode == 0


def _tilt_of(model) -> Fraction:
    _, rules = json.loads(model.read_text())["certificate"]["charges"]
    (release,) = rules["releases"]
    return Fraction(release["event"]["tilt"])
