"""Faults that are planted to see them caught: each replaces one named function while trials run."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from dprules.accounting import disk
from dprules.jobs.end_to_end.files import ROWS
from dprules.learners.lists.counted_cover import TiltedNoise
from dprules.mechanisms import AboveThreshold
from dprules.numbers import Real, rational
from dprules.schema import MISSING, Column, Numeric
from dprules.tables import compiled, prepare_kernels, reads
from dprules.tables.cells import Cells, Codes, read_codes


@dataclass(frozen=True, slots=True)
class Fault:
    """Another function in the place of one of the package's.

    Parameters
    ----------
    what : str
        What is wrong with it.
    place : str
        Where it is looked up: module and name.
    function : callable
        What takes its place.
    noticed_by : tuple of str
        Trials that must notice it.
    outside : bool
        Whether it shows in exit codes and files alone: it is planted in processes of their own.
    """

    what: str
    place: str
    function: Callable[..., Any]
    noticed_by: tuple[str, ...]
    outside: bool = False


@contextmanager
def planted(fault: Fault | None) -> Iterator[None]:
    """Replace a function for a while; None: none."""
    if fault is None:
        yield
        return
    module, name = fault.place.rsplit(".", 1)
    owner = import_module(module)
    sound = getattr(owner, name)
    setattr(owner, name, fault.function)
    try:
        yield
    finally:
        setattr(owner, name, sound)


def _double_tilt(tilt: Real, bits: Any) -> TiltedNoise:
    return TiltedNoise(2 * rational(tilt, "tilt"), bits)


def _count_exactly(counts: ArrayLike, tilt: Real, bits: Any = None) -> NDArray[np.int64]:
    return np.array(counts, dtype=np.int64)


def _read_by_type(column: Column, cells: Cells) -> Codes:
    """Read a column as text, hence without numbers, as soon as one of its cells is none."""
    codes = read_codes(column, cells)
    return np.full_like(codes, MISSING) if isinstance(column, Numeric) and (codes == MISSING).any() else codes


def _believe(question: disk.Question, holds: Callable[[float], bool], find: Callable[[], float]) -> float:
    """Take whatever number is on disk, also one that was cut."""
    path = disk.find_place(question)
    found = re.search(r"0x1\.[0-9a-f]+(p[+-][0-9]+)?", path.read_text()) if path is not None and path.exists() else None
    return disk.recall(question, holds, find) if found is None else float.fromhex(found[0])


def _compile_by_count(column: Column, cells: Cells) -> Codes:
    """Compile another kernel where there is one row more."""
    if len(cells) > len(ROWS):

        @compiled((reads(types.int64),))
        def another(numbers: NDArray[np.int64]) -> int:
            return int(numbers[0])

        prepare_kernels()
    return read_codes(column, cells)


def _exit_by_count(column: Column, cells: Cells) -> Codes:
    """End with another exit code where there is one row more."""
    if len(cells) > len(ROWS):
        raise SystemExit(3)
    return read_codes(column, cells)


def _without_noise(threshold: int, noise: Real, test: Real) -> AboveThreshold:
    return AboveThreshold(threshold, 100 * rational(noise, "noise"), 100 * rational(test, "test"))


FAULTS = {
    "tilt-doubled": Fault(
        "rules are drawn and counted with twice the tilt that was charged",
        "dprules.learners.lists.learn.TiltedNoise",
        _double_tilt,
        ("list, one row more",),
    ),
    "unnoised-count": Fault(
        "counts of the rules have no noise",
        "dprules.learners.lists.counted_cover.noisy_counts",
        _count_exactly,
        ("list, one row more",),
    ),
    "cell-by-column-type": Fault(
        "a number is read only if all cells of its column are numbers",
        "dprules.tables.record_blocks.read_codes",
        _read_by_type,
        ("list, a line with a number with a unit",),
    ),
    "truncated-cache": Fault(
        "a tilt on disk is believed though its file was cut",
        "dprules.accounting.cover.recall",
        _believe,
        ("list, a cut file of tilts",),
    ),
    "unnoised-table": Fault(
        "class counts and the table of a scorecard have no noise",
        "dprules.learners.scorecards.learn.gaussian",
        _count_exactly,
        ("scorecard, one row more",),
    ),
    "unnoised-threshold": Fault(
        "a stream releases a hypothesis after a fixed number of mistakes",
        "dprules.learners.streams.segment.AboveThreshold",
        _without_noise,
        ("stream, one event exchanged",),
    ),
    "unnoised-evaluation": Fault(
        "figures that were bought have no noise",
        "dprules.jobs.evaluation.noisy_counts",
        _count_exactly,
        ("evaluation, one row more",),
    ),
    "kernel-by-count": Fault(
        "another kernel is compiled, and stays on disk, if there is one row more",
        "dprules.tables.record_blocks.read_codes",
        _compile_by_count,
        ("list, one row more",),
        outside=True,
    ),
    "exit-code-by-row": Fault(
        "the exit code of a command follows a row",
        "dprules.tables.record_blocks.read_codes",
        _exit_by_count,
        ("list, one row more",),
        outside=True,
    ),
}
"""By the name that `--mutate` takes."""
