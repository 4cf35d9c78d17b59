from fractions import Fraction
from math import exp, log, sqrt
from typing import Any, cast

import numpy as np
import pytest

from dprules.accounting import (
    BatchedStream,
    GuardedStream,
    Neighbours,
    SegmentStream,
    StreamDraws,
    ThresholdTilts,
    conversion,
    stream,
)
from dprules.errors import ParameterError, PrivacyError

M = 100
K = 50
ETA = 2e-3
ABOVE = (0.2, 0.3)


def converted(rho, delta):
    return min(e for e in np.linspace(0, 5, 5001) if conversion(Fraction(rho), float(e)) <= delta)


def test_the_formulas_of_b3():
    squares = M * K * ETA**2
    threshold = sum(ABOVE) ** 2 / 8
    joint = converted(threshold + squares / 2, 1e-6)
    apart = max(ABOVE) + converted(squares / 2, 1e-6)
    kwargs: dict[str, Any] = dict(draws=M, releases=K, rate=ETA, above=ABOVE)
    assert stream.epsilon(1e-6, neighbours="zero-out", **kwargs) == pytest.approx(min(joint, apart), abs=2e-3)
    content = converted(2 * squares, 1e-6)
    assert stream.epsilon(1e-6, **kwargs) == pytest.approx(max(min(joint, apart), content), abs=2e-3)
    first = min(converted(threshold + 2 * squares, 1e-6), max(ABOVE) + converted(2 * squares, 1e-6))
    assert stream.epsilon(1e-6, "paper", **kwargs) == pytest.approx(first, abs=2e-3)


def test_pure_prices():
    kwargs: dict[str, Any] = dict(draws=3, releases=4, rate=Fraction(1, 16), above=(Fraction(1, 4), Fraction(1, 8)))
    assert stream.epsilon(0, "batched", **kwargs) == max(0.25 + 2 * 0.75, 4 * 0.75)
    assert stream.epsilon(0, "batched", neighbours="zero-out", **kwargs) == 0.25 + 2 * 0.75
    assert stream.epsilon(0, "paper", **kwargs) == 0.25 + 4 * 0.75
    assert stream.epsilon(0, "segment", draws=4, rate=Fraction(1, 16), above=(Fraction(1, 2),) * 2) == 1.0


def test_the_papers_composition():
    kwargs: dict[str, Any] = dict(draws=M, releases=K, rate=ETA, above=ABOVE)
    found = stream.epsilon(1e-6, "paper", accounting="paper", **kwargs)
    spread = sqrt(2 * log(2e6))
    tests = 0.3 * spread * sqrt(K) + K * 0.3 * (exp(0.3) - 1)
    draws = 4 * ETA * spread * sqrt(M * K) + M * K * 4 * ETA * (exp(4 * ETA) - 1)
    assert found == pytest.approx(tests + draws)
    assert found > 3 * stream.epsilon(1e-6, "paper", **kwargs)


def test_releases_may_differ():
    equal = stream.event("batched", draws=5, releases=3, rate=0.01, above=ABOVE)
    listed = stream.event("batched", draws=[5, 5, 5], releases=3, rate=[0.01] * 3, above=ABOVE)
    mixed = stream.event("batched", draws=[5, 10, 1], releases=3, rate=0.01, above=ABOVE)
    assert equal == listed
    assert mixed.draws.total == 16 * Fraction(0.01)
    assert mixed.draws.squares == 16 * Fraction(0.01) ** 2
    different = stream.event("batched", draws=[5, 10], releases=2, rate=[0.5, 0.25], above=ABOVE)
    assert (different.draws.total, different.draws.squares) == (Fraction(5), Fraction(15, 8))


def test_rate_inverts_epsilon():
    rate = stream.rate(1.0, 1e-6, draws=M, releases=K, above=ABOVE)
    assert 0.999 < stream.epsilon(1e-6, draws=M, releases=K, above=ABOVE, rate=rate) <= 1.0
    assert stream.rate(1.0, 0, "segment", draws=5, above=(0.5, 0.5)) == pytest.approx(0.05, rel=1e-6)


def test_guarded_costs_the_dearer_learner():
    above = ThresholdTilts.of((0.5, 0.5))
    segment = SegmentStream(StreamDraws.of(1, 1, Fraction(1, 4)), above)
    batched = BatchedStream(StreamDraws.of(100, 10, 0.01), above)
    for relation in (Neighbours.REPLACE, Neighbours.ZERO_OUT):
        curve = GuardedStream(segment, batched).curve(relation)
        for epsilon in (0.5, 1.0, 2.0):
            dearer = max(segment.curve(relation).delta(epsilon), batched.curve(relation).delta(epsilon))
            assert curve.delta(epsilon) == dearer
    with pytest.raises(PrivacyError, match="Streams have rounds"):
        GuardedStream(segment, batched).curve(Neighbours.ADD_REMOVE)


def test_what_is_set_aside_for_the_tests_is_rounded_towards_more_privacy():
    """Epsilon minus the tests' epsilon is no double: the draws get the double below, and so the larger delta."""
    above = ThresholdTilts(Fraction(1, 10), Fraction(1, 10))
    event = BatchedStream(StreamDraws.of(100, 1, Fraction(1, 50)), above)
    rho = event.draws.squares / 2
    for epsilon in (0.7, 0.9, 1.1, 2.3):
        left = float(Fraction(epsilon) - above.pure)
        below = left if Fraction(left) <= Fraction(epsilon) - above.pure else np.nextafter(left, 0)
        apart = conversion(rho, float(below))
        joined = conversion(above.rho + rho, epsilon)
        assert event.curve(Neighbours.ZERO_OUT).delta(epsilon) == min(joined, apart)


@pytest.mark.parametrize(
    ("call", "kind", "starts"),
    [
        (lambda: stream.epsilon(1e-6, "fast", draws=1, rate=1, above=ABOVE), ParameterError, "algorithm must be"),
        (lambda: stream.epsilon(1e-6, draws=0, rate=1, above=ABOVE), ParameterError, "draws must be an integer"),
        (lambda: stream.epsilon(1e-6, draws=1, rate=-1, above=ABOVE), ParameterError, "rate must be positive"),
        (lambda: stream.epsilon(1e-6, draws=1, rate=1, above=cast(Any, 0.5)), ParameterError, "above must be a pair"),
        (lambda: stream.epsilon(2, draws=1, rate=1, above=ABOVE), ParameterError, "delta must lie"),
        (lambda: stream.epsilon(1e-6, "segment", draws=1, rate=1, above=ABOVE, releases=2), ParameterError, "releases"),
        (
            lambda: stream.epsilon(1e-6, draws=1, rate=1, above=ABOVE, accounting="paper"),
            ParameterError,
            "accounting='p",
        ),
        (lambda: stream.epsilon(1e-6, draws=1, rate=1, above=ABOVE, accounting="x"), ParameterError, "accounting must"),
        (lambda: stream.epsilon(1e-6, draws=[1], releases=2, rate=1, above=ABOVE), ParameterError, "draws and rate"),
        (lambda: stream.epsilon(1e-6, draws=1, rate=1, above=ABOVE, neighbours="add-remove"), PrivacyError, "Streams"),
    ],
)
def test_bad_parameters_get_a_sentence(call, kind, starts):
    with pytest.raises(kind, match="^" + starts):
        call()
