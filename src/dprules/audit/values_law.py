"""The law of private values: noisy counts that reach a threshold, written from the theory."""

from collections.abc import Iterator, Sequence
from itertools import product

from dprules.accounting import Neighbours
from dprules.audit.law import Law, noise_mass, noise_tail

Cells = tuple[int, ...]
"""How many records each of a few values has."""
_ABOVE = 6
"""Noisy counts from so far above the threshold on are one outcome."""


def exact_values_law(counts: Sequence[int], tilt: float, threshold: int) -> Law:
    """Return the law of the noisy counts that reach the threshold, of values that occur.

    What is released of a column, the values with the largest of these counts, is a function of them. Noisy counts from
    `threshold` + 6 on are one outcome; for counts below it this loses nothing, since there the odds of two counts are
    the same for every outcome.

    Parameters
    ----------
    counts : sequence of int
        Records of each value.
    tilt : float
        Pr[noise = x] is proportional to e^(-tilt |x|).
    threshold : int
        What a noisy count must reach.

    Examples
    --------
    >>> exact_values_law([0], 1.0, 5)
    {(None,): 1.0}
    """
    laws = [_cell_law(count, tilt, threshold) for count in counts]
    law: dict[tuple[int | None, ...], float] = {}
    for outcome in product(*(cell.items() for cell in laws)):
        probability = 1.0
        for _, factor in outcome:
            probability *= factor
        law[tuple(noisy for noisy, _ in outcome)] = probability
    return law


def _cell_law(count: int, tilt: float, threshold: int) -> dict[int | None, float]:
    if count == 0:  # a value that does not occur has no cell, and no noise
        return {None: 1.0}
    ceiling = threshold + _ABOVE
    reached: dict[int | None, float] = {noisy: noise_mass(noisy - count, tilt) for noisy in range(threshold, ceiling)}
    return {None: 1 - noise_tail(threshold - count, tilt), **reached, ceiling: noise_tail(ceiling - count, tilt)}


def neighbouring_counts(neighbours: Neighbours, rows: int, most: int) -> Iterator[tuple[Cells, Cells]]:
    """Return every pair of counts up to `most` that differ in up to `rows` rows of one unit.

    Parameters
    ----------
    neighbours : Neighbours
        Add-remove: the first has the rows; replace: the second has as many others in their place.
    rows : int
        Rows of the unit.
    most : int
        Records that a value has without the unit.
    """
    for parts in _partitions(rows):
        others = list(_partitions(rows)) if neighbours is Neighbours.REPLACE else [()]
        for replaced in others:
            for base in product(range(most + 1), repeat=len(parts) + len(replaced)):
                left = (*parts, *(0 for _ in replaced))
                right = (*(0 for _ in parts), *replaced)
                yield _sum(base, left), _sum(base, right)


def _partitions(rows: int, largest: int | None = None) -> Iterator[Cells]:
    """Return the ways in which rows fall on different values, larger parts first."""
    if rows == 0:
        yield ()
    for first in range(min(rows, largest or rows), 0, -1):
        for rest in _partitions(rows - first, first):
            yield (first, *rest)


def _sum(base: Sequence[int], more: Sequence[int]) -> Cells:
    return tuple(a + b for a, b in zip(base, more, strict=True))
