"""Rows that are moved together: both ways against NumPy's indexing."""

import numpy as np
import pytest

from dprules.tables import extraction
from dprules.tables.extraction import extract_rows
from dprules.tables.packed import pack, unpack


@pytest.fixture(params=["a word at a time", "bit by bit", "another processor"])
def way(request, monkeypatch):
    if request.param == "another processor":
        monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
        extraction.has_bit_extraction.cache_clear()
        assert not extraction.has_bit_extraction()
    monkeypatch.setattr(extraction, "FEW", 0 if request.param == "bit by bit" else 10**9)
    yield
    extraction.has_bit_extraction.cache_clear()


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 130, 5000])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.97, 1.0])
@pytest.mark.parametrize("threads", [0, 10**12])
def test_chosen_rows_are_moved_together(way, rows, share, threads, monkeypatch):
    monkeypatch.setattr(extraction, "WORTH_THREADS", threads)
    random = np.random.default_rng(rows)
    bits = random.random((70, rows)) < 0.5
    chosen = random.random(rows) < share
    moved = extract_rows(pack(bits), pack(chosen))
    size = int(chosen.sum())
    assert moved.shape == (70, (size + 63) // 64)
    for row, expected in zip(moved, bits[:, chosen], strict=True):
        assert unpack(row, 64 * moved.shape[1]).tolist() == [*expected.tolist(), *[False] * (-size % 64)]
