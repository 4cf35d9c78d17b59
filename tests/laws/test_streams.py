"""E2 of the theory note, on random short streams: likelihood ratios, Renyi divergences, and the price of the tests."""

from fractions import Fraction
from math import exp
from random import Random

import pytest

from dprules.accounting import BatchedStream, Neighbours, StreamDraws, ThresholdTilts
from dprules.audit import (
    BatchedLaw,
    StreamPairs,
    ThresholdLaw,
    both_ways,
    exact_stream_law,
    largest_loss,
    renyi,
)


def laws(pairs, seed, e1, e2, eta, releases=2, every=1, limit=2):
    learner = BatchedLaw(pairs.dimension, exp(eta), draws=1, releases=releases, limit=limit)
    tests = ThresholdLaw(exp(-e1), exp(-e2), every)
    return [exact_stream_law(stream, learner, tests) for stream in pairs.start(Random(seed))]


@pytest.mark.parametrize("neighbours", [Neighbours.REPLACE, Neighbours.ZERO_OUT])
@pytest.mark.parametrize("seed", range(12))
def test_ratios_and_renyi_stay_within_the_price(neighbours, seed):
    e1, e2, eta = 0.7, 0.3, 0.4
    p, q = laws(StreamPairs(neighbours, 3, 4), seed, e1, e2, eta, every=1 + seed % 2)
    curve = BatchedStream(StreamDraws.of(1, 2, eta), ThresholdTilts.of((e1, e2))).curve(neighbours)
    assert both_ways(largest_loss, p, q) <= curve.pure * (1 + Fraction(1, 10**9))
    for order in (1.1, 2.0, 5.0, 30.0):
        assert both_ways(renyi, p, q, order) <= order * curve.rho * (1 + 1e-9)


@pytest.mark.parametrize(("e1", "e2"), [(0.5, 0.2), (0.2, 0.5), (0.4, 0.4)])
def test_without_draws_the_tests_cost_the_larger_tilt_whatever_the_number_of_releases(e1, e2):
    """With eta -> 0 only AboveThreshold is left: its loss reaches max(e1, e2), over several segments never more."""
    reached = 0.0
    for seed in range(60):
        p, q = laws(StreamPairs(Neighbours.ZERO_OUT, 2, 5), seed, e1, e2, 1e-12, releases=3, limit=3)
        loss = both_ways(largest_loss, p, q)
        assert loss <= max(e1, e2) + 1e-9
        reached = max(reached, loss)
    assert reached > 0.9 * max(e1, e2)


def test_exact_rationals_agree_with_floats():
    stream = StreamPairs(Neighbours.REPLACE, 2, 3).start(Random(5))[0]
    half = Fraction(1, 2)
    exact = exact_stream_law(stream, BatchedLaw(2, Fraction(3, 2), 1, 1, 1), ThresholdLaw(half, half))
    floats = exact_stream_law(stream, BatchedLaw(2, 1.5, 1, 1, 1), ThresholdLaw(0.5, 0.5))
    assert sum(exact.values()) == 1
    assert all(float(p) == pytest.approx(floats[key], abs=1e-12) for key, p in exact.items())
