"""Calibration of Gaussian noise against dp-accounting and OpenDP."""

from fractions import Fraction

import pytest
from dp_accounting import GaussianDpEvent
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.pld.pld_privacy_accountant import PLDAccountant
from hypothesis import given, settings
from hypothesis import strategies as st
from opendp.combinators import make_zCDP_to_approxDP
from opendp.domains import atom_domain
from opendp.measurements import make_gaussian
from opendp.metrics import absolute_distance
from opendp.mod import enable_features

from dprules.accounting import gaussian
from dprules.errors import ParameterError

FIGURES = [(0.1, 0.0275), (0.3, 0.0770), (0.5, 0.1241), (1, 0.2367), (3, 0.6477), (10, 1.848)]


@pytest.mark.parametrize(("epsilon", "mu"), FIGURES)
def test_the_figures_of_the_theory(epsilon, mu):
    assert gaussian.mu(epsilon, 1e-6) == pytest.approx(mu, abs=6e-5 if mu < 1 else 6e-4)


@pytest.mark.parametrize("mu", [0.05, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
def test_deltas_agree_with_dp_accounting(mu, epsilon):
    theirs = privacy_loss_distribution.from_gaussian_mechanism(1 / mu).get_delta_for_epsilon(epsilon)
    assert gaussian.delta(mu, epsilon) == pytest.approx(theirs, rel=1e-3, abs=1e-9)


def test_many_releases_agree_with_dp_accounting():
    """A hundred stages of a tenth are one of 1."""
    accountant = PLDAccountant().compose(GaussianDpEvent(10.0), 100)
    assert gaussian.epsilon(1, 1e-6) == pytest.approx(accountant.get_epsilon(1e-6), rel=1e-3)


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0])
def test_opendp_goes_through_concentration_and_pays_no_less(mu):
    enable_features("contrib")
    noise = make_gaussian(atom_domain(T="i32"), absolute_distance(T="i32"), scale=1 / mu)
    assert noise.map(1) == pytest.approx(mu**2 / 2)
    theirs = make_zCDP_to_approxDP(noise).map(1).epsilon(1e-6)
    assert 0.8 * theirs < gaussian.epsilon(mu, 1e-6) < theirs


@settings(max_examples=60, deadline=None)
@given(st.floats(-100, 2.69).map(lambda x: 10.0**x), st.floats(-100, -1e-4).map(lambda x: 10.0**x))
def test_the_largest_mu_holds_and_hardly_more_does(epsilon, delta):
    mu = gaussian.mu(epsilon, delta)
    assert gaussian.delta(mu, epsilon) <= delta
    assert gaussian.delta(mu * (1 + 1e-8), epsilon) > delta


@pytest.mark.parametrize("mu", [1e-6, 0.2, 5, Fraction(30)])
def test_the_smallest_epsilon_holds_and_hardly_less_does(mu):
    found = gaussian.epsilon(mu, 1e-9)
    assert gaussian.delta(mu, found) <= 1e-9 < gaussian.delta(mu, found * (1 - 1e-8))


def test_a_wide_delta_needs_no_epsilon():
    assert gaussian.epsilon(1e-6, 1e-6) == 0.0


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: gaussian.mu(0, 1e-6), "epsilon must"),
        (lambda: gaussian.mu(501, 1e-6), "epsilon must"),
        (lambda: gaussian.mu(1, 0), "delta must"),
        (lambda: gaussian.mu(1, 1), "delta must"),
        (lambda: gaussian.epsilon(0, 1e-6), "mu must"),
        (lambda: gaussian.epsilon(1, 0), "delta must"),
        (lambda: gaussian.delta(-1, 1), "mu must"),
        (lambda: gaussian.delta(1, -1), "epsilon must"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(call, match):
    with pytest.raises(ParameterError, match=match):
        call()
