from random import Random

import pytest

from dprules.accounting import CountedCover, Neighbours
from dprules.audit import CountedPairs, Subject, counted_points


@pytest.mark.parametrize("neighbours", [Neighbours.ADD_REMOVE, Neighbours.REPLACE])
def test_pairs_are_neighbours(neighbours):
    random = Random(3)
    pairs = CountedPairs(neighbours)
    pair = pairs.start(random)
    others = 1 if neighbours is Neighbours.REPLACE else 0
    for _ in range(30):
        for changed in pairs.changes(pair, random):
            assert (len(changed.own), len(changed.other)) == (1, others)
            assert len(changed.prior) == 3
            pair = changed


def test_the_search_comes_near_the_price():
    points = counted_points(Subject(), CountedCover(1, 1), Neighbours.ADD_REMOVE, seed=0, starts=4)
    assert all(point.holds for point in points)
    assert max(point.ratio for point in points) > 0.99
