"""Try to break the guarantees from outside: whole commands on neighbouring files, thousands of times.

Exit codes and files that are left behind are compared, too, by running each command as a process of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dprules.audit import Progress, Trial, claims_of, run_trials
from dprules.audit.end_to_end import MISS
from dprules.errors import ParameterError
from dprules.jobs.end_to_end.faults import FAULTS
from dprules.jobs.end_to_end.outside import look_outside
from dprules.jobs.end_to_end.runs import files_of, sampler
from dprules.jobs.end_to_end.trials import COMMANDS
from dprules.numbers import rational, whole
from dprules.tables.threads import count_cores

__all__ = ["RUNS", "EndToEndReport", "audit_end_to_end"]

RUNS = 1_000
"""Of each neighbour to learn from, and as many for the first look."""


@dataclass(frozen=True, slots=True)
class EndToEndReport:
    """What every trial has shown, and what was planted, if anything.

    Parameters
    ----------
    known : tuple of Progress
        One for each trial.
    planted : str or None
        In words.
    confidence : float
        Of everything together: sound commands are all found sound with this probability at least.
    """

    known: tuple[Progress, ...]
    planted: str | None
    confidence: float = 1 - MISS

    @property
    def holds(self) -> bool:
        """Whether no claim is broken, no run was stopped, and neighbours leave the same behind."""
        return all(one.finding().holds for one in self.known)


def audit_end_to_end(
    minutes: float = 30,
    only: Sequence[str] = (),
    mutate: str | None = None,
    *,
    runs: int | None = None,
    processes: int | None = 1,
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> EndToEndReport:
    """Run commands on neighbouring files and hold what they publish against their certificates.

    Parameters
    ----------
    minutes : float
        When no further runs are begun. Every trial is looked at once, however long that takes.
    only : sequence of str
        Names of trials; all of them if it is empty, or with a fault those that must notice it.
    mutate : str or None
        A fault to plant, to see it caught.
    runs : int or None
        Of each neighbour to learn from, and as many for the first look; None: 1,000.
    processes : int or None
        That run at the same time; None: one for each core.
    progress : callable
        Told what is tried, how much of it is done, and of how much.
    """
    seconds = 60 * float(rational(minutes, "minutes"))
    if mutate is not None and mutate not in FAULTS:
        raise ParameterError(f"mutate must be one of {', '.join(FAULTS)}; got {mutate!r}. Choose one.")
    for name in only:
        if name not in COMMANDS:
            raise ParameterError(f"only must name a trial; got {name!r}. The trials are: {'; '.join(COMMANDS)}.")
    fault = None if mutate is None else FAULTS[mutate]
    size = RUNS if runs is None else whole(runs, "runs", least=10)
    cores = count_cores() if processes is None else whole(processes, "processes")
    names = list(only or (COMMANDS if fault is None else fault.noticed_by))
    with files_of(names) as folder:
        # Claims are those of the package as it is: a fault must not change them.
        trials = [
            Trial(name, COMMANDS[name].what, tuple(claims_of(COMMANDS[name].run(folder, 1)[1]))) for name in names
        ]
        with sampler(folder, None if fault is None or fault.outside else mutate, cores) as sample:
            known = run_trials(trials, sample, size, seconds, progress)
        if fault is None or fault.outside:
            differences = look_outside(folder, names, mutate, cores, progress)
            for one in known:
                one.differences = differences[one.trial.name]
    return EndToEndReport(tuple(known), None if fault is None else fault.what)
