"""How far a linear score is from the truth, record by record, in integers: the sums that a descent needs.

Weights are multiples of 1/256, probabilities and residuals multiples of 1/1024. A record's residual depends on that
record and on public numbers only, and its length is bounded after every rounding (`docs/proofs/scorecard.md`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flint import arb, ctx
from numba import types
from numpy.typing import NDArray

from dprules.tables.compiled import compiled, inlined, reads, writes

STEPS = 256
"""Parts of 1 in weights and scores."""
LARGEST_SCORE = 2048
"""Scores are clamped to +- this: 8 in natural logarithms."""
UNIT = 1024
"""Parts of 1 in probabilities and residuals."""
LONGEST = 512
"""Of a residual: with two classes, half of UNIT. It is the sensitivity of one column."""
LONGEST_VECTOR = 724
"""Of a vector of residuals, with more classes: floor(512 sqrt(2))."""
MOST_UNROLLED = 8
"""Joint codes up to which a kernel is compiled for their number."""
_LEAST = int(np.iinfo(np.int64).min)
"""Below every score."""

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """A public integer function of a record: its residual under a linear score.

    Parameters
    ----------
    weights : array
        By group, in parts of 1/256; a column for each score (one for two classes, otherwise one for each class).
    base : array
        What each score starts from, in the same parts.
    table : array
        With one score: the residual by class and clamped score. With several: e^(-x) by x, in parts of 2^20, in row 0.
    class_weights : array
        By class, in parts of 1/64: used with several scores; the table holds them already with one.
    """

    weights: Integers
    base: Integers
    table: NDArray[np.int32]
    class_weights: Integers

    @property
    def longest(self) -> int:
        """The largest Euclidean length of the residual of one record, in one column."""
        return LONGEST if self.weights.shape[1] == 1 else LONGEST_VECTOR


def residual_table(class_weights: Integers, positive: int) -> NDArray[np.int32]:
    """Return 1024 (p - y) by class and score, times the weight of the class, truncated, and clipped to +-512.

    The table is public. It is worked out in balls, so that it is the same on every machine.

    Parameters
    ----------
    class_weights : array
        Of the two classes, in parts of 1/64.
    positive : int
        The class whose probability is p: there y = 1.
    """
    table = np.empty((2, 2 * LARGEST_SCORE + 1), dtype=np.int32)
    for score in range(-LARGEST_SCORE, LARGEST_SCORE + 1):
        with ctx.workprec(64):
            risk = UNIT / (1 + (-arb(score) / STEPS).exp())
        for label in (0, 1):
            exact = (risk - UNIT * (label == positive)) * arb(int(class_weights[label])) / 64
            table[label, score + LARGEST_SCORE] = max(-LONGEST, min(LONGEST, _truncate(exact)))
    return table


def exponential_table() -> NDArray[np.int32]:
    """Return e^(-x / 256) in parts of 2^20, truncated, for x from 0 to 4096, in one row."""
    found = np.empty((1, 2 * LARGEST_SCORE + 1), dtype=np.int32)
    for x in range(2 * LARGEST_SCORE + 1):
        with ctx.workprec(64):
            found[0, x] = _truncate((-arb(x) / STEPS).exp() * 2**20)
    return found


def _truncate(ball: arb) -> int:
    """Return a number without what is behind the point: an integer is exact here, and others are far from one."""
    return int(float(ball.mid()))


def _adder(blocks: int) -> Callable[..., None]:
    """Return a kernel that adds up residuals of records with this number of joint codes; 0: with any number.

    A known number unrolls the loops: fits of a million records take 9 to 17% less time.
    """
    signature = (reads(types.uint16), reads(types.int32), types.int64, reads(types.int32, 2), writes(types.int32))
    kinds = (types.uint16,) if blocks else (types.uint16, types.uint32)

    @compiled(*((reads(kind, 2), *signature) for kind in kinds))
    def add(
        codes: NDArray[np.uint16],
        labels: NDArray[np.uint16],
        weights: NDArray[np.int32],
        base: int,
        table: NDArray[np.int32],
        sums: NDArray[np.int32],
    ) -> None:
        every = blocks if blocks > 0 else codes.shape[1]
        for i in range(codes.shape[0]):
            score = base
            for block in range(every):
                score += weights[codes[i, block]]
            score = min(max(score, -LARGEST_SCORE), LARGEST_SCORE)
            residual = table[labels[i], np.uint64(score + LARGEST_SCORE)]
            for block in range(every):
                sums[codes[i, block]] += residual

    return add


_ADDERS = tuple(_adder(blocks) for blocks in range(MOST_UNROLLED + 1))
"""By the number of joint codes; the first takes any number."""


@inlined
def _root_above(square: int) -> int:
    """The least integer whose square is at least this, without floats."""
    root = 0
    for bit in range(15, -1, -1):
        tried = root | (1 << bit)
        if tried * tried < square:
            root = tried
    return root + 1


@inlined
def _shorten(residual: Integers) -> None:
    """Shrink a vector to the longest that is allowed; every entry is truncated towards 0, so it cannot grow."""
    square = 0
    for k in range(len(residual)):
        square += residual[k] * residual[k]
    if square <= LONGEST_VECTOR * LONGEST_VECTOR:
        return
    root = _root_above(square)
    for k in range(len(residual)):
        size = abs(residual[k]) * LONGEST_VECTOR // root
        residual[k] = size if residual[k] >= 0 else -size


@compiled(
    *(
        (
            reads(kind, 2),
            reads(types.uint16),
            reads(types.int32, 2),
            reads(types.int64),
            reads(types.int32, 2),
            reads(types.int64),
            writes(types.int32, 2),
        )
        for kind in (types.uint16, types.uint32)
    )
)
def _add_several(
    codes: NDArray[np.uint16],
    labels: NDArray[np.uint16],
    weights: NDArray[np.int32],
    base: Integers,
    table: NDArray[np.int32],
    class_weights: Integers,
    sums: NDArray[np.int32],
) -> None:
    """The same with a score for each class: softmax by a table of exponentials and one division a class."""
    classes = weights.shape[1]
    scores = np.empty(classes, dtype=np.int64)
    residual = np.empty(classes, dtype=np.int64)
    for i in range(codes.shape[0]):
        for k in range(classes):
            scores[k] = base[k]
        for block in range(codes.shape[1]):
            code = codes[i, block]
            for k in range(classes):
                scores[k] += weights[code, k]
        largest = scores[0]
        for k in range(1, classes):
            largest = max(largest, scores[k])
        total = 0
        for k in range(classes):
            residual[k] = table[0, min(largest - scores[k], 2 * LARGEST_SCORE)]
            total += residual[k]
        for k in range(classes):
            risk = residual[k] * UNIT // total
            size = (UNIT - risk if k == labels[i] else risk) * class_weights[labels[i]] // 64
            residual[k] = -size if k == labels[i] else size
        _shorten(residual)
        for block in range(codes.shape[1]):
            code = codes[i, block]
            for k in range(classes):
                sums[code, k] += residual[k]


def add_residuals(
    codes: NDArray[np.uint16],
    labels: NDArray[np.uint16],
    weights: Integers,
    residuals: Residuals,
    sums: NDArray[np.int32],
) -> None:
    """Add the residual of each record to the sums of its joint codes; `weights` are those of joint codes.

    Requires: at most 2^21 records, so that sums fit 32 bits.
    """
    # Weights of a usual size: a score of 2^20 is as certain as one of 2^40, and sums of 1,000 columns fit.
    narrow = np.clip(weights, -(2**20), 2**20).astype(np.int32)
    base = np.clip(residuals.base, -(2**20), 2**20)
    if weights.shape[1] == 1:
        unrolled = codes.dtype == np.uint16 and codes.shape[1] <= MOST_UNROLLED
        add = _ADDERS[codes.shape[1] if unrolled else 0]
        add(codes, labels, narrow[:, 0].copy(), int(base[0]), residuals.table, sums[:, 0])
    else:
        _add_several(codes, labels, narrow, base, residuals.table, residuals.class_weights, sums)


@inlined
def _first_largest(scores: Integers) -> int:
    """Return the place of the largest score, the first of equals."""
    # Not NumPy's: a kernel that calls it loads SciPy with it, which takes longer than to count.
    first = 0
    for k in range(1, len(scores)):
        if scores[k] > scores[first]:
            first = k
    return first


@inlined
def _cell_of(starts: Integers, score: int) -> int:
    """Return how many of the starts, which rise, are at most the score: by halving, as NumPy's `searchsorted`."""
    low = 0
    high = len(starts)
    while low < high:
        middle = (low + high) // 2
        if starts[middle] <= score:
            low = middle + 1
        else:
            high = middle
    return low


@compiled(
    *(
        (
            reads(kind, 2),
            reads(types.uint16),
            reads(types.int64, 2),
            reads(types.int64),
            reads(types.int64),
            reads(types.int64),
            writes(types.int64, 2),
        )
        for kind in (types.uint16, types.uint32)
    )
)
def add_score_counts(
    codes: NDArray[np.uint16],
    labels: NDArray[np.uint16],
    points: Integers,
    base: Integers,
    starts: Integers,
    places: Integers,
    counts: Integers,
) -> None:
    """Count each record once, in the cell of its score or of its lead."""
    classes = points.shape[1]
    scores = np.empty(classes, dtype=np.int64)
    for i in range(codes.shape[0]):
        for k in range(classes):
            scores[k] = base[k]
        for block in range(codes.shape[1]):
            for k in range(classes):
                scores[k] += points[codes[i, block], k]
        score = scores[0]
        row = places[labels[i]]
        if classes > 1:
            first = _first_largest(scores)
            second = _LEAST
            for k in range(classes):
                if k != first:
                    second = max(second, scores[k])
            score = scores[first] - second
            row = 0 if first == labels[i] else 1
        counts[row, _cell_of(starts, score)] += 1
