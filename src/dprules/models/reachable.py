"""Which sums the points of a card can add up to: one of the points of each column. Public, by the points alone."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

MOST_WORK = 2 * 10**8
"""Places that are looked at; cards whose points are too many or too large for that are thought to reach every sum."""


def reachable_sums(columns: Sequence[Integers], base: int = 0) -> Integers | None:
    """Return the sums of one number of each column, increasing; None: too many to try.

    Parameters
    ----------
    columns : sequence of arrays
        The points that each column may give; none is empty.
    base : int
        What every sum starts from.

    Examples
    --------
    >>> reachable_sums([np.array([0, 5]), np.array([-1, 0, 20])]).tolist()
    [-1, 0, 4, 5, 20, 25]
    """
    choices = [np.unique(numbers) for numbers in columns]
    lowest = base + sum(int(numbers[0]) for numbers in choices)
    span = sum(int(numbers[-1]) - int(numbers[0]) for numbers in choices) + 1
    if span * sum(map(len, choices)) > MOST_WORK:
        return None
    found = np.ones(1, dtype=np.bool_)
    for numbers in choices:
        steps = (numbers - numbers[0]).tolist()
        longer = np.zeros(len(found) + steps[-1], dtype=np.bool_)
        for step in steps:
            longer[step : step + len(found)] |= found
        found = longer
    return np.flatnonzero(found).astype(np.int64) + lowest
