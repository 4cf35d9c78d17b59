"""Times of two ways to do one thing, taken alternately: these machines are noisy."""

from collections.abc import Callable
from statistics import median
from time import perf_counter


def seconds(task: Callable[[], object]) -> float:
    started = perf_counter()
    task()
    return perf_counter() - started


def alternately(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    repeats: int,
    pick: Callable[[list[float]], float] = median,
) -> tuple[float, float]:
    """The median seconds of each (or the least, where whole cores are needed), after one run that is not counted."""
    ours(), theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(repeats)]
    return pick([pair[0] for pair in pairs]), pick([pair[1] for pair in pairs])
