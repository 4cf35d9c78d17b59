"""The exponential mechanism over all lists of a tiny class, and ordinary composition: the paper's baselines."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from math import perm

import numpy as np

from dprules.accounting import Concentrated, Neighbours, largest
from dprules.errors import ParameterError
from dprules.learners.lists.remaining import TRUE, Drawn
from dprules.mechanisms import Bits, draw
from dprules.numbers import Real, rational
from dprules.schema import Conditions
from dprules.tables import Sample

MOST_LISTS = 2_000_000
"""Lists that are tried."""


def exhaustive(
    sample: Sample, conditions: Conditions, epsilon: Real, bits: Bits, max_rules: int | None = None
) -> list[Drawn]:
    """Draw a whole list with weight exp(epsilon * -errors).

    Guarantee: epsilon-DP under add-remove neighbours: one record more changes every score by 0 or -1, a range of 1.
    """
    most = len(conditions) if max_rules is None else min(max_rules, len(conditions))
    if _count_lists(len(conditions), sample.classes, most) > MOST_LISTS:
        raise ParameterError("there are too many lists to try them all. Use greedy_cover.")
    lists = list(_lists(len(conditions), sample.classes, most))
    scores = np.array([-_errors(sample, conditions, rules) for rules in lists])
    return lists[int(draw(scores, rational(epsilon, "epsilon"), bits=bits)[0])]


def _count_lists(conditions: int, classes: int, most: int) -> int:
    return sum(perm(conditions, length) * classes ** (length + 1) for length in range(most + 1))


def _lists(conditions: int, classes: int, most: int) -> Iterator[list[Drawn]]:
    for length in range(most + 1):
        for order in permutations(range(conditions), length):
            for labels in product(range(classes), repeat=length + 1):
                yield list(zip((*order, TRUE), labels, strict=True))


def _errors(sample: Sample, conditions: Conditions, rules: list[Drawn]) -> int:
    wrong = 0
    for condition, label in rules[:-1]:
        covered, sample = sample.cover(conditions[condition])
        totals = covered.totals()
        wrong += int(totals.sum() - totals[label])
    left = sample.totals()
    return wrong + int(left.sum() - left[rules[-1][1]])


def composition_tilt(epsilon: Real, delta: float, rounds: int, reward: Real = 0) -> float:
    """Return the tilt that ordinary (zero-concentrated) composition over rounds allows, for comparison.

    One record more moves scores by between -1 and reward, a range of 1 + reward: (tilt (1 + reward))^2 / 8 a round.
    """
    width = 1 + rational(reward, "reward", zero=True)

    def holds(tilt: float) -> bool:
        rho = rounds * (Fraction(tilt) * width) ** 2 / 8
        return Concentrated(rho).curve(Neighbours.ADD_REMOVE).delta(float(epsilon)) <= delta

    return largest(holds, start=0.1)
