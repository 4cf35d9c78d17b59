"""Commands as processes of their own: exit codes and files that are left behind must be the same on both neighbours.

These follow from public facts alone, so one run on each file is enough: any difference breaks the guarantee. Every
process starts with the same compiled kernels, in a folder of its own. Tilts that a command keeps on disk
(`DPRULES_CACHE`) follow from released values and are left out here.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dprules.errors import ResourceError
from dprules.jobs.end_to_end.trials import COMMANDS

_PREPARE = """
import dprules.jobs.streams
from dprules.tables import prepare_kernels
prepare_kernels()
"""
_RUN = """
import runpy, sys
from dprules.jobs.end_to_end.faults import FAULTS, planted
with planted(FAULTS.get(sys.argv.pop(1))):
    runpy.run_module("dprules", run_name="__main__")
"""


@dataclass(frozen=True, slots=True)
class Traces:
    """What everybody on the machine sees of a command that has ended.

    Parameters
    ----------
    codes : tuple of int
        Exit codes of its steps.
    files : frozenset of str
        Names in its folders for compiled kernels and for temporary files.
    """

    codes: tuple[int, ...]
    files: frozenset[str]

    def count_differences(self, other: "Traces") -> int:
        """Return in how much two neighbours differ; a step that failed on both counts, too."""
        failed = sum(code != 0 for code in self.codes) if self.codes == other.codes else 0
        return failed + (self.codes != other.codes) + len(self.files ^ other.files)


def look_outside(
    folder: Path,
    names: Sequence[str],
    fault: str | None,
    processes: int,
    progress: Callable[[str, int, int], None],
) -> dict[str, int]:
    """Run each command once on both of its files; return the number of differences by name.

    Parameters
    ----------
    folder : Path
        Where the files of the commands are.
    names : sequence of str
        Of commands.
    fault : str or None
        What is planted in the processes.
    processes : int
        That run at the same time.
    progress : callable
        Told what is done, and how many commands of how many have been run.
    """
    with tempfile.TemporaryDirectory(prefix="dprules-audit-", ignore_cleanup_errors=True) as place:
        kernels = Path(place) / "kernels"
        kernels.mkdir()
        if _call(["-c", _PREPARE], _environment(kernels, Path(place))) != 0:
            raise ResourceError("a process of the audit could not be started. Free some memory, and start it again.")

        def trace(run: tuple[int, str, int]) -> Traces:
            number, name, side = run
            if side == 0:
                progress(f"{name}, as a process", number, len(names))
            return _trace(folder, name, side, fault, kernels, Path(place) / f"{number}-{side}")

        runs = [(number, name, side) for number, name in enumerate(names) for side in (0, 1)]
        with ThreadPoolExecutor(processes) as pool:
            traces = list(pool.map(trace, runs))
    return {name: traces[2 * i].count_differences(traces[2 * i + 1]) for i, name in enumerate(names)}


def _trace(folder: Path, name: str, side: int, fault: str | None, kernels: Path, own: Path) -> Traces:
    """Run the steps of a command in a folder of their own."""
    shutil.copytree(kernels, own / "kernels")  # with the times of files, by which Numba knows them
    temporary = own / "temporary"
    output = own / "output"
    for one in (temporary, output):
        one.mkdir()
    environment = _environment(own / "kernels", temporary)
    start = ["-m", "dprules"] if fault is None else ["-c", _RUN, fault]
    steps = COMMANDS[name].steps(folder, side, output)
    codes = tuple(_call([*start, *step], environment) for step in steps)
    left = [path for path in (own / "kernels", temporary) for path in path.rglob("*")]
    return Traces(codes, frozenset(str(path.relative_to(own)) for path in left))


def _environment(kernels: Path, temporary: Path) -> Mapping[str, str]:
    return {**os.environ, "NUMBA_CACHE_DIR": str(kernels), "TMPDIR": str(temporary), "DPRULES_CACHE": ""}


def _call(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run Python and return its exit code; what it prints is not looked at."""
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    ).returncode
