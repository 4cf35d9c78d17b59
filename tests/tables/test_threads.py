"""Work is the same on one core and on many, and where no thread can be started."""

import threading

import numpy as np
import pytest

from dprules.tables import packed, threads
from dprules.tables.packed import count_masked
from dprules.tables.threads import count_cores, in_threads, stream_in_threads, working_alone


def fail(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


@pytest.fixture
def no_threads(monkeypatch):
    monkeypatch.setattr(threading.Thread, "start", fail)
    threads._kept_pool.cache_clear()
    yield
    threads._kept_pool.cache_clear()


def test_results_are_in_their_order():
    assert in_threads(lambda a, b: a * b, range(50), range(50)) == [i * i for i in range(50)]


def test_one_thread_does_it_where_no_other_can_be_started(no_threads):
    assert in_threads(lambda a: a + 1, range(9)) == list(range(1, 10))


def test_a_stream_is_in_its_order_and_only_some_of_it_is_held():
    fetched = []

    def items():
        for i in range(50):
            fetched.append(i)
            yield i

    for done, result in enumerate(stream_in_threads(lambda i: i * i, items())):
        assert result == done * done
        assert len(fetched) <= done + threads.count_cores() + 2


def test_a_stream_without_threads(no_threads):
    assert list(stream_in_threads(lambda i: i + 1, iter(range(9)))) == list(range(1, 10))


def test_one_core_starts_no_thread_for_a_stream():
    cores = count_cores()
    with working_alone():
        assert count_cores() == 1
        started = list(stream_in_threads(lambda i: threading.current_thread(), range(3)))
    assert set(started) == {threading.current_thread()}
    assert count_cores() == cores


def test_an_error_in_a_thread_comes_out():
    with pytest.raises(ZeroDivisionError):
        list(stream_in_threads(lambda i: 1 // i, [1, 0, 1]))


def test_counts_are_the_same_without_threads(monkeypatch):
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 2**63, (4, 3000), dtype=np.uint64)
    planes = rng.integers(0, 2**63, (2, 3000), dtype=np.uint64)
    conditions = np.array([[0, -1, -1], [0, 1, -1], [1, 2, 3]], dtype=np.int32)
    expected = count_masked(columns, planes, conditions)
    monkeypatch.setattr(packed, "WORTH_THREADS", 1)
    assert count_masked(columns, planes, conditions).tolist() == expected.tolist()
    monkeypatch.setattr(threading.Thread, "start", fail)
    threads._kept_pool.cache_clear()
    assert count_masked(columns, planes, conditions).tolist() == expected.tolist()
    threads._kept_pool.cache_clear()
