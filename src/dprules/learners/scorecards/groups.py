"""Which bins of a column stand together, first because they are rare and then because they weigh alike."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dprules.schema import Column, Ordered

EMPTY = 2.5
"""Standard deviations of noise: a bin with less may well be empty."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """A column whose bins are in groups: public, like everything that it was made from.

    Parameters
    ----------
    column : Column
        The column.
    groups : array
        The group of each code, MISSING last.
    shares : array
        Of the records, by group; they add up to 1.
    rarely_missing : bool
        Whether so few values are missing that they can tell nothing.
    """

    column: Column
    groups: Integers
    shares: Floats
    rarely_missing: bool = False

    @property
    def size(self) -> int:
        """How many groups there are."""
        return len(self.shares)

    def joined(self, segments: Sequence[Sequence[int]]) -> "Grouped":
        """Return the column with groups that are lists of these."""
        place = np.empty(self.size, dtype=np.int64)
        for at, members in enumerate(segments):
            place[list(members)] = at
        shares = np.array([self.shares[list(members)].sum() for members in segments])
        return Grouped(self.column, place[self.groups], shares, self.rarely_missing)

    def settled(self) -> "Grouped":
        """Return the column with missing values, if they are rare, in its commonest group, which has no points."""
        groups = self.groups.copy()
        if self.rarely_missing:
            groups[-1] = int(np.argmax(self.shares))
        return replace(self, groups=groups)

    @property
    def is_ordered(self) -> bool:
        """Whether groups are neighbours on a line, but for the group of missing values, if it is one of its own."""
        return isinstance(self.column, Ordered)

    @property
    def missing_alone(self) -> int | None:
        """The group of missing values, if nothing else is in it."""
        last = int(self.groups[-1])
        return last if np.count_nonzero(self.groups == last) == 1 else None


def merge_rare(column: Column, counts: Floats, least: float, noise: float) -> Grouped:
    """Return a column whose groups have at least so many records each, by noisy counts of its bins (MISSING last).

    Bins of a number join a neighbour, and rare values become one group. What is rare or empty even then joins the
    commonest group, which has no points in the end; but where noise is larger than the bins themselves, rare values
    stay a group of their own: they may be common, and the column would lose all that it has to say.

    Parameters
    ----------
    column : Column
        The column.
    counts : array
        Noisy counts of its bins.
    least : float
        Records of a group; more where a bin is typically well above its noise, so that empty bins are known as such.
    noise : float
        The standard deviation of each count.
    """
    typical = float(counts.sum()) / (4 * len(counts))
    clear = typical >= EMPTY * noise
    least = max(least, min(EMPTY * noise, typical))
    if isinstance(column, Ordered):
        line = _merge_neighbours(counts[:-1], least)
        places = np.append(line, line.max(initial=-1) + 1)
    else:
        places = _merge_values(counts, least)
    sizes = np.bincount(places, weights=counts)
    alone = np.count_nonzero(places == places[-1]) == 1
    missing = (np.arange(len(sizes)) == places[-1]) & (alone and bool(counts[-1] < EMPTY * noise))
    joins = (sizes < least) | missing if clear else missing
    commonest = np.argmax(np.where(missing, -np.inf, sizes))  # rare missing values join others even if all are rare
    _, places = np.unique(np.where(joins[places], commonest, places), return_inverse=True)
    shares = np.maximum(np.bincount(places, weights=counts), 1.0)
    return Grouped(column, places.astype(np.int64), shares / shares.sum(), bool(counts[-1] < EMPTY * noise))


def _merge_neighbours(counts: Floats, least: float) -> Integers:
    """The smallest group joins its smaller neighbour until all are large enough."""
    groups: list[tuple[float, list[int]]] = [(float(count), [at]) for at, count in enumerate(counts)]
    while len(groups) > 1:
        at = min(range(len(groups)), key=lambda k: groups[k][0])
        if groups[at][0] >= least:
            break
        sides = [k for k in (at - 1, at + 1) if 0 <= k < len(groups)]
        other = min(sides, key=lambda k: groups[k][0])
        first, second = min(at, other), max(at, other)
        groups[first : second + 1] = [(groups[at][0] + groups[other][0], groups[first][1] + groups[second][1])]
    return np.repeat(np.arange(len(groups)), [len(members) for _, members in groups])


def _merge_values(counts: Floats, least: float) -> Integers:
    """Values that are large enough stay alone, all others (missing ones too, if they are rare) are one group."""
    rare = counts < least
    places = np.cumsum(~rare) - 1
    return np.where(rare, places.max(initial=-1) + 1, places).astype(np.int64)


@dataclass(order=True)
class _Split:
    """How a segment falls into two, and by how much the variance of the weights gets smaller."""

    gain: float
    parts: tuple[list[int], list[int]] = field(compare=False)


def choose_segments(columns: Sequence[Grouped], weights: Sequence[Floats], terms: int) -> list[list[list[int]]]:
    """Return for each column its segments, lists of groups, after as many splits as there are terms.

    Each split is the one that leaves the smallest variance of the weights within segments. A number is split at a cut,
    and so is the line of its values in the order of their weights: those on one side are printed as a set.

    Parameters
    ----------
    columns : sequence of Grouped
        The columns.
    weights : sequence of arrays
        By column: a row for each group, a column for each score.
    terms : int
        How many splits.
    """
    segments = [[list(range(column.size))] for column in columns]
    best = [
        [_best_split(column, w, segments[at][0])] for at, (column, w) in enumerate(zip(columns, weights, strict=True))
    ]
    for _ in range(terms):
        found = [(split.gain, at, place) for at, row in enumerate(best) for place, split in enumerate(row) if split]
        if not found:
            break
        _, at, place = max(found)
        split = best[at][place]
        if split is None or split.gain <= 0:
            break
        segments[at][place : place + 1] = split.parts
        best[at][place : place + 1] = [_best_split(columns[at], weights[at], part) for part in split.parts]
    return segments


def _best_split(column: Grouped, weights: Floats, members: list[int]) -> _Split | None:
    """Return the best split of a segment, None if it has a single group."""
    if len(members) < 2:
        return None
    return max(_measure(column, weights, parts) for parts in _splits(column, weights, members))


def _splits(column: Grouped, weights: Floats, members: list[int]) -> list[tuple[list[int], list[int]]]:
    apart = column.missing_alone
    if not column.is_ordered:
        return _value_splits(column, weights, members)
    line = [group for group in members if group != apart]
    cuts = [(line[:at], line[at:]) for at in range(1, len(line))]
    if apart not in members or not line:
        return cuts
    sides = [split for low, high in cuts for split in (([*low, apart], high), (low, [*high, apart]))]
    return [*sides, (line, [apart])]


def _value_splits(column: Grouped, weights: Floats, members: list[int]) -> list[tuple[list[int], list[int]]]:
    """Splits of a set of values in the order of their weights; of several scores, along each."""
    found = []
    for k in range(weights.shape[1]):
        line = sorted(members, key=lambda group: (weights[group, k], group))
        found += [(line[:at], line[at:]) for at in range(1, len(line))]
    return found


def _measure(column: Grouped, weights: Floats, parts: tuple[list[int], list[int]]) -> _Split:
    (p, a), (q, b) = (_mean(column, weights, part) for part in parts)
    return _Split(p * q / (p + q) * float(((a - b) ** 2).sum()), parts)


def _mean(column: Grouped, weights: Floats, members: list[int]) -> tuple[float, Floats]:
    shares = column.shares[members]
    return float(shares.sum()), np.asarray(shares @ weights[members] / shares.sum())


def segment_weights(column: Grouped, weights: Floats, segments: Sequence[Sequence[int]]) -> Floats:
    """Return the mean weights of segments."""
    return np.array([_mean(column, weights, list(members))[1] for members in segments])


def offsets_of(columns: Sequence[Grouped]) -> list[tuple[int, int]]:
    """Return where the groups of each column begin and end, if they are numbered through."""
    return list(pairwise([0, *np.cumsum([column.size for column in columns]).tolist()]))
