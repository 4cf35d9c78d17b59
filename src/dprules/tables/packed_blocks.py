"""Some records as packed bits, and how often each counts."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.schema import Conditions
from dprules.schema.bases import Bases
from dprules.tables.extraction import move_together
from dprules.tables.grouping import split_by_weight
from dprules.tables.packed import Words, count_masked, pack, size_of
from dprules.tables.storage import Storage, release_pages

ClassCounts = NDArray[np.int64]
Integers = NDArray[np.int64]
Step = tuple[Sequence[int], bool]
"""The literals of a condition, and whether records that satisfy it are meant, or the others."""


class PackedBlock(Private):
    """Some records in memory: a packed column for each base, and planes that say how often each record counts.

    A record that stands for m equal ones has its class's plane of 1, 2, 4, ... set where m has the digit.

    Parameters
    ----------
    columns : array
        A packed column for each base.
    planes : array
        Packed like a column each.
    owners, times : arrays
        The class of each plane, and what it counts for.
    """

    __slots__ = ("columns", "owners", "planes", "times")

    def __init__(self, columns: Words, planes: Words, owners: Integers, times: Integers) -> None:
        self.columns = columns
        self.planes = planes
        self.owners = owners
        self.times = times

    @property
    def words(self) -> int:
        """Words of a column."""
        return int(self.planes.shape[1])

    def all_rows(self) -> Words:
        """Return the mask of all records."""
        found: Words = np.bitwise_or.reduce(self.planes, axis=0)
        return found

    def holding(self, bases: Bases, condition: Iterable[int], rows: Words) -> Words:
        """Return the mask of those among some records that satisfy a condition."""
        found = rows.copy()
        for literal in condition:
            if literal >= 0:
                # A literal is a sum of bases that is 0 or 1: its last bit is the exclusive or of theirs.
                held = np.zeros_like(rows)
                for base in bases.combinations[literal]:
                    held ^= rows if base == bases.size else self.columns[base]
                found &= held
        return found

    def following(self, bases: Bases, path: Iterable[Step]) -> Words:
        """Return the mask of the records that a list of conditions leads to."""
        rows = self.all_rows()
        for condition, holds in path:
            held = self.holding(bases, condition, rows)
            rows = held if holds else rows & ~held
        return rows

    def totals(self, rows: Words, classes: int) -> ClassCounts:
        """Return how many of some records each class has."""
        found = np.zeros(classes, dtype=np.int64)
        for plane, owner, times in zip(self.planes, self.owners, self.times, strict=True):
            found[owner] += times * size_of(plane & rows)
        return found

    def count(self, rows: Words, conditions: Conditions, classes: int) -> ClassCounts:
        """Return how many of some records satisfy conjunctions of bases."""
        found = np.zeros((classes, len(conditions)), dtype=np.int64)
        planes = self.planes & rows
        used = np.flatnonzero(planes.any(axis=1))  # a heavy record has few of the digits that its block has
        counted = count_masked(self.columns, planes[used], conditions)
        for place, plane in enumerate(used.tolist()):
            found[self.owners[plane]] += self.times[plane] * counted[:, place]
        release_pages(self.columns)
        return found

    def present(self) -> NDArray[np.bool_]:
        """Return which bases hold of any record."""
        found = np.any(self.columns, axis=1, keepdims=True)[:, 0]
        release_pages(self.columns)
        return np.asarray(found)

    def only(self, rows: Words) -> "PackedBlock":
        """Return a block of some records, moved together."""
        columns = move_together(self.columns, rows)
        release_pages(self.columns)
        return PackedBlock(columns, move_together(self.planes, rows), self.owners, self.times)

    def kept(self, storage: Storage) -> "PackedBlock":
        """Return the block with its bits where the storage puts them."""
        return PackedBlock(storage.keep(self.columns), storage.keep(self.planes), self.owners, self.times)


def make_planes(
    labels: NDArray[np.integer], classes: int, weights: Integers | None
) -> tuple[Words, Integers, Integers]:
    """Return planes for the classes and the binary digits of weights, their classes, and what they count for."""
    digits = 1 if weights is None else max(1, int(weights.max(initial=1)).bit_length())
    owners, places = (part.ravel() for part in np.indices((classes, digits)))
    planes = [
        labels == owner if weights is None else (labels == owner) & ((weights >> place) & 1 == 1)
        for owner, place in zip(owners.tolist(), places.tolist(), strict=True)
    ]
    return np.array([pack(plane) for plane in planes], dtype=np.uint64), owners, np.left_shift(1, places)


def make_blocks(
    columns: Words, labels: NDArray[np.integer], classes: int, weights: Integers | None
) -> Iterator[PackedBlock]:
    """Return packed columns as blocks, one for each size of weights."""
    if weights is None:
        yield PackedBlock(columns, *make_planes(labels, classes, None))
        return
    for chosen in split_by_weight(weights):
        yield PackedBlock(move_together(columns, pack(chosen)), *make_planes(labels[chosen], classes, weights[chosen]))


def join_blocks(blocks: Iterable[PackedBlock], most: int) -> Iterator[PackedBlock]:
    """Put blocks whose planes mean the same together, up to so many words of a column; only those are held."""
    waiting: dict[bytes, list[PackedBlock]] = {}
    for block in blocks:
        key = block.times.tobytes()
        group = waiting.setdefault(key, [])
        if group and sum(other.words for other in group) + block.words > most:
            yield _join(waiting.pop(key))
            group = waiting.setdefault(key, [])
        group.append(block)
    while waiting:
        yield _join(waiting.popitem()[1])


def _join(blocks: Sequence[PackedBlock]) -> PackedBlock:
    if len(blocks) == 1:
        return blocks[0]
    columns = np.concatenate([block.columns for block in blocks], axis=1)
    planes = np.concatenate([block.planes for block in blocks], axis=1)
    return PackedBlock(columns, planes, blocks[0].owners, blocks[0].times)
