"""Counts of conditions from counts of bases: what is left out of the kernels is sums and differences of integers."""

from collections.abc import Callable, Iterator
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.schema import Conditions
from dprules.schema.bases import EXCLUSIVE, Bases

Integers = NDArray[np.int64]
_MOST_AT_ONCE = 4_000_000
"""Numbers of a table of pairs that are made at once."""


class Derivation(Private):
    """How the counts of conditions follow from those of conjunctions of bases of different columns.

    Everything here follows from the schema, but for which bases hold of no record: that saves time and changes no
    count. A literal is a sum of bases, so a conjunction of literals is a sum of conjunctions of bases; two bases of one
    column make one of them, or nothing.

    Parameters
    ----------
    bases : Bases
        Of the literals.
    conditions : Conditions
        Whose counts are wanted.
    absent : array of bool
        Bases that hold of no record.
    """

    def __init__(self, bases: Bases, conditions: Conditions, absent: NDArray[np.bool_]) -> None:
        self._conditions = conditions
        self._direct = bases.are_literals
        if self._direct:
            self.asked = conditions
            """Conjunctions of bases to count, sorted."""
            return
        self._active = np.flatnonzero(~absent)
        self._place = np.full(bases.size + 1, -1, dtype=np.int64)
        self._place[self._active] = np.arange(len(self._active))
        self._place[-1] = len(self._active)  # "always"
        self._width = 1 + int((conditions[:, 1] >= 0).any()) + int((conditions[:, 2] >= 0).any())
        self._owners = bases.owners[self._active]
        self._ranks = np.array([bases.members[base].rank for base in self._active], dtype=np.int64)
        self._singles, self._pairs, self._triples = self._conjunctions()
        everything = np.concatenate([_padded(part) for part in (self._singles, self._pairs, self._triples)])
        order = np.lexsort((everything[:, 2], everything[:, 1], everything[:, 0]))
        self._back = np.argsort(order)
        chosen = everything[order]
        self.asked = np.where(chosen >= 0, self._active.astype(np.int32)[chosen] if len(self._active) else -1, -1)
        self.asked = np.ascontiguousarray(self.asked.astype(np.int32))
        self._write_combinations(bases)

    def _conjunctions(self) -> tuple[Conditions, Conditions, Conditions]:
        """Bases alone, in twos and in threes, of different columns; places among the active ones."""
        size, owners = len(self._active), self._owners
        singles = np.arange(size, dtype=np.int32)[:, None]
        nothing = np.empty((0, 2), dtype=np.int32), np.empty((0, 3), dtype=np.int32)
        if self._width == 1:
            return singles, *nothing
        first, second = np.triu_indices(size, k=1)
        apart = owners[first] != owners[second]
        pairs = np.column_stack([first[apart], second[apart]]).astype(np.int32)
        if self._width == 2:
            return singles, pairs, nothing[1]
        # The bases of a column stand together, so a later column begins where the second one's ends.
        ends = np.searchsorted(owners, owners, side="right")
        number = size - ends[pairs[:, 1]]
        starts = np.repeat(ends[pairs[:, 1]], number)
        within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
        triples = np.column_stack([np.repeat(pairs, number, axis=0), starts + within]).astype(np.int32)
        return singles, pairs, triples

    def _write_combinations(self, bases: Bases) -> None:
        """Literals as rows of factors, one after the other, "always" last; none is empty."""
        terms: list[int] = []
        factors: list[int] = []
        starts: list[int] = []
        for combination in (*bases.combinations, {bases.size: 1}):
            starts.append(len(terms))
            kept = {int(self._place[base]): times for base, times in combination.items() if self._place[base] >= 0}
            kept = kept or {len(self._active): 0}
            terms += kept.keys()
            factors += kept.values()
        self._terms = np.array(terms, dtype=np.int64)
        self._factors = np.array(factors, dtype=np.int64)
        self._starts = np.array(starts, dtype=np.int64)

    def derive(self, found: Integers, totals: Callable[[], Integers]) -> Integers:
        """Return the counts of the conditions.

        Parameters
        ----------
        found : array
            For each class the counts of `asked`.
        totals : callable
            Returns for each class how many records there are.
        """
        if self._direct:
            return found
        return np.array(
            [self._derive_one(counts[self._back], int(total)) for counts, total in zip(found, totals(), strict=True)],
            dtype=np.int64,
        ).reshape(len(found), len(self._conditions))

    def _derive_one(self, counts: Integers, total: int) -> Integers:
        single, double = len(self._singles), len(self._singles) + len(self._pairs)
        alone = np.append(counts[:single], total)
        first = self._conditions[:, 0]
        if self._width == 1:
            return self._combine(alone)[first]
        pairs = self._pair_matrix(alone, counts[single:double])
        if self._width == 3:
            return self._read_triples(self._cube(pairs, counts[double:]))
        found = np.empty(len(first), dtype=np.int64)
        size = max(1, _MOST_AT_ONCE // len(pairs))
        for low in range(0, len(self._starts), size):  # a few literals at a time: not all pairs need be conditions
            begin, end = np.searchsorted(first, [low, low + size])
            table = self._combine(self._combine(pairs, low, low + size).T)
            found[begin:end] = table[self._conditions[begin:end, 1], first[begin:end] - low]  # -1, none: "always"
        return found

    def _combine(self, values: Integers, low: int = 0, high: int | None = None) -> Integers:
        """Combine rows of values for bases into rows for literals, from one to another; "always" is the last."""
        starts = self._starts[low:high]
        begin = starts[0]
        end = len(self._terms) if high is None or high >= len(self._starts) else self._starts[high]
        factors = self._factors[begin:end].reshape(-1, *(1,) * (values.ndim - 1))
        return np.add.reduceat(values[self._terms[begin:end]] * factors, starts - begin, axis=0)

    def _pair_matrix(self, alone: Integers, counts: Integers) -> Integers:
        size = len(alone)
        matrix = np.zeros((size, size), dtype=np.int64)
        matrix[self._pairs[:, 0], self._pairs[:, 1]] = counts
        matrix[self._pairs[:, 1], self._pairs[:, 0]] = counts
        matrix[-1, :] = matrix[:, -1] = alone
        for low, high, products in self._within_columns():
            matrix[low:high, low:high] = np.where(products < 0, 0, alone[products])
        return matrix

    def _cube(self, pairs: Integers, counts: Integers) -> Integers:
        size = len(pairs)
        cube = np.zeros((size, size, size), dtype=np.int64)
        for axes in permutations(range(3)):
            cube[tuple(self._triples[:, axis] for axis in axes)] = counts
        cube[-1] = cube[:, -1] = cube[:, :, -1] = pairs
        for low, high, products in self._within_columns():
            block = np.where(products[:, :, None] < 0, 0, pairs[products])
            cube[low:high, low:high, :] = block
            cube[low:high, :, low:high] = block.transpose(0, 2, 1)
            cube[:, low:high, low:high] = block.transpose(2, 0, 1)
        return cube

    def _read_triples(self, cube: Integers) -> Integers:
        """One literal at a time: all its conditions stand together."""
        first, second, third = self._conditions.T
        found = np.empty(len(first), dtype=np.int64)
        edges = np.searchsorted(first, np.arange(len(self._starts)))
        for literal in range(len(self._starts) - 1):
            begin, end = edges[literal], edges[literal + 1]
            table = self._combine(self._combine(self._combine(cube, literal, literal + 1)[0]).T)
            found[begin:end] = table[third[begin:end], second[begin:end]]
        return found

    def _within_columns(self) -> Iterator[tuple[int, int, Integers]]:
        """The bases of each column, and which of them every two of them make; -1: nothing does."""
        edges = np.flatnonzero(np.diff(self._owners, prepend=-1, append=-1)).tolist()
        for low, high in pairwise(edges):
            places = np.arange(low, high)
            ranks = self._ranks[low:high]
            nested = (ranks[:, None] != EXCLUSIVE) & (ranks != EXCLUSIVE)
            # Ranks increase with places: the lower one holds where both do.
            made = np.where(nested, np.minimum(places[:, None], places), -1)
            np.fill_diagonal(made, places)
            yield low, high, made


def _padded(conjunctions: Conditions) -> Conditions:
    return np.pad(conjunctions, ((0, 0), (0, 3 - conjunctions.shape[1])), constant_values=-1)
