"""Whole jobs on neighbouring files, run over and over: what their published outputs prove about epsilon."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from sys import intern
from time import monotonic

from dprules.accounting import Certificate, compose
from dprules.audit.checks import Finding, Point
from dprules.audit.telling import Claim, Outcome, Telling

STOPPED = "stopped"
"""The name of the outcome of a run that failed: rows never stop a job."""
LEFT = "left behind"
"""The name of a difference between neighbours in exit codes, or in files that are left behind."""
MISS = 0.001
"""The probability with which an audit of sound jobs may find anything broken, all checks and looks together."""
DELTAS = (0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4)
"""Where the curve of a certificate is held against runs, besides its own delta."""
_LEAST_CLAIM = 0.15
"""Parts of epsilon below which a point of the curve is left out: a ratio to nearly nothing says little."""
IMPROVED = 0.02
"""Looks that bring no point nearer to its claim than that are idle."""
_MOST_IDLE = 2
"""Idle looks one after the other, after which no more are taken."""
KEPT = 4_000
"""Runs of each neighbour that are kept to learn from, the latest ones."""

Sample = Callable[[str, int, int], Sequence[Outcome]]
"""Takes the name of a trial, which neighbour (0 or 1) and a number of runs, and returns what they published."""


def claims_of(certificate: Certificate) -> list[Claim]:
    """Return what a certificate states, and then points of the curve that its charges were priced by."""
    stated = Claim(certificate.epsilon, certificate.delta)
    curves = [
        compose.curve([release.event for release in charge.releases], certificate.neighbours, certificate.unit.rows)
        for charge in certificate.charges
    ]
    pure = sum(float(curve.pure) for curve in curves[:-1])  # only the last charge may need a delta
    points = [Claim(pure + curves[-1].epsilon(delta), delta) for delta in DELTAS if delta > stated.delta]
    return [stated, *(point for point in points if _LEAST_CLAIM * stated.epsilon < point.epsilon < stated.epsilon)]


@dataclass(frozen=True, slots=True)
class Trial:
    """A job on two neighbouring files.

    Parameters
    ----------
    name, what : str
        What it is called, and what differs.
    claims : tuple of Claim
        The one that is stated first, then points of its curve.
    """

    name: str
    what: str
    claims: tuple[Claim, ...]


@dataclass
class Progress:
    """What is known of a trial so far.

    Parameters
    ----------
    trial : Trial
        What is tried.
    kept : pair of lists
        Outcomes of both neighbours to learn from.
    points : mapping
        The best point of what is stated (True), and of the whole curve (False).
    runs, stopped, looks, idle : int
        Runs of each neighbour, runs of both that failed, looks, and how many of the last ones brought nothing.
    differences : int
        Between what the neighbours leave behind: exit codes, compiled kernels, temporary files.
    seconds : float
        That all runs took.
    done : bool
        Whether no more looks are taken.
    """

    trial: Trial
    kept: tuple[list[Outcome], list[Outcome]] = field(default_factory=lambda: ([], []))
    points: dict[bool, Point] = field(default_factory=dict)
    runs: int = 0
    stopped: int = 0
    looks: int = 0
    idle: int = 0
    differences: int = 0
    seconds: float = 0.0
    done: bool = False

    def train(self, sample: Sample, size: int) -> None:
        """Make runs that later ones are judged by."""
        self._keep(*self._run(sample, size))

    def look(self, sample: Sample, size: int, miss: float) -> None:
        """Choose a set by all runs so far, and measure it on fresh ones; then these are runs of before, too."""
        self.looks += 1
        part = miss / 2**self.looks / 4  # two sets, two intervals each
        stated, *_ = claims = self.trial.claims
        chosen = [Telling.choose(*self.kept, some, size, part) for some in ([stated], claims)]
        fresh = self._run(sample, size)
        before = self._ratio()
        for is_stated, telling in zip((True, False), chosen, strict=True):
            found = telling.bound(*fresh, part)
            point = Point("epsilon", telling.claim.delta, telling.claim.epsilon, found)
            if is_stated not in self.points or point.ratio > self.points[is_stated].ratio:
                self.points[is_stated] = point
        self._keep(*fresh)
        self.idle = self.idle + 1 if self._ratio() < before + IMPROVED else 0
        if not self.finding().holds or self.idle == _MOST_IDLE:
            self.finish()

    def finish(self) -> None:
        """Take no more looks, and forget all outcomes."""
        self.done = True
        for outcomes in self.kept:
            outcomes.clear()

    def _run(self, sample: Sample, size: int) -> tuple[Sequence[Outcome], Sequence[Outcome]]:
        start = monotonic()
        found = (sample(self.trial.name, 0, size), sample(self.trial.name, 1, size))
        self.seconds += monotonic() - start
        self.runs += size
        self.stopped += sum(STOPPED in outcome for side in found for outcome in side)
        return found

    def _keep(self, *found: Sequence[Outcome]) -> None:
        for outcomes, fresh in zip(self.kept, found, strict=True):
            outcomes.extend({intern(name): number for name, number in outcome.items()} for outcome in fresh)
            del outcomes[:-KEPT]

    def _ratio(self) -> float:
        return max((point.ratio for point in self.points.values()), default=0.0)

    def finding(self) -> Finding:
        """Return the best points, and a broken one if a run was stopped, or if neighbours leave other things behind."""
        counts = {STOPPED: self.stopped, LEFT: self.differences}
        broken = [Point(name, 0.0, 0.0, float(count)) for name, count in counts.items() if count]
        return Finding(self.trial.name, (*dict.fromkeys(self.points.values()), *broken))


def run_trials(
    trials: Iterable[Trial],
    sample: Sample,
    size: int,
    seconds: float,
    progress: Callable[[str, int, int], None] = lambda name, done, total: None,
    miss: float = MISS,
) -> list[Progress]:
    """Hold trials against their claims: all of them once, then with twice the runs as long as that proves more.

    Guarantee: if all claims hold, anything is found broken with probability `miss` at most: each look of each trial has
    a part of it (half of the trial's at the first look, a quarter at the second, ...), and judges fresh runs.

    Parameters
    ----------
    trials : iterable of Trial
        What to try.
    sample : callable
        Makes runs.
    size : int
        Runs of each neighbour to learn from, and of the first look.
    seconds : float
        When no further look is begun.
    progress : callable
        Told what is tried, and how many trials of how many have been looked at in this round.
    miss : float
        In all.
    """
    start = monotonic()
    known = [Progress(trial) for trial in trials]
    part = miss / max(1, len(known))
    for place, one in enumerate(known):
        progress(one.trial.name, place, len(known))
        one.train(sample, size)
        one.look(sample, size, part)
    while waiting := [one for one in known if not one.done]:
        for place, one in enumerate(waiting):
            next_size = size * 2**one.looks
            takes = one.seconds / one.runs * next_size
            if monotonic() - start + takes > seconds:
                one.finish()
                continue
            progress(f"{one.trial.name}, {next_size:,} more runs", place, len(waiting))
            one.look(sample, next_size, part)
    return known
