"""The score of a rule: gain for what it gets right, loss for what it gets wrong, weighted by class (theory A7)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dprules.errors import ParameterError
from dprules.models.class_weights import WEIGHTS
from dprules.numbers import Real, rational
from dprules.tables import ClassCounts

STEPS = 256
"""Gains and losses are multiples of 1/256, so that scores are integers."""
UNIT = STEPS * WEIGHTS
"""Scores are counted in units of 1/16384: a gain or loss times a weight."""


class Scoring(Protocol):
    """Says how good each candidate is; one record moves no score by more than 1."""

    def of_all(self, counts: ClassCounts, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the score of each candidate in units of 1/16384, classes fastest; weights in units of 1/64."""
        ...


@dataclass(frozen=True, slots=True)
class Score:
    """gain * correct - loss * errors, each record weighted by its class.

    Requires: all numbers in [0, 1], which the price of reward 1 covers.
    """

    gain: Fraction
    loss: Fraction
    _steps: tuple[int, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not (0 <= self.gain <= 1 and 0 <= self.loss <= 1):
            raise ParameterError("gain and loss must lie in [0, 1]: the price of a draw covers no more.")
        object.__setattr__(self, "_steps", (int(self.gain * STEPS), int(self.loss * STEPS)))

    @classmethod
    def of(cls, reward: Real) -> "Score":
        """Return a reward of a correct record against an error: above 1, errors count less instead."""
        exact = rational(reward, "reward", zero=True)
        return cls(quantise(exact), Fraction(1)) if exact <= 1 else cls(Fraction(1), quantise(1 / exact))

    @property
    def steps(self) -> tuple[int, int]:
        """Gain and loss in multiples of 1/256."""
        return self._steps

    def of_all(self, counts: ClassCounts, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the score of each candidate in units of 1/16384, classes fastest; weights in units of 1/64."""
        gain, loss = self._steps
        weighted = counts * weights[:, None]
        # gain correct - loss (every - correct): one product and one difference for all candidates.
        return np.ascontiguousarray(((gain + loss) * weighted - loss * weighted.sum(axis=0)).T).ravel()


@dataclass(frozen=True, slots=True)
class LabelScores:
    """A score of its own for the rules of each class.

    Parameters
    ----------
    scores : tuple of Score
        One for each class that a rule may answer.
    """

    scores: tuple[Score, ...]

    def of_all(self, counts: ClassCounts, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the score of each candidate in units of 1/16384, classes fastest; weights in units of 1/64."""
        gains, losses = np.array([score.steps for score in self.scores], dtype=np.int64).T[:, :, None]
        weighted = counts * weights[:, None]
        return np.ascontiguousarray(((gains + losses) * weighted - losses * weighted.sum(axis=0)).T).ravel()


def quantise(number: Real) -> Fraction:
    """Return a number of [0, 1] as it is used: rounded down to a multiple of 1/256."""
    return Fraction(int(rational(number, "number", zero=True) * STEPS), STEPS)


def whole_weights(weights: Sequence[Fraction] | None, classes: int) -> NDArray[np.int64]:
    """Return public class weights in units of 1/64, by default 1 each."""
    if weights is None:
        return np.full(classes, WEIGHTS, dtype=np.int64)
    allowed = {Fraction(steps, WEIGHTS) for steps in range(1, WEIGHTS + 1)}
    if len(weights) != classes or not set(weights) <= allowed:
        raise ParameterError("class weights must be multiples of 1/64 in (0, 1], one for each class.")
    return np.array([int(weight * WEIGHTS) for weight in weights], dtype=np.int64)
