"""The certified recursion against an explicit adversary, which is a lower bound by construction."""

from itertools import pairwise
from math import exp, expm1

import numpy as np
import pytest

from dprules.accounting import cover
from dprules.accounting.rounds import Step, finite_rounds


def gain(y, h=0.0):
    """G_h: the hockey stick of the extreme h-DP release, randomised response, at the ratio y."""
    y = np.asarray(y)
    tells = 1 / (1 + exp(-h))
    return tells * np.maximum(0.0, 1 - y * exp(-h)) + (1 - tells) * np.maximum(0.0, 1 - y * exp(h))


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
    else:
        yield np.array([y]), np.ones(1), np.zeros(1)


def best_choice(y, step, go_on):
    u, v, h = step
    best = None
    for moved, alpha, beta in choices(y, u, v):
        stops = alpha * gain(moved * exp(-u), h) + beta * gain(moved * exp(v), h)
        value = stops + (1 - alpha - beta) * go_on(moved)
        k = int(np.argmax(value))
        if best is None or value[k] > best[0]:
            best = float(value[k]), float(moved[k]), float(alpha[k]), float(beta[k])
    return best


def reading(grid, table):
    return lambda y: np.interp(np.log(y), grid, table)


def adversary(steps, epsilon, remainder=0.0, size=900):
    """Plan on a coarse grid, then play the plan from the start and add up exactly what it gains.

    Whatever the plan, its play is feasible, so the sum is a lower bound of the true value.
    """
    widest = max(remainder, *(max(step) for step in steps))
    grid = np.linspace(-14 * widest, max(epsilon, widest) + widest, size)
    tables = [gain(np.exp(grid), remainder)]
    for step in reversed(steps[1:]):
        tables.append(np.array([best_choice(y, step, reading(grid, tables[-1]))[0] for y in np.exp(grid)]))
    y, mass, total = exp(epsilon), 1.0, 0.0
    for step, table in zip(steps, reversed(tables), strict=True):
        u, v, h = step
        _, moved, alpha, beta = best_choice(y, step, reading(grid, table))
        alpha, beta = max(0.0, alpha), max(0.0, beta)
        assert alpha + beta <= 1 + 1e-9
        assert moved * (1 + alpha * expm1(-u) + beta * expm1(v)) == pytest.approx(y, rel=1e-9)
        total += mass * float(alpha * gain(moved * exp(-u), h) + beta * gain(moved * exp(v), h))
        mass *= max(0.0, 1 - alpha - beta)
        y = moved
    return total + mass * float(gain(y, remainder))


CASES = [(5, 0.0), (10, 0.0), (3, 1.0), (5, 1.0), (8, 0.5)]


@pytest.mark.parametrize(("length", "reward"), CASES)
def test_never_below_the_truth_and_within_two_percent_in_tilt(length, reward):
    tilt = cover.tilt(1.0, 1e-6, reward=reward, rounds=length)

    def lower(t):
        add = (Step(reward * t, t),) * length
        remove = (Step(t, reward * t),) * length
        return max(adversary(add, 1.0), adversary(remove, 1.0) if reward == 1.0 else 0.0)

    assert lower(tilt) <= cover.delta(tilt, 1.0, reward=reward, rounds=length)
    assert lower(1.02 * tilt) > 1e-6


def plain(tilt, rounds):
    """Draws alone, at reward 1."""
    return (Step(tilt, tilt),) * rounds


def counted(tilt, rounds, last_rule=0.75, cell=0.5, last_cell=0.25):
    """Draws with releases of what they cover, as parts of the tilt."""
    rule = Step(tilt, tilt, cell * tilt)
    return (rule,) * (rounds - 1) + (Step(last_rule * tilt, last_rule * tilt, last_cell * tilt),)


STEPS = [
    (Step(0.0, 0.5),) * 4,
    (Step(0.5, 0.5),) * 3,
    (Step(0.2, 0.4), Step(0.4, 0.4), Step(0.1, 0.4)),
    (Step(0.4, 0.0),) * 3,
]
RELEASES = [
    (counted(0.5, 3), 0.5),
    (counted(0.4, 4, 0.9), 0.4),
    (counted(0.5, 3, cell=1.0), 0.0),
    ((Step(0.0, 0.5, 0.5),) * 3, 0.25),
    ((Step(0.5, 0.0), Step(0.0, 0.0), Step(0.3, 0.4, 0.1)), 0.4),
]


@pytest.mark.parametrize(("steps", "remainder"), [*((steps, 0.0) for steps in STEPS), *RELEASES], ids=str)
@pytest.mark.parametrize(
    "epsilon", [0.0, pytest.param(0.2, marks=pytest.mark.slow), 0.6, pytest.param(1.1, marks=pytest.mark.slow)]
)
def test_close_above_the_adversary(steps, remainder, epsilon):
    lower = adversary(steps, epsilon, remainder)
    upper = finite_rounds(steps, epsilon, remainder=remainder)
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


EXTREMES = [
    *(
        pytest.param(counted(tilt, rounds, *parts), tilt, id=f"{tilt}, {rounds} rounds, {parts}")
        for tilt in (1e-6, 5.0, 20.0)
        for rounds in (1, 3)
        for parts in ((0.75, 0.5, 0.25), (1.0, 1.0, 1.0))
    ),
    pytest.param((Step(0.0, 3.0, 3.0), Step(0.0, 3.0)), 3.0, id="errors only"),
    pytest.param((Step(4.0, 1.0, 1.0), Step(4.0, 0.01, 0.01)), 1.0, id="steeply raised"),
    pytest.param((Step(0.0, 0.0), Step(2**-19, 2.0, 1.0)), 2.0, id="one sharp round"),
]


@pytest.mark.parametrize(("steps", "remainder"), EXTREMES)
@pytest.mark.parametrize("part", [0.0, 0.5, 0.99, 0.9999])
def test_extremes_with_releases_are_never_below_the_adversary(steps, remainder, part):
    """Huge and tiny tilts, releases as sharp as the draws, epsilon from 0 to nearly the largest loss."""
    largest = sum(step.v for step in steps) + max(remainder, *(step.u + step.h for step in steps))
    lower = adversary(steps, part * largest, remainder, size=120)
    # The adversary is summed in doubles, each term with an absolute error of some 2^-52 of what it stops with.
    assert lower <= finite_rounds(steps, part * largest, remainder=remainder) * (1 + 1e-12) + 1e-18
    assert finite_rounds(steps, largest * (1 + 1e-12), remainder=remainder) == 0.0


def test_a_vanishing_reward_costs_about_what_none_costs():
    none = cover.delta(0.3, 1.0, rounds=5)
    assert none <= cover.delta(0.3, 1.0, reward=1e-14, rounds=5) <= none * 1.01


def best_on_chord(y, k, low, high, left, right):
    """The best of going on at y' in [low, high] or stopping at k y', where W and the gain are lines on a chord.

    Numbers may be of any precision.
    """
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
    if a < 0 and c < 0 and low < (c / a) ** 0.5 < high:
        tries.append((c / a) ** 0.5)
    return max(map(value, tries))


def best_split(y, step):
    """All mass on candidates that cover: every y' of a grid, then of finer ones around the best of it."""
    u, v, h = step
    if u + v == 0:
        return float(gain(y, h))

    def value(logs):
        middle = y * np.exp(logs)
        beta = (y / middle - exp(-u)) / (exp(v) - exp(-u))
        return beta * gain(middle * exp(v), h) + (1 - beta) * gain(middle * exp(-u), h)

    def look(low, high):
        """Return the best value on a grid, and the grid's cells beside it."""
        logs = np.linspace(low, high, 400)
        values = value(logs)
        top = int(np.argmax(values))
        return float(values[top]), float(logs[max(top - 1, 0)]), float(logs[min(top + 1, 399)])

    best, low, high = look(-v, u)
    for _ in range(3):
        finer, low, high = look(low, high)
        best = max(best, finer)
    return best


def one_round(knots, before, step):
    """One round of the recursion as the proof note states it, with nothing done at once."""
    u, v, h = step
    after = [before[0]]
    for y, w in zip(knots[1:], before[1:], strict=True):
        best = max(w, best_split(y, step))
        for k, floor, ceiling in ((exp(v), y * exp(-v), y), (exp(-u), y, min(y, exp(h)) * exp(u))):
            if k == 1:
                continue
            points = [(x, value, float(gain(k * x, h))) for x, value in zip(knots, before, strict=True)]
            for left, right in pairwise(points):
                if left[0] <= ceiling and right[0] >= floor:
                    best = max(best, best_on_chord(y, k, max(left[0], floor), min(right[0], ceiling), left, right))
        after.append(best)
    return after


def twin(steps, epsilon, resolution, remainder=0.0):
    """The whole recursion, slowly: a table of upper bounds at knots, read by the chord around e^epsilon."""
    spacing = max(remainder, *(max(step.u, step.v) for step in steps)) / resolution
    widths = max(step.u for step in steps) + max(step.v for step in steps)
    lowest = -int(2 * max(widths, remainder) / spacing)
    highest = int(max(epsilon, *(step.u + step.h for step in steps)) / spacing) + 2
    knots = [0.0, *(exp(k * spacing) for k in range(lowest, highest + 1))]
    values = [float(gain(y, remainder)) for y in knots]
    for step in reversed(steps):
        values = one_round(knots, values, step)
    return float(np.interp(exp(epsilon), knots, values))


@pytest.mark.parametrize(
    ("steps", "remainder"),
    [
        ((Step(0.0, 0.5),) * 3, 0.0),
        ((Step(0.5, 0.0),) * 2, 0.0),
        ((Step(0.3, 0.3),) * 3, 0.0),
        ((Step(0.2, 0.4), Step(0.4, 0.4), Step(0.1, 0.2)), 0.0),
        ((Step(0.01, 0.4), Step(0.4, 0.01)), 0.0),
        ((Step(3.0, 2.0),) * 2, 0.0),
        (counted(0.4, 3), 0.4),
        (counted(0.3, 2, 0.9), 0.3),
        (counted(0.3, 1), 0.3),
        ((Step(0.1, 0.1, 0.05),), 0.4),
        (counted(0.3, 3, 1.0, 1.0, 1.0), 0.0),
        ((Step(3.0, 2.0, 2.0), Step(1.0, 3.0, 0.5)), 3.0),
        ((Step(0.0, 0.4, 0.3), Step(0.0, 0.0), Step(0.3, 0.0)), 0.2),
    ],
    ids=str,
)
@pytest.mark.parametrize("epsilon", [0.0, 0.15, 0.5])
def test_all_at_once_is_what_one_by_one_gives(steps, remainder, epsilon):
    """The arrays against the twin, whose windows are the whole table; inflation allows 1e-12 a round."""
    slow = twin(steps, epsilon, 8, remainder)
    fast = finite_rounds(steps, epsilon, 8, remainder)
    assert slow * (1 - 1e-13) <= fast <= slow * (1 + 1e-10) + 1e-14


def test_releases_of_nothing_change_nothing():
    """h = 0 is the plain recursion, and more is never cheaper."""
    values = [finite_rounds(counted(0.4, 4, 1.0, h, h), 0.7, remainder=h * 0.4) for h in (0.0, 1e-6, 0.2, 0.5, 1.0)]
    assert values[0] == finite_rounds(plain(0.4, 4), 0.7)
    assert values == sorted(values)


def free_ratio(tilt, rounds, parts=(0.75, 0.5, 0.25), remainder=1.0):
    """The largest price of draws with releases over that of the draws alone."""
    steps = counted(tilt, rounds, *parts)
    ratios = []
    for part in (0.0, 0.1, 0.3, 0.5, 0.7, 0.85):
        epsilon = part * (rounds + 1) * tilt
        alone = finite_rounds(plain(tilt, rounds), epsilon)
        if alone > 1e-12:  # below, the absolute slack of a raising move would show
            ratios.append(finite_rounds(steps, epsilon, remainder=remainder * tilt) / alone)
    return max(ratios)


@pytest.mark.parametrize("tilt", [1e-6, 1e-3, 0.1, 0.3, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("rounds", [1, 2, 3, 8, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("parts", [(0.75, 0.5, 0.25), (0.5, 0.5, 0.5)], ids=str)
def test_counts_of_every_rule_are_free(tilt, rounds, parts):
    """Theory A6: cells t/2, the last draw and its cell t together, the remainder t."""
    assert free_ratio(tilt, rounds, parts) <= 1.001


def test_more_than_that_is_not_free():
    """What the theorem does not say, and a little more than it says, costs more."""
    assert free_ratio(0.001, 5, (0.75, 0.55, 0.25)) > 1.1
    assert free_ratio(0.001, 5, (0.75, 0.75, 0.25)) > 1.9
    assert free_ratio(1.0, 8, (1.0, 0.5, 0.5)) > 2
    assert free_ratio(1.0, 8, remainder=2) > 5
    assert free_ratio(1.0, 8, remainder=1.2) > 1.1


def test_more_knots_come_closer_from_above():
    for steps, remainder in ((plain(0.3, 3), 0.0), (counted(0.3, 3, 0.9), 0.3)):
        values = [finite_rounds(steps, 0.6, knots, remainder) for knots in (4, 8, 16, 64, 256)]
        assert values == sorted(values, reverse=True)
        assert values[-1] <= values[-2] <= values[-1] * 1.005


@pytest.mark.parametrize("steps", [(Step(0.1, 0.2),) * 5, (Step(0.3, 0.1),) * 3, counted(0.2, 4)])
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
    for steps, remainder in (((Step(0.17, 0.23),) * 4, 0.0), (counted(0.23, 4), 0.23)):
        low = finite_rounds(steps, 0.1, None, remainder)
        high = finite_rounds(steps, 0.8, None, remainder)
        assert (finite_rounds(steps, 0.1, None, remainder), finite_rounds(steps, 0.8, None, remainder)) == (low, high)


def test_beyond_the_largest_loss_nothing_is_left():
    steps = (Step(0.25, 0.5), Step(0.125, 0.25))
    assert finite_rounds(steps, 1.0) == 0.0
    assert finite_rounds(steps, 0.7) > 0.0
    released = (Step(0.25, 0.5, 0.125), Step(0.125, 0.25))
    assert finite_rounds(released, 1.0) > 0.0
    assert finite_rounds(released, 1.125) == 0.0
    assert finite_rounds(steps, 1.0, remainder=0.5) > 0.0
    assert finite_rounds(steps, 1.25, remainder=0.5) == 0.0
