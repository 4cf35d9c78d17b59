"""How long commands take to start: CPU seconds of `dprules show` beside `dprules --version`, and of a fit."""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from bench.table import markdown
from dprules.jobs import FitRequest, fit
from dprules.jobs.example import SCHEMA, hospital_stays

REPEATS = 11


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.json"
        fit(FitRequest(hospital_stays(24_000, 1), SCHEMA)).save(model)
        commands = {"--version": ["--version"], "show": ["show", str(model)], "verify": ["verify", str(model)]}
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(REPEATS):  # alternately: these machines are noisy
            for name, command in commands.items():
                times[name].append(_cpu([sys.executable, "-m", "dprules", *command]))
    version = median(times["--version"])
    return [
        {"command": name, "seconds": median(found), "ratio": median(found) / version} for name, found in times.items()
    ]


def _cpu(command: list[str]) -> float:
    """CPU seconds of a child, system time included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table(results: list[dict[str, Any]]) -> str:
    rows = [[f"`dprules {r['command']}`", f"{r['seconds']:.2f} s", f"{r['ratio']:.1f}"] for r in results]
    return markdown(["command", "CPU", "times `--version`"], rows)
