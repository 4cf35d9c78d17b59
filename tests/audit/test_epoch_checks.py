from fractions import Fraction
from random import Random

import pytest

from dprules.accounting import CountedCover, EpochStream, Neighbours
from dprules.accounting.counted import Parts
from dprules.audit import EpochPairs, Subject, epoch_points


@pytest.mark.parametrize("neighbours", [Neighbours.ZERO_OUT, Neighbours.REPLACE])
def test_pairs_differ_in_one_round(neighbours):
    random = Random(2)
    pairs = EpochPairs(neighbours, rounds=4, features=1)
    pair = pairs.start(random)
    for _ in range(20):
        for changed in pairs.changes(pair, random):
            differing = [(a, b) for a, b in zip(changed.here, changed.there, strict=True) if a != b]
            assert len(differing) == 1
            assert (differing[0][1] is None) == (neighbours is Neighbours.ZERO_OUT)
            pair = changed


def test_the_search_comes_near_the_price():
    event = EpochStream((CountedCover(Fraction(1), 1, Parts.of(1)),))
    points = epoch_points(Subject(), event, Neighbours.ZERO_OUT, seed=0, starts=3)
    assert all(point.holds for point in points)
    assert max(point.ratio for point in points) > 0.9
