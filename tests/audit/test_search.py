from itertools import count

import pytest

from dprules.audit import worst_pair
from dprules.errors import ParameterError


def test_a_search_needs_a_start():
    with pytest.raises(ParameterError, match="starts must be at least 1"):
        worst_pair(lambda r: 0, lambda p, r: [p], lambda p: 0.0, starts=0, steps=1, seed=0)


def test_it_climbs_while_that_helps_and_keeps_the_best_start():
    heights = {0: 0.0, 1: 1.0, 2: 2.0, 3: 1.5, 10: 5.0}
    starts = count()

    def start(random):
        return (0, 10, 0)[next(starts)]

    def changes(at, random):
        return [at - 1, at + 1]

    assert worst_pair(start, changes, lambda at: heights.get(at, -1.0), starts=3, steps=9, seed=0) == (5.0, 10)
    assert worst_pair(lambda r: 0, changes, lambda at: heights.get(at, -1.0), starts=1, steps=9, seed=0) == (2.0, 2)


def test_a_seed_repeats_the_search():
    def run(seed):
        return worst_pair(
            lambda random: random.random(), lambda x, random: [random.random()], float, starts=3, steps=3, seed=seed
        )

    assert run(1) == run(1) != run(2)
