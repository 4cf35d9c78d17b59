"""A labelled sample as bits: private, so it shows nothing of itself."""

from collections.abc import Iterator
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from dprules.data.packed import Words, counted, extracted, pack, positions, size_of
from dprules.errors import PrivacyError

Features = NDArray[np.int32]
"""Conjunctions: rows of three literal indices in increasing order, -1 where there is none; sorted."""
Counts = NDArray[np.int64]

EXTRACTION = 2
"""What it costs to move one bit of a row, in words counted."""


class Sample:
    """Rows of literals and a label, each row with a multiplicity; literals are packed columns.

    Rows that a rule covers are counted where they are (a masked pass over the columns) or moved together first,
    whichever is cheaper, so the counts of a whole fit cost a few passes however many rules are drawn.
    """

    __slots__ = ("_columns", "_labels", "_planes", "_size", "_weights", "classes")

    def __init__(
        self, columns: Words, size: int, labels: NDArray[np.int16], classes: int, weights: Counts | None = None
    ) -> None:
        self._columns, self._size, self._labels, self._weights = columns, size, labels, weights
        self._planes = [list(_digits(labels == label, weights)) for label in range(classes)]
        self.classes = classes
        """How many classes there are: public."""

    @classmethod
    def from_booleans(
        cls, matrix: NDArray[np.bool_], labels: NDArray[np.int16], classes: int, weights: Counts | None = None
    ) -> "Sample":
        """Take a Boolean matrix with one column a literal."""
        return cls(pack(matrix.T), len(matrix), labels, classes, weights)

    def __repr__(self) -> str:
        return "<private sample>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise PrivacyError("A sample holds private rows and cannot be copied or pickled. Publish the list instead.")

    def everything(self) -> Words:
        """The mask of all rows."""
        return pack(np.ones(self._size, dtype=np.bool_))

    def split(self, rows: Words, feature: NDArray[np.int32]) -> tuple[Words, Words]:
        """Return the rows of a mask that a feature covers, and the others."""
        covered = rows & self._columns[feature[0]]
        for literal in feature[1:]:
            if literal >= 0:
                covered &= self._columns[literal]
        return covered, rows & ~covered

    def counts(self, features: Features, rows: Words) -> Counts:
        """For each class, how many of the rows each feature covers."""
        size, words = size_of(rows), self._columns.shape[1]
        if size * (EXTRACTION * len(self._columns) + len(features) / 64) < words * len(features):
            part = self.only(rows)
            return part._in_place(features, part.everything())
        return self._in_place(features, rows)

    def _in_place(self, features: Features, rows: Words) -> Counts:
        """One masked pass over the columns."""
        found = np.zeros((self.classes, len(features)), dtype=np.int64)
        planes = [(label, factor, plane) for label, own in enumerate(self._planes) for factor, plane in own]
        for two in (planes[i : i + 2] for i in range(0, len(planes), 2)):
            masks = np.zeros((2, len(rows)), dtype=np.uint64)
            for mask, (_, _, plane) in zip(masks, two, strict=False):
                np.bitwise_and(plane, rows, out=mask)
            counts = counted(self._columns, masks, features)
            for at, (label, factor, _) in enumerate(two):
                found[label] += factor * counts[:, at]
        return found

    def totals(self, rows: Words) -> Counts:
        """How many of the rows each class has."""
        return np.array([sum(factor * size_of(plane & rows) for factor, plane in own) for own in self._planes])

    def only(self, rows: Words) -> "Sample":
        """The sample of these rows, moved together."""
        chosen = positions(rows)
        weights = None if self._weights is None else self._weights[chosen]
        return Sample(extracted(self._columns, chosen), len(chosen), self._labels[chosen], self.classes, weights)

    def thinned(self, rows: Words) -> tuple["Sample", Words]:
        """The same rows, moved together if few are left of the sample."""
        if size_of(rows) * 32 > self._size:
            return self, rows
        part = self.only(rows)
        return part, part.everything()


def _digits(own: NDArray[np.bool_], weights: Counts | None) -> Iterator[tuple[int, Words]]:
    """Masks of rows, one for each binary digit of the multiplicity, with the digit's value."""
    if weights is None:
        yield 1, pack(own)
        return
    digit = 1
    while digit <= int(weights.max(initial=0)):
        yield digit, pack(own & ((weights & digit) > 0))
        digit *= 2
