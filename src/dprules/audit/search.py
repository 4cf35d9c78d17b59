"""Look for neighbours that tell the most: random starts, then greedy changes."""

from collections.abc import Callable, Iterable
from random import Random
from typing import TypeVar

from dprules.errors import ParameterError

Pair = TypeVar("Pair")


def worst_pair(
    start: Callable[[Random], Pair],
    changes: Callable[[Pair, Random], Iterable[Pair]],
    distance: Callable[[Pair], float],
    *,
    starts: int,
    steps: int,
    seed: int,
) -> tuple[float, Pair]:
    """Return the largest distance found between neighbours, and the pair that has it.

    From each of `starts` random pairs, take up to `steps` times the best of the pair's `changes` while it helps.

    Parameters
    ----------
    start : callable
        Makes a random pair.
    changes : callable
        Returns pairs near a pair.
    distance : callable
        What is to be as large as possible.
    starts : int
        How many random pairs to start from.
    steps : int
        How many changes to make from each, at most.
    seed : int
        Seed of the search.

    Examples
    --------
    >>> def nearby(x, random):
    ...     return [x - 1, x + 1]
    >>> worst_pair(lambda random: random.randrange(9), nearby, lambda x: -abs(x - 4), starts=2, steps=9, seed=0)
    (0, 4)
    """
    random = Random(seed)
    best: tuple[float, Pair] | None = None
    for _ in range(starts):
        pair = start(random)
        reached = distance(pair)
        for _ in range(steps):
            value, candidate = max(((distance(p), p) for p in changes(pair, random)), key=lambda scored: scored[0])
            if value <= reached:
                break
            reached = value
            pair = candidate
        if best is None or reached > best[0]:
            best = (reached, pair)
    if best is None:
        raise ParameterError(f"starts must be at least 1; got {starts}. 12 is usual.")
    return best
