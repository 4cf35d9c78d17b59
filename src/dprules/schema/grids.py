"""Places that private cuts may have: a public grid, in decimals as people write them."""

from decimal import Decimal
from functools import lru_cache
from math import floor, log10

from dprules.schema.columns import PrivateCuts

_PLACES = 500
"""Places that a grid without a declared step has at least."""


@lru_cache(maxsize=64)
def cut_grid(column: PrivateCuts) -> tuple[float, ...]:
    """Return the places that a cut may have: multiples of the step above lower and below upper, as people write them.

    Examples
    --------
    >>> cut_grid(PrivateCuts("weight", lower=0, upper=1, step=0.25))
    (0.25, 0.5, 0.75)
    """
    lower = Decimal(repr(column.lower))
    upper = Decimal(repr(column.upper))
    step = _usual_step(column.upper - column.lower) if column.step is None else Decimal(repr(column.step))
    places = [float(lower + step * i) for i in range(1, int((upper - lower) / step) + 1)]
    return tuple(place for place in dict.fromkeys(places) if column.lower < place < column.upper)


def _usual_step(width: float) -> Decimal:
    """The largest of 1, 2, 5, 10, ... (and 0.5, 0.2, ...) that leaves at least 500 places."""
    power = Decimal(10) ** floor(log10(width / _PLACES))
    fitting = [factor for factor in (1, 2, 5) if float(factor * power) * _PLACES <= width]
    return max(fitting, default=1) * power
