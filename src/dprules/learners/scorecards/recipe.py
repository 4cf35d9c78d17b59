"""Theory G2: the constants of a scorecard. None depends on the data but through what was released."""

from math import sqrt

SMALLEST_GROUP = 2.0
"""A group of bins has at least so many sqrt(columns) / mu records."""
ENOUGH_RECORDS = 4.0
"""Standard deviations of a class count: with fewer records only the shares of the classes are learnt."""
FEWEST_STEPS, MOST_STEPS = 10, 150
"""Of the descent."""
STEPS_PER_ROOT = 1.5
"""Steps of the descent per sqrt(records * mu): more data and less noise support a longer way."""
MOMENTUM = 3
"""Nesterov's: t / (t + 3)."""
AVERAGED = 4
"""The last 1/4 of the iterates is averaged: noise that is left in each cancels in part."""
LARGEST_POINTS = 20
"""Points of the strongest term. Rounding to 20 costs at most .0005 of AUC, to 10 twice to four times as much."""
SMALLEST_UNIT = 0.001
"""Of a point: weights that are smaller than that all round to no points."""
QUANTILES = (0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99)
"""Where the cells of the table end, if columns were independent."""
LEAST_SLOPE = 0.1
"""The table trusts the card's own scale at least so much."""


def steps_for(records: float, mu: float) -> int:
    """Return how many steps a descent has.

    Examples
    --------
    >>> steps_for(10_000, 0.2), steps_for(10, 0.01), steps_for(10**7, 1)
    (67, 10, 150)
    """
    return int(min(max(round(STEPS_PER_ROOT * sqrt(max(records, 0) * mu)), FEWEST_STEPS), MOST_STEPS))
