"""DP-GreedyCover that counts what each rule covers, for the price of the draws alone (theory A6)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dprules.accounting.counted import Parts
from dprules.learners.lists.remaining import TRUE, Drawn, Remaining
from dprules.learners.lists.scores import UNIT, Scoring
from dprules.mechanisms import Bits, draw, noisy_counts
from dprules.tables import ClassCounts


@dataclass(frozen=True, slots=True)
class Cell:
    """A rule that was drawn and, with noise, how many records of each class it covers."""

    drawn: Drawn
    """The class of what no rule covers is not drawn: it is read off the counts."""
    counts: tuple[int, ...]
    part: Fraction
    """The tilt of the noise, as a part of the tilt of a draw."""


class Noise(Protocol):
    """Picks candidates and counts records."""

    def pick(self, scores: NDArray[np.int64], prior: NDArray[np.float64], part: Fraction) -> int:
        """Return a candidate."""
        ...

    def count(self, counts: ClassCounts, part: Fraction) -> tuple[int, ...]:
        """Return counts that may be shown."""
        ...


@dataclass(frozen=True, slots=True)
class TiltedNoise:
    """The exponential mechanism and two-sided geometric noise."""

    tilt: Fraction
    bits: Bits

    def pick(self, scores: NDArray[np.int64], prior: NDArray[np.float64], part: Fraction) -> int:
        """Return an index with probability proportional to prior * exp(part * tilt * score)."""
        return int(draw(scores, self.tilt * part / UNIT, prior=prior, bits=self.bits)[0])

    def count(self, counts: ClassCounts, part: Fraction) -> tuple[int, ...]:
        """Return counts with noise of that part of the tilt."""
        return tuple(noisy_counts(counts, self.tilt * part, self.bits).tolist())


class NoNoise:
    """The best candidate and the true counts: **not private**."""

    def pick(self, scores: NDArray[np.int64], prior: NDArray[np.float64], part: Fraction) -> int:
        """Return the best candidate, the likelier one of equals."""
        allowed = np.where(prior > 0, scores, np.iinfo(np.int64).min)
        equals = np.flatnonzero(allowed == allowed.max())[::-1]  # of those that are equal in all, the last
        return int(equals[prior[equals].argmax()])

    def count(self, counts: ClassCounts, part: Fraction) -> tuple[int, ...]:
        """Return the counts."""
        return tuple(counts.tolist())


Schedule = Callable[[int, Sequence[Cell]], Scoring]
"""Chooses the score of a round from its number and what was released before."""


def counted_cover(
    remaining: Remaining,
    rounds: int,
    schedule: Schedule,
    noise: Noise,
    parts: Parts,
    progress: Callable[[int], None] = lambda rules: None,
) -> list[Cell]:
    """Draw `rounds` rules, count what each covers, and count what is left; the last cell is the default's.

    Guarantee: `CountedCover` with the noise's tilt, `rounds` and `parts` (`docs/proofs/free_counts.md`), for
    everything returned, whatever the schedule makes of earlier cells.
    """
    cells: list[Cell] = []
    for round_ in range(rounds):
        last = round_ == rounds - 1
        scores = remaining.scores(schedule(round_, cells))
        drawn = remaining.name(noise.pick(scores, remaining.prior, parts.last_rule if last else Fraction(1)))
        part = parts.last_cell if last else parts.cell
        cells.append(Cell(drawn, noise.count(remaining.remove(drawn[0]), part), part))
        progress(len(cells))
        if drawn[0] == TRUE:
            # A constant in a rule's round has a rule's noise, never that of the remainder.
            return cells
    left = noise.count(remaining.totals, parts.remainder)
    return [*cells, Cell((TRUE, remaining.heaviest(left)), left, parts.remainder)]
