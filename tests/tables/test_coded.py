"""Sums over groups are what a plain loop adds up, however columns are joined and threads are shared out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.tables import Residuals, coded, exponential_table, residual_table
from dprules.tables import residuals as residuals_module
from dprules.tables.coded import CodedSample
from dprules.tables.residuals import LONGEST_VECTOR
from tables.joint import joint_sample

SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=7)
EXPONENTS = exponential_table()
TABLE = residual_table(np.array([64, 32]), 1)


def made(sizes: list[int], rows: int, classes: int, seed: int = 0) -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, size, rows) for size in sizes], rng.integers(0, classes, rows).astype(np.uint16)


def chosen(sizes: list[int], classes: int, seed: int = 1) -> Residuals:
    rng = np.random.default_rng(seed)
    scores = 1 if classes == 2 else classes
    weights = rng.integers(-300, 300, (sum(sizes), scores))
    table = TABLE if classes == 2 else EXPONENTS
    return Residuals(weights, rng.integers(-99, 99, scores), table, np.full(classes, 64))


def slowly(columns: list[np.ndarray], sizes: list[int], labels: np.ndarray, residuals: Residuals) -> np.ndarray:
    """Each record on its own, each column on its own."""
    starts = np.cumsum([0, *sizes[:-1]])
    found = np.zeros(residuals.weights.shape, dtype=np.int64)
    for i, label in enumerate(labels):
        groups = [start + column[i] for start, column in zip(starts, columns, strict=True)]
        total = residuals.weights[groups].sum(axis=0, keepdims=True)
        one = joint_sample([np.zeros(1, dtype=np.int64)], [1], np.array([label], dtype=np.uint16))
        alone = Residuals(total, residuals.base, residuals.table, residuals.class_weights)
        for group in groups:
            found[group] += one.sums(alone)[0]
    return found


@pytest.mark.parametrize("classes", [2, 3])
@settings(deadline=None, max_examples=30)
@given(sizes=SIZES)
def test_sums_are_those_of_a_plain_loop(sizes, classes):
    columns, labels = made(sizes, 12, classes)
    residuals = chosen(sizes, classes)
    found = joint_sample(columns, sizes, labels).sums(residuals)
    assert found.tolist() == slowly(columns, sizes, labels, residuals).tolist()


def test_sums_of_a_part_fit_32_bits():
    assert coded.MOST_IN_PART * LONGEST_VECTOR < 2**31


@pytest.mark.parametrize("cores", [1, 2, 5])
@pytest.mark.parametrize(("joint", "part"), [(1, 10**6), (30, 77), (10**6, 10**6)])
def test_neither_threads_nor_joining_nor_unrolling_change_a_sum(cores, joint, part, monkeypatch):
    sizes = [9, 3, 4, 2, 7, 300]
    columns, labels = made(sizes, 1000, 2)
    residuals = chosen(sizes, 2)
    expected = joint_sample(columns, sizes, labels).sums(residuals)
    monkeypatch.setattr(coded, "MOST_JOINT", joint)
    monkeypatch.setattr(coded, "MOST_IN_PART", part)
    monkeypatch.setattr(coded, "WORTH_THREADS", 10)
    monkeypatch.setattr(residuals_module, "MOST_UNROLLED", 8 if joint == 30 else 0)
    monkeypatch.setattr(coded, "count_cores", lambda: cores)
    assert joint_sample(columns, sizes, labels).sums(residuals).tolist() == expected.tolist()


def test_more_groups_than_16_bits_can_number():
    sizes = [40_000, 30_000]
    columns, labels = made(sizes, 200, 2)
    found = joint_sample(columns, sizes, labels).sums(chosen(sizes, 2))
    assert np.abs(found).sum() > 0
    assert set(np.flatnonzero(found[:, 0])) <= {*columns[0].tolist(), *(40_000 + columns[1]).tolist()}


@settings(deadline=None, max_examples=30)
@given(sizes=SIZES, starts=st.lists(st.integers(-20, 20), unique=True, max_size=5))
def test_records_are_counted_once_by_score_and_class(sizes, starts):
    columns, labels = made(sizes, 40, 2)
    points = np.random.default_rng(2).integers(-9, 9, (sum(sizes), 1))
    starts = np.array(sorted(starts), dtype=np.int64)
    sample = joint_sample(columns, sizes, labels)
    counts = sample.score_counts(points, np.zeros(1, dtype=np.int64), starts, np.arange(2))
    offsets = np.cumsum([0, *sizes[:-1]])
    scores = sum(points[start + column, 0] for start, column in zip(offsets, columns, strict=True))
    for label in (0, 1):
        cells = [sum(starts <= score) for score in scores[labels == label]]
        assert counts[label].tolist() == np.bincount(cells, minlength=len(starts) + 1).tolist()


def test_with_many_classes_the_lead_is_counted_by_whether_it_is_right():
    points = np.array([[5, 0, 0], [0, 7, 1], [2, 2, 0]])
    columns = [np.array([0, 0, 1, 2, 2])]
    labels = np.array([0, 2, 1, 0, 1], dtype=np.uint16)  # the first of equals leads
    base = np.zeros(3, dtype=np.int64)
    counts = joint_sample(columns, [3], labels).score_counts(points, base, np.array([1, 6]), np.arange(3))
    assert counts.tolist() == [[1, 1, 1], [1, 1, 0]]


def test_bins_and_totals_count_missing_values_last():
    sample = CodedSample.of([np.array([0, -1, 1, 1], dtype=np.int16)], [2], np.array([0, 1, 1, 1], dtype=np.int16), 3)
    assert [part.tolist() for part in sample.bins()] == [[1, 2, 1]]
    assert sample.totals().tolist() == [1, 3, 0]


def test_groups_take_missing_values_and_leave_columns_out():
    codes = [np.array([0, -1, 1], dtype=np.int16), np.array([0, 0, 0], dtype=np.int16)]
    sample = CodedSample.of(codes, [2, 1], np.array([0, 1, 1], dtype=np.int16), 2)
    grouped = sample.grouped([np.array([0, 0, 1]), None])
    assert grouped.sizes == (2,)
    counts = grouped.score_counts(np.array([[0], [4]]), np.zeros(1, dtype=np.int64), np.array([1]), np.arange(2))
    assert counts.tolist() == [[1, 0], [1, 1]]


def test_it_shows_nothing():
    sample = CodedSample.of([np.array([0], dtype=np.int16)], [1], np.array([0], dtype=np.int16), 2)
    assert repr(sample) == "<private CodedSample>"
    assert repr(sample.grouped([np.array([0, 0])])) == "<private JointSample>"
