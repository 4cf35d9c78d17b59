"""Work is the same on one core and on many, and where no thread can be started."""

import threading

import numpy as np
import pytest

from dprules.tables import packed
from dprules.tables.packed import count_masked
from dprules.tables.threads import in_threads


def fail(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


@pytest.fixture
def no_threads(monkeypatch):
    monkeypatch.setattr(threading.Thread, "start", fail)


def test_results_are_in_their_order():
    assert in_threads(lambda a, b: a * b, range(50), range(50)) == [i * i for i in range(50)]


def test_one_thread_does_it_where_no_other_can_be_started(no_threads):
    assert in_threads(lambda a: a + 1, range(9)) == list(range(1, 10))


def test_counts_are_the_same_without_threads(monkeypatch):
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 2**63, (4, 3000), dtype=np.uint64)
    planes = rng.integers(0, 2**63, (2, 3000), dtype=np.uint64)
    conditions = np.array([[0, -1, -1], [0, 1, -1], [1, 2, 3]], dtype=np.int32)
    expected = count_masked(columns, planes, conditions)
    monkeypatch.setattr(packed, "WORTH_THREADS", 1)
    assert count_masked(columns, planes, conditions).tolist() == expected.tolist()
    monkeypatch.setattr(threading.Thread, "start", fail)
    assert count_masked(columns, planes, conditions).tolist() == expected.tolist()
