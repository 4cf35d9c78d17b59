"""Equal records counted together, against a dictionary."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.tables.grouping import group_rows, is_worth_grouping, split_by_weight


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 200), st.integers(1, 3), st.integers(1, 5), st.booleans())
def test_groups_are_those_of_a_dictionary(seed, size, words, values, weighted):
    random = np.random.default_rng(seed)
    rows = random.integers(0, values, (words, size)).astype(np.uint64)
    weights = random.integers(1, 10**6, size) if weighted else None
    expected: Counter = Counter()
    for place, row in enumerate(rows.T.tolist()):
        expected[tuple(row)] += 1 if weights is None else int(weights[place])
    grouped, counts = group_rows(rows, weights)
    assert dict(zip(map(tuple, grouped.T.tolist()), counts.tolist(), strict=True)) == dict(expected)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 2**40), max_size=50))
def test_weights_are_split_into_disjoint_parts(weights):
    given_weights = np.array(weights, dtype=np.int64)
    parts = list(split_by_weight(given_weights))
    assert sum(part.astype(int) for part in parts).tolist() == [1] * len(weights) if weights else not parts
    for part in parts:
        lengths = [int(weight).bit_length() for weight in given_weights[part]]
        assert max(lengths) <= 2 * min(lengths)


def test_grouping_pays_where_many_are_equal_and_much_is_counted():
    random = np.random.default_rng(0)
    equal = np.zeros((1, 1000), dtype=np.uint64)
    different = random.integers(0, 2**63, (1, 1000)).astype(np.uint64)
    assert is_worth_grouping(equal, 200, 2, 2)
    assert not is_worth_grouping(equal, 200, 1, 2)
    assert not is_worth_grouping(different, 200, 2, 2)
    assert not is_worth_grouping(equal[:, :0], 200, 2, 2)
