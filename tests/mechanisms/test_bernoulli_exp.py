import sys
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from conftest import Listed, assert_law
from dprules.errors import ParameterError
from dprules.mechanisms import bernoulli_exp

module = sys.modules["dprules.mechanisms.bernoulli_exp"]


@pytest.mark.parametrize("x", [0.3, Fraction(1, 3), 2, 1e-12, 5.5])
@pytest.mark.parametrize("doubt", [module._DOUBT, 2.0], ids=["fast", "every toss undecided"])
def test_the_coin_has_its_bias(x, doubt, bits, monkeypatch):
    monkeypatch.setattr(module, "_DOUBT", doubt)
    tosses = bernoulli_exp(np.full(4_000, x, dtype=object if isinstance(x, Fraction) else None), bits)
    law: dict[object, float] = {True: exp(-float(x)), False: -np.expm1(-float(x))}
    assert_law(tosses.tolist(), law)


def test_undecided_comparisons_are_settled_by_the_exact_value():
    # The first 64 binary digits of e^-1: the uniform number starts like the bias itself.
    digits = int(Fraction(exp(-1)) * 2**64)
    low, high = Listed([digits - 2**14]), Listed([digits + 2**14])
    assert bernoulli_exp(1, low) is True
    assert bernoulli_exp(1, high) is False


@pytest.mark.parametrize("more", [0, 2**64 - 1])
def test_more_bits_are_drawn_when_64_agree(more):
    from flint import arb, ctx, fmpq

    with ctx.workprec(400):
        enclosure = (-arb(fmpq(1, 3))).exp() * arb(2) ** 64
        digits = int(str(enclosure.floor().unique_fmpz()))
    # e^(-1/3) continues below ...1111 and above ...0000: the next word decides.
    assert bernoulli_exp(Fraction(1, 3), Listed([digits, more])) is (more == 0)


def test_shapes_and_kinds():
    assert bernoulli_exp(np.zeros((2, 3))).shape == (2, 3)
    assert bernoulli_exp([0, 10**30]).tolist() == [True, False]
    assert bernoulli_exp(np.array([0, 2**63], dtype=np.uint64)).tolist() == [True, False]
    assert bernoulli_exp(10**400) is False
    assert bernoulli_exp([]).tolist() == []


@pytest.mark.parametrize(
    "x", [-1, -0.5, float("nan"), float("inf"), "1", True, [1.0, float("nan")], [-1], ["a"], [None]]
)
def test_bad_exponents_are_refused_without_quoting_them(x):
    with pytest.raises(ParameterError) as caught:
        bernoulli_exp(x)
    assert str(caught.value).startswith("x must")
    assert "0.5" not in str(caught.value)
    assert "nan" not in str(caught.value)
