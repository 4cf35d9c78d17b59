"""Records as one small code a column: what additive models are learnt from. Only integer sums leave it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.tables.residuals import Residuals, add_residuals, add_score_counts
from dprules.tables.sample import ClassCounts
from dprules.tables.threads import count_cores, in_threads

Integers = NDArray[np.int64]
CodeColumns = Sequence[NDArray[np.int16]]

MOST_JOINT = 1024
"""Codes of neighbouring columns are joined up to so many: fewer lookups, in tables that still fit the nearest cache."""
MOST_IN_PART = 1 << 21
"""Records whose residuals are summed at a time: times 724 they fit 32 bits, and narrow sums stay nearer."""
WORTH_THREADS = 150_000
"""Records from which on several threads pay."""


class GroupedSample(Protocol):
    """Records that are known by a group for each column. Groups are numbered through: columns follow each other."""

    sizes: tuple[int, ...]
    """Groups of each column: public."""

    def sums(self, residuals: Residuals) -> Integers:
        """Return the sums, over the records of each group, of a public integer function of a record.

        The function sees one record alone: its class and its groups. The result has a row for each group.
        """
        ...

    def score_counts(self, points: Integers, base: Integers, starts: Integers, places: Integers) -> ClassCounts:
        """Return how many records have a score in each cell: by class, or by whether their class leads.

        Parameters
        ----------
        points : array
            By group; a column for each score.
        base : array
            What each score starts from.
        starts : array
            The first score of each cell but the first, increasing.
        places : array
            With a single score: the row of the result that the records of each class are counted in. With several,
            where the lead of the largest is counted: row 0 if a record's class leads (the first of equals), 1 if not.
        """
        ...


class CodedSample(Private):
    """Labelled records in memory, with the code of each column.

    Parameters
    ----------
    columns : sequence of arrays
        The codes of each column; MISSING = -1.
    sizes : sequence of int
        How many codes each column has, MISSING aside.
    labels : array
        The class of each record.
    classes : int
        How many classes there are.
    """

    __slots__ = ("_columns", "_labels", "_sizes", "classes")

    def __init__(self, columns: CodeColumns, sizes: Sequence[int], labels: NDArray[np.int16], classes: int) -> None:
        self._columns = columns
        self._sizes = tuple(sizes)
        self._labels = labels.astype(np.uint16)
        self.classes = classes

    def totals(self) -> ClassCounts:
        """Return how many records each class has."""
        return np.bincount(self._labels, minlength=self.classes).astype(np.int64)

    def bins(self) -> list[Integers]:
        """Return for each column how many records have each code, MISSING last."""
        pairs = zip(self._columns, self._sizes, strict=True)
        # MISSING is -1: the last of size + 1 places, modulo their number.
        return [np.bincount(codes % (size + 1), minlength=size + 1).astype(np.int64) for codes, size in pairs]

    def grouped(self, groups: Sequence[NDArray[np.int64] | None], sizes: Sequence[int] | None = None) -> "JointSample":
        """Return the records by groups of codes.

        Parameters
        ----------
        groups : sequence of arrays or None
            For each column the group of each code, MISSING last; None leaves the column out.
        sizes : sequence of int or None
            How many groups each column has that is not left out; None: no group is without a code.
        """
        kept = [(codes, places) for codes, places in zip(self._columns, groups, strict=True) if places is not None]
        sizes = [int(places.max()) + 1 for _, places in kept] if sizes is None else sizes
        # One column at a time: all of them at once would take more memory than the codes.
        columns = (places.astype(np.uint32)[codes] for codes, places in kept)
        return JointSample(columns, sizes, self._labels, self.classes)


class JointSample(Private):
    """Records by groups, where neighbouring columns share one joint code.

    A joint code is looked up once for all its columns; sums over joint codes are added up to sums over groups at the
    end. Everything is integer, so that the number of threads does not change any result.
    """

    __slots__ = ("_blocks", "_classes", "_codes", "_labels", "sizes")

    def __init__(
        self, columns: Iterable[NDArray[Any]], sizes: Sequence[int], labels: NDArray[np.uint16], classes: int
    ) -> None:
        self.sizes = tuple(sizes)
        self._labels = labels
        self._classes = classes
        self._blocks = _join_columns(sizes)
        lengths = [int(np.prod(sizes[first:last])) for first, last in self._blocks]
        kind = np.uint16 if sum(lengths) <= 2**16 else np.uint32
        self._codes = np.empty((len(labels), len(self._blocks)), dtype=kind)
        following = iter(columns)
        for block, (first, last) in enumerate(self._blocks):
            joint = np.zeros(len(labels), dtype=np.uint32)
            for size in sizes[first:last]:
                joint *= np.uint32(size)
                joint += next(following).astype(np.uint32, copy=False)
            self._codes[:, block] = joint + np.uint32(sum(lengths[:block]))

    def sums(self, residuals: Residuals) -> Integers:
        """Return the sums of residuals over the records of each group."""
        weights = self._joined(residuals.weights)

        def part(first: int, last: int) -> NDArray[np.int32]:
            found = np.zeros(weights.shape, dtype=np.int32)  # a part is so small that its sums fit
            add_residuals(self._codes[first:last], self._labels[first:last], weights, residuals, found)
            return found

        return self._separated(self._in_parts(part))

    def score_counts(self, points: Integers, base: Integers, starts: Integers, places: Integers) -> ClassCounts:
        """Return how many records have a score in each cell."""
        joined = self._joined(points)
        rows = int(places.max()) + 1 if points.shape[1] == 1 else 2

        def part(first: int, last: int) -> Integers:
            found = np.zeros((rows, len(starts) + 1), dtype=np.int64)
            add_score_counts(self._codes[first:last], self._labels[first:last], joined, base, starts, places, found)
            return found

        return self._in_parts(part)

    def _in_parts(self, part: Callable[[int, int], NDArray[Any]]) -> Integers:
        """Run on all cores and add up."""
        size = len(self._labels)
        cores = count_cores() if size > WORTH_THREADS else 1
        parts = max(cores, -(-size // MOST_IN_PART))
        edges = [size * place // parts for place in range(parts + 1)]
        if parts == 1:
            return part(0, size).astype(np.int64)
        total: Integers = np.sum(in_threads(part, edges[:-1], edges[1:]), axis=0, dtype=np.int64)
        return total

    def _joined(self, table: Integers) -> Integers:
        """Return a table over groups as one over joint codes: the sum of what its groups have."""
        parts = []
        at = 0
        for first, last in self._blocks:
            joint = np.zeros((1, table.shape[1]), dtype=np.int64)
            for size in self.sizes[first:last]:
                joint = (joint[:, None, :] + table[None, at : at + size, :]).reshape(-1, table.shape[1])
                at += size
            parts.append(joint)
        return np.concatenate(parts)

    def _separated(self, joint: Integers) -> Integers:
        """Return sums over joint codes as sums over groups."""
        parts = []
        at = 0
        for first, last in self._blocks:
            sizes = self.sizes[first:last]
            length = int(np.prod(sizes))
            cube = joint[at : at + length].reshape(*sizes, joint.shape[1])
            every = range(len(sizes))
            parts += [cube.sum(axis=tuple(other for other in every if other != axis)) for axis in every]
            at += length
        return np.concatenate(parts)


def _join_columns(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last places of neighbouring columns that share a joint code."""
    blocks: list[tuple[int, int]] = []
    length = 1
    for place, size in enumerate(sizes):
        if blocks and length * size <= MOST_JOINT:
            blocks[-1] = (blocks[-1][0], place + 1)
            length *= size
        else:
            blocks.append((place, place + 1))
            length = size
    return blocks
