"""A labelled sample as bits: private, so it shows nothing of itself."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from dprules.data.packed import Words, add_counts, gathered, pack, positions, transposed, unpack
from dprules.errors import PrivacyError

Features = NDArray[np.int32]
"""Conjunctions: rows of three literal indices in increasing order, -1 where there is none; sorted."""
Counts = NDArray[np.int64]


WORTH_THREADS = 500_000
"""Words to count from which on a thread for each class pays."""


class Sample:
    """Rows of literals and a label, each row with a multiplicity.

    Held twice, by literal and by row: counting reads columns, removing covered rows reads rows, so the counts of a
    whole fit cost about one pass however many rules are drawn.
    """

    __slots__ = ("_columns", "_labels", "_literals", "_rows", "_size", "_weights", "labels")

    def __init__(
        self,
        columns: Words,
        size: int,
        labels: NDArray[np.int16],
        classes: int,
        weights: Counts | None,
        rows: Words | None,
    ) -> None:
        self._columns, self._size, self._labels, self._weights = columns, size, labels, weights
        self._literals = len(columns)
        self._rows = transposed(columns, size) if rows is None else rows
        self.labels = classes
        """How many classes there are: public."""

    @classmethod
    def from_columns(
        cls, columns: Words, size: int, labels: NDArray[np.int16], classes: int, weights: Counts | None = None
    ) -> "Sample":
        """Take literals as packed columns of `size` bits, and a class index for each row."""
        return cls(columns, size, labels, classes, weights, None)

    @classmethod
    def from_booleans(
        cls, matrix: NDArray[np.bool_], labels: NDArray[np.int16], classes: int, weights: Counts | None = None
    ) -> "Sample":
        """Take a Boolean matrix with one column a literal."""
        return cls(pack(matrix.T), len(matrix), labels, classes, weights, None)

    def __repr__(self) -> str:
        return "<private sample>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise PrivacyError("A sample holds private rows and cannot be copied or pickled. Publish the list instead.")

    def counts(self, features: Features) -> Counts:
        """For each class, how many rows each feature covers."""
        found = np.zeros((self.labels, len(features)), dtype=np.int64)

        def count(label: int) -> None:
            for factor, plane in self._planes(label):
                add_counts(self._columns, plane, features, factor, found[label])

        if self._columns.shape[1] * len(features) < WORTH_THREADS:
            list(map(count, range(self.labels)))
        else:
            with ThreadPoolExecutor(min(self.labels, os.cpu_count() or 1)) as pool:
                list(pool.map(count, range(self.labels)))
        return found

    def totals(self) -> Counts:
        """How many rows each class has."""
        weights = None if self._weights is None else self._weights.astype(np.float64)
        return np.bincount(self._labels, weights=weights, minlength=self.labels).astype(np.int64)

    def everything(self) -> Words:
        """The mask of all rows."""
        return pack(np.ones(self._size, dtype=np.bool_))

    def cover(self, alive: Words, feature: NDArray[np.int32]) -> tuple["Sample", Words]:
        """Return the rows of a mask that a feature covers, as a sample, and the mask without them."""
        mask = alive & self._columns[feature[0]]
        for literal in feature[1:]:
            if literal >= 0:
                mask &= self._columns[literal]
        chosen = positions(mask)
        weights = None if self._weights is None else self._weights[chosen]
        columns = gathered(self._rows, chosen, self._literals)
        return Sample(columns, len(chosen), self._labels[chosen], self.labels, weights, self._rows[:0]), alive & ~mask

    def _planes(self, label: int) -> Iterator[tuple[int, Words]]:
        """Masks of the rows of a class, one for each binary digit of the multiplicity, with the digit's value."""
        own = self._labels == label
        if self._weights is None:
            yield 1, pack(own)
            return
        digit = 1
        while digit <= int(self._weights.max(initial=0)):
            yield digit, pack(own & ((self._weights & digit) > 0))
            digit *= 2

    @property
    def is_empty(self) -> bool:
        """Whether no row is left: private."""
        return self._size == 0

    def literal(self, index: int) -> NDArray[np.bool_]:
        """The values of one literal: private."""
        return unpack(self._columns[index], self._size)
