"""The points of a column in words: which cells get how many, every cell once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dprules.models.points import Points
from dprules.schema import MISSING, Boolean, Categorical, Column, Operator, Ordered, show_value


@dataclass(frozen=True, slots=True)
class Piece:
    """Some codes of a column, as they are printed; MISSING is one of them, or not."""

    words: str
    codes: frozenset[int]


@dataclass(frozen=True, slots=True)
class Segment:
    """All cells of a column that get the same points.

    Parameters
    ----------
    pieces : tuple of Piece
        What the cells are.
    points : tuple of int
        What they get: one number, or one for each class.
    """

    pieces: tuple[Piece, ...]
    points: tuple[int, ...]

    @property
    def words(self) -> str:
        """All pieces in one phrase."""
        *others, last = (piece.words for piece in self.pieces)
        if others and self.pieces[-1].codes == {MISSING}:
            return f"{' or '.join(others)}, or missing"
        return " or ".join([*others, last])

    @property
    def size(self) -> int:
        """Its largest points, whatever their sign."""
        return max(map(abs, self.points))


def segments_of(points: Points) -> tuple[Segment, ...]:
    """Return the segments of a column in the order in which they are printed; together they are all cells.

    Examples
    --------
    >>> import numpy as np
    >>> from dprules.schema import Numeric
    >>> age = Points.of(Numeric("age", cuts=(30.0, 45.0)), np.array([[-6], [0], [4], [0]]))
    >>> [(segment.words, segment.points) for segment in segments_of(age)]
    [('age < 30', (-6,)), ('30 <= age < 45, or missing', (0,)), ('age >= 45', (4,))]
    """
    table = [tuple(row) for row in points.table().tolist()]
    gathered: dict[tuple[int, ...], list[Piece]] = {}
    for piece in _pieces(points.column, table):
        gathered.setdefault(table[min(piece.codes)], []).append(piece)
    found = [Segment(tuple(pieces), given) for given, pieces in gathered.items()]
    if isinstance(points.column, Ordered):
        return tuple(found)
    # Of values that have no order the dearest come first, and last what is not named.
    return tuple(sorted(found, key=lambda segment: (MISSING in segment.pieces[0].codes, [-p for p in segment.points])))


def piece_at(points: Points, code: int) -> Piece:
    """Return the piece that a code belongs to."""
    return next(piece for segment in segments_of(points) for piece in segment.pieces if code in piece.codes)


Table = Sequence[tuple[int, ...]]

MOST_LISTED = 12
"""Values that are listed though they get what missing ones get, if that is some points."""
FEW_LISTED = 3
"""And if it is none."""


def _pieces(column: Column, table: Table) -> Iterator[Piece]:
    match column:
        case Ordered():
            yield from _ranges(column, table)
        case Categorical():
            yield from _values(column, table)
        case _:
            yield from _sides(column, table)


def _sides(column: Column, table: Table) -> Iterator[Piece]:
    """Return true and false, or what is above 0 and what is not, and missing cells."""
    name = show_value(column.name)
    truth = (Operator.IS_FALSE, Operator.IS_TRUE)
    sign = (Operator.NOT_ABOVE_ZERO, Operator.ABOVE_ZERO)
    if table[0] == table[1]:
        yield Piece(f"{name} {Operator.IS_PRESENT.value}", frozenset({0, 1}))
    else:
        for code, operator in enumerate(truth if isinstance(column, Boolean) else sign):
            yield Piece(f"{name} {operator.value}", frozenset({code}))
    yield Piece(f"{name} is missing", frozenset({MISSING}))


def _ranges(column: Ordered, table: Table) -> Iterator[Piece]:
    """Return the longest ranges between cuts that have the same points, and missing cells."""
    name = show_value(column.name)
    start = 0
    for end in range(1, column.size + 1):
        if end < column.size and table[end] == table[start]:
            continue
        low = None if start == 0 else show_value(column.cuts[start - 1])
        high = None if end == column.size else show_value(column.cuts[end - 1])
        yield Piece(_range_words(name, low, high), frozenset(range(start, end)))
        start = end
    yield Piece(f"{name} is missing", frozenset({MISSING}))


def _range_words(name: str, low: str | None, high: str | None) -> str:
    if low is None and high is None:
        return f"{name} is present"
    if low is None:
        return f"{name} < {high}"
    return f"{name} >= {low}" if high is None else f"{low} <= {name} < {high}"


def _values(column: Categorical, table: Table) -> Iterator[Piece]:
    """Return sets of values that have the same points, and all other cells."""
    name = show_value(column.name)
    alike: dict[tuple[int, ...], list[int]] = {}
    for code in range(column.size):
        alike.setdefault(table[code], []).append(code)
    others = alike.pop(table[MISSING], [])
    for codes in alike.values():
        yield Piece(_set_words(column, codes), frozenset(codes))
    if 0 < len(others) <= (MOST_LISTED if any(table[MISSING]) else FEW_LISTED):
        yield Piece(_set_words(column, others), frozenset(others))
        others = []
    if not others:
        yield Piece(f"{name} is missing", frozenset({MISSING}))
    else:
        words = "any other value" if alike else "any value"
        yield Piece(f"{name}: {words}, or missing", frozenset({*others, MISSING}))


def _set_words(column: Categorical, codes: Sequence[int]) -> str:
    name = show_value(column.name)
    listed = [show_value(column.values[code]) for code in codes]
    return f"{name} = {listed[0]}" if len(listed) == 1 else f"{name} in {{{', '.join(listed)}}}"
