"""What learners see of a table: integer counts of labelled records, and no cell."""

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.schema import Conditions
from dprules.schema.bases import Bases
from dprules.tables.derived import Derivation
from dprules.tables.extraction import MOVED_WORD
from dprules.tables.packed import Words, pack, size_of
from dprules.tables.packed_blocks import ClassCounts, Integers, PackedBlock, join_blocks, make_blocks
from dprules.tables.storage import Storage

COUNTED = 0.33
"""Nanoseconds, about, to count a word of a base and a plane; what else is done is weighed against it."""
FURTHER = 3
"""Passes over what is left that are still to come, about, when it is moved together."""
LARGEST_BLOCK = 1 << 13
"""Words of a column up to which blocks that have become small are put together."""


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

    def effort(self, conditions: Conditions) -> float:
        """Return about how much work it is to count conditions, beside other samples of the same table."""
        ...


class Plans(Private):
    """How counts of conditions are made of counts of bases: worked out once for all rounds of a fit.

    Parameters
    ----------
    bases : Bases
        Of the literals.
    absent : array of bool
        Bases that hold of no record.
    """

    __slots__ = ("_absent", "_known", "bases", "most")

    def __init__(self, bases: Bases, absent: NDArray[np.bool_]) -> None:
        self.bases = bases
        self.most = 0
        """The largest number of conjunctions that was asked for."""
        self._absent = absent
        self._known: list[tuple[Conditions, Derivation]] = []

    @classmethod
    def of(cls, bases: Bases, blocks: Sequence[PackedBlock]) -> "Plans":
        """Look which bases hold of no record: often that a cell is missing."""
        absent = np.zeros(bases.size, dtype=np.bool_)
        if not bases.are_literals:
            absent = ~np.any([absent, *(block.present() for block in blocks)], axis=0)
        return cls(bases, absent)

    def plan(self, conditions: Conditions) -> Derivation:
        """Return the plan for some conditions, known by the array itself: it must not be changed."""
        for known, plan in self._known:
            if known is conditions:
                return plan
        made = Derivation(self.bases, conditions, self._absent)
        self.most = max(self.most, len(made.asked))
        self._known.append((conditions, made))
        return made


class PackedSample(Private):
    """Records in memory or in private files: blocks of packed bits, and a mask of the records meant.

    Records that a rule covers are counted where they are (a masked pass over the columns) or moved together first,
    whichever is cheaper, so the counts of a whole fit cost a few passes however many rules are drawn.
    """

    __slots__ = ("_blocks", "_known_size", "_planes", "_plans", "_rows", "_storage", "_words", "classes")

    def __init__(
        self,
        blocks: Sequence[PackedBlock],
        classes: int,
        plans: Plans,
        storage: Storage,
        rows: Sequence[Words] | None = None,
    ) -> None:
        self._blocks = blocks
        self._rows = [block.all_rows() for block in blocks] if rows is None else rows
        self._plans = plans
        self._storage = storage
        self._known_size: int | None = None
        self._words = sum(block.words for block in blocks)
        self._planes = max((len(block.planes) for block in blocks), default=1)
        self.classes = classes

    @classmethod
    def of(
        cls, columns: Words, labels: NDArray[np.int16], classes: int, weights: Integers | None = None
    ) -> "PackedSample":
        """Take packed columns, one a literal, the class of each record, and how many equal records each stands for."""
        blocks = list(make_blocks(columns, labels, classes, weights))
        return cls(blocks, classes, Plans.of(Bases.plain(len(columns)), blocks), Storage())

    @classmethod
    def from_booleans(cls, matrix: NDArray[np.bool_], labels: NDArray[np.int16], classes: int) -> "PackedSample":
        """Take a Boolean matrix with one column a literal."""
        return cls.of(pack(np.ascontiguousarray(matrix.T)), labels, classes)

    def totals(self) -> ClassCounts:
        """Return how many records each class has."""
        found = np.zeros(self.classes, dtype=np.int64)
        for block, rows in zip(self._blocks, self._rows, strict=True):
            found += block.totals(rows, self.classes)
        return found

    def counts(self, conditions: Conditions) -> ClassCounts:
        """Return for each class how many records satisfy each condition."""
        plan = self._plans.plan(conditions)
        in_place, moved = self._efforts(len(plan.asked))
        best = self._moved_together() if moved < in_place else self
        return plan.derive(best._count(plan.asked), self.totals)

    def effort(self, conditions: Conditions) -> float:
        """Return about how many nanoseconds it takes to count conditions."""
        return min(self._efforts(len(self._plans.plan(conditions).asked)))

    def _efforts(self, asked: int) -> tuple[float, float]:
        """Of counting so many conjunctions where the records are, and of moving them together first."""
        in_place = self._cost_of_counting(asked, self._words)
        return in_place, self._cost_of_moving() + self._cost_of_counting(asked, self._size() / 64)

    def cover(self, condition: NDArray[np.int32]) -> tuple["PackedSample", "PackedSample"]:
        """Return the records that satisfy a condition, and the others."""
        pairs = list(zip(self._blocks, self._rows, strict=True))
        held = [block.holding(self._plans.bases, condition.tolist(), rows) for block, rows in pairs]
        others = self._only([rows & ~covered for rows, covered in zip(self._rows, held, strict=True)])
        return self._only(held), others._moved_together() if others._is_worth_moving() else others

    def _only(self, rows: Sequence[Words]) -> "PackedSample":
        return PackedSample(self._blocks, self.classes, self._plans, self._storage, rows)

    def _size(self) -> int:
        if self._known_size is None:
            self._known_size = sum(int(size_of(rows)) for rows in self._rows)
        return self._known_size

    def _is_worth_moving(self) -> bool:
        """Whether later passes save more than moving costs; a copy of more than half would be too large."""
        most = max(self._plans.most, self._plans.bases.size)
        size = self._size()
        saved = self._cost_of_counting(most, self._words - size / 64)
        return 2 * size <= 64 * self._words and self._cost_of_moving() < FURTHER * saved

    def _cost_of_moving(self) -> float:
        return self._plans.bases.size * MOVED_WORD * self._words

    def _cost_of_counting(self, conjunctions: int, words: float) -> float:
        return COUNTED * self._planes * conjunctions * words

    def _moved_together(self) -> "PackedSample":
        moved = (block.only(rows) for block, rows in zip(self._blocks, self._rows, strict=True))
        joined = [block.kept(self._storage) for block in join_blocks(moved, LARGEST_BLOCK)]
        return PackedSample(joined, self.classes, self._plans, self._storage)

    def _count(self, conditions: Conditions) -> ClassCounts:
        found = np.zeros((self.classes, len(conditions)), dtype=np.int64)
        for block, rows in zip(self._blocks, self._rows, strict=True):
            found += block.count(rows, conditions, self.classes)
        return found
