"""Private cut points: medians of a column, then of its two sides, and so on, over a public grid (theory C).

Halving also serves columns with a point mass: the side above the mass is cut on its own, where plain quantiles would
all fall on it.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Account, Neighbours, Quantiles
from dprules.errors import ParameterError
from dprules.mechanisms import Bits, draw
from dprules.models import cuts_of
from dprules.numbers import Real, rational
from dprules.schema import PrivateCuts, Schema
from dprules.schema.grids import cut_grid
from dprules.tables import Records

SHARE = 0.1
"""Of epsilon, for the cuts of all columns together, where the schema asks for some."""
Integers = NDArray[np.int64]


def buy_cuts(records: Records, schema: Schema, account: Account, share: Real, bits: Bits) -> Schema:
    """Charge and draw the cuts of every column that asks for some; return the schema with them.

    Parameters
    ----------
    records : Records
        Where the numbers are.
    schema : Schema
        With private cuts.
    account : Account
        Is charged before anything is drawn: an equal part for each column.
    share : number
        Of the account's epsilon.
    bits : Bits
        Where the noise comes from.
    """
    asked = schema.private_cuts
    if not asked:
        return schema
    part = account.epsilon * rational(share, "share 'cuts'")
    if part >= account.epsilon_left:
        raise ParameterError("the shares leave nothing for the model. Lower them.")
    sides = 1 if account.neighbours is Neighbours.ADD_REMOVE else 2
    tilts = {c.name: part / len(asked) / (sides * c.levels * account.unit.rows) for c in asked}
    releases = [(cuts_of(c.name), Quantiles(tilts[c.name], c.levels)) for c in asked]
    account.charge_together(releases, part)
    return schema.with_cuts({c.name: draw_cuts(records.grid_counts(c), c, tilts[c.name], bits) for c in asked})


def draw_cuts(counts: Integers, column: PrivateCuts, tilt: Fraction, bits: Bits) -> tuple[float, ...]:
    """Draw up to 2^levels - 1 increasing cuts on the column's grid.

    Guarantee: the price of `Quantiles(tilt, levels)` (`docs/proofs/quantiles.md`): each draw is tilt-DP, the sides of a
    level are disjoint.

    Parameters
    ----------
    counts : array
        How many numbers lie below the first place of the grid, between each two neighbours, and from the last place on.
    column : PrivateCuts
        Whose grid it is.
    tilt : Fraction
        Of each draw.
    bits : Bits
        Where the noise comes from.
    """
    grid = cut_grid(column)
    below = np.cumsum(counts)
    return tuple(grid[place] for place in _halve(below[:-1], int(below[-1]), 0, column.levels, tilt, bits))


def _halve(below: Integers, numbers: int, first: int, levels: int, tilt: Fraction, bits: Bits) -> list[int]:
    """Draw the median of some numbers on a part of the grid, then those of the two sides; return their places.

    Which part of the grid is left is known from earlier cuts, so that an empty one says nothing.

    Parameters
    ----------
    below : array
        For each place that is left, how many of the numbers lie below it.
    numbers : int
        How many numbers there are on this side.
    first : int
        The first place that is left.
    """
    if levels == 0 or len(below) == 0:
        return []
    # Scores are -|below - above| / 2: one record moves them by a half at most, so a draw costs its tilt.
    scores = -np.abs(2 * below - numbers)
    cut = int(draw(scores, tilt / 2, bits=bits)[0])
    lower = int(below[cut])
    left = _halve(below[:cut], lower, first, levels - 1, tilt, bits)
    right = _halve(below[cut + 1 :] - lower, numbers - lower, first + cut + 1, levels - 1, tilt, bits)
    return [*left, first + cut, *right]
