"""Bits that are kept of a record, and literals as sums of them: a complement is subtracted and never stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from dprules.schema.columns import Column, Ordered
from dprules.schema.literals import Literal

EXCLUSIVE = -1
"""The rank of bases of a column that exclude each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """One bit of a record: whether the code of a column is in a set.

    Bases of one column either exclude each other, or those with a rank are nested: a lower rank implies a higher one.
    """

    column: Column
    truth: NDArray[np.bool_]
    """By code; the last entry is for missing cells."""
    rank: int = EXCLUSIVE


@dataclass(frozen=True, slots=True, eq=False)
class Bases:
    """The bases of some literals, and each literal as a combination of "always" and of bases.

    Parameters
    ----------
    members : tuple of Base
        Those of a column stand together.
    owners : array
        For each base the place of its column: bases of one column are known to exclude or imply each other.
    combinations : tuple of dict
        For each literal the factor of each base, by its place; the place `len(members)` stands for "always".

    Examples
    --------
    >>> from dprules.schema import Numeric, literals_of
    >>> bases = Bases.of(literals_of(Numeric("age", cuts=(30.0, 50.0))))
    >>> len(bases.members), bases.combinations[3]  # below 30, below 50, missing; "at least 50" is all others
    (3, {3: 1, 1: -1, 2: -1})
    """

    members: tuple[Base, ...]
    owners: NDArray[np.int32]
    combinations: tuple[dict[int, int], ...]

    @classmethod
    def of(cls, literals: Sequence[Literal]) -> "Bases":
        """Find bases for literals. Requires: the literals of a column stand together."""
        members: list[Base] = []
        owners: list[int] = []
        combinations: list[dict[int, int]] = []
        for owner, (_, group) in enumerate(groupby(literals, key=lambda literal: literal.column.name)):
            asked = list(group)
            made = _bases_of(asked[0].column)
            factors = [_combine(literal.truth(), made) for literal in asked]
            used = sorted({place for factor in factors for place in factor if place < len(made)})
            start = len(members)
            new = {place: start + i for i, place in enumerate(used)}
            members += [made[place] for place in used]
            owners += [owner] * len(used)
            combinations += [{new.get(place, -1): times for place, times in factor.items()} for factor in factors]
        always = len(members)
        named = tuple({always if k < 0 else k: times for k, times in factor.items()} for factor in combinations)
        return cls(tuple(members), np.array(owners, dtype=np.int32), named)

    @classmethod
    def plain(cls, number: int) -> "Bases":
        """Return bases that are the literals themselves, and about which nothing else is known."""
        return cls((), np.arange(number, dtype=np.int32), tuple({i: 1} for i in range(number)))

    @property
    def are_literals(self) -> bool:
        """Whether each base is a literal, in the same order."""
        return not self.members

    @property
    def size(self) -> int:
        """How many bases there are."""
        return len(self.owners)


def _bases_of(column: Column) -> list[Base]:
    """Whether the code is below each cut, or equal to each value but the last; and whether there is none."""
    size = column.size
    every = np.arange(size + 1)
    if isinstance(column, Ordered):
        firsts = [Base(column, every < cut, cut) for cut in range(1, size)]
    else:
        firsts = [Base(column, every == value) for value in range(size - 1)]
    return [*firsts, Base(column, every == size)]


def _combine(truth: NDArray[np.bool_], bases: Sequence[Base]) -> dict[int, int]:
    """Return the factors of bases that add up to a truth: there is one way only.

    The last code but "missing" is what no base holds on, so that its truth is the factor of "always".
    """
    whole = truth.astype(np.int64)
    always = int(whole[-2]) if len(whole) > 1 else 0
    firsts = len(bases) - 1  # the last is for missing cells
    nested = firsts > 0 and bases[0].rank != EXCLUSIVE
    before = whole[1 : firsts + 1] if nested else np.int64(always)
    factors = np.append(whole[:firsts] - before, whole[-1] - always)
    found = {len(bases): always} if always else {}
    return found | {place: int(factors[place]) for place in np.flatnonzero(factors).tolist()}
