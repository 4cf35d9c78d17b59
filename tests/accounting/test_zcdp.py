from fractions import Fraction

import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import conversion


@pytest.mark.parametrize("rho", [0.001, 0.02, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_conversion_agrees_with_dp_accounting(rho, epsilon):
    orders = 1 + np.exp(np.linspace(-8, 9, 6000))
    oracle, _ = rdp_privacy_accountant.compute_delta(orders, rho * orders, epsilon)
    assert conversion(Fraction(rho), epsilon) == pytest.approx(oracle, rel=1e-3, abs=1e-300)


@settings(max_examples=50, deadline=None)
@given(st.floats(1e-6, 5.0), st.floats(0.0, 20.0))
def test_conversion_is_a_probability_that_falls_with_epsilon_and_grows_with_rho(rho, epsilon):
    here = conversion(Fraction(rho), epsilon)
    assert 0 <= here <= 1
    assert conversion(Fraction(rho), epsilon + 0.1) <= here * (1 + 1e-9)
    assert conversion(Fraction(rho) * 2, epsilon) >= here * (1 - 1e-9)


def test_the_ends():
    assert conversion(Fraction(1), -0.1) == 1.0
    assert conversion(Fraction(0), 0.0) == 0.0
    assert conversion(Fraction(10) ** 80, 1.0) == 1.0
