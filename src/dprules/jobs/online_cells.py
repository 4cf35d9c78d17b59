"""Single cells of online examples, read fast: the usual types at once, everything else by the column's own reader."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zlib import crc32

from dprules.private import Private
from dprules.schema import GRID, MISSING, Boolean, Clipped, Column, Positive
from dprules.schema.cells import LARGEST_NUMBER

Example = Mapping[Any, Any]
"""One example: a value for each feature that occurs in it."""
Reader = Callable[[Any], int]
"""From a cell to its code, or to its number in multiples of 1/64."""
BOOLEANS = frozenset({bool})
FLOATS = frozenset({float})
NUMBERS = frozenset({int, float})
MOST_NAMES = 2**17
"""Names of features that are remembered at the most."""


def hash_name(name: str, size: int) -> int:
    """Return the coordinate of a feature that was not named in advance: a public function of its name."""
    return crc32(name.encode("utf-8", "replace")) % size


def read_steps(column: Clipped) -> Reader:
    """Return what reads a cell as a number of steps of 1/64, as `Clipped.number` does."""
    number = column.number
    if not is_plain(column):
        return lambda cell: round(GRID * number(cell))  # it has bounds of its own

    def read(cell: Any) -> int:
        kind = type(cell)
        if kind is int and 0 < cell < LARGEST_NUMBER:
            return GRID
        if kind is float or kind is int:
            if -1 <= cell <= 1:
                step: int = round(GRID * cell)
                return step
            # What is not below is not a number, or too large to be one: missing.
            return 0 if not abs(cell) < LARGEST_NUMBER else GRID if cell > 0 else -GRID
        if kind is bool:
            return GRID if cell else -GRID
        return 0 if cell is None else round(GRID * number(cell))

    return read


def is_plain(column: Column) -> bool:
    """Whether a column is one of numbers that are clipped to [-1, 1] as they are."""
    return column == Clipped(column.name, missing_literal=column.missing_literal)


def read_truths(column: Column) -> Reader:
    """Return what reads a cell of a Boolean or positive column as its code."""
    code = column.code
    if not isinstance(column, Boolean | Positive):
        return code
    positive = isinstance(column, Positive)

    def read(cell: Any) -> int:
        kind = type(cell)
        if kind is bool:
            return int(cell)
        if positive and (kind is float or kind is int):
            return int(cell > 0) if abs(cell) < LARGEST_NUMBER else MISSING
        return MISSING if cell is None else code(cell)

    return read


class LazyCodes(Private):
    """The codes of some columns of one example, read when a rule asks: most rules are never asked."""

    __slots__ = ("_columns", "_get")

    def __init__(self, columns: Sequence[tuple[str, Reader]], example: Example) -> None:
        self._columns = columns
        self._get = example.get

    def __getitem__(self, place: int) -> int:
        name, read = self._columns[place]
        return read(self._get(name))
