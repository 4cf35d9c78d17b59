"""A list, then noise: against an explicit adversary, exact laws of lists, and what either costs alone."""

from fractions import Fraction
from itertools import pairwise
from math import erfc, exp, expm1, inf, log, sqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.test_rounds import choices, reading
from dprules.accounting import (
    Cover,
    Gaussian,
    ListThenGaussian,
    Neighbours,
    compose,
    cover,
    gaussian,
    list_then_gaussian,
)
from dprules.accounting.curve import gaussian_delta
from dprules.accounting.list_then_gaussian import _best_move, _table
from dprules.audit import Example, exact_list_law, tilted
from dprules.errors import ModelError, ParameterError, PrivacyError

ADD = Neighbours.ADD_REMOVE
upper_tail = np.vectorize(lambda x: erfc(x / sqrt(2)) / 2)


def worth(y, mu):
    """H: the hockey stick of N(mu, 1) and N(0, 1) at the ratio y."""
    y = np.asarray(y)
    at = np.log(y) / mu
    return upper_tail(at - mu / 2) - y * upper_tail(at + mu / 2)


def best_choice(y, u, v, mu, go_on):
    best = None
    for moved, alpha, beta in choices(y, u, v):
        value = alpha * worth(moved * exp(-u), mu) + beta * worth(moved * exp(v), mu)
        value = value + (1 - alpha - beta) * go_on(moved)
        k = int(np.argmax(value))
        if best is None or value[k] > best[0]:
            best = float(value[k]), float(moved[k]), float(alpha[k]), float(beta[k])
    return best


def adversary(u, v, rounds, mu, epsilon, size=250):
    """Plan on a coarse grid, then play the plan and add up what it gains: feasible, so a lower bound of the truth."""
    widest = max(u, v)
    grid = np.linspace(-8 * widest, max(epsilon, widest) + 2 * widest, size)
    tables = [worth(np.exp(grid), mu)]
    for _ in range(rounds - 1):
        go_on = reading(grid, tables[-1])
        tables.append(np.array([best_choice(y, u, v, mu, go_on)[0] for y in np.exp(grid)]))
    y, mass, total = exp(epsilon), 1.0, 0.0
    for table in reversed(tables):
        _, moved, alpha, beta = best_choice(y, u, v, mu, reading(grid, table))
        alpha, beta = max(0.0, alpha), max(0.0, beta)
        assert alpha + beta <= 1 + 1e-9
        assert moved * (1 + alpha * expm1(-u) + beta * expm1(v)) == pytest.approx(y, rel=1e-9)
        total += mass * float(alpha * worth(moved * exp(-u), mu) + beta * worth(moved * exp(v), mu))
        mass *= max(0.0, 1 - alpha - beta)
        y = moved
    return total + mass * float(worth(y, mu))


CASES = [
    pytest.param(0.5, 0, 4, 0.3, marks=pytest.mark.slow),
    (0.5, 1, 3, 0.3),
    (0.4, Fraction(1, 3), 3, 0.8),
    pytest.param(0.2, 1, 4, 0.05, marks=pytest.mark.slow),
    (0.1, 0, 3, 1.0),
]


@pytest.mark.parametrize(("tilt", "reward", "rounds", "mu"), CASES)
@pytest.mark.parametrize(
    "epsilon", [pytest.param(0.0, marks=pytest.mark.slow), 0.3, pytest.param(0.9, marks=pytest.mark.slow)]
)
def test_close_above_the_adversary(tilt, reward, rounds, mu, epsilon):
    price = list_then_gaussian.curve(Fraction(tilt), Fraction(reward), rounds, Fraction(mu))
    raised = float(reward) * tilt
    for bound, (u, v) in ((price.forward, (raised, tilt)), (price.backward, (tilt, raised))):
        lower = adversary(u, v, rounds, mu, epsilon)
        assert lower <= bound(epsilon) * (1 + 1e-12)
        assert bound(epsilon) <= lower * 1.02 + 1e-7


@pytest.mark.slow
def test_half_of_the_noise_costs_a_tenth_of_the_tilt():
    """The figure of theory G1, and an adversary who gets more than delta at 1% more tilt."""
    mu = gaussian.mu(1, 1e-6) / 2
    tilt = list_then_gaussian.tilt(1, 1e-6, mu, rounds=10)
    assert tilt / cover.tilt(1, 1e-6, rounds=10) == pytest.approx(0.91, abs=0.005)
    assert list_then_gaussian.curve(Fraction(tilt), Fraction(0), 10, Fraction(mu)).delta(1.0) <= 1e-6
    assert adversary(0.0, 1.01 * tilt, 10, mu, 1.0) > 1e-6


def with_noise(p, q, mu, epsilon):
    return sum(mass * float(worth(exp(epsilon) * q[outcome] / mass, mu)) for outcome, mass in p.items())


SAMPLES = [
    ([Example((True, False), 0), Example((True, True), 1)], Example((True, True), 0)),
    ([Example((False, True), 0)] * 3, Example((True, True), 1)),
    ([Example((True, False), 0), Example((False, True), 1)], Example((True, False), 1)),
]


@pytest.mark.parametrize(("sample", "record"), SAMPLES)
@pytest.mark.parametrize("reward", [0, 1])
@pytest.mark.parametrize("mu", [0.2, 1.0])
def test_exact_laws_of_lists_with_noise_stay_below(sample, record, reward, mu):
    tilt = 0.6
    p, q = (exact_list_law(rows, tilted(tilt), 2, rewards=(reward,)) for rows in ([*sample, record], sample))
    price = ListThenGaussian(Cover(tilt, (Fraction(reward),), 3), Gaussian(mu)).curve(ADD)
    for epsilon in (0.0, 0.2, 0.7, 1.5):
        assert with_noise(p, q, mu, epsilon) <= price.forward(epsilon)
        assert with_noise(q, p, mu, epsilon) <= price.backward(epsilon)


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(st.floats(0.05, 1.0), st.sampled_from([0, 0.25, 1]), st.integers(1, 4), st.floats(0.02, 2), st.floats(0, 2))
def test_between_either_alone_and_the_product_of_pairs(tilt, reward, rounds, mu, epsilon):
    a_list, noise = Cover(tilt, (Fraction(reward),), rounds), Gaussian(mu)
    price = ListThenGaussian(a_list, noise).curve(ADD)
    product = compose.curve([a_list, noise])
    for way in (lambda each: each.forward(epsilon), lambda each: each.backward(epsilon)):
        assert way(price) >= max(way(a_list.curve(ADD)) * 0.98, way(noise.curve(ADD)))
        assert way(price) <= way(product) * 1.01 + 1e-12


def test_noise_before_the_list_costs_more_than_noise_after_it():
    """Why the order is a part of the event: what is drawn after the noise may adapt to it."""
    a_list, noise = Cover(0.3, (Fraction(1),), 1), Gaussian(0.25)
    after = ListThenGaussian(a_list, noise).curve(ADD).delta(0.6)

    def one_draw(y):
        if abs(log(y)) >= 0.6:
            return max(0.0, 1 - y)
        return (exp(0.15) - sqrt(y) * exp(-0.15)) ** 2 / (exp(0.3) - exp(-0.3))

    grid = np.linspace(-8, 8, 8001)
    density = np.exp(-((grid - 0.25) ** 2) / 2)
    ratios = np.exp(0.6 - 0.25 * grid + 0.25**2 / 2)
    before = float(np.sum(density * [one_draw(y) for y in ratios]) / np.sum(density))
    assert before > 1.05 * after


def test_almost_no_noise_costs_what_the_list_costs():
    for rounds, reward in ((1, 1), (5, 0), (5, 1)):
        tilt = cover.tilt(1.0, 1e-6, reward=reward, rounds=rounds)
        price = list_then_gaussian.curve(Fraction(tilt), Fraction(reward), rounds, Fraction(1, 10**9))
        assert 1e-6 * 0.995 <= price.delta(1.0) <= 1e-6 * 1.005


def test_almost_no_list_costs_what_the_noise_costs():
    price = list_then_gaussian.curve(Fraction(1, 10**9), Fraction(1), 5, Fraction(1, 4))
    assert price.delta(1.0) == pytest.approx(gaussian.delta(0.25, 1.0), rel=1e-6)
    assert price.delta(1.0) >= gaussian.delta(0.25, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("mu", [1e-100, 1e-9, 1.0, 30.0, 1e99])
@pytest.mark.parametrize("tilt", [1e-100, 1e-6, 0.1, 20])
@pytest.mark.parametrize("reward", [0, 1e-50, 1])
def test_extremes_are_bounds_of_probability_that_fall(mu, tilt, reward):
    price = ListThenGaussian(Cover(tilt, (Fraction(reward),), 3), Gaussian(mu)).curve(ADD)
    alone = Gaussian(mu).curve(ADD)
    for bound in (price.forward, price.backward):
        deltas = [bound(epsilon) for epsilon in (0.0, 1e-9, 0.3, 2.0, 60.0, 250.0, 1e6)]
        assert all(0 <= late <= early * (1 + 1e-9) <= 1 + 1e-9 for early, late in pairwise(deltas))
        assert all(each >= alone.delta(epsilon) for each, epsilon in zip(deltas, (0.0, 1e-9, 0.3), strict=False))


def test_more_rounds_tilt_reward_and_noise_cost_no_less():
    def cost(tilt=0.2, reward=0.5, rounds=4, mu=0.2):
        return list_then_gaussian.curve(Fraction(tilt), Fraction(reward), rounds, Fraction(mu)).delta(0.8)

    assert cost() < min(cost(tilt=0.21), cost(reward=0.6), cost(rounds=5), cost(mu=0.21))


def exactly(go, stop, y, step, spacing, points=40):
    """The best value of a move from knot y, chord by chord, at many points in 60 digits."""
    best = -mpmath.inf
    k = mpmath.exp(mpmath.mpf(step) * spacing)
    cells = range(y - step, y) if step > 0 else range(y, y - step)
    for cell in cells:
        for part in range(points + 1):
            left, right = mpmath.exp(mpmath.mpf(spacing) * cell), mpmath.exp(mpmath.mpf(spacing) * (cell + 1))
            at = left + (right - left) * part / points
            share = mpmath.mpf(part) / points
            goes = (1 - share) * go[cell] + share * go[cell + 1]
            stops = (1 - share) * stop[cell + step] + share * stop[cell + step + 1]
            stopping = (mpmath.exp(mpmath.mpf(spacing) * y) / at - 1) / (k - 1)
            best = max(best, (1 - stopping) * goes + stopping * stops)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("step", [3, -3])
@pytest.mark.parametrize(("spacing", "mu"), [(0.1, 0.3), (0.02, 0.01), (0.5, 0.05), (1e-6, 1e-3), (0.15, 1.0)])
def test_moves_are_never_below_their_chords_in_high_precision(spacing, mu, step):
    """Also where the noise falls by orders of magnitude within one cell."""
    square = Fraction(mu) ** 2
    stop = np.array([gaussian_delta(square, j * spacing) for j in range(-12, 13)])
    go = np.minimum(1, 1.5 * stop + 0.01 * stop[0])
    inner = slice(6, 19)
    found = _best_move(go, stop, inner, step, spacing)
    with mpmath.workdps(60):
        truths = [exactly(go, stop, y, step, spacing) for y in range(6, 19)]
    assert all(ours >= truth for ours, truth in zip(found, truths, strict=True))
    reached = go[slice(3, 16) if step > 0 else inner] + stop[inner if step > 0 else slice(3, 16)]
    assert np.all(found <= np.array(truths, dtype=float) + reached / 4)


@pytest.mark.parametrize("step", [5, -5])
@pytest.mark.parametrize("spacing", [0.16, 0.01, 1e-5])
def test_the_slack_of_a_move_covers_its_rounding(spacing, step):
    """On a line every move is worth the same: only rounding errors are left, and without slack some are seen."""
    knots = np.exp(np.arange(-30, 31) * spacing)
    line = 1 - knots / knots[-1] / 3
    inner = slice(10, 51)
    found = _best_move(line, line, inner, step, spacing)
    with mpmath.workdps(60):
        truths = [exactly(line, line, y, step, spacing, points=1) for y in range(10, 51)]
    assert all(truth <= ours <= truth * (1 + 2.0**-40) for ours, truth in zip(found, truths, strict=True))


def test_the_table_is_convex_and_falls_and_lies_above_the_noise():
    spacing, square = 0.4 / 128, Fraction(1, 25)
    table = _table(spacing, 64, 128, 4, square, 1.0)
    y = np.exp((table.lowest + np.arange(len(table.values))) * spacing)
    slopes = np.diff(table.values) / np.diff(y)
    inside = slice(-table.lowest - 128, -130)  # away from where values beyond the table are read too high
    assert np.all(slopes[inside] <= 0)
    assert np.all(np.diff(slopes[inside]) >= -1e-4)
    noise = [gaussian_delta(square, (table.lowest + i) * spacing) for i in range(len(y))]
    assert np.all(table.values >= noise)


@pytest.mark.slow
def test_it_is_composed_with_others_like_any_event():
    event = ListThenGaussian(Cover(0.1, rounds=5), Gaussian(0.1))
    apart = compose.epsilon([event.cover, event.gaussian, Cover(0.02, rounds=2)], 1e-6)
    together = compose.epsilon([event, Cover(0.02, rounds=2)], 1e-6)
    assert event.curve(ADD).epsilon(1e-6) < together < apart


def test_what_is_not_priced_is_refused():
    for a_list in (Cover(0.1), Cover(0.1, rounds=257), Cover(21, rounds=2)):
        with pytest.raises(ParameterError, match="at most 256 rounds"):
            ListThenGaussian(a_list, Gaussian(1))
    document = ListThenGaussian(Cover(0.1, rounds=5), Gaussian(1)).document()
    document["cover"]["rounds"] = 300
    with pytest.raises(ModelError, match="cannot be priced"):
        ListThenGaussian.from_document(document)
    with pytest.raises(PrivacyError, match="leaves nothing"):
        list_then_gaussian.tilt(1, 1e-6, 0.5, rounds=5)
    with pytest.raises(ParameterError, match="at most 256 rounds"):
        list_then_gaussian.tilt(1, 1e-6, 0.1, rounds=300)
    assert ListThenGaussian(Cover(0.1, rounds=5), Gaussian(1)).curve(ADD).pure == inf
