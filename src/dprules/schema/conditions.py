"""Conditions of rules: conjunctions of up to three literals, counted before they are built."""

from collections.abc import Sequence
from itertools import groupby
from math import comb

import numpy as np
from numpy.typing import NDArray

from dprules.errors import ParameterError
from dprules.schema.columns import Categorical
from dprules.schema.literals import Literal, Operator

Conditions = NDArray[np.int32]
"""Rows of three literal indices in increasing order, -1 where there is none; sorted."""

MOST_CONDITIONS = 20_000_000
MOST_EXCLUDED = 64
"""Values of a column up to which "not a and not b" is a condition: beyond, it would hardly exclude anything."""


def build_conditions(literals: Sequence[Literal], width: int) -> Conditions:
    """Return every conjunction of up to `width` literals that is not redundant, sorted.

    Two literals of one column are joined only if both matter: two cuts that make an interval, or two excluded values of
    at least four. Three of one column never are.

    Requires: the literals of a column stand together.

    Examples
    --------
    >>> from dprules.schema import Numeric, literals_of
    >>> asked = literals_of(Numeric("age", cuts=(30.0, 50.0)))
    >>> [" and ".join(str(asked[i]) for i in c if i >= 0) for c in build_conditions(asked, 2)]
    ['age < 30', 'age < 50', 'age < 50 and age >= 30', 'age >= 30', 'age >= 50']
    """
    number = count_conditions(literals, width)
    if number > MOST_CONDITIONS:
        raise ParameterError(f"{number:,} conditions are too many. Lower width, or declare fewer cuts and values.")
    blocks = _blocks(literals)
    made = [_pad(np.arange(len(literals), dtype=np.int32)[:, None])]
    if width >= 2:
        made.append(_pad(_pairs(blocks, len(literals))))
    if width == 3:
        made.append(_pad(_triples(blocks, len(literals))))
    conditions = np.concatenate(made)
    order = np.lexsort((conditions[:, 2], conditions[:, 1], conditions[:, 0]))
    return np.ascontiguousarray(conditions[order])


def count_conditions(literals: Sequence[Literal], width: int) -> int:
    """Return how many conditions there are, without building them.

    With l_c literals and p_c inner pairs in column c and L = sum l_c there are L single ones, e_2(l) + sum p_c pairs
    and e_3(l) + sum p_c (L - l_c) triples, where e_k is the elementary symmetric polynomial.
    """
    if isinstance(width, bool) or width not in (1, 2, 3):
        raise ParameterError(f"width must be 1, 2 or 3; got {width!r}. More literals in a rule are hard to read.")
    blocks = _blocks(literals)
    # e_k of the column sizes, one column at a time: choose k literals from k different columns.
    symmetric = [1, 0, 0, 0]
    for block in blocks:
        for k in (3, 2, 1):
            symmetric[k] += block.size * symmetric[k - 1]
    inner = [block.inner_count for block in blocks]
    pairs = symmetric[2] + sum(inner)
    triples = symmetric[3] + sum(p * (len(literals) - block.size) for p, block in zip(inner, blocks, strict=True))
    return sum((symmetric[1], pairs, triples)[:width])


class _Block:
    """The literals of one column: where they start and end, and which two of them may be joined."""

    def __init__(self, start: int, literals: Sequence[Literal]) -> None:
        self.start = start
        self.size = len(literals)
        self.stop = start + self.size
        self._below = _places(literals, Operator.BELOW) + start
        self._least = _places(literals, Operator.AT_LEAST) + start
        column = literals[0].column
        excludes = isinstance(column, Categorical) and 4 <= column.size <= MOST_EXCLUDED
        self._differs = _places(literals if excludes else (), Operator.DIFFERS) + start

    @property
    def inner_count(self) -> int:
        """How many pairs there are: two of k cuts, or two of k excluded values."""
        return comb(len(self._below), 2) + comb(len(self._differs), 2)

    @property
    def inner(self) -> NDArray[np.int64]:
        """Pairs of literals that make a new set of values: below a cut and at least an earlier one, or neither of two.

        They are made when they are asked for: thousands of cuts have millions.
        """
        earlier, later = np.triu_indices(len(self._below), k=1)
        first, second = np.triu_indices(len(self._differs), k=1)
        intervals = np.column_stack([self._below[later], self._least[earlier]])
        return np.concatenate([intervals, np.column_stack([self._differs[first], self._differs[second]])])


def _blocks(literals: Sequence[Literal]) -> list[_Block]:
    blocks: list[_Block] = []
    start = 0
    for _, members in groupby(literals, key=lambda literal: literal.column.name):
        blocks.append(_Block(start, list(members)))
        start = blocks[-1].stop
    return blocks


def _places(literals: Sequence[Literal], operator: Operator) -> NDArray[np.int64]:
    return np.array([i for i, literal in enumerate(literals) if literal.operator is operator], dtype=np.int64)


def _pairs(blocks: Sequence[_Block], literals: int) -> Conditions:
    """Every literal with those of later columns, and the inner pairs."""
    inner = [block.inner.astype(np.int32) for block in blocks]
    return np.concatenate([*inner, _pairs_across(blocks, literals)])


def _triples(blocks: Sequence[_Block], literals: int) -> Conditions:
    """One literal of each of three columns, or an inner pair and a literal of another column."""
    found = [np.empty((0, 3), dtype=np.int32)]
    for place, block in enumerate(blocks):
        outside = np.concatenate([np.arange(block.start), np.arange(block.stop, literals)])
        pairs = block.inner
        inner = np.column_stack([np.repeat(pairs, len(outside), axis=0), np.tile(outside, len(pairs))])
        found.append(np.sort(inner, axis=1).astype(np.int32))
        later = blocks[place + 1 :]
        if later:
            across = _pairs_across(later, literals)
            first = np.repeat(np.arange(block.start, block.stop, dtype=np.int32), len(across))
            found.append(np.column_stack([first, np.tile(across, (block.size, 1))]))
    return np.concatenate(found)


def _pairs_across(blocks: Sequence[_Block], literals: int) -> Conditions:
    """Pairs of literals of two different columns among these."""
    found = [np.empty((0, 2), dtype=np.int32)]
    for block in blocks:
        first = np.repeat(np.arange(block.start, block.stop, dtype=np.int32), literals - block.stop)
        second = np.tile(np.arange(block.stop, literals, dtype=np.int32), block.size)
        found.append(np.column_stack([first, second]))
    return np.concatenate(found)


def _pad(members: Conditions) -> Conditions:
    return np.pad(members, ((0, 0), (0, 3 - members.shape[1])), constant_values=-1)
