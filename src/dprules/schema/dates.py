"""Columns of dates: like numbers, in days. A cut is written and compared as YYYY-MM-DD."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from dprules.schema.cells import read_date
from dprules.schema.columns import MISSING, MOST_VALUES, Ordered, PrivateCuts, is_number
from dprules.schema.gaps import FieldError

FIRST_DAY: Final = date(1970, 1, 1)
"""Day 0."""


@dataclass(frozen=True, slots=True)
class Date(Ordered):
    """A date, known by how many of the increasing cuts it reaches.

    Examples
    --------
    >>> admitted = Date("admitted", ["2023-01-01", "2024-01-01"])
    >>> admitted.code("2023-12-31 23:59:59"), admitted.code("2024-01-01"), admitted.code("31/12/2023")
    (1, 2, -1)
    """

    cuts: Sequence[str]
    kind = "date"

    def __post_init__(self) -> None:
        super(Date, self).__post_init__()
        rule = "an increasing list of dates such as 2024-03-01"
        given: object = self.cuts
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise FieldError(self._place, "cuts", rule)
        cuts = [read_date(cut) for cut in given]
        known = [cut for cut in cuts if cut is not None]
        fits = len(known) == len(cuts) < MOST_VALUES and (cuts or self.bought)
        if not fits or known != sorted(set(known)):
            raise FieldError(self._place, "cuts", rule)
        object.__setattr__(self, "cuts", tuple(known))

    def code(self, cell: object) -> int:
        """Return the number of cuts at or before the day."""
        day = read_date(cell)
        return MISSING if day is None else bisect_right(self.cuts, day)

    @property
    def days(self) -> tuple[float, ...]:
        """The cuts as days since 1970."""
        return tuple(float(day_number(cut)) for cut in self.cuts)


@dataclass(frozen=True, slots=True)
class PrivateDates(PrivateCuts):
    """A column of dates whose cuts will be bought with a share of epsilon.

    Bounds are held as days since 1970.

    Parameters
    ----------
    lower, upper : str or date
        Public bounds; days beyond are read as the bound.
    number : int
        1, 3, 7, 15, 31 or 63 cuts.
    step : int or None
        Days from one place of a cut to the next, 1 if left out.
    """

    kind = "date"
    _bound_rule = "a date such as 2024-03-01, a bound that is known without looking at the data"

    def __post_init__(self) -> None:
        for key in ("lower", "upper"):
            day = read_date(getattr(self, key))
            # What is no date is no number either, and refused with everything else.
            object.__setattr__(self, key, None if day is None else float(day_number(day)))
        if self.step is None:
            object.__setattr__(self, "step", 1)
        super(PrivateDates, self).__post_init__()

    def _check_fields(self, lower: Any, upper: Any, number: Any, step: Any) -> dict[str, str]:
        broken = super(PrivateDates, self)._check_fields(lower, upper, number, step)
        if not is_number(step) or step <= 0 or step != int(step):
            broken["step"] = "a whole number of days, 1 or more"
        return broken

    def read(self, cell: object) -> float | None:
        """Return the day's number, None for a missing cell."""
        day = read_date(cell)
        return None if day is None else float(day_number(day))

    def with_cuts(self, cuts: Sequence[float]) -> Ordered:
        """Return the column with the cuts that were bought, as dates."""
        return Date(self.name, [show_day(cut) for cut in cuts], bought=True, missing_literal=self.missing_literal)

    def _fields(self) -> dict[str, Any]:
        step = 1 if self.step is None else int(self.step)
        return {"lower": show_day(self.lower), "upper": show_day(self.upper), "step": step, "number": self.number}


def day_number(day: str) -> int:
    """Return the days from 1970-01-01 to a day.

    Examples
    --------
    >>> day_number("1970-01-31"), day_number("1969-12-31")
    (30, -1)
    """
    return (date.fromisoformat(day) - FIRST_DAY).days


def show_day(number: float) -> str:
    """Return the day with a number of days since 1970.

    Examples
    --------
    >>> show_day(day_number("2024-02-29"))
    '2024-02-29'
    """
    return (FIRST_DAY + timedelta(days=int(number))).isoformat()
