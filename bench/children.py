"""Measurements in processes of their own: memory and caches of one do not disturb another.

Run as a program (`python -m bench.children COMMAND ...`) it runs a command and prints what it used. It loads nothing
else: on Linux the peak memory of a process starts at that of whoever started it.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a command used.

    Parameters
    ----------
    wall, cpu : float
        Seconds; CPU includes system time and all threads.
    peak : int
        Bytes of memory at the highest.
    code : int
        How it ended; 0 is well.
    """

    wall: float
    cpu: float
    peak: int
    code: int


def call(task: str, *arguments: object) -> Any:
    """Run a function of `bench.scale_child` in a process of its own, and return what it returns.

    What it writes to the temporary folder is removed.
    """
    with tempfile.TemporaryDirectory() as folder:
        return _read_last_line(["-m", "bench.scale_child", task, *map(str, arguments)], {"TMPDIR": folder})


def measure_command(*arguments: str) -> Usage:
    """Run `python ...` and return what it used; one that fails is an error."""
    used = Usage(**_read_last_line(["-m", "bench.children", sys.executable, *arguments]))
    if used.code:
        raise RuntimeError(f"the command failed: {' '.join(arguments)}")
    return used


def _read_last_line(arguments: list[str], more: Mapping[str, str] = MappingProxyType({})) -> Any:
    command = [sys.executable, *arguments]
    environment = {**os.environ, **more}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def _run(command: list[str]) -> Usage:
    started = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    cpu = used.ru_utime + used.ru_stime
    return Usage(perf_counter() - started, cpu, used.ru_maxrss * 1024, process.returncode)


if __name__ == "__main__":
    print(json.dumps(asdict(_run(sys.argv[1:]))))
