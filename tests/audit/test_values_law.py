from math import exp

import pytest

from dprules.accounting import Neighbours
from dprules.audit import exact_values_law, neighbouring_counts


@pytest.mark.parametrize("counts", [(), (0,), (1,), (0, 3), (2, 9)])
def test_it_is_a_law(counts):
    law = exact_values_law(counts, 0.5, 4)
    assert sum(law.values()) == pytest.approx(1)
    assert all(noisy is None or noisy >= 4 for outcome in law for noisy in outcome)


def test_a_law_by_hand():
    """One record, threshold 3: noise of 2 or more, a^2 / (1 + a)."""
    law = exact_values_law([1, 0], 1.0, 3)
    a = exp(-1)
    assert 1 - law[None, None] == pytest.approx(a**2 / (1 + a))
    assert law[3, None] == pytest.approx(a**2 * (1 - a) / (1 + a))
    assert not any(other is not None for _, other in law)


def test_a_count_above_the_threshold_by_hand():
    law = exact_values_law([5], 1.0, 3)
    a = exp(-1)
    assert law[None,] == pytest.approx(a**3 / (1 + a))
    assert law[5,] == pytest.approx((1 - a) / (1 + a))


def test_neighbours_of_one_row():
    assert set(neighbouring_counts(Neighbours.ADD_REMOVE, 1, 2)) == {((n + 1,), (n,)) for n in range(3)}
    assert set(neighbouring_counts(Neighbours.REPLACE, 1, 1)) == {
        ((n + 1, m), (n, m + 1)) for n in range(2) for m in range(2)
    }


def test_rows_of_a_unit_fall_on_one_value_or_on_several():
    pairs = set(neighbouring_counts(Neighbours.ADD_REMOVE, 3, 0))
    assert pairs == {((3,), (0,)), ((2, 1), (0, 0)), ((1, 1, 1), (0, 0, 0))}
