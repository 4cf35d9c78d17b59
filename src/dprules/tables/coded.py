"""Records as one small code a column: what additive models are learnt from. Only integer sums leave it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.tables.packed_blocks import ClassCounts
from dprules.tables.residuals import Residuals, add_residuals, add_score_counts
from dprules.tables.storage import Storage, release_pages
from dprules.tables.threads import count_cores, in_threads

Integers = NDArray[np.int64]
CodeColumns = Sequence[NDArray[np.int16]]
Groups = Sequence[NDArray[np.int64] | None]
"""For each column the group of each code, MISSING last; None leaves the column out."""

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


class AdditiveSample(Protocol):
    """Labelled records with a code for each column, whatever engine holds them. Only integer counts leave it."""

    classes: int
    """How many classes there are: public."""

    def totals(self) -> ClassCounts:
        """Return how many records each class has."""
        ...

    def bins(self) -> list[Integers]:
        """Return for each column how many records have each code, MISSING last."""
        ...

    def grouped(self, groups: Groups, sizes: Sequence[int] | None = None) -> GroupedSample:
        """Return the records by groups of codes.

        Parameters
        ----------
        groups : sequence of arrays or None
            For each column the group of each code, MISSING last; None leaves the column out.
        sizes : sequence of int or None
            How many groups each column has that is not left out; None: no group is without a code.
        """
        ...


class CodeBlock(Private):
    """Some records: the codes of each column, MISSING = -1, and the class of each.

    Parameters
    ----------
    columns : sequence of arrays
        The codes of each column.
    labels : array
        The class of each record.
    """

    __slots__ = ("columns", "labels")

    def __init__(self, columns: CodeColumns, labels: NDArray[Any]) -> None:
        self.columns = columns
        self.labels = labels.astype(np.uint16)

    def totals(self, classes: int) -> ClassCounts:
        """Return how many records each class has."""
        return np.bincount(self.labels, minlength=classes).astype(np.int64)

    def bins(self, sizes: Sequence[int]) -> list[Integers]:
        """Return for each column how many records have each code, MISSING last."""
        # MISSING is -1: the last of size + 1 places, modulo their number.
        pairs = zip(self.columns, sizes, strict=True)
        return [np.bincount(codes % (size + 1), minlength=size + 1).astype(np.int64) for codes, size in pairs]

    def join(self, groups: Groups, joint: "JointCodes") -> "JointBlock":
        """Return the records by joint codes of groups."""
        kept = [(codes, places) for codes, places in zip(self.columns, groups, strict=True) if places is not None]
        # One column at a time: all of them at once would take more memory than the codes.
        return JointBlock(joint.encode(len(self.labels), (places[codes] for codes, places in kept)), self.labels)


class CodedSample(Private):
    """Labelled records, with the code of each column.

    Parameters
    ----------
    blocks : callable
        Returns all records, some at a time.
    sizes : sequence of int
        How many codes each column has, MISSING aside.
    classes : int
        How many classes there are.
    storage : Storage or None
        Where joint codes are kept.
    """

    __slots__ = ("_blocks", "_sizes", "_storage", "classes")

    def __init__(
        self,
        blocks: Callable[[], Iterator[CodeBlock]],
        sizes: Sequence[int],
        classes: int,
        storage: Storage | None = None,
    ) -> None:
        self._blocks = blocks
        self._sizes = tuple(sizes)
        self._storage = Storage() if storage is None else storage
        self.classes = classes

    @classmethod
    def of(cls, columns: CodeColumns, sizes: Sequence[int], labels: NDArray[np.int16], classes: int) -> "CodedSample":
        """Take whole columns of codes, MISSING = -1, and the class of each record."""
        block = CodeBlock(columns, labels)
        return cls(lambda: iter([block]), sizes, classes)

    def totals(self) -> ClassCounts:
        """Return how many records each class has."""
        found = np.zeros(self.classes, dtype=np.int64)
        for block in self._blocks():
            found += block.totals(self.classes)
        return found

    def bins(self) -> list[Integers]:
        """Return for each column how many records have each code, MISSING last."""
        found = [np.zeros(size + 1, dtype=np.int64) for size in self._sizes]
        for block in self._blocks():
            for total, counts in zip(found, block.bins(self._sizes), strict=True):
                total += counts
        return found

    def grouped(self, groups: Groups, sizes: Sequence[int] | None = None) -> "JointSample":
        """Return the records by groups of codes."""
        joint = JointCodes.of(groups, sizes)
        blocks = (block.join(groups, joint) for block in self._blocks())
        return JointSample([block.kept(self._storage) for block in blocks], joint)


class JointBlock(Private):
    """Some records by joint codes, one row each, and the class of each."""

    __slots__ = ("codes", "labels")

    def __init__(self, codes: NDArray[np.unsignedinteger], labels: NDArray[np.uint16]) -> None:
        self.codes = codes
        self.labels = labels

    def __len__(self) -> int:
        return len(self.labels)

    def kept(self, storage: Storage) -> "JointBlock":
        """Return the block with its codes where the storage puts them."""
        return JointBlock(storage.keep(self.codes), storage.keep(self.labels))

    def sums(self, residuals: Residuals, weights: Integers, first: int, last: int) -> NDArray[np.int32]:
        """Return the sums of residuals over some records, by joint code; they are so few that sums fit 32 bits."""
        found = np.zeros(weights.shape, dtype=np.int32)
        add_residuals(self.codes[first:last], self.labels[first:last], weights, residuals, found)
        return found


class JointCodes:
    """Neighbouring columns share one joint code: it is looked up once for all of them.

    Public: it follows from how many groups each column has.

    Parameters
    ----------
    sizes : sequence of int
        Groups of each column.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self._parts = _join_columns(sizes)
        self._lengths = [int(np.prod(sizes[first:last])) for first, last in self._parts]

    @classmethod
    def of(cls, groups: Groups, sizes: Sequence[int] | None) -> "JointCodes":
        """Return the joint codes of groups; None: no group is without a code."""
        kept = [places for places in groups if places is not None]
        return cls([int(places.max()) + 1 for places in kept] if sizes is None else sizes)

    def encode(self, size: int, columns: Iterator[NDArray[Any]]) -> NDArray[np.unsignedinteger]:
        """Return the joint codes of records by the groups of each column, a row for each record."""
        kind = np.uint16 if sum(self._lengths) <= 2**16 else np.uint32
        codes = np.empty((size, len(self._parts)), dtype=kind)
        for part, (first, last) in enumerate(self._parts):
            joint = np.zeros(size, dtype=np.uint32)
            for groups in self.sizes[first:last]:
                joint *= np.uint32(groups)
                joint += next(columns).astype(np.uint32, copy=False)
            codes[:, part] = joint + np.uint32(sum(self._lengths[:part]))
        return codes

    def spread(self, table: Integers) -> Integers:
        """Return a table over groups as one over joint codes: the sum of what its groups have."""
        parts = []
        at = 0
        for first, last in self._parts:
            joint = np.zeros((1, table.shape[1]), dtype=np.int64)
            for size in self.sizes[first:last]:
                joint = (joint[:, None, :] + table[None, at : at + size, :]).reshape(-1, table.shape[1])
                at += size
            parts.append(joint)
        return np.concatenate(parts)

    def separate(self, joint: Integers) -> Integers:
        """Return sums over joint codes as sums over groups."""
        parts = []
        at = 0
        for first, last in self._parts:
            sizes = self.sizes[first:last]
            length = int(np.prod(sizes))
            cube = joint[at : at + length].reshape(*sizes, joint.shape[1])
            every = range(len(sizes))
            parts += [cube.sum(axis=tuple(other for other in every if other != axis)) for axis in every]
            at += length
        return np.concatenate(parts)


class JointSample(Private):
    """Records by joint codes. Everything is integer, so that the number of threads does not change any result."""

    __slots__ = ("_blocks", "_joint", "sizes")

    def __init__(self, blocks: Sequence[JointBlock], joint: JointCodes) -> None:
        self.sizes = joint.sizes
        self._blocks = blocks
        self._joint = joint

    def sums(self, residuals: Residuals) -> Integers:
        """Return the sums of residuals over the records of each group."""
        weights = self._joint.spread(residuals.weights)

        def part(block: JointBlock, first: int, last: int) -> NDArray[np.int32]:
            return block.sums(residuals, weights, first, last)

        return self._joint.separate(self._in_parts(part, np.zeros(weights.shape, dtype=np.int64)))

    def score_counts(self, points: Integers, base: Integers, starts: Integers, places: Integers) -> ClassCounts:
        """Return how many records have a score in each cell."""
        joined = self._joint.spread(points)
        shape = (int(places.max()) + 1 if points.shape[1] == 1 else 2, len(starts) + 1)

        def part(block: JointBlock, first: int, last: int) -> Integers:
            found = np.zeros(shape, dtype=np.int64)
            add_score_counts(block.codes[first:last], block.labels[first:last], joined, base, starts, places, found)
            return found

        return self._in_parts(part, np.zeros(shape, dtype=np.int64))

    def _in_parts(self, part: Callable[[JointBlock, int, int], NDArray[Any]], total: Integers) -> Integers:
        """Run on all cores and add up."""
        for block in self._blocks:
            cores = count_cores() if len(block) > WORTH_THREADS else 1
            parts = max(cores, -(-len(block) // MOST_IN_PART))
            edges = [len(block) * place // parts for place in range(parts + 1)]
            if parts == 1:
                total += part(block, 0, len(block))
            else:
                for found in in_threads(part, [block] * parts, edges[:-1], edges[1:]):
                    total += found
            release_pages(block.codes)
        return total


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
