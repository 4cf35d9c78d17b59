"""Numeric columns that a schema gives bounds and no cuts: how streams, which cannot buy cuts, read them."""

from collections.abc import Sequence
from dataclasses import replace

from dprules.schema import Column, PrivateCuts, PrivateDates, Scaled
from dprules.schema.grids import cut_grid


def column_between_bounds(column: Column, real: bool) -> Column:
    """Return a column that has bounds with public cuts, or as a number; any other column as it is.

    Parameters
    ----------
    column : Column
        Of a schema.
    real : bool
        Whether numbers are weighed as they are; dates get cuts all the same.

    Examples
    --------
    >>> age = PrivateCuts("age", lower=0, upper=100, number=3)
    >>> column_between_bounds(age, real=False).cuts
    (25.0, 50.0, 75.0)
    >>> column_between_bounds(age, real=True).number(75)
    0.5
    """
    if not isinstance(column, PrivateCuts):
        return column
    if real and not isinstance(column, PrivateDates):
        return Scaled(column.name, column.lower, column.upper, decimal=column.decimal)
    return replace(column.with_cuts(_space(cut_grid(column), column.number)), bought=False)


def _space(grid: Sequence[float], number: int) -> Sequence[float]:
    """Return so many places of a grid, equally spaced; all of them if there are no more."""
    if len(grid) <= number:
        return grid
    return [grid[round(i * (len(grid) + 1) / (number + 1)) - 1] for i in range(1, number + 1)]
