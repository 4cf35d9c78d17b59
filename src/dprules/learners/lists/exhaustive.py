"""The exponential mechanism over all lists of a tiny class, and ordinary composition: the paper's baselines."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

import numpy as np

from dprules.accounting import Concentrated, Neighbours, largest
from dprules.errors import ParameterError
from dprules.learners.lists.greedy_cover import TRUE, Drawn
from dprules.mechanisms import Bits, draw
from dprules.numbers import Real, rational
from dprules.schema import Conditions
from dprules.tables import Sample

MOST_LISTS = 2_000_000


def exhaustive(
    sample: Sample, conditions: Conditions, epsilon: Real, bits: Bits, max_rules: int | None = None
) -> list[Drawn]:
    """Draw a whole list with weight exp(epsilon * -errors).

    Guarantee: epsilon-DP under add-remove neighbours: one record more changes every score by 0 or -1, a range of 1.
    """
    lists = list(_lists(len(conditions), sample.classes, len(conditions) if max_rules is None else max_rules))
    scores = np.array([-_errors(sample, conditions, rules) for rules in lists])
    return lists[int(draw(scores, rational(epsilon, "epsilon"), bits=bits)[0])]


def _lists(conditions: int, classes: int, most: int) -> Iterator[list[Drawn]]:
    count = 0
    for length in range(most + 1):
        for order in permutations(range(conditions), length):
            for labels in product(range(classes), repeat=length + 1):
                count += 1
                if count > MOST_LISTS:
                    raise ParameterError("there are too many lists to try them all. Use greedy_cover.")
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
