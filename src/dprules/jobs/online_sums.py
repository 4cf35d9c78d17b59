"""What a hypothesis says of one example of nothing but numbers: sums in the order of blocks, to the last bit."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from dprules.schema import GRID
from dprules.schema.cells import LARGEST_NUMBER
from dprules.tables import compiled, reads

Floats = NDArray[np.float64]


@compiled((reads(types.float64), reads(types.float64), types.float64))
def weigh_clipped(numbers: Floats, weights: Floats, bias: float) -> float:
    """Return the sum of weights times numbers, which are clipped to [-1, 1] and rounded to steps of 1/64.

    Parameters
    ----------
    numbers : array of float
        Of the features that have a weight; those that are no numbers, or beyond 1e100, are missing, and 0.
    weights : array of float
        Theirs.
    bias : float
        Where the sum starts.
    """
    total = bias
    for j in range(len(numbers)):
        if abs(numbers[j]) < LARGEST_NUMBER:
            total += weights[j] * np.rint(GRID * min(max(numbers[j], -1.0), 1.0)) / GRID
    return total


@compiled((reads(types.float64), reads(types.float64), types.float64))
def weigh_positive(numbers: Floats, weights: Floats, bias: float) -> float:
    """Return the sum of weights of numbers above 0, less those of all others.

    Parameters
    ----------
    numbers : array of float
        Of the features that have a weight.
    weights : array of float
        Theirs.
    bias : float
        Where the sum starts.
    """
    total = bias
    for j in range(len(numbers)):
        total += weights[j] if 0 < numbers[j] < LARGEST_NUMBER else -weights[j]
    return total
