"""Literals: one operator on one column, which is printed, run, and exported alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from dprules.schema.columns import MISSING, Boolean, Categorical, Column, Ordered, Positive, Value


class Operator(Enum):
    """What a literal asks."""

    EQUALS = "="
    DIFFERS = "!="
    BELOW = "<"
    AT_LEAST = ">="
    IS_TRUE = "is true"
    IS_FALSE = "is false"
    ABOVE_ZERO = "> 0"
    NOT_ABOVE_ZERO = "<= 0"
    IS_MISSING = "is missing"
    IS_PRESENT = "is present"


_BINARY = {
    Boolean: (Operator.IS_TRUE, Operator.IS_FALSE),
    Positive: (Operator.ABOVE_ZERO, Operator.NOT_ABOVE_ZERO),
}
_HOLDS_AT_ONE = (Operator.IS_TRUE, Operator.ABOVE_ZERO)


@dataclass(frozen=True, slots=True)
class Literal:
    """An operator on a column, with the value it compares with, if any.

    On a missing cell every literal is false but "is missing".

    Examples
    --------
    >>> from dprules.schema import Numeric
    >>> age = Numeric("age", cuts=(30.0, 50.0))
    >>> young = Literal(age, Operator.BELOW, 30.0)
    >>> str(young), young.holds({"age": "29.5"}), young.holds({"age": 30}), young.holds({"age": None})
    ('age < 30', True, False, False)
    """

    column: Column
    operator: Operator
    value: Value | None = None

    def __str__(self) -> str:
        name = show_value(self.column.name)
        if self.value is None:
            return f"{name} {self.operator.value}"
        return f"{name} {self.operator.value} {show_value(self.value)}"

    def fits(self) -> bool:
        """Whether the column can be asked this, and the value is one that it declares."""
        if self.operator in (Operator.IS_MISSING, Operator.IS_PRESENT):
            return self.value is None
        match self.column:
            case Categorical(values=values):
                return self.operator in (Operator.EQUALS, Operator.DIFFERS) and _declares(values, self.value)
            case Ordered(cuts=cuts):
                return self.operator in (Operator.BELOW, Operator.AT_LEAST) and _declares(cuts, self.value)
            case _:
                return self.value is None and self.operator in _BINARY.get(type(self.column), ())

    def truth(self) -> NDArray[np.bool_]:
        """Return whether it holds, by code; MISSING = -1 is the last entry."""
        table = np.zeros(self.column.size + 1, dtype=np.bool_)
        match self.operator:
            case Operator.EQUALS:
                table[self.column.code(self.value)] = True
            case Operator.DIFFERS:
                table[:MISSING] = True
                table[self.column.code(self.value)] = False
            case Operator.BELOW:
                table[: self.column.code(self.value)] = True
            case Operator.AT_LEAST:
                table[self.column.code(self.value) : MISSING] = True
            case Operator.IS_PRESENT:
                table[:MISSING] = True
            case Operator.IS_MISSING:
                table[MISSING] = True
            case _:
                table[int(self.operator in _HOLDS_AT_ONE)] = True
        return table

    @property
    def codes(self) -> frozenset[int]:
        """The codes of the column on which it is true."""
        places = np.flatnonzero(self.truth()).tolist()
        return frozenset(MISSING if place == self.column.size else place for place in places)

    def holds(self, row: Mapping[str, object]) -> bool:
        """Whether it is true of a row; an absent key is a missing cell."""
        return bool(self.truth()[self.column.code(row.get(self.column.name))])


def show_value(value: Value) -> str:
    """Return a value as it is printed: integral floats without the point, nothing rounded.

    Text is on one line: a name with a line end in it must not look like another line of what is printed.

    Examples
    --------
    >>> show_value(30.0), show_value(0.1), show_value("yes")
    ('30', '0.1', 'yes')
    """
    if isinstance(value, str):
        return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in value)
    return repr(int(value)) if isinstance(value, float) and value == int(value) and abs(value) < 1e15 else str(value)


def literals_of(column: Column) -> tuple[Literal, ...]:
    """Return every literal of a column that some cells satisfy and others do not, each question once.

    Examples
    --------
    >>> [str(literal) for literal in literals_of(Categorical("sex", ("f", "m")))]
    ['sex = f', 'sex = m']
    """
    made: list[Literal] = []
    match column:
        case Categorical(values=values):
            # The only value that was bought is not the only one that there is.
            alone = not column.bought or column.missing_literal
            asked = () if len(values) < 2 and alone else values
            made += [Literal(column, Operator.EQUALS, value) for value in asked]
            # Of two values, "not the one" is "the other".
            made += [Literal(column, Operator.DIFFERS, value) for value in asked if len(values) > 2]
        case Ordered(cuts=cuts):
            made += [Literal(column, Operator.BELOW, cut) for cut in cuts]
            made += [Literal(column, Operator.AT_LEAST, cut) for cut in cuts]
        case _:
            made += [Literal(column, operator) for operator in _BINARY.get(type(column), ())]
    # Where no value was bought every cell is missing.
    if column.missing_literal and not (isinstance(column, Categorical) and column.size == 0):
        made += [Literal(column, operator) for operator in (Operator.IS_MISSING, Operator.IS_PRESENT)]
    return tuple(made)


def _declares(values: Sequence[Value], value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value in values
