"""Rows that are moved together, against NumPy's indexing: with the processor's instruction and without it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dprules.tables import extraction
from dprules.tables.extraction import compress_bits, move_together
from dprules.tables.packed import pack, unpack


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 130, 5000])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.97, 1.0])
@pytest.mark.parametrize("threads", [0, 10**12])
def test_chosen_rows_are_moved_together(rows, share, threads, monkeypatch):
    monkeypatch.setattr(extraction, "WORTH_THREADS", threads)
    random = np.random.default_rng(rows)
    bits = random.random((70, rows)) < 0.5
    chosen = random.random(rows) < share
    moved = move_together(pack(bits), pack(chosen))
    size = int(chosen.sum())
    assert moved.shape == (70, (size + 63) // 64)
    for row, expected in zip(moved, bits[:, chosen], strict=True):
        assert unpack(row, 64 * moved.shape[1]).tolist() == [*expected.tolist(), *[False] * (-size % 64)]


def test_bits_of_a_mask_without_an_instruction():
    random = np.random.default_rng(0)
    masks = [0, 1, 1 << 63, 2**64 - 1, *(int(mask) for mask in random.integers(0, 2**64, 300, dtype=np.uint64))]
    for mask in masks:
        word = int(random.integers(0, 2**64, dtype=np.uint64))
        chosen = [word >> place & 1 for place in range(64) if mask >> place & 1]
        expected = sum(bit << place for place, bit in enumerate(chosen))
        assert compress_bits(np.uint64(word), np.uint64(mask)) == expected


def test_another_processor():
    """Numba compiles for it, and never uses an instruction that it may not have."""
    here = f"{Path(__file__)}::test_chosen_rows_are_moved_together"
    code = "import dprules.tables.extraction as e\nassert not e.has_bit_extraction()\nimport pytest, sys\n"
    code += f"sys.exit(pytest.main([{here!r}, '-q', '-p', 'no:cacheprovider']))"
    environment = {**os.environ, "NUMBA_CPU_NAME": "generic"}
    assert subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True).returncode == 0
