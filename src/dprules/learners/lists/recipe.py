"""Theory F: how many rules, which rewards, which prior; from public numbers and released counts only."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from dprules.learners.lists.counted_cover import Cell
from dprules.learners.lists.scores import Score
from dprules.schema import Conditions

LITERAL_MASS = 0.7
"""Prior mass of single literals and the constant; conjunctions share the rest."""
PLENTY = 6000
"""Rows times epsilon from which on the first rules are asked to be more precise."""
PRECISE = 0.43
"""The part of the first reward that is then left. (Half as much would rank a little better and be right less often.)"""
MOST_ODDS = 8.0
"""Rewards of many classes rise to at most this."""
LEAST_REWARD = 1 / 64
"""Of the first rule: without any, rules that cover nothing have the best mark."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Precise rules first, coverage later: rewards grow geometrically from the first to the last.

    With two classes the last reward is 1. With many classes no rule is right more often than wrong in the end: the last
    reward is the square root of the odds against the largest class, and rises to these odds as rules turn out to be
    empty, which says that rewards are too low.

    Parameters
    ----------
    rules : int
        How many are drawn at most.
    first : float
        The first reward.
    odds : float
        Against the largest class, at least 1.
    cell_noise : float
        The standard deviation of the number of records of a rule.
    """

    rules: int
    first: float
    odds: float = 1.0
    cell_noise: float = 0.0

    def score(self, round_: int, cells: Sequence[Cell]) -> Score:
        """Return the score of a round, from what was released before it.

        Examples
        --------
        >>> [float(Recipe(3, 0.25).score(j, []).gain) for j in range(3)]
        [0.25, 0.5, 1.0]
        """
        first = max(self.first, LEAST_REWARD)
        empty = sum(sum(cell.counts) < 2 * self.cell_noise for cell in cells)
        power = 0.5 + 0.5 * min(1.0, 2 * empty / max(1, len(cells)))
        growth = self.odds**power / first
        return Score.of(first * growth ** (round_ / (self.rules - 1) if self.rules > 1 else 0))

    def with_noise(self, cell_noise: float) -> "Recipe":
        """Return the recipe for rules whose numbers of records carry so much noise."""
        return replace(self, cell_noise=cell_noise)


def rules_for(rows: float, epsilon: float) -> int:
    """Return how many rules a sample of so many rows supports.

    At least 2: where one would be better, rows times epsilon is below 100, and that is what the noise of its count is.
    """
    # Found on eleven public sets: more data and more epsilon support longer lists, as their square root.
    return int(np.clip(round(sqrt(max(rows, 0) * epsilon) / 8), 2, 20))


def first_reward(class_counts: Sequence[float], noise: float, epsilon: float) -> float:
    """Return the reward of the first rule: the odds of the smaller classes, at most 1/2.

    0.4 if noise drowns the counts; less if there is enough data to afford precise rules.
    """
    most = max(class_counts)
    every = sum(class_counts)
    if every < 8 * noise or most <= 0:
        return 0.4
    odds = min(0.5, max(every - most, 0) / most)
    return PRECISE * odds if every * epsilon > PLENTY else odds


def odds_against_the_largest(class_counts: Sequence[float]) -> float:
    """Return (1 - m)/m for the share m of the largest class, between 1 and 8."""
    every = max(1.0, sum(max(count, 0) for count in class_counts))
    share = max(1.0, *class_counts) / every
    return min(MOST_ODDS, max(1.0, (1 - share) / share))


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
