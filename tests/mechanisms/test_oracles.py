"""OpenDP's noisy max under zero-concentrated privacy is the exponential mechanism: the same law, the same price."""

from math import exp

import numpy as np
import pytest
from opendp.domains import atom_domain, vector_domain
from opendp.measurements import make_noisy_max
from opendp.measures import zero_concentrated_divergence
from opendp.metrics import linf_distance
from opendp.mod import enable_features

from conftest import assert_law
from dprules.mechanisms import draw

SCORES, TILT = [0, 1, 1, 3, -4], 0.25


@pytest.fixture
def noisy_max():
    enable_features("contrib")
    space = vector_domain(atom_domain(T="i32")), linf_distance(T="i32")
    return make_noisy_max(*space, zero_concentrated_divergence(), scale=1 / TILT)


def test_the_same_law(noisy_max, bits):
    weights = np.exp(TILT * np.array(SCORES))
    law: dict[object, float] = dict(enumerate((weights / weights.sum()).tolist()))
    assert_law([noisy_max(SCORES) for _ in range(5000)], law)
    assert_law(draw(SCORES, TILT, 5000, bits=bits).tolist(), law)
    assert law[3] / law[0] == pytest.approx(exp(3 * TILT))


def test_the_same_price(noisy_max):
    """Scores that move by 1 either way have range 2: rho = (2 tilt)^2 / 8."""
    assert noisy_max.map(1) == pytest.approx((2 * TILT) ** 2 / 8)
