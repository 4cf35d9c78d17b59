"""The sums that points can add up to are those of all choices."""

from itertools import product

import numpy as np
import pytest

from dprules.models.reachable import MOST_WORK, reachable_sums


@pytest.mark.parametrize("seed", range(8))
def test_they_are_the_sums_of_all_choices(seed):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(-20, 21, rng.integers(1, 6)) for _ in range(4)]
    wanted = sorted({7 + sum(map(int, chosen)) for chosen in product(*columns)})
    found = reachable_sums(columns, 7)
    assert found is not None
    assert found.tolist() == wanted


def test_no_columns_reach_the_base_alone():
    found = reachable_sums([], 3)
    assert found is not None
    assert found.tolist() == [3]


def test_too_many_are_not_tried():
    assert reachable_sums([np.array([0, MOST_WORK])]) is None
