"""Literals: one operator on one column, which is printed, run, and exported alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from dprules.data.columns import MISSING, Boolean, Categorical, Column, Numeric, Value

_LARGEST: Final = "1.7976931348623157e308"


class Operator(Enum):
    """What a literal asks."""

    EQUALS = "="
    DIFFERS = "!="
    BELOW = "<"
    AT_LEAST = ">="
    IS_TRUE = "is true"
    IS_FALSE = "is false"
    IS_MISSING = "is missing"
    IS_PRESENT = "is present"


@dataclass(frozen=True, slots=True)
class Literal:
    """An operator on a column, with the value it compares with, if any.

    On a missing cell every literal is false but "is missing".

    Examples
    --------
    >>> age = Numeric("age", cuts=(30.0, 50.0))
    >>> young = Literal(age, Operator.BELOW, 30.0)
    >>> str(young), young.holds({"age": "29.5"}), young.holds({"age": 30}), young.holds({"age": None})
    ('age < 30', True, False, False)
    """

    column: Column
    operator: Operator
    value: Value | None = None

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.column.name} {self.operator.value}"
        return f"{self.column.name} {self.operator.value} {shown(self.value)}"

    @property
    def codes(self) -> frozenset[int]:
        """The codes of the column on which it is true."""
        every = frozenset(range(self.column.size))
        match self.operator:
            case Operator.EQUALS:
                return frozenset({self.column.code(self.value)}) & every
            case Operator.DIFFERS:
                return every - {self.column.code(self.value)}
            case Operator.AT_LEAST:
                return frozenset(code for code in every if code >= self.column.code(self.value))
            case Operator.BELOW:
                return frozenset(code for code in every if code < self.column.code(self.value))
            case Operator.IS_TRUE:
                return frozenset({1})
            case Operator.IS_FALSE:
                return frozenset({0})
            case Operator.IS_PRESENT:
                return every
            case Operator.IS_MISSING:
                return frozenset({MISSING})

    def holds(self, row: Mapping[str, object]) -> bool:
        """Whether it is true of a row; an absent key is a missing cell."""
        return self.column.code(row.get(self.column.name)) in self.codes

    def sql(self) -> str:
        """The same question in SQL: null or undeclared cells make it false (or "is missing" true)."""
        name = '"' + self.column.name.replace('"', '""') + '"'
        if self.operator is Operator.IS_MISSING:
            return f"({name} IS NULL OR NOT {_declared(name, self.column)})"
        if self.operator is Operator.IS_PRESENT:
            return _declared(name, self.column)
        if isinstance(self.column, Categorical):
            chosen = [quoted(value) for i, value in enumerate(self.column.values) if i in self.codes]
            return f"{name} IN ({', '.join(chosen)})" if len(chosen) != 1 else f"{name} = {chosen[0]}"
        if isinstance(self.column, Boolean):
            return f"{name} = {'TRUE' if self.operator is Operator.IS_TRUE else 'FALSE'}"
        # Where NaN is a number it is above all others, so bounds exclude it.
        if self.operator is Operator.BELOW:
            return f"{name} < {self.value!r} AND {name} >= -{_LARGEST}"
        return f"{name} >= {self.value!r} AND {name} <= {_LARGEST}"


def shown(value: Value) -> str:
    """A value as it is printed: integral floats without the point, nothing rounded."""
    return repr(int(value)) if isinstance(value, float) and value == int(value) and abs(value) < 1e15 else str(value)


def quoted(value: Value) -> str:
    """A value as an SQL literal."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _declared(name: str, column: Column) -> str:
    if isinstance(column, Categorical):
        return f"{name} IN ({', '.join(quoted(value) for value in column.values)})"
    if isinstance(column, Boolean):
        return f"{name} IN (TRUE, FALSE)"
    return f"{name} BETWEEN -{_LARGEST} AND {_LARGEST}"


def literals(column: Column) -> tuple[Literal, ...]:
    """Every literal of a column, each set of codes once.

    Examples
    --------
    >>> [str(literal) for literal in literals(Categorical("sex", values=("f", "m")))]
    ['sex = f', 'sex = m']
    """
    found: dict[frozenset[int], Literal] = {}
    for literal in _all_literals(column):
        useful = 0 < len(literal.codes - {MISSING}) < column.size or literal.operator in _ABOUT_MISSING
        if useful:
            found.setdefault(literal.codes, literal)
    return tuple(found.values())


_ABOUT_MISSING = (Operator.IS_MISSING, Operator.IS_PRESENT)


def _all_literals(column: Column) -> list[Literal]:
    made: list[Literal] = []
    if isinstance(column, Categorical):
        made += [Literal(column, Operator.EQUALS, value) for value in column.values]
        made += [Literal(column, Operator.DIFFERS, value) for value in column.values]
    elif isinstance(column, Numeric):
        made += [Literal(column, Operator.BELOW, cut) for cut in column.cuts]
        made += [Literal(column, Operator.AT_LEAST, cut) for cut in column.cuts]
    else:
        made += [Literal(column, Operator.IS_TRUE), Literal(column, Operator.IS_FALSE)]
    if column.missing_literal:
        made += [Literal(column, operator) for operator in _ABOUT_MISSING]
    return made
