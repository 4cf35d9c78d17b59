"""Theory F: how many rules, which rewards, which prior; from public numbers and noisy class counts only."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from dprules.learners.lists.greedy_cover import quantise_reward
from dprules.numbers import Real
from dprules.schema import Conditions

LITERAL_MASS = 0.7
"""Prior mass of single literals and the constant; conjunctions share the rest."""
PLENTY = 6000
"""Rows times epsilon from which on the first rules are asked to be more precise."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The public plan of a fit: rewards for each draw, the one for the default included."""

    rewards: tuple[Fraction, ...]
    capped: bool
    default_tilt_ratio: Fraction = Fraction(1)
    """The tilt of the draw for the default, as a part of the tilt."""

    @property
    def rounds(self) -> int | None:
        """Draws at the most, None if only the conditions bound them."""
        return len(self.rewards) if self.capped else None


def short_list(rules: int, first: Real) -> Recipe:
    """Precise rules first, coverage later: rewards grow geometrically from `first` to 1, and 1 for the default.

    The default is drawn at half the tilt, which costs nothing: the price is that of one draw fewer.

    Examples
    --------
    >>> [float(reward) for reward in short_list(3, 0.25).rewards]
    [0.25, 0.5, 1.0, 1.0]
    """
    start = max(float(first), 1 / 64)
    steps = [start ** (1 - j / (rules - 1)) if rules > 1 else start for j in range(rules)]
    rewards = (*(quantise_reward(step) for step in steps), Fraction(1))
    return Recipe(rewards, capped=True, default_tilt_ratio=Fraction(1, 2))


def constant_reward(rules: int | None, reward: Real) -> Recipe:
    """One reward for every draw; without a number of rules, until the conditions are exhausted."""
    exact = quantise_reward(reward)
    return Recipe((exact,), capped=False) if rules is None else Recipe((exact,) * (rules + 1), capped=True)


def rules_for(rows: float, epsilon: float) -> int:
    """Return how many rules a sample of so many rows supports.

    At least 2: where one would be better, rows times epsilon is below 100, and that is what the noise of its count is.
    """
    # Found on eleven public sets: more data and more epsilon support longer lists, as their square root.
    return int(np.clip(round(sqrt(max(rows, 0) * epsilon) / 8), 2, 20))


def first_reward(class_counts: Sequence[float], noise: float, epsilon: float) -> float:
    """Return the reward of the first rule: the odds of the smaller classes, at most 1/2.

    0.4 if noise drowns the counts; half as much if there is enough data to afford precise rules.
    """
    most = max(class_counts)
    every = sum(class_counts)
    if every < 8 * noise or most <= 0:
        return 0.4
    odds = min(0.5, max(every - most, 0) / most)
    return odds / 2 if every * epsilon > PLENTY else odds


def prior_of(conditions: Conditions) -> NDArray[np.float64]:
    """Return public weights: short conditions are likelier. The constant true is last."""
    widths = (conditions >= 0).sum(axis=1)
    single = int((widths == 1).sum())
    weights = np.full(len(conditions) + 1, LITERAL_MASS / (single + 1))
    present = [width for width in (2, 3) if (widths == width).any()]
    shares = {0: (), 1: (1.0,), 2: (2 / 3, 1 / 3)}[len(present)]
    for share, width in zip(shares, present, strict=True):
        members = np.append(widths == width, False)
        weights[members] = (1 - LITERAL_MASS) * share / int(members.sum())
    return weights
