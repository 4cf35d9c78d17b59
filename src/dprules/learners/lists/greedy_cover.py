"""DP-GreedyCover [BF26, Algorithm 1]: draw a rule, remove what it covers, go on (theory A1, F)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dprules.mechanisms import Bits, draw
from dprules.numbers import Real, rational
from dprules.schema import Conditions
from dprules.tables import ClassCounts, Sample

Drawn = tuple[int, int]
"""A condition (its row in Conditions, or TRUE) and a class."""
TRUE = -1
_UNIT = 64
"""Rewards are multiples of 1/64, so that scores are integers."""


class Choose(Protocol):
    """Picks one candidate by its score."""

    def __call__(self, scores: NDArray[np.int64], prior: NDArray[np.float64], size: int) -> NDArray[np.int64]:
        """Return `size` independent picks."""
        ...


@dataclass(frozen=True, slots=True)
class Exponential:
    """The exponential mechanism on scores in units of 1/64."""

    tilt: Fraction
    bits: Bits

    def __call__(self, scores: NDArray[np.int64], prior: NDArray[np.float64], size: int) -> NDArray[np.int64]:
        """Return indices with probability proportional to prior * exp(tilt * score / 64)."""
        return draw(scores, self.tilt / _UNIT, size, prior=prior, bits=self.bits)


def pick_best(scores: NDArray[np.int64], prior: NDArray[np.float64], size: int) -> NDArray[np.int64]:
    """Pick the best candidate, the likelier one of equals: **not private**."""
    allowed = np.where(prior > 0, scores, np.iinfo(np.int64).min)
    return np.full(size, np.lexsort((prior, allowed))[-1])


def greedy_without_privacy(sample: Sample, conditions: Conditions, rewards: Sequence[Real]) -> list[Drawn]:
    """Run the same learner without noise, for comparison: **not private**."""
    return list(_draw_rules(sample, conditions, pick_best, pick_best, rewards, True, np.ones(len(conditions) + 1)))


def greedy_cover(
    sample: Sample,
    conditions: Conditions,
    tilt: Real,
    rewards: Sequence[Real],
    bits: Bits,
    capped: bool = True,
    prior: NDArray[np.float64] | None = None,
    default_tilt_ratio: Real = 1,
    progress: Callable[[int], None] = lambda rules: None,
) -> list[Drawn]:
    """Draw rules until the constant true is drawn; the last of `rewards` draws, if `capped`, is among constants only.

    Guarantee: the transcript costs `Cover(tilt, rewards, len(rewards), default_tilt_ratio)`
    (`docs/proofs/cover_rounds.md`). Rewards are rounded down to multiples of 1/64 before use.

    Parameters
    ----------
    sample : Sample
        The records.
    conditions : array
        What rules may ask.
    tilt : number
        The exponent of a draw.
    rewards : sequence of numbers
        One for each draw.
    bits : Bits
        Where the noise comes from.
    capped : bool
        False runs until the conditions are exhausted, with the last reward repeated.
    prior : array or None
        Public weights of the conditions and, last, of the constant true.
    default_tilt_ratio : number
        The tilt of the draw among constants, as a part of `tilt`.
    progress : callable
        Told how many rules have been drawn.
    """
    weights = np.ones(len(conditions) + 1) if prior is None else prior
    exact = rational(tilt, "tilt")
    rule = Exponential(exact, bits)
    default = Exponential(exact * rational(default_tilt_ratio, "default_tilt_ratio"), bits)
    found = []
    for drawn in _draw_rules(sample, conditions, rule, default, rewards, capped, weights):
        found.append(drawn)
        progress(len(found))
    return found


def _draw_rules(
    sample: Sample,
    conditions: Conditions,
    choose: Choose,
    choose_default: Choose,
    rewards: Sequence[Real],
    capped: bool,
    prior: NDArray[np.float64],
) -> Iterator[Drawn]:
    classes = sample.classes
    constant = len(conditions)
    left = sample.counts(conditions)
    totals = sample.totals()
    prior = prior.copy()
    for round_, reward in enumerate(_endless(rewards, capped)):
        if capped and round_ == len(rewards) - 1:
            prior[:constant] = 0
            choose = choose_default
        if not totals.any():
            # That nothing is left must not stop the draws: with no records the list would always be empty.
            yield from _draw_from_nothing(choose, prior, classes, len(rewards) - round_ if capped else None)
            return
        scores = _score(np.column_stack([left, totals]), reward)
        condition, label = divmod(int(choose(scores, np.repeat(prior, classes), 1)[0]), classes)
        if condition == constant:
            yield TRUE, label
            return
        yield condition, label
        prior[condition] = 0
        covered, sample = sample.cover(conditions[condition])
        left -= covered.counts(conditions)
        totals -= covered.totals()


def _endless(rewards: Sequence[Real], capped: bool) -> Iterator[Real]:
    yield from rewards
    while not capped:
        yield rewards[-1]


def quantise_reward(reward: Real) -> Fraction:
    """Return a reward as it is used: rounded down to a multiple of 1/64."""
    return Fraction(int(rational(reward, "reward", zero=True) * _UNIT), _UNIT)


def _score(counts: ClassCounts, reward: Real) -> NDArray[np.int64]:
    """64 (reward correct - errors) for each candidate, classes fastest."""
    gain = int(quantise_reward(reward) * _UNIT)
    every = counts.sum(axis=0)
    # gain correct - (every - correct), in units of 1/64: one product and one difference for all candidates.
    return np.ascontiguousarray(((gain + _UNIT) * counts - _UNIT * every).T).ravel()


def _draw_from_nothing(choose: Choose, prior: NDArray[np.float64], classes: int, left: int | None) -> Iterator[Drawn]:
    """With no record left all scores are 0: independent draws without their repetitions have the right law."""
    constant = len(prior) - 1
    seen = set[int]()
    scores = np.zeros(len(prior) * classes, dtype=np.int64)
    weights = np.repeat(prior, classes)
    while left is None or len(seen) < left - 1:
        for pick in choose(scores, weights, 1 if left is not None else 1024).tolist():
            condition, label = divmod(int(pick), classes)
            if condition == constant:
                yield TRUE, label
                return
            if condition not in seen:
                seen.add(condition)
                yield condition, label
    last = int(choose(scores[:classes], np.ones(classes), 1)[0])
    yield TRUE, last
