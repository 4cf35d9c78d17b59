"""Work on all cores, or on one where no thread can be started: how many rows there are must not decide who fails."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def count_cores() -> int:
    """Return how many cores there are."""
    return os.cpu_count() or 1


def in_threads(work: Callable[..., T], *arguments: Iterable[Any]) -> list[T]:
    """Return the results of `work` for all arguments, in their order.

    Parameters
    ----------
    work : callable
        Which may be called twice for the same arguments: it writes over what it wrote before.
    *arguments : iterables
        Of equal length.
    """
    calls = list(zip(*arguments, strict=True))
    try:
        with ThreadPoolExecutor(count_cores()) as pool:
            return list(pool.map(work, *zip(*calls, strict=True)))
    except RuntimeError:  # a container may allow no more threads
        return [work(*call) for call in calls]
