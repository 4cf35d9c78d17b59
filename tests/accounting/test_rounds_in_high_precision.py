"""The recursion in doubles is never below the same recursion on the same knots in 160 bits: its slack is enough.

Without that slack, or with less of it, shortfalls of a few last digits appear in the seeds below.
"""

import random
from bisect import bisect_left, bisect_right
from itertools import pairwise

import pytest
from mpmath import exp, mp, mpf, sqrt

from accounting.test_rounds import best_on_chord
from dprules.accounting.rounds import Step, _tabulate

CASES = 150


def gain(y, h):
    p = 1 / (1 + exp(-h))
    return max(mpf(0), 1 - y, p * (1 - y * exp(-h)))


def best_split(y, step):
    """All mass on candidates that cover; the best points are where two lines of the gain meet, or their means."""
    u, v, h = step
    best = gain(y, h)
    if u + v == 0:
        return best
    down, up = exp(-u), exp(v)
    p = 1 / (1 + exp(-h))
    lines = [(mpf(1), mpf(1)), (p, p * exp(-h)), (mpf(0), mpf(0))]
    points = [y / up, y / down]
    for level, slope in lines:
        for other_level, other_slope in lines:
            if slope != other_slope and (level - other_level) / (slope - other_slope) > 0:
                ratio = (level - other_level) / (slope - other_slope)
                points += [sqrt(y * ratio / (down * up)), ratio / down, ratio / up]
    for point in points:
        middle = min(max(point, y / up), y / down)
        beta = (y / middle - down) / (up - down)
        best = max(best, beta * gain(middle * up, h) + (1 - beta) * gain(middle * down, h))
    return best


def one_round(knots, before, step):
    u, v, h = map(mpf, step)
    after = [before[0]]
    for y, go_on in zip(knots[1:], before[1:], strict=True):
        best = max(go_on, best_split(y, (u, v, h)))
        raised = min(y * exp(u), max(y, exp(u + h)))
        for k, floor, ceiling in ((exp(v), y * exp(-v), y), (exp(-u), y, raised)):
            if k == 1:
                continue
            first = max(0, bisect_left(knots, floor) - 1)
            last = min(len(knots) - 1, bisect_right(knots, ceiling) + 1)
            points = [(knots[i], before[i], gain(k * knots[i], h)) for i in range(first, last + 1)]
            for left, right in pairwise(points):
                best = max(best, best_on_chord(y, k, max(left[0], floor), min(right[0], ceiling), left, right))
        after.append(best)
    return after


def random_case(source):
    """Widths from 1e-6 to 20, equal and unequal, with and without releases, at the edges of what is allowed."""
    base = min(20.0, 10 ** source.uniform(-6.5, 1.3))

    def width():
        return source.choice([base, base, base, 0.0, base * 2**-20, base * source.random()])

    def step():
        u, v = width(), width()
        return Step(u, v, source.choice([0.0, v, v / 2, v * source.random()]))

    steps = tuple(step() for _ in range(source.choice([1, 1, 2, 3])))
    widest = max(max(one.u, one.v) for one in steps)
    if widest == 0:
        return random_case(source)
    remainder = source.choice([0.0, 1.0, source.random()]) * max(one.v for one in steps)
    ceiling = min(200.0, widest * source.choice([0.0, source.random() * len(steps), len(steps) + 1]))
    return steps, remainder, ceiling, source.choice([2, 3])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_value_is_below_the_one_in_high_precision(seed):
    source = random.Random(seed)
    with mp.workprec(160):
        for _ in range(CASES):
            steps, remainder, ceiling, resolution = random_case(source)
            table = _tabulate(steps, remainder, ceiling, resolution)
            knots = [mpf(float(knot)) for knot in table.knots]
            values = [gain(knot, mpf(remainder)) for knot in knots]
            for step in reversed(steps):
                values = one_round(knots, values, step)
            for knot, ours, true in zip(table.knots, table.values, values, strict=True):
                assert ours >= true, (steps, remainder, resolution, float(knot), float(true - ours))
