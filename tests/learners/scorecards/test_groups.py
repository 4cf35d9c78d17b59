"""Rare bins stand together, and segments are the splits that leave weights most alike."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dprules.learners.scorecards.groups import Grouped, choose_segments, merge_rare, offsets_of, segment_weights
from dprules.schema import Boolean, Categorical, Column, Numeric

COUNTS = st.lists(st.floats(0, 500), min_size=3, max_size=12)


def number(cuts: int) -> Column:
    return Numeric("x", cuts=tuple(float(cut) for cut in range(cuts)))


def values(size: int) -> Column:
    return Categorical("c", tuple(f"v{i}" for i in range(size)))


@settings(deadline=None)
@given(COUNTS, st.floats(1, 200), st.booleans())
@example([0.0, 0.0, 1.0], 2.0, True)
def test_groups_are_numbered_through_and_large_enough(counts, least, ordered):
    column = number(len(counts) - 2) if ordered else values(len(counts) - 1)
    found = merge_rare(column, np.array(counts), least, least / 0.447)
    assert set(found.groups.tolist()) == set(range(found.size))
    assert found.shares.sum() == pytest.approx(1)
    sizes = np.bincount(found.groups, weights=counts)
    small = [group for group in range(found.size) if sizes[group] < least]
    assert found.size == 1 or len(small) <= 1


@settings(deadline=None)
@given(COUNTS, st.floats(1, 200))
def test_groups_of_a_number_are_ranges(counts, least):
    found = merge_rare(number(len(counts) - 2), np.array(counts), least, least / 0.447)
    assert (np.diff(found.groups[:-1]) >= 0).all()


def test_rare_values_become_one_group_and_rare_missing_ones_join_it():
    found = merge_rare(values(5), np.array([500.0, 20, 400, 30, 25, 10]), 40.0, 90.0)
    assert found.groups.tolist() == [0, 2, 1, 2, 2, 2]


def test_rare_missing_values_alone_join_the_commonest():
    assert merge_rare(values(3), np.array([500.0, 5, 900, 3]), 40.0, 90.0).groups.tolist() == [0, 2, 1, 2]
    assert merge_rare(number(1), np.array([100.0, 300, 2]), 40.0, 90.0).groups.tolist() == [0, 1, 1]


def test_empty_values_have_no_group_where_that_is_clear():
    """20,000 records of three values, out of thirty that are declared."""
    rng = np.random.default_rng(0)
    alone = []
    for _ in range(100):
        counts = rng.normal(0, 60, 31)
        counts[:3] += [9000, 7000, 4000]
        alone.append(merge_rare(values(30), counts, 27.0, 60.0).size - 3)
    assert np.mean(alone) < 0.6


def test_a_constant_column_is_one_group():
    rng = np.random.default_rng(1)
    for column, size in ((Boolean("b"), 3), (values(4), 5), (number(3), 5)):
        sizes = []
        for _ in range(200):
            counts = rng.normal(0, 60, size)
            counts[0] += 20_000
            sizes.append(merge_rare(column, counts, 27.0, 60.0).size)
        assert np.mean(np.array(sizes) == 1) > 0.85


def test_missing_values_that_are_rare_have_no_points():
    found = merge_rare(number(2), np.array([4000.0, 9000, 5000, 20]), 27.0, 60.0)
    assert found.rarely_missing
    joined = found.joined([[1, 2], [0]]).settled()
    assert joined.groups.tolist() == [1, 0, 0, 0]
    common = merge_rare(number(2), np.array([4000.0, 9000, 5000, 700]), 27.0, 60.0)
    assert not common.rarely_missing


def test_missing_values_that_are_common_are_a_group():
    found = merge_rare(Boolean("b"), np.array([300.0, 300, 200]), 40.0, 60.0)
    assert found.missing_alone == found.groups[-1] == 2
    assert merge_rare(Boolean("b"), np.array([300.0, 300, 2]), 40.0, 90.0).missing_alone is None


def grouped(column: Column, shares: list[float]) -> Grouped:
    return Grouped(column, np.arange(len(shares)), np.array(shares) / sum(shares))


def test_the_first_split_is_the_one_that_explains_most():
    line = grouped(number(2), [1, 1, 1, 1])  # three ranges, and missing values
    weights = np.array([[-1.0], [-1.0], [2.0], [2.0]])
    assert choose_segments([line], [weights], 1) == [[[0, 1], [2, 3]]]


def test_missing_values_can_be_split_off():
    line = grouped(number(1), [1, 1, 1])
    weights = np.array([[0.0], [0.1], [3.0]])
    assert choose_segments([line], [weights], 1) == [[[0, 1], [2]]]


def test_values_are_split_in_the_order_of_their_weights():
    column = grouped(values(4), [1, 1, 1, 1, 1])
    weights = np.array([[2.0], [-1.0], [2.1], [-1.1], [-1.0]])
    assert [sorted(part) for part in choose_segments([column], [weights], 1)[0]] == [[1, 3, 4], [0, 2]]


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 10))
def test_there_are_no_more_splits_than_terms_and_all_groups_are_in_one_segment(terms, seed):
    rng = np.random.default_rng(seed)
    columns = [grouped(number(4), rng.random(6).tolist()), grouped(values(7), rng.random(8).tolist())]
    weights = [rng.normal(size=(column.size, 2)) for column in columns]
    segments = choose_segments(columns, weights, terms)
    assert sum(len(parts) - 1 for parts in segments) == min(terms, 5 + 7)
    for column, parts, own in zip(columns, segments, weights, strict=True):
        assert sorted(group for part in parts for group in part) == list(range(column.size))
        joined = column.joined(parts)
        assert joined.shares.sum() == pytest.approx(1)
        assert joined.shares @ segment_weights(column, own, parts) == pytest.approx(column.shares @ own)


def test_equal_weights_are_not_split():
    assert choose_segments([grouped(values(3), [1, 1, 1, 1])], [np.zeros((4, 1))], 5) == [[[0, 1, 2, 3]]]


def test_offsets_follow_each_other():
    assert offsets_of([grouped(values(2), [1, 1, 1]), grouped(number(1), [1, 1, 1])]) == [(0, 3), (3, 6)]
