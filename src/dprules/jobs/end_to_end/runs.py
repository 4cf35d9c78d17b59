"""Many runs of a command, in this process or in several: made-up files only."""

import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from dprules.audit import STOPPED, Outcome
from dprules.audit.end_to_end import Sample
from dprules.errors import DprulesError, ResourceError
from dprules.jobs.end_to_end.faults import FAULTS, planted
from dprules.jobs.end_to_end.trials import COMMANDS
from dprules.tables.threads import work_alone, working_alone

AT_ONCE = 50
"""Runs that a process makes before it asks for more: it stops after these."""
_MEMORY_DISK = Path("/dev/shm")
_for_good = ExitStack()


@contextmanager
def files_of(names: Sequence[str]) -> Iterator[Path]:
    """Write the files of some commands to a folder that is gone afterwards; in memory where that is possible.

    Streams wait for the disk at every commit, and a disk that is memory does not keep them waiting.
    """
    place = _MEMORY_DISK if os.access(_MEMORY_DISK, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="dprules-audit-", dir=place, ignore_cleanup_errors=True) as folder:
        for name in names:
            COMMANDS[name].write(Path(folder))
        yield Path(folder)


def run_often(folder: Path, name: str, side: int, runs: int) -> list[Outcome]:
    """Run a command and return what it published; a run that failed is an outcome, too."""
    return [_run_once(folder, name, side) for _ in range(runs)]


def _run_once(folder: Path, name: str, side: int) -> Outcome:
    try:
        outcome, _ = COMMANDS[name].run(folder, side)
    except DprulesError as error:
        return {STOPPED: 1.0, f"{STOPPED} by {type(error).__name__}": 1.0}
    return outcome


@contextmanager
def sampler(folder: Path, fault: str | None, processes: int) -> Iterator[Sample]:
    """Give what makes runs, with a fault planted if one is named, in so many processes."""
    if processes == 1:
        with planted(None if fault is None else FAULTS[fault]), working_alone():
            yield lambda name, side, runs: run_often(folder, name, side, runs)
        return
    with _start_pool(fault, processes) as pool:

        def sample(name: str, side: int, runs: int) -> list[Outcome]:
            parts = [min(AT_ONCE, runs - done) for done in range(0, runs, AT_ONCE)]
            waiting = [pool.submit(run_often, folder, name, side, part) for part in parts]
            try:
                return [outcome for part in waiting for outcome in part.result()]
            except BrokenExecutor:
                pass
            raise ResourceError("a process of the audit was ended from outside. Free some memory, and start it again.")

        yield sample


@contextmanager
def _start_pool(fault: str | None, processes: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes anew, since threads of this one do not survive a fork; Ctrl-C is left to this one alone."""
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _start_worker, (fault,))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which processes inherit
    try:
        for _ in range(processes):
            pool.submit(os.getpid)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        yield pool
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        pool.shutdown(cancel_futures=True)


def _start_worker(fault: str | None) -> None:
    """Use one core, end with the process that has started this one, and plant the fault for good."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work_alone()
    _for_good.enter_context(planted(None if fault is None else FAULTS[fault]))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
