"""DP-GreedyCover [BF26, Algorithm 1]: draw a rule, remove what it covers, go on; the default is drawn last (theory A1).

For constant rewards below 1 and the paper's accounting; other lists count as they draw (`counted_cover`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dprules.learners.lists.remaining import TRUE, Drawn, Remaining
from dprules.learners.lists.scores import UNIT, Score
from dprules.mechanisms import Bits, draw
from dprules.numbers import Real, rational
from dprules.schema import Conditions
from dprules.tables import Sample


@dataclass(frozen=True, slots=True)
class Exponential:
    """The exponential mechanism."""

    tilt: Fraction
    bits: Bits

    def __call__(self, scores: NDArray[np.int64], prior: NDArray[np.float64], size: int) -> NDArray[np.int64]:
        """Return indices with probability proportional to prior * exp(tilt * score)."""
        return draw(scores, self.tilt / UNIT, size, prior=prior, bits=self.bits)


def greedy_cover(
    sample: Sample,
    conditions: Conditions,
    tilt: Real,
    rewards: Sequence[Real],
    bits: Bits,
    capped: bool = True,
    prior: NDArray[np.float64] | None = None,
    weights: Sequence[Fraction] | None = None,
    progress: Callable[[int], None] = lambda rules: None,
) -> list[Drawn]:
    """Draw rules until the constant true is drawn; the last of `rewards` draws, if `capped`, is among constants only.

    Guarantee: the transcript costs `Cover(tilt, rewards, len(rewards))` (`docs/proofs/cover_rounds.md`). Rewards are
    rounded down to multiples of 1/256 before use.

    Parameters
    ----------
    sample : Sample
        The records.
    conditions : array
        What rules may ask.
    tilt : number
        The exponent of a draw.
    rewards : sequence of numbers
        One for each draw, in [0, 1].
    bits : Bits
        Where the noise comes from.
    capped : bool
        False runs until the conditions are exhausted, with the last reward repeated.
    prior : array or None
        Public weights of the conditions and, last, of the constant true.
    weights : sequence of Fraction or None
        Public weights of the classes, multiples of 1/64 in (0, 1].
    progress : callable
        Told how many rules have been drawn.
    """
    remaining = Remaining(sample, conditions, prior, weights)
    choose = Exponential(rational(tilt, "tilt"), bits)
    found = []
    for drawn in _draw_rules(remaining, choose, rewards, capped):
        found.append(drawn)
        progress(len(found))
    return found


def _draw_rules(remaining: Remaining, choose: Exponential, rewards: Sequence[Real], capped: bool) -> Iterator[Drawn]:
    scores = {reward: Score.of(reward) for reward in set(rewards)}
    for round_, reward in enumerate(_endless(rewards, capped)):
        if capped and round_ == len(rewards) - 1:
            remaining.only_constants()
        if remaining.is_empty:
            # That nothing is left must not stop the draws: with no records the list would always be empty.
            yield from _draw_from_nothing(remaining, choose, len(rewards) - round_ if capped else None)
            return
        drawn = remaining.name(int(choose(remaining.scores(scores[reward]), remaining.prior, 1)[0]))
        yield drawn
        if drawn[0] == TRUE:
            return
        remaining.remove(drawn[0])


def _endless(rewards: Sequence[Real], capped: bool) -> Iterator[Real]:
    yield from rewards
    while not capped:
        yield rewards[-1]


def _draw_from_nothing(remaining: Remaining, choose: Exponential, left: int | None) -> Iterator[Drawn]:
    """With no record left all scores are 0: independent draws without their repetitions have the right law."""
    seen = set[int]()
    weights = remaining.prior
    scores = np.zeros(len(weights), dtype=np.int64)
    while left is None or len(seen) < left - 1:
        for pick in choose(scores, weights, 1 if left is not None else 1024).tolist():
            condition, label = remaining.name(pick)
            if condition == TRUE:
                yield TRUE, label
                return
            if condition not in seen:
                seen.add(condition)
                yield condition, label
    classes = remaining.classes
    yield TRUE, int(choose(scores[:classes], np.ones(classes), 1)[0])
