"""E4 of the theory note: mistakes and margins, by reference implementations that are nothing but the statements."""

from math import log

import numpy as np
import pytest

from dprules.jobs import plan_stream
from dprules.mechanisms import AboveThreshold, SeededBits, draw


def stream_with_margin(random, coordinates, margin, rounds):
    """Examples with y <v, x> >= margin for one non-negative v of L1 norm 1."""
    v = random.dirichlet(np.full(coordinates, 0.3))
    X = random.choice([-1, 1], (40 * rounds, coordinates))
    products = X @ v
    kept = np.flatnonzero(np.abs(products) >= margin)[:rounds]
    return X[kept], np.sign(products[kept]).astype(int)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("c", [0.0, 0.3, 0.45])
def test_confident_winnow_updates_within_the_papers_lemma(seed, c):
    """Whatever the adversary's bits, updates are at most ln d / ((1 - c) eta rho - eta^2 / 2)."""
    random = np.random.default_rng(seed)
    d, rho, eta = 12, 0.3, 0.2
    X, y = stream_with_margin(random, d, rho, 400)
    w = np.full(d, 1 / d)
    updates = 0
    for x, label in zip(X, y, strict=True):
        inner = w @ x
        unconfident = -c * rho < inner < c * rho and random.random() < 0.7
        if np.sign(inner) != label or unconfident:
            w = w * np.exp(eta * label * x)
            w /= w.sum()
            updates += 1
    assert updates <= log(d) / ((1 - c) * eta * rho - eta**2 / 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_batched_winnow_stays_within_its_mistake_bound(seed):
    """Theory B4 at parameters of the planner: the plain loop, with the mechanisms that run."""
    random = np.random.default_rng(seed)
    bits = SeededBits(seed)
    plan = plan_stream(features=3, margin=0.6, horizon=6000, epsilon=40.0, delta=1e-3)
    batched = plan.batched
    d = plan.coordinates
    assert plan.mistakes < plan.horizon / 2
    X, y = stream_with_margin(random, d, 0.6, plan.horizon)
    hypothesis = np.ones(d)
    scores = np.zeros(d, dtype=np.int64)
    cache = []
    mistakes = releases = 0
    above = AboveThreshold(batched.threshold, batched.above, batched.above)
    watch = above.start(bits)
    for x, label in zip(X, y, strict=True):
        if label * (hypothesis @ x) <= 0:
            mistakes += 1
            cache.append(label * x)
        if releases < batched.releases and watch.test(len(cache)):
            scores += np.sum(cache, axis=0, dtype=np.int64) if cache else 0
            hypothesis = np.bincount(draw(scores, batched.rate, batched.draws, bits=bits), minlength=d).astype(float)
            releases += 1
            cache = []
            watch = above.start(bits)
    assert mistakes <= plan.mistakes
