"""Points of one column of a scorecard: which cells get how many."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.errors import ModelError
from dprules.models import documents
from dprules.schema import MISSING, Boolean, Categorical, Column, Literal, Operator, Ordered, Positive

PointsTable = NDArray[np.int64]
"""Points by code and place; MISSING = -1 is the last row."""


@dataclass(frozen=True, slots=True)
class Line:
    """A condition on one column, and the points of the cells that satisfy it: one number, or one for each class."""

    condition: Literal
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Points:
    """The points of one column: the first line that holds counts, and otherwise what stands last.

    Parameters
    ----------
    column : Column
        The column that is asked.
    lines : tuple of Line
        Tried in their order.
    otherwise : tuple of int
        Where no line holds: values that are missing, that nobody declared, or that no line names.

    Examples
    --------
    >>> from dprules.schema import Numeric
    >>> age = Points.of(Numeric("age", cuts=(30.0, 50.0)), np.array([[0], [2], [2], [0]]))
    >>> [(str(line.condition), line.points) for line in age.lines], age.otherwise
    ([('age < 30', (0,)), ('age >= 30', (2,))], (0,))
    """

    column: Column
    lines: tuple[Line, ...]
    otherwise: tuple[int, ...]
    _table: PointsTable = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_table", self._tabulate())

    @classmethod
    def of(cls, column: Column, table: PointsTable) -> "Points":
        """Return the shortest lines that give the points of a table, which has a row for each code and MISSING last."""
        rows: list[tuple[int, ...]] = [tuple(int(p) for p in row) for row in table]
        otherwise = rows[MISSING]
        lines: list[Line] = []
        match column:
            case Ordered(cuts=cuts):
                ends = [i for i in range(len(cuts)) if rows[i] != rows[i + 1]]
                lines += [Line(Literal(column, Operator.BELOW, cuts[i]), rows[i]) for i in ends]
                if ends:
                    lines.append(Line(Literal(column, Operator.AT_LEAST, cuts[ends[-1]]), rows[-2]))
                elif rows[0] != otherwise:
                    lines.append(Line(Literal(column, Operator.IS_PRESENT), rows[0]))
            case Categorical(values=values):
                named = [i for i in range(len(values)) if rows[i] != otherwise]
                lines += [Line(Literal(column, Operator.EQUALS, values[i]), rows[i]) for i in named]
            case Boolean():
                lines += _binary(column, (Operator.IS_FALSE, Operator.IS_TRUE), rows)
            case Positive():
                lines += _binary(column, (Operator.NOT_ABOVE_ZERO, Operator.ABOVE_ZERO), rows)
            case _:
                raise TypeError("a scorecard asks columns that have codes")
        return cls(column, tuple(lines), otherwise)

    def table(self) -> PointsTable:
        """Return the points by code, MISSING last."""
        return self._table

    def _tabulate(self) -> PointsTable:
        table = np.tile(np.array(self.otherwise, dtype=np.int64), (self.column.size + 1, 1))
        for line in reversed(self.lines):
            # Of a column with many values each line asks about one: its place is found without a look at the others.
            equal = line.condition.operator is Operator.EQUALS
            table[self.column.code(line.condition.value) if equal else line.condition.truth()] = line.points
        table.flags.writeable = False
        return table

    def document(self) -> dict[str, Any]:
        """Return it as a JSON document."""
        lines = [
            {"if": documents.write_conditions([line.condition]), "points": list(line.points)} for line in self.lines
        ]
        return {"column": self.column.name, "lines": lines, "otherwise": list(self.otherwise)}

    @classmethod
    def from_document(cls, document: object, columns: Mapping[str, Column], places: int) -> "Points":
        """Read what `document` writes; lines that `of` would not make are refused."""
        named = document.get("column") if isinstance(document, dict) else None
        if not isinstance(document, dict) or not isinstance(named, str) or named not in columns:
            raise ModelError("points of the file name no column. Export it again.")
        column = columns[named]
        if column.size * places > MOST_CELLS:
            raise ModelError("a column of the file has more points than a scorecard. Export it again.")
        lines = [_read_line(entry, columns, places) for entry in documents.read_entry(document, "lines", list)]
        otherwise = _read_points(document.get("otherwise"), places)
        if column.size > 0 and all(line.condition.column == column for line in lines):
            read = cls(column, tuple(lines), otherwise)
            if read == cls.of(column, read.table()):
                return read
        raise ModelError(f"the points of column {column.name!r} are not written as dprules does. Export it again.")


MOST_CELLS = 5_000_000
"""Points of one column, by value and class: what a file may make this machine hold."""
MOST_POINTS = 10**6
"""Of one line: no learner gives more, and sums stay small enough for every engine."""


def _read_line(entry: object, columns: Mapping[str, Column], places: int) -> Line:
    if not isinstance(entry, dict):
        raise ModelError("a line of the file has no condition. Export it again.")
    conditions = documents.read_conditions(entry.get("if"), columns)
    if len(conditions) != 1:
        raise ModelError("a line of the file has not one condition but several. Export it again.")
    return Line(conditions[0], _read_points(entry.get("points"), places))


def _read_points(points: object, places: int) -> tuple[int, ...]:
    return documents.read_whole(points, places, "points of the file are not small whole numbers", MOST_POINTS)


def _binary(column: Column, operators: tuple[Operator, Operator], rows: list[tuple[int, ...]]) -> list[Line]:
    return [
        Line(Literal(column, operator), rows[i]) for i, operator in enumerate(operators) if rows[i] != rows[MISSING]
    ]
