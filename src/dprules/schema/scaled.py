"""Numbers between public bounds, brought to [-1, 1]: how dense stream learners read numeric columns."""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dprules.schema.cells import read_number
from dprules.schema.columns import DECIMAL_RULE, DECIMALS, GRID, Clipped, decimal_field, is_number
from dprules.schema.gaps import FieldError, first_of

SMALLEST_WIDTH: Final = 1e-100


@dataclass(frozen=True, slots=True)
class Scaled(Clipped):
    """A number between public bounds, brought to [-1, 1] on a grid of 1/64; beyond a bound it counts as the bound.

    A missing number is 0, the middle; a Boolean is no number. The grid is even in the number: with upper - lower = w
    the number x stands for round(128 (x - lower) / w - 64) / 64, in doubles, ties to even.

    Parameters
    ----------
    lower, upper : float
        Public bounds.
    decimal : str
        "," where texts write 3,14.

    Examples
    --------
    >>> age = Scaled("age", 0, 100)
    >>> age.number("75"), age.number(130), age.number(None)
    (0.5, 1.0, 0.0)
    """

    lower: float
    upper: float
    decimal: str = field(default=".", kw_only=True)
    kind = "scaled"

    def __post_init__(self) -> None:
        super(Scaled, self).__post_init__()
        rule = "a number below 1e100, a bound that is known without looking at the data"
        bounds = {"lower": self.lower, "upper": self.upper}
        errors = [FieldError(self._place, key, rule) for key, bound in bounds.items() if not is_number(bound)]
        if not errors and not float(self.upper) - float(self.lower) >= SMALLEST_WIDTH:
            errors.append(FieldError(self._place, "upper", "above lower, by at least 1e-100"))
        if self.decimal not in DECIMALS:
            errors.append(FieldError(self._place, "decimal", DECIMAL_RULE))
        if self.missing_literal:
            errors.append(FieldError(self._place, "missing", '"false": a missing number is 0'))
        if errors:
            raise first_of(errors)
        object.__setattr__(self, "lower", float(self.lower))
        object.__setattr__(self, "upper", float(self.upper))

    def number(self, cell: object) -> float:
        """Return the number as it is weighed; a missing one is 0."""
        read = read_number(cell, self.decimal)
        if read is None:
            return 0.0
        inside = min(self.upper, max(self.lower, read))
        return round(2 * GRID * ((inside - self.lower) / (self.upper - self.lower)) - GRID) / GRID

    def numbers(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return many numbers as `number` does; NaN is missing."""
        places = (np.clip(found, self.lower, self.upper) - self.lower) / (self.upper - self.lower)
        return np.nan_to_num(np.rint(2 * GRID * places - GRID) / GRID) + 0.0

    def _fields(self) -> dict[str, Any]:
        return {"lower": self.lower, "upper": self.upper} | decimal_field(self.decimal)
