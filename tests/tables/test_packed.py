import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.tables import packed as module
from dprules.tables.packed import count_masked, pack, size_of, transpose, unpack


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 5), st.integers(0, 300))
def test_packing_and_unpacking(seed: int, rows: int, size: int) -> None:
    bits = np.random.default_rng(seed).random((rows, size)) < 0.5
    packed = pack(bits)
    assert packed.shape == (rows, (size + 63) // 64)
    for row, words in zip(bits, packed, strict=True):
        assert (unpack(words, size) == row).all()
        assert size_of(words) == row.sum()


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 200), st.integers(0, 200))
def test_columns_of_packed_rows(seed: int, rows: int, width: int) -> None:
    bits = np.random.default_rng(seed).random((rows, width)) < 0.5
    columns = transpose(pack(bits), width)
    assert columns.shape == (width, (rows + 63) // 64)
    assert [unpack(column, rows).tolist() for column in columns] == bits.T.tolist()


@pytest.mark.parametrize("rows", [1, 64, 65, 512 * 64, 512 * 64 + 1, 2 * 512 * 64 + 77])
@pytest.mark.parametrize("threads", [True, False])
def test_counts_of_conditions(rows: int, threads: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Around the edges of words and blocks, on one core and on all."""
    monkeypatch.setattr(module, "WORTH_THREADS", 0 if threads else 10**12)
    random = np.random.default_rng(rows)
    bits = random.random((5, rows)) < 0.5
    planes = random.random((3, rows)) < 0.5
    conditions = np.array([[0, -1, -1], [0, 1, -1], [0, 1, 2], [0, 1, 4], [0, 3, -1], [3, 4, -1]], dtype=np.int32)
    expected = []
    for condition in conditions:
        held = np.logical_and.reduce([bits[i] for i in condition if i >= 0])
        expected.append([int((held & plane).sum()) for plane in planes])
    assert count_masked(pack(bits), pack(planes), conditions).tolist() == expected
