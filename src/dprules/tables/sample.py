"""What learners see of a table: integer counts of labelled records, and no cell."""

from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.schema import Conditions
from dprules.tables.packed import Words, count_masked, extract_rows, pack, positions, size_of

ClassCounts = NDArray[np.int64]

EXTRACTION = 2
"""What it costs to move one bit of a row, in words counted."""
FEW = 32
"""Below one row in so many the rows that are left are moved together."""


class Sample(Protocol):
    """Labelled records, whatever engine holds them. Only integer counts leave it."""

    classes: int
    """How many classes there are: public."""

    def totals(self) -> ClassCounts:
        """Return how many records each class has."""
        ...

    def counts(self, conditions: Conditions) -> ClassCounts:
        """Return for each class how many records satisfy each condition."""
        ...

    def cover(self, condition: NDArray[np.int32]) -> tuple[Self, Self]:
        """Return the records that satisfy a condition, and the others."""
        ...


class PackedSample(Private):
    """Records in memory: a packed column for each literal and each class, and a mask of the records meant.

    Records that a rule covers are counted where they are (a masked pass over the columns) or moved together first,
    whichever is cheaper, so the counts of a whole fit cost a few passes however many rules are drawn.
    """

    __slots__ = ("_columns", "_planes", "_rows", "_size", "classes")

    def __init__(self, columns: Words, planes: Words, size: int, rows: Words | None = None) -> None:
        self._columns = columns
        self._planes = planes
        self._size = size
        self._rows = pack(np.ones(size, dtype=np.bool_)) if rows is None else rows
        self.classes = len(planes)

    @classmethod
    def of(cls, columns: Words, labels: NDArray[np.int16], classes: int) -> "PackedSample":
        """Take packed columns, one a literal, and the class of each record."""
        planes = np.array([pack(labels == label) for label in range(classes)], dtype=np.uint64)
        return cls(columns, planes.reshape(classes, columns.shape[1]), len(labels))

    @classmethod
    def from_booleans(cls, matrix: NDArray[np.bool_], labels: NDArray[np.int16], classes: int) -> "PackedSample":
        """Take a Boolean matrix with one column a literal."""
        return cls.of(pack(np.ascontiguousarray(matrix.T)), labels, classes)

    def totals(self) -> ClassCounts:
        """Return how many records each class has."""
        return np.array([size_of(plane & self._rows) for plane in self._planes], dtype=np.int64)

    def counts(self, conditions: Conditions) -> ClassCounts:
        """Return for each class how many records satisfy each condition."""
        words = self._columns.shape[1]
        # Moving costs a bit a literal and row; counting in place costs a word for every 64 rows and condition.
        moved = size_of(self._rows) * (EXTRACTION * len(self._columns) + len(conditions) / 64)
        if moved < words * len(conditions):
            return self._moved_together()._count(conditions)
        return self._count(conditions)

    def cover(self, condition: NDArray[np.int32]) -> tuple["PackedSample", "PackedSample"]:
        """Return the records that satisfy a condition, and the others."""
        covered = self._rows.copy()
        for literal in condition:
            if literal >= 0:
                covered &= self._columns[literal]
        others = self._only(self._rows & ~covered)
        if size_of(others._rows) * FEW < others._size:
            others = others._moved_together()
        return self._only(covered), others

    def _only(self, rows: Words) -> "PackedSample":
        return PackedSample(self._columns, self._planes, self._size, rows)

    def _moved_together(self) -> "PackedSample":
        chosen = positions(self._rows)
        return PackedSample(extract_rows(self._columns, chosen), extract_rows(self._planes, chosen), len(chosen))

    def _count(self, conditions: Conditions) -> ClassCounts:
        """One masked pass over the columns for every two classes."""
        found = np.zeros((self.classes, len(conditions)), dtype=np.int64)
        for first in range(0, self.classes, 2):
            masks = np.zeros((2, len(self._rows)), dtype=np.uint64)
            two = self._planes[first : first + 2]
            masks[: len(two)] = two & self._rows
            found[first : first + 2] = count_masked(self._columns, masks, conditions)[:, : len(two)].T
        return found
