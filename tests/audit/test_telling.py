from math import exp, inf, log
from random import Random

import numpy as np
import pytest
from scipy.stats import binom

from dprules.audit import Claim, Telling
from dprules.audit.telling import Questions, lower_bounds

MISS = 1e-4


def noisy(random: Random, count: int, tilt: float) -> int:
    """Two-sided geometric noise."""
    return count + int(random.expovariate(tilt)) - int(random.expovariate(tilt))


def test_both_intervals_miss_as_seldom_as_they_say():
    runs, p, q, miss = 200, 0.6, 0.3, 0.01
    hits = np.arange(runs + 1.0)
    # Exactly: all outcomes of both sides, by their probabilities.
    found = lower_bounds(np.repeat(hits, runs + 1), np.tile(hits, runs + 1), runs, 0.1, miss)
    chances = np.outer(binom.pmf(hits, runs, p), binom.pmf(hits, runs, q)).ravel()
    wrong = float(chances[found > log((p - 0.1) / q)].sum())
    assert wrong <= 2 * miss
    assert chances @ found > 0.1  # and something is found


@pytest.mark.parametrize(("hits", "others"), [(0, 0), (0, 50), (50, 50), (5, 50)])
def test_nothing_is_proved_without_a_difference(hits, others):
    assert lower_bounds(np.array([float(hits)]), np.array([float(others)]), 50, 0.0, MISS).tolist() == [0.0]


def test_a_step_in_the_odds_is_found():
    random = Random(1)

    def outcomes(count, number):
        return [{"count": noisy(random, count, 1.0), "noise": random.random()} for _ in range(number)]

    telling = Telling.choose(outcomes(6, 2000), outcomes(5, 2000), [Claim(1.0, 0.0)], 4000, MISS)
    found = telling.bound(outcomes(6, 4000), outcomes(5, 4000), MISS)
    assert 0.6 < found < 1.0
    assert telling.promise == pytest.approx(found, abs=0.3)


def test_the_other_direction_is_found():
    random = Random(2)
    sides = [lambda: {"yes": 1.0} if random.random() < 0.5 else {}, dict]
    first, other, *fresh = [[side() for _ in range(500)] for side in sides * 2]
    telling = Telling.choose(other, first, [Claim(1.0, 0.0)], 500, MISS)
    assert telling.sign == -1
    assert telling.bound(fresh[1], fresh[0], MISS) > 2


def test_the_point_of_the_curve_that_is_nearest_is_chosen():
    # With probability 0.3 everything is told, and else nothing: (0.1, 0.01) is far off, delta 0.3 is the truth.
    random = Random(3)
    first = [{"told": float(random.random() < 0.3)} for _ in range(4000)]
    claims = [Claim(5.0, 0.3), Claim(0.1, 0.01)]
    telling = Telling.choose(first, [{"told": 0.0}] * 4000, claims, 4000, MISS)
    assert telling.claim == claims[1]
    assert telling.promise > 1


def test_questions_ask_only_what_differs():
    asked = Questions.about([{"a": 1.0, "same": 2.0}, {"same": 2.0}, {"a": 3.0, "same": 2.0}]).asked
    assert asked == (("a", -inf), ("a", 3.0))


def test_a_bound_is_of_fresh_runs_and_not_of_those_that_chose():
    random = Random(4)

    def noise(number):
        return [{f"n{i}": random.random() for i in range(30)} for _ in range(number)]

    wrong = 0
    for _ in range(20):  # nothing tells the two apart, however much there is to choose from
        telling = Telling.choose(noise(60), noise(60), [Claim(0.1, 0.0)], 300, 0.01)
        wrong += telling.bound(noise(300), noise(300), 0.01) > 0
    assert wrong <= 5  # less than one half is expected


def test_exact_odds_of_a_claim():
    assert lower_bounds(np.array([1000.0]), np.array([0.0]), 1000, 0.0, MISS)[0] < log(1000)
    assert exp(lower_bounds(np.array([1000.0]), np.array([0.0]), 1000, 0.5, MISS)[0]) > 50
