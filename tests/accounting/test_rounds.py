"""The certified recursion against an explicit adversary, which is a lower bound by construction."""

from math import exp, expm1, log

import numpy as np
import pytest

from dprules.accounting import cover, rounds
from dprules.accounting.rounds import finite_rounds


def gain(y):
    return np.maximum(0.0, 1 - np.asarray(y))


def choices(y, u, v):
    """A dense set of feasible (y', alpha, beta)."""
    a, c = expm1(v), -expm1(-u)
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


@pytest.mark.slow
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


def test_the_compiled_code_is_the_python_code():
    knots = np.concatenate(([0.0], np.exp(np.arange(-30, 31) * 0.02)))
    values = np.maximum(1 - knots, 0)
    compiled = rounds._one_round(knots, values, 0.1, 0.2)
    names = ("_one_round", "_gain", "_mixed", "_split", "_lower", "_raise", "_value", "_inside")
    originals = {name: getattr(rounds, name) for name in names}
    try:
        for name in names:
            setattr(rounds, name, originals[name].py_func)
        plain = rounds._one_round(knots, values, 0.1, 0.2)
    finally:
        for name in names:
            setattr(rounds, name, originals[name])
    np.testing.assert_allclose(plain, compiled, rtol=1e-13, atol=1e-300)


def test_convex_decreasing_and_above_the_gain():
    steps = ((0.1, 0.2),) * 5
    finite_rounds(steps, 1.0)
    knots, values = rounds._table(steps, 1.0)
    assert np.all(np.diff(values) <= 0)
    assert np.all(values >= gain(knots))
    slopes = np.diff(values) / np.diff(knots)
    assert np.all(np.diff(slopes) >= -1e-9)
    assert log(knots[-1]) >= 1.0
