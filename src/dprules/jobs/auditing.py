"""Try to break the guarantees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dprules.audit import CHECKS, MUTATIONS, Check, Finding, Subject
from dprules.errors import ParameterError


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What every check found, and what was planted, if anything."""

    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    planted: str | None

    @property
    def holds(self) -> bool:
        """Whether no claim is broken."""
        return all(finding.holds for finding in self.findings)


def audit(
    seed: int = 0,
    only: Sequence[str] = (),
    mutate: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> AuditReport:
    """Put every claim beside exact laws of small instances and beside runs of the code.

    Parameters
    ----------
    seed : int
        Of the search for bad neighbours, not of any mechanism.
    only : sequence of str
        Names of checks; all of them if it is empty.
    mutate : str or None
        A fault to plant, to see it caught.
    progress : callable
        Told how many checks are done, and of how many.
    """
    if mutate is not None and mutate not in MUTATIONS:
        raise ParameterError(f"mutate must be one of {', '.join(MUTATIONS)}; got {mutate!r}. Choose one.")
    subject = Subject() if mutate is None else MUTATIONS[mutate].subject
    names = [check.name for check in CHECKS]
    for name in only:
        if name not in names:
            raise ParameterError(f"only must name a check; got {name!r}. The checks are: {'; '.join(names)}.")
    checks = tuple(check for check in CHECKS if not only or check.name in only)
    findings = []
    for done, check in enumerate(checks):
        progress(done, len(checks))
        findings.append(check.run(subject, seed))
    planted = None if mutate is None else MUTATIONS[mutate].what
    return AuditReport(checks, tuple(findings), planted)
