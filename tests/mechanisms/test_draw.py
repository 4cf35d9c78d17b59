import sys
from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Listed, assert_law
from dprules.errors import ParameterError
from dprules.mechanisms import SeededBits, draw
from dprules.mechanisms.draw import _Proposal
from dprules.mechanisms.exact import UNIT_53

draw_module = sys.modules["dprules.mechanisms.draw"]


def law(scores, tilt, prior=None):
    scores = [int(score) for score in scores]
    prior = [1] * len(scores) if prior is None else prior
    top = max(s for s, p in zip(scores, prior, strict=True) if p)
    exponents = [
        (log(p) if p else -inf) - float(max(min(Fraction(tilt) * (top - s), 10**5), 0))
        for s, p in zip(scores, prior, strict=True)
    ]
    weights = [exp(e - max(exponents)) for e in exponents]
    return {i: w / sum(weights) for i, w in enumerate(weights)}


CASES = {
    "ties": ([3, 3, 1, 3], 0.5, None),
    "spread": ([0, -1, -5, -40], Fraction(1, 3), None),
    "prior": ([0, -1, -2, -5, -1], 0.7, [1, 2, 0.5, 3, 0]),
    "prior beats score": ([0, -500], 1, [1e-110, 1e110]),
    "a left-out candidate on top": ([10**16, 0, 1], 1, [0, 1, 1]),
    "big-endian": (np.array([2**63, 2**63 - 2], dtype=">u8"), 0.5, None),
    "whole numbers as prior": ([1, 0, 2], 0.5, np.array([1, 2, 3], dtype=np.int64)),
    "fractions as prior": ([0, 0, 0], 1, [Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)]),
    "huge integers": ([10**400, 10**400 - 3, 0], 0.25, None),
    "the whole range of int64": ([2**63 - 1, -(2**63)], 1e-19, None),
    "beyond int64 on one side": ([2**63, 2**63 - 2, 1], 0.5, None),
    "beyond int64": ([2**64, 2**64 - 1], 1.0, None),
    "one candidate": ([-7], 3, None),
}


@pytest.mark.parametrize(("scores", "tilt", "prior"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("slack", [2.0**-38, 0.25], ids=["fast", "mostly undecided"])
def test_the_law(scores, tilt, prior, slack, bits, monkeypatch):
    monkeypatch.setattr(draw_module, "_SLACK", slack)
    monkeypatch.setattr(draw_module, "_FILL", 0.999 / (1 + slack))
    size = 40_000 if slack < 0.1 else 6_000
    assert_law(draw(scores, tilt, size, prior=prior, bits=bits).tolist(), law(scores, tilt, prior))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=12),
    st.one_of(st.floats(1e-12, 50), st.fractions(min_value=Fraction(1, 10**9), max_value=40)),
    st.integers(0, 2**32),
)
def test_the_fast_path_never_decides_wrongly(scores, tilt, seed):
    """Every proposal weight is an upper bound, and every sure acceptance is below the exact ratio: by enclosures."""
    prior = np.random.default_rng(seed).uniform(1e-9, 1e9, len(scores))
    for weights in (None, prior):
        proposal = _Proposal(scores, Fraction(tilt), weights)
        ceilings = np.diff(proposal._cumulative, prepend=0)
        assert proposal._cumulative[-1] <= 2**62
        sure = proposal._estimates * (1 - 2 * draw_module._SLACK) / ceilings
        with ctx.workprec(300):
            for i in range(len(scores)):
                ratio = proposal._ratio(i, int(ceilings[i]))
                assert ratio <= 1
                # A word is at least 2^-53, so the fast path accepts nothing below that: there doubles may be as coarse
                # as they are near underflow.
                assert ratio >= sure[i] or sure[i] <= UNIT_53


def test_a_weight_that_underflows_is_drawn_with_its_own_tiny_probability():
    """With weights 1 and e^-2000 the second is proposed by one of 2^62 spots, and then nearly always refused."""
    proposal = _Proposal([0, -2000], Fraction(1), None)
    assert int(proposal._cumulative[1] - proposal._cumulative[0]) == 1
    spot = int(proposal._cumulative[0]) << 2
    assert draw([0, -2000], 1, bits=Listed([spot, 2**63])).tolist() == [0]


def test_rejected_proposals_are_drawn_again():
    beyond = 2**64 - 1  # above the sum of the proposal weights
    assert draw([0, -1], 5, bits=Listed([beyond, 0, 0, 0])).tolist() == [0]


def test_sizes_and_dtypes(bits):
    assert draw([1, 2], 1, size=0).tolist() == []
    assert draw(np.array([1, 2], dtype=np.int8), 50, size=3).tolist() == [1, 1, 1]
    assert draw(np.array([1, 2], dtype=np.uint64), 50, size=3, bits=bits).tolist() == [1, 1, 1]
    assert draw(range(5), 1.0, 2).dtype == np.int64


@pytest.mark.slow
def test_ten_million_candidates(bits):
    scores = np.zeros(10**7, dtype=np.int64)
    scores[123] = 40
    drawn = draw(scores, 0.5, size=2000, bits=bits)
    share = exp(20) / (exp(20) + 10**7 - 1)
    assert abs((drawn == 123).mean() - share) < 6 * (share * (1 - share) / 2000) ** 0.5


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        (dict(scores=[], tilt=1), "scores must be a one-dimensional"),
        (dict(scores=[[1]], tilt=1), "scores must be a one-dimensional"),
        (dict(scores=[0.5], tilt=1), "scores must be integers"),
        (dict(scores=[True], tilt=1), "scores must be integers"),
        (dict(scores=[None], tilt=1), "scores must be integers"),
        (dict(scores=[1], tilt=0), "tilt must be positive; got 0"),
        (dict(scores=[1], tilt=float("nan")), "tilt must be finite"),
        (dict(scores=[1], tilt="2"), "tilt must be a number"),
        (dict(scores=[1], tilt=True), "tilt must be a number"),
        (dict(scores=[1], tilt=1, size=-1), "size must be an integer"),
        (dict(scores=[1], tilt=1, size=1.5), "size must be an integer"),
        (dict(scores=[1, 2], tilt=1, prior=[1]), "prior must hold one number"),
        (dict(scores=[1, 2], tilt=1, prior=[0, 0]), "prior must be non-negative"),
        (dict(scores=[1, 2], tilt=1, prior=[-1, 2]), "prior must be non-negative"),
        (dict(scores=[1, 2], tilt=1, prior=[1, float("inf")]), "prior must be finite"),
        (dict(scores=[1, 2], tilt=1, prior=[1, 1e-300]), "prior must lie between"),
        (dict(scores=[[1], [2, 3]], tilt=1), "scores must be a one-dimensional"),
    ],
)
def test_bad_parameters_get_a_sentence(arguments, starts):
    with pytest.raises(ParameterError, match="^" + starts):
        draw(**arguments)


def test_errors_never_quote_scores():
    with pytest.raises(ParameterError) as caught:
        draw([987654321.5], 1)
    assert "987654321" not in str(caught.value)
    assert "987654321" not in repr(caught.value.__context__)


def test_seeded_draws_repeat_and_secure_ones_do_not():
    scores = list(range(1000))
    assert draw(scores, 1e-9, 20, bits=SeededBits(3)).tolist() == draw(scores, 1e-9, 20, bits=SeededBits(3)).tolist()
    assert draw(scores, 1e-9, 20).tolist() != draw(scores, 1e-9, 20).tolist()
