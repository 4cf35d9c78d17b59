"""DP-GreedyCover [BF26, Algorithm 1]: draw a rule, remove what it covers, go on (theory A1, F)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dprules.data.sample import Counts, Features, Sample
from dprules.mechanisms import Bits, draw
from dprules.numbers import Real, rational

Drawn = tuple[int, int]
"""A feature (its row in Features, or TRUE) and a class."""
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
        """Draw."""
        return draw(scores, self.tilt / _UNIT, size, prior=prior, bits=self.bits)


def best_score(scores: NDArray[np.int64], prior: NDArray[np.float64], size: int) -> NDArray[np.int64]:
    """Pick the best candidate, the likelier one of equals: **not private**."""
    return np.full(size, np.lexsort((prior, np.where(prior > 0, scores, np.iinfo(np.int64).min)))[-1])


def greedy_without_privacy(sample: Sample, features: Features, rewards: Sequence[Real]) -> list[Drawn]:
    """The same learner without noise, for comparison: **not private**."""
    return list(_rules(sample, features, best_score, best_score, rewards, True, np.ones(len(features) + 1)))


def greedy_cover(
    sample: Sample,
    features: Features,
    tilt: Real,
    rewards: Sequence[Real],
    bits: Bits,
    capped: bool = True,
    prior: NDArray[np.float64] | None = None,
    last: Real = 1,
    progress: Callable[[int], None] = lambda rules: None,
) -> list[Drawn]:
    """Draw rules until the constant true is drawn; the last of `rewards` draws, if `capped`, is among constants only.

    Guarantee: the transcript costs `cover.curve(tilt, ..., rewards, len(rewards), last)`
    (`docs/proofs/cover_rounds.md`).
    Rewards are rounded down to multiples of 1/64 before use.

    Parameters
    ----------
    rewards: one for each draw
    capped: False runs until the features are exhausted, with the last reward repeated
    prior: public weights of the features and, last, of the constant true
    last: the tilt of the draw among constants, as a part of `tilt`
    progress: told how many rules have been drawn
    """
    weights = np.ones(len(features) + 1) if prior is None else prior
    exact = rational(tilt, "tilt")
    rule, default = Exponential(exact, bits), Exponential(exact * rational(last, "last"), bits)
    found = []
    for drawn in _rules(sample, features, rule, default, rewards, capped, weights):
        found.append(drawn)
        progress(len(found))
    return found


def _rules(
    sample: Sample,
    features: Features,
    choose: Choose,
    choose_default: Choose,
    rewards: Sequence[Real],
    capped: bool,
    prior: NDArray[np.float64],
) -> Iterator[Drawn]:
    classes, constant, alive = sample.classes, len(features), sample.everything()
    left, totals, prior = sample.counts(features, alive), sample.totals(alive), prior.copy()
    for round_, reward in enumerate(_endless(rewards, capped)):
        if capped and round_ == len(rewards) - 1:
            prior[:constant], choose = 0, choose_default
        if not totals.any():
            yield from _drawn_from_nothing(choose, prior, classes, len(rewards) - round_ if capped else None)
            return
        scores = _scores(np.column_stack([left, totals]), reward)
        feature, label = divmod(int(choose(scores, np.repeat(prior, classes), 1)[0]), classes)
        if feature == constant:
            yield TRUE, label
            return
        yield feature, label
        prior[feature] = 0
        covered, alive = sample.split(alive, features[feature])
        left -= sample.counts(features, covered)
        totals -= sample.totals(covered)
        sample, alive = sample.thinned(alive)


def _endless(rewards: Sequence[Real], capped: bool) -> Iterator[Real]:
    yield from rewards
    while not capped:
        yield rewards[-1]


def quantised(reward: Real) -> Fraction:
    """A reward as it is used: rounded down to a multiple of 1/64."""
    return Fraction(int(rational(reward, "reward", zero=True) * _UNIT), _UNIT)


def _scores(counts: Counts, reward: Real) -> NDArray[np.int64]:
    """64 (reward correct - errors) for each candidate, classes fastest."""
    gain = int(quantised(reward) * _UNIT)
    every = counts.sum(axis=0)
    return np.ascontiguousarray(((gain + _UNIT) * counts - _UNIT * every).T).ravel()


def _drawn_from_nothing(choose: Choose, prior: NDArray[np.float64], classes: int, left: int | None) -> Iterator[Drawn]:
    """With no record left all scores are 0: independent draws without their repetitions have the right law."""
    constant, seen = len(prior) - 1, set[int]()
    scores, weights = np.zeros(len(prior) * classes, dtype=np.int64), np.repeat(prior, classes)
    while left is None or len(seen) < left - 1:
        for pick in choose(scores, weights, 1 if left is not None else 1024).tolist():
            feature, label = divmod(int(pick), classes)
            if feature == constant:
                yield TRUE, label
                return
            if feature not in seen:
                seen.add(feature)
                yield feature, label
    last = int(choose(scores[:classes], np.ones(classes), 1)[0])
    yield TRUE, last
