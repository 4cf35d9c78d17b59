"""EMCover [BF26, Algorithm 4]: the generic form of a covering learner, for any family of scores."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from dprules.mechanisms import Bits, draw
from dprules.numbers import Real

Record = TypeVar("Record", contravariant=True)
Candidate = TypeVar("Candidate", contravariant=True)
R = TypeVar("R")
C = TypeVar("C")


class Family(Protocol[Record, Candidate]):
    """Scores that meet the two conditions of the paper's lemma.

    1. A candidate that covers z changes its score by at most 1 either way when z is added.
    2. A candidate that does not cover z does not change its score.
    """

    def covers(self, candidate: Candidate, record: Record) -> bool:
        """Whether a candidate covers a record."""
        ...

    def score(self, records: Sequence[Record], candidate: Candidate) -> int:
        """The score on the records that are left; an integer."""
        ...


def em_cover(
    records: Sequence[R],
    candidates: Sequence[C],
    family: Callable[[Sequence[C]], Family[R, C]],
    tilt: Real,
    rounds: int,
    bits: Bits | None = None,
) -> list[C]:
    """Draw `rounds` candidates, each after removing what the earlier ones cover.

    Guarantee: the price of `dprules.accounting.cover` with reward 1 if the family meets its conditions, whatever it
    does with earlier outcomes; `check_family` looks for a counterexample.

    Parameters
    ----------
    records : sequence
        Any objects.
    candidates : sequence
        What may be drawn.
    family : callable
        Chooses the scores of a round from the outcomes so far.
    tilt : number
        The exponent of a draw.
    rounds : int
        How many draws.
    bits : Bits or None
        Where the noise comes from.
    """
    left = list(records)
    chosen: list[C] = []
    for _ in range(rounds):
        scores = family(chosen)
        pick = candidates[int(draw([scores.score(left, c) for c in candidates], tilt, bits=bits)[0])]
        chosen.append(pick)
        left = [record for record in left if not scores.covers(pick, record)]
    return chosen


def check_family(
    family: Family[R, C],
    samples: Sequence[Sequence[R]],
    records: Sequence[R],
    candidates: Sequence[C],
) -> str | None:
    """Return which condition fails on some sample, record and candidate, or None. For data that is made up."""
    for sample in samples:
        for record in records:
            for candidate in candidates:
                change = family.score([*sample, record], candidate) - family.score(sample, candidate)
                if not family.covers(candidate, record) and change:
                    return "a candidate that does not cover a record changes its score with it"
                if abs(change) > 1:
                    return "a score changes by more than 1 with one record"
    return None
