"""Private cut points: medians of a column, then of its two sides, and so on, over a public grid (theory C).

Halving also serves columns with a point mass: the side above the mass is cut on its own, where plain quantiles would
all fall on it.
"""

from decimal import Decimal
from fractions import Fraction
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import Account, Neighbours, Quantiles
from dprules.errors import ParameterError
from dprules.mechanisms import Bits, draw
from dprules.models import cuts_of
from dprules.numbers import Real, rational
from dprules.schema import PrivateCuts, Schema
from dprules.tables import Records

SHARE = 0.1
"""Of epsilon, for the cuts of all columns together, where the schema asks for some."""
_PLACES = 500
"""Places that a grid without a declared step has at least."""
Floats = NDArray[np.float64]


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
    return schema.with_cuts({c.name: draw_cuts(records.numbers(c.name), c, tilts[c.name], bits) for c in asked})


def draw_cuts(numbers: Floats, column: PrivateCuts, tilt: Fraction, bits: Bits) -> tuple[float, ...]:
    """Draw up to 2^levels - 1 increasing cuts on the column's grid.

    Guarantee: the price of `Quantiles(tilt, levels)` (`docs/proofs/quantiles.md`): each draw is tilt-DP, the sides of a
    level are disjoint.
    """
    grid = cut_grid(column)
    clipped = np.sort(np.clip(numbers, column.lower, column.upper))
    return tuple(grid[place] for place in sorted(_halve(clipped, np.array(grid), 0, column.levels, tilt, bits)))


def _halve(numbers: Floats, grid: Floats, first: int, levels: int, tilt: Fraction, bits: Bits) -> list[int]:
    """Draw the median of some sorted numbers on a part of the grid, then those of the two sides; return their places.

    Which part of the grid is left is known from earlier cuts, so that an empty one says nothing.
    """
    if levels == 0 or len(grid) == 0:
        return []
    below = np.searchsorted(numbers, grid, side="left")
    # Scores are -|below - above| / 2: one record moves them by a half at most, so a draw costs its tilt.
    scores = -np.abs(2 * below - len(numbers))
    cut = int(draw(scores, tilt / 2, bits=bits)[0])
    left = _halve(numbers[: below[cut]], grid[:cut], first, levels - 1, tilt, bits)
    right = _halve(numbers[below[cut] :], grid[cut + 1 :], first + cut + 1, levels - 1, tilt, bits)
    return [*left, first + cut, *right]


def cut_grid(column: PrivateCuts) -> list[float]:
    """Return the places that a cut may have: multiples of the step above lower and below upper, as people write them.

    Examples
    --------
    >>> cut_grid(PrivateCuts("weight", lower=0, upper=1, step=0.25))
    [0.25, 0.5, 0.75]
    """
    lower = Decimal(repr(column.lower))
    upper = Decimal(repr(column.upper))
    step = _usual_step(column.upper - column.lower) if column.step is None else Decimal(repr(column.step))
    places = [float(lower + step * i) for i in range(1, int((upper - lower) / step) + 1)]
    return [place for place in dict.fromkeys(places) if column.lower < place < column.upper]


def _usual_step(width: float) -> Decimal:
    """The largest of 1, 2, 5, 10, ... (and 0.5, 0.2, ...) that leaves at least 500 places."""
    power = Decimal(10) ** floor(log10(width / _PLACES))
    fitting = [factor for factor in (1, 2, 5) if float(factor * power) * _PLACES <= width]
    return max(fitting, default=1) * power
