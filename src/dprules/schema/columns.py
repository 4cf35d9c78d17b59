"""Columns of a table: how a cell becomes a small code.

A code says which declared value (or interval between cuts) a cell has; MISSING is everything else: empty, undeclared,
unreadable. `cells` says how a cell is read; each kind of column says here what it makes of it.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from dprules.errors import SchemaError
from dprules.schema.cells import DATE, find_value, read_number, read_truth, tabulate_values
from dprules.schema.gaps import FieldError, first_of
from dprules.schema.names import LONGEST_NAME, is_name

MISSING: Final = -1
MOST_VALUES: Final = 30_000
"""Declared values of one column: codes are 16-bit integers."""
GRID: Final = 64
"""Clipped numbers are rounded to multiples of 1/64."""
MOST_GRID_POINTS: Final = 2**20
"""Places that a private cut may have."""
CUT_NUMBERS: Final = (1, 3, 7, 15, 31, 63)
"""How many private cuts a column may have: halving doubles them."""
DECIMALS: Final = (".", ",")
DECIMAL_RULE: Final = '"." or ","'
Value = str | int | float


@dataclass(frozen=True, slots=True)
class Column(ABC):
    """A named column. With `missing_literal`, "is missing" is a literal; otherwise a missing cell makes all false."""

    name: str
    missing_literal: bool = field(default=False, kw_only=True)
    kind: ClassVar[str]

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise SchemaError(f"a column must have a name, a text of 1 to {LONGEST_NAME} characters.")
        if not isinstance(self.missing_literal, bool):
            raise FieldError(self._place, "missing_literal", "True or False")

    @property
    def _place(self) -> tuple[str, ...]:
        return ("columns", self.name)

    @property
    @abstractmethod
    def size(self) -> int:
        """How many codes there are, MISSING aside."""

    @abstractmethod
    def code(self, cell: object) -> int:
        """Return the code of one cell."""

    def entry(self) -> dict[str, Any]:
        """Return the column as an entry of a schema file or a model file."""
        return {"kind": self.kind} | self._fields() | ({"missing": "literal"} if self.missing_literal else {})

    def _fields(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, slots=True)
class Categorical(Column):
    """One of a few declared values.

    Parameters
    ----------
    values : sequence
        All text or all numbers; public, or bought.
    bought : bool
        Whether the values were released by a mechanism: then the certificate must list it.

    Examples
    --------
    >>> sex = Categorical("sex", ["f", "m"])
    >>> sex.code("m"), sex.code("x"), Categorical("grade", [1, 2]).code("2.0")
    (1, -1, 1)
    """

    values: Sequence[Value]
    bought: bool = field(default=False, kw_only=True)
    _table: dict[str, int] = field(init=False, repr=False, compare=False)
    kind = "categorical"

    def __post_init__(self) -> None:
        super(Categorical, self).__post_init__()
        # Of bought values there may be none: whether there are any is a fact about rows.
        nothing = self.bought and isinstance(self.values, list | tuple) and not self.values
        values = () if nothing else read_values(self.values, self._place, "values")
        object.__setattr__(self, "values", values)
        table = forms_of(values, self._place, "values", declared=not self.bought)
        if self.bought:
            # As they were counted: an array of Booleans turns into one of integers when one cell is an integer.
            table |= {word: table[digit] for word, digit in (("true", "1"), ("false", "0")) if digit in table}
        object.__setattr__(self, "_table", table)

    @property
    def size(self) -> int:
        """One code a value."""
        return len(self.values)

    @property
    def forms(self) -> dict[str, int]:
        """Every text that a declared value is written as, with the value's code."""
        return self._table

    def code(self, cell: object) -> int:
        """Return the position of the value."""
        found = find_value(cell, self._table)
        return MISSING if found is None else found

    def _fields(self) -> dict[str, Any]:
        return {"values": list(self.values)} | ({"bought": True} if self.bought else {})


@dataclass(frozen=True, slots=True)
class Ordered(Column):
    """Numbers or dates, known by how many of the increasing cuts they reach: one code an interval.

    Parameters
    ----------
    cuts : sequence
        Increasing; public, or bought.
    bought : bool
        Whether the cuts were released by a mechanism: then the certificate must list it.
    """

    cuts: Sequence[float] | Sequence[str]
    bought: bool = field(default=False, kw_only=True)

    @property
    def size(self) -> int:
        """One code an interval."""
        return len(self.cuts) + 1

    def _fields(self) -> dict[str, Any]:
        return {"cuts": list(self.cuts)} | ({"bought": True} if self.bought else {})


@dataclass(frozen=True, slots=True)
class Numeric(Ordered):
    """A number, known by how many of the increasing cuts it reaches.

    Parameters
    ----------
    cuts : sequence of numbers
        Increasing; public, or bought.
    bought : bool
        Whether the cuts were released by a mechanism: then the certificate must list it.
    decimal : str
        "," where texts write 3,14; typed numbers are read by their value anyway.
    """

    cuts: Sequence[float]
    decimal: str = field(default=".", kw_only=True)
    kind = "numeric"

    def __post_init__(self) -> None:
        super(Numeric, self).__post_init__()
        given: object = self.cuts
        listed = isinstance(given, Iterable) and not isinstance(given, str)
        cuts = [_plain(cut) for cut in self.cuts] if listed else []
        # Bought cuts may have fallen together, up to none.
        fits = listed and all(is_number(cut) for cut in cuts) and (cuts or self.bought) and len(cuts) < MOST_VALUES
        errors = []
        if not fits or cuts != sorted(set(cuts)):
            errors.append(FieldError(self._place, "cuts", "an increasing list of numbers"))
        if self.decimal not in DECIMALS:
            errors.append(FieldError(self._place, "decimal", DECIMAL_RULE))
        if errors:
            raise first_of(errors)
        object.__setattr__(self, "cuts", tuple(float(cut) for cut in cuts))

    def code(self, cell: object) -> int:
        """Return the number of cuts at or below the number."""
        number = read_number(cell, self.decimal)
        return MISSING if number is None else bisect_right(self.cuts, number)

    def _fields(self) -> dict[str, Any]:
        return super(Numeric, self)._fields() | decimal_field(self.decimal)


@dataclass(frozen=True, slots=True)
class PrivateCuts(Column):
    """A numeric column whose cuts will be bought with a share of epsilon: medians of halves within public bounds.

    Parameters
    ----------
    lower, upper : float
        Public bounds; numbers beyond are read as the bound.
    number : int
        1, 3, 7, 15, 31 or 63: each level of halving doubles them.
    step : float or None
        Cuts are lower + multiples of it; None: the usual one (1, 2, 5, 10, ...) that leaves 500 places or more.
    decimal : str
        "," where texts write 3,14.
    """

    lower: float
    upper: float
    number: int = 7
    step: float | None = None
    decimal: str = field(default=".", kw_only=True)
    kind = "numeric"
    _bound_rule: ClassVar[str] = "a number below 1e100, a bound that is known without looking at the data"

    def __post_init__(self) -> None:
        super(PrivateCuts, self).__post_init__()
        plain = {key: _plain(getattr(self, key)) for key in ("lower", "upper", "number", "step")}
        broken = self._check_fields(plain["lower"], plain["upper"], plain["number"], plain["step"])
        if broken:
            raise first_of([FieldError(self._place, key, rule) for key, rule in broken.items()])
        object.__setattr__(self, "number", plain["number"])
        for key in ("lower", "upper", "step"):
            object.__setattr__(self, key, None if plain[key] is None else float(plain[key]))

    def _check_fields(self, lower: Any, upper: Any, number: Any, step: Any) -> dict[str, str]:
        """Return the fields that break their rules, and the rules."""
        bounds = {"lower": lower, "upper": upper}
        broken = {key: self._bound_rule for key, bound in bounds.items() if not is_number(bound)}
        apart = not broken and _are_apart(float(lower), float(upper))
        if not apart:
            broken = broken or {"upper": "above lower, and not next to it"}
        if isinstance(number, bool) or number not in CUT_NUMBERS:
            broken["number"] = f"a number of cuts of {', '.join(map(str, CUT_NUMBERS[:-1]))} or 63"
        if step is not None and not (is_number(step) and step > 0):
            broken["step"] = "a number above 0"
        elif apart and step is not None:
            broken |= _check_step(float(lower), float(upper), float(step))
        if self.decimal not in DECIMALS:
            broken["decimal"] = DECIMAL_RULE
        return broken

    @property
    def levels(self) -> int:
        """Levels of halving: 2^levels - 1 cuts."""
        return self.number.bit_length()

    @property
    def size(self) -> int:
        """None until the cuts are known."""
        return 0

    def code(self, cell: object) -> int:
        """Refuse: there are no cuts yet."""
        raise SchemaError(f"the cuts of column {self.name!r} are private and not bought yet. Fit first.")

    def read(self, cell: object) -> float | None:
        """Return the number whose place among the cuts will be asked about, None for a missing cell."""
        return read_number(cell, self.decimal)

    def with_cuts(self, cuts: Sequence[float]) -> Ordered:
        """Return the column with the cuts that were bought."""
        return Numeric(self.name, tuple(cuts), bought=True, decimal=self.decimal, missing_literal=self.missing_literal)

    def _fields(self) -> dict[str, Any]:
        step = {} if self.step is None else {"step": self.step}
        bounds = {"lower": self.lower, "upper": self.upper}
        return bounds | step | {"number": self.number} | decimal_field(self.decimal)


@dataclass(frozen=True, slots=True)
class Boolean(Column):
    """True or false: Booleans, or one of true/false, t/f, yes/no, y/n, 1/0 in any case."""

    kind = "boolean"

    @property
    def size(self) -> int:
        """False and true."""
        return 2

    def code(self, cell: object) -> int:
        """Return 1 for true and 0 for false."""
        truth = read_truth(cell)
        return MISSING if truth is None else int(truth)


@dataclass(frozen=True, slots=True)
class Positive(Column):
    """Whether a number is above 0: how estimators without a schema read numbers. A Boolean true counts as 1."""

    kind = "positive"

    @property
    def size(self) -> int:
        """At most 0, and above."""
        return 2

    def code(self, cell: object) -> int:
        """Return 1 for a number above 0 and 0 for one that is not."""
        number = read_number(cell)
        if number is not None:
            return int(number > 0)
        truth = read_truth(cell)
        return MISSING if truth is None else int(truth)


@dataclass(frozen=True, slots=True)
class Clipped(Column):
    """A number in [-1, 1] on a grid of 1/64: how stream learners read real features. It has no codes.

    A Boolean (true or false, not 1 or 0) is 1 or -1.
    """

    kind = "clipped"

    @property
    def size(self) -> int:
        """None: it is a number."""
        return 0

    def code(self, cell: object) -> int:
        """Refuse: a clipped number is weighed, not asked about."""
        raise SchemaError(f"column {self.name!r} holds numbers that are weighed as they are.")

    def number(self, cell: object) -> float:
        """Return the number as it is weighed; a missing one is 0."""
        read = read_number(cell)
        if read is None:
            truth = read_truth(cell)
            read = 0.0 if truth is None else 2.0 * truth - 1.0
        return round(GRID * min(1.0, max(-1.0, read))) / GRID

    def numbers(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return many numbers as `number` does; NaN is missing."""
        return np.rint(GRID * np.nan_to_num(np.clip(found, -1, 1))) / GRID


def read_values(values: object, place: tuple[str, ...], key: str) -> tuple[Value, ...]:
    """Return declared values as plain Python values: different, all text or all numbers."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise FieldError(place, key, "a list of values")
    plain = tuple(_plain(value) for value in values)
    if not 0 < len(plain) <= MOST_VALUES:
        raise FieldError(place, key, f"a list of 1 to {MOST_VALUES:,} values")
    texts = all(isinstance(value, str) and value for value in plain)
    truths = all(isinstance(value, bool) for value in plain)
    if not (texts or truths or all(is_number(value) for value in plain)):
        raise FieldError(place, key, "different values, all text (not empty) or all numbers (below 2^53)")
    return tuple(str(value).lower() if isinstance(value, bool) else value for value in plain)


def forms_of(values: tuple[Value, ...], place: tuple[str, ...], key: str, *, declared: bool = True) -> dict[str, int]:
    """Return the forms of values; declared values that some reader could take for one another are refused."""
    try:
        table = tabulate_values(list(values))
    except ValueError:
        table = None
    if table is None or (declared and _share_a_reading(values)):
        raise FieldError(
            place, key, 'different values, numbers below 2^53; equal numbers ("1", "1.0") or moments are one'
        )
    return table


def _share_a_reading(values: tuple[Value, ...]) -> bool:
    """Whether two values are equal as numbers or as moments, such as "0.00001" and "1e-05".

    One record may be written in both ways: as text in a CSV file, and as a double in Parquet.
    """
    owners: dict[object, int] = {}
    readings = ((index, reading) for index, value in enumerate(values) for reading in _readings(str(value)))
    return any(owners.setdefault(reading, index) != index for index, reading in readings)


def _readings(text: str) -> set[object]:
    """Return what a text is as a number, also with a decimal comma, and as a moment."""
    readings: set[object] = {read_number(text), read_number(text, ",")}
    moment = text.strip(" ")
    if DATE.fullmatch(moment):
        try:
            read = datetime.fromisoformat(moment)
            readings.add(read if read.tzinfo is None else read.astimezone(UTC).replace(tzinfo=None))
        except (ValueError, OverflowError):  # the 30th of February, or a moment before the year 1
            pass
    return readings - {None}


def decimal_field(decimal: str) -> dict[str, str]:
    """Return the entry of a decimal mark, if it is not the point."""
    return {} if decimal == "." else {"decimal": decimal}


def is_number(value: object) -> bool:
    """Whether it is a finite number that a double holds exactly, as engines compare them."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= 2**53 if isinstance(value, int) else isfinite(value) and abs(value) < 1e100


def _plain(value: object) -> Any:
    """Return NumPy's scalars as Python's, which JSON and TOML can write."""
    return value.item() if isinstance(value, np.generic) else value


def _check_step(lower: float, upper: float, step: float) -> dict[str, str]:
    """Return the rule of a step that leaves too many places for a cut, or none."""
    if (upper - lower) / step > MOST_GRID_POINTS:
        return {"step": f"a number that leaves at most {MOST_GRID_POINTS:,} places for a cut"}
    # As the grid is made, in decimals: the first place must lie below the upper bound.
    if Decimal(repr(lower)) + Decimal(repr(step)) >= Decimal(repr(upper)):
        return {"step": "smaller: it leaves no place for a cut between lower and upper"}
    return {}


def _are_apart(lower: float, upper: float) -> bool:
    """Whether there is room for a grid of cuts."""
    return upper - lower > 1e-9 * max(abs(lower), abs(upper))
