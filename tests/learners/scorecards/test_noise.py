"""Noise is never less than what was charged for."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import Gaussian
from dprules.errors import ParameterError
from dprules.learners.scorecards.noise import root_above, sigma_for


@settings(deadline=None)
@given(st.integers(1, 10**12))
def test_roots_are_rounded_up_and_by_little(square):
    root = root_above(square)
    assert root**2 >= square
    assert float(root) == pytest.approx(square**0.5, rel=1e-11)


@settings(deadline=None)
@given(st.fractions(Fraction(1, 1000), 5), st.integers(1, 1000), st.integers(1, 1000), st.integers(1, 150))
def test_all_steps_together_cost_at_most_the_event(mu, longest, histograms, steps):
    sigma = sigma_for(Gaussian(mu), longest, histograms, steps)
    # The square of all that one record moves, over sigma^2, is what is charged.
    assert steps * histograms * longest**2 <= (mu * sigma) ** 2


def test_noise_that_would_not_fit_is_refused():
    with pytest.raises(ParameterError, match=r"epsilon is too small for a scorecard"):
        sigma_for(Gaussian(Fraction(1, 10**9)), 512, 1000, 150)
