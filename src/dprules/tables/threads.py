"""Work on all cores, or on one where no thread can be started: how many rows there are must not decide who fails."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

S = TypeVar("S")
T = TypeVar("T")


_alone = False


def work_alone() -> None:
    """Use one core from now on: for processes that a cluster starts, one for each core."""
    global _alone
    _alone = True


@contextmanager
def working_alone() -> Iterator[None]:
    """Use one core for a while: small tables are read before a second thread has started."""
    global _alone
    before = _alone
    _alone = True
    try:
        yield
    finally:
        _alone = before


def count_cores() -> int:
    """Return how many cores this process may use."""
    if _alone:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(work: Callable[..., T], *arguments: Iterable[Any]) -> list[T]:
    """Return the results of `work` for all arguments, in their order.

    Parameters
    ----------
    work : callable
        Which may be called twice for the same arguments: it writes over what it wrote before. It must not call this
        function: all threads could then wait for each other.
    *arguments : iterables
        Of equal length.
    """
    calls = list(zip(*arguments, strict=True))
    try:
        others = [_kept_pool().submit(work, *call) for call in calls[1:]]
        first = work(*calls[0])  # this thread would only wait
        return [first, *(other.result() for other in others)]
    except RuntimeError:  # a container may allow no more threads
        return [work(*call) for call in calls]


@cache
def _kept_pool() -> ThreadPoolExecutor:
    """Threads that stay: starting them takes longer than counting a small block."""
    return ThreadPoolExecutor(count_cores())


os.register_at_fork(after_in_child=_kept_pool.cache_clear)  # a child has none of its parent's threads


def stream_in_threads(work: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """Return the results of `work` in the order of the items, some of which are worked on while others are fetched.

    At most one item more than there are cores is held at a time.
    """
    if count_cores() == 1:  # nobody works while this thread fetches
        yield from map(work, items)
        return
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(count_cores()) as pool:
        for item in items:
            if len(waiting) > count_cores():
                yield waiting.popleft().result()
            waiting.append(_submit(pool, work, item))
            del item
        while waiting:
            yield waiting.popleft().result()


def _submit(pool: ThreadPoolExecutor, work: Callable[[S], T], item: S) -> Future[T]:
    try:
        return pool.submit(work, item)
    except RuntimeError:  # a container may allow no more threads
        done: Future[T] = Future()
        done.set_result(work(item))
        return done
