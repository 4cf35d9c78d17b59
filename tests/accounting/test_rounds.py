"""The certified recursion against an explicit adversary, which is a lower bound by construction."""

from itertools import pairwise
from math import exp, expm1, sqrt

import numpy as np
import pytest

from dprules.accounting import cover
from dprules.accounting.rounds import finite_rounds


def gain(y):
    return np.maximum(0.0, 1 - np.asarray(y))


def choices(y, u, v):
    """A dense set of feasible (y', alpha, beta)."""
    a = expm1(v)
    c = -expm1(-u)
    down = y * np.exp(-v * np.linspace(0, 1, 60))
    up = y * np.exp(u * np.linspace(0, 1, 60))
    both = y * np.exp(np.linspace(-v, u, 120))
    yield down, np.zeros(60), (y / down - 1) / a if a else np.zeros(60)
    yield up, (1 - y / up) / c if c else np.zeros(60), np.zeros(60)
    if u + v:
        beta = (y / both - exp(-u)) / (exp(v) - exp(-u))
        yield both, 1 - beta, beta


def best_choice(y, u, v, go_on):
    best = None
    for moved, alpha, beta in choices(y, u, v):
        value = alpha * gain(moved * exp(-u)) + beta * gain(moved * exp(v)) + (1 - alpha - beta) * go_on(moved)
        k = int(np.argmax(value))
        if best is None or value[k] > best[0]:
            best = float(value[k]), float(moved[k]), float(alpha[k]), float(beta[k])
    return best


def reading(grid, table):
    return lambda y: np.interp(np.log(y), grid, table)


def adversary(steps, epsilon):
    """Plan on a coarse grid, then play the plan from the start and add up exactly what it gains.

    Whatever the plan, its play is feasible, so the sum is a lower bound of the true value.
    """
    widest = max(max(step) for step in steps)
    grid = np.linspace(-14 * widest, max(epsilon, widest) + widest, 900)
    tables = [gain(np.exp(grid))]
    for u, v in reversed(steps[1:]):
        tables.append(np.array([best_choice(y, u, v, reading(grid, tables[-1]))[0] for y in np.exp(grid)]))
    y, mass, total = exp(epsilon), 1.0, 0.0
    for (u, v), table in zip(steps, reversed(tables), strict=True):
        _, moved, alpha, beta = best_choice(y, u, v, reading(grid, table))
        alpha, beta = max(0.0, alpha), max(0.0, beta)
        assert alpha + beta <= 1 + 1e-9
        assert moved * (1 + alpha * expm1(-u) + beta * expm1(v)) == pytest.approx(y, rel=1e-9)
        total += mass * float(alpha * gain(moved * exp(-u)) + beta * gain(moved * exp(v)))
        mass *= max(0.0, 1 - alpha - beta)
        y = moved
    return total + mass * float(gain(y))


CASES = [(5, 0.0), (10, 0.0), (3, 1.0), (5, 1.0), (8, 0.5)]


@pytest.mark.parametrize(("length", "reward"), CASES)
def test_never_below_the_truth_and_within_two_percent_in_tilt(length, reward):
    tilt = cover.tilt(1.0, 1e-6, reward=reward, rounds=length)

    def lower(t):
        add = ((reward * t, t),) * length
        remove = ((t, reward * t),) * length
        return max(adversary(add, 1.0), adversary(remove, 1.0) if reward == 1.0 else 0.0)

    assert lower(tilt) <= cover.delta(tilt, 1.0, reward=reward, rounds=length)
    assert lower(1.02 * tilt) > 1e-6


@pytest.mark.parametrize(
    "steps", [((0.0, 0.5),) * 4, ((0.5, 0.5),) * 3, ((0.2, 0.4), (0.4, 0.4), (0.1, 0.4)), ((0.4, 0.0),) * 3]
)
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.6, 1.1])
def test_close_above_the_adversary(steps, epsilon):
    lower, upper = adversary(steps, epsilon), finite_rounds(steps, epsilon)
    assert lower <= upper * (1 + 1e-12)
    assert upper <= lower * 1.01 + 2e-5


@pytest.mark.parametrize(
    ("tilt", "epsilon", "reward", "rounds", "truth"),
    [
        (90, 449.1, 0, 5, 7.3e-06),
        (200, 598, 0, 3, 0.024),
        (10, 29.85, 1e-200, 3, 1.8e-06),
        (10, 29.85, 0, 3, 1.8e-06),
    ],
)
def test_extremes_are_never_below_explicit_adversaries(tilt, epsilon, reward, rounds, truth):
    """Values of adversaries that an early version of the recursion fell below."""
    assert cover.delta(tilt, epsilon, reward=reward, rounds=rounds) >= truth


def test_a_vanishing_reward_costs_about_what_none_costs():
    none = cover.delta(0.3, 1.0, rounds=5)
    assert none <= cover.delta(0.3, 1.0, reward=1e-14, rounds=5) <= none * 1.01


def best_on_chord(y, k, low, high, left, right):
    """The best of going on at y' in [low, high] or stopping at k y', where W and the gain are lines on a chord."""
    if high <= low:
        return 0.0
    (x0, go0, stop0), (x1, go1, stop1) = left, right

    def value(at):
        share = (at - x0) / (x1 - x0)
        stopping = (y / at - 1) / (k - 1)
        return (1 - stopping) * (go0 + share * (go1 - go0)) + stopping * (stop0 + share * (stop1 - stop0))

    go_slope = (go1 - go0) / (x1 - x0)
    stop_slope = (stop1 - stop0) / (x1 - x0)
    a = (k * go_slope - stop_slope) / (k - 1)
    c = (stop0 - stop_slope * x0 - go0 + go_slope * x0) * y / (k - 1)
    tries = [low, high]
    if a < 0 and c < 0 and low < sqrt(c / a) < high:
        tries.append(sqrt(c / a))
    return max(map(value, tries))


def one_round(knots, before, u, v):
    """One round of the recursion as the proof note states it, with nothing done at once."""
    after = [before[0]]
    for y, w in zip(knots[1:], before[1:], strict=True):
        best = w
        if u + v > 0:  # all mass on candidates that cover
            middle = min(max(sqrt(y * exp(u - v)), y * exp(-v)), y * exp(u))
            beta = (y / middle - exp(-u)) / (exp(v) - exp(-u))
            best = max(best, beta * max(0, 1 - middle * exp(v)) + (1 - beta) * max(0, 1 - middle * exp(-u)))
        for k, floor, ceiling in ((exp(v), y * exp(-v), y), (exp(-u), y, min(y, 1) * exp(u))):
            if k == 1:
                continue
            points = [(x, value, max(0, 1 - k * x)) for x, value in zip(knots, before, strict=True)]
            for left, right in pairwise(points):
                best = max(best, best_on_chord(y, k, max(left[0], floor), min(right[0], ceiling), left, right))
        after.append(best)
    return after


def twin(steps, epsilon, resolution):
    """The whole recursion, slowly: a table of upper bounds at knots, read by the chord around e^epsilon."""
    widest = max(max(step) for step in steps)
    spacing = widest / resolution
    lowest = -int(2 * (max(u for u, _ in steps) + max(v for _, v in steps)) / spacing)
    highest = int(max(epsilon, widest) / spacing) + 2
    knots = [0.0, *(exp(k * spacing) for k in range(lowest, highest + 1))]
    values = [max(0.0, 1 - y) for y in knots]
    for u, v in reversed(steps):
        values = one_round(knots, values, u, v)
    return float(np.interp(exp(epsilon), knots, values))


@pytest.mark.parametrize(
    "steps",
    [
        ((0.0, 0.5),) * 3,
        ((0.5, 0.0),) * 2,
        ((0.3, 0.3),) * 3,
        ((0.2, 0.4), (0.4, 0.4), (0.1, 0.2)),
        ((0.01, 0.4), (0.4, 0.01)),
        ((3.0, 2.0),) * 2,
    ],
    ids=str,
)
@pytest.mark.parametrize("epsilon", [0.0, 0.15, 0.5])
def test_all_at_once_is_what_one_by_one_gives(steps, epsilon):
    """The arrays against the twin, whose windows are the whole table; inflation allows 1e-12 a round."""
    slow = twin(steps, epsilon, 8)
    fast = finite_rounds(steps, epsilon, 8)
    assert slow * (1 - 1e-13) <= fast <= slow * (1 + 1e-10)


def test_more_knots_come_closer_from_above():
    steps = ((0.3, 0.3),) * 3
    values = [finite_rounds(steps, 0.6, knots) for knots in (4, 8, 16, 64, 256)]
    assert values == sorted(values, reverse=True)
    assert values[-1] <= values[-2] <= values[-1] * 1.005


@pytest.mark.parametrize("steps", [((0.1, 0.2),) * 5, ((0.3, 0.1),) * 3])
def test_convex_decreasing_and_above_the_gain(steps):
    """As a function of y = e^epsilon, which starts at W_T(1)."""
    epsilons = np.linspace(0, 0.9, 60)
    values = np.array([finite_rounds(steps, float(epsilon)) for epsilon in epsilons])
    assert np.all(np.diff(values) <= 0)
    assert np.all(values >= gain(np.exp(epsilons)))
    assert np.all(values <= 1)
    slopes = np.diff(values) / np.diff(np.exp(epsilons))
    assert np.all(np.diff(slopes) >= -1e-9)


def test_what_is_asked_first_does_not_matter():
    """Tables are kept and made anew when a larger epsilon is asked for; the numbers stay."""
    steps = ((0.17, 0.23),) * 4
    low = finite_rounds(steps, 0.1)
    high = finite_rounds(steps, 0.8)
    assert (finite_rounds(steps, 0.1), finite_rounds(steps, 0.8)) == (low, high)


def test_beyond_the_largest_loss_nothing_is_left():
    steps = ((0.25, 0.5), (0.125, 0.25))
    assert finite_rounds(steps, 1.0) == 0.0
    assert finite_rounds(steps, 0.7) > 0.0
