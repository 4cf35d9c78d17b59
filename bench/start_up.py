"""How long commands take to start: CPU seconds of short commands beside `dprules --version`, and of whole fits."""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow.csv

from bench.data import FOLDER, load
from bench.table import markdown
from dprules.jobs import FitRequest, fit
from dprules.jobs.example import SCHEMA, hospital_stays

REPEATS = 11
ROWS = 48_842
"""Of the made-up table, if the Adult data is not here: as many as Adult has."""


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        commands = _write_commands(Path(folder))
        for command in commands.values():  # kernels and tilts that are kept on disk
            _cpu(command)
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(REPEATS):  # alternately: these machines are noisy
            for name, command in commands.items():
                times[name].append(_cpu(command))
    version = median(times["--version"])
    return [
        {"command": name, "seconds": median(found), "least": min(found), "ratio": median(found) / version}
        for name, found in times.items()
    ]


def _write_commands(folder: Path) -> dict[str, list[str]]:
    """Return commands by name; what they read is written to a folder."""
    model = folder / "model.json"
    fit(FitRequest(hospital_stays(24_000, 1), SCHEMA)).save(model)
    name, data, schema = _choose_table(folder)
    files = [str(data), "--schema", str(schema), "-o", str(folder / "fitted.json"), "--force"]
    budget = ["--epsilon", "1", "--delta", "1e-6"]
    commands = {
        "--version": ["--version"],
        "show": ["show", str(model)],
        "verify": ["verify", str(model)],
        f"fit {name}": ["fit", *files, *budget],
        f"fit {name} --model scorecard": ["fit", *files, *budget, "--model", "scorecard"],
    }
    return {shown: [sys.executable, "-m", "dprules", *command] for shown, command in commands.items()}


def _choose_table(folder: Path) -> tuple[str, Path, Path]:
    """Return a name, a CSV file and its schema: Adult if it is here, otherwise made-up hospital stays."""
    schema = folder / "schema.toml"
    adult = FOLDER / "adult.csv"
    if adult.exists():
        schema.write_text(load("adult")[1].to_toml())
        return "adult.csv", adult, schema
    stays = folder / "stays.csv"
    pyarrow.csv.write_csv(hospital_stays(ROWS, 1), stays)
    schema.write_text(SCHEMA.to_toml())
    return "stays.csv", stays, schema


def _cpu(command: list[str]) -> float:
    """CPU seconds of a child, system time included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table(results: list[dict[str, Any]]) -> str:
    rows = [[f"`dprules {r['command']}`", f"{r['seconds']:.2f} s", f"{r['ratio']:.1f}"] for r in results]
    return markdown(["command", "CPU", "times `--version`"], rows)
