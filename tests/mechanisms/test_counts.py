from fractions import Fraction
from math import exp, expm1

import numpy as np
import pytest

from conftest import assert_law
from dprules.errors import ParameterError
from dprules.mechanisms import geometric, noisy_counts


@pytest.mark.parametrize("tilt", [0.05, Fraction(1, 3), 0.9, 1, 2.5])
def test_one_sided_law(tilt, bits):
    law: dict[object, float] = {x: -expm1(-float(tilt)) * exp(-float(tilt) * x) for x in range(2000)}
    assert_law(geometric(tilt, 20_000, bits).tolist(), law)


def test_two_sided_law(bits):
    tilt = 0.4
    norm = (1 - exp(-tilt)) / (1 + exp(-tilt))
    law: dict[object, float] = {7 + x: norm * exp(-tilt * abs(x)) for x in range(-200, 201)}
    assert_law(noisy_counts(np.full(20_000, 7), tilt, bits).tolist(), law)


def test_shapes():
    assert noisy_counts([[1, 2], [3, 4]], 1000).tolist() == [[1, 2], [3, 4]]
    assert int(noisy_counts(5, 1000)) == 5
    assert isinstance(geometric(1), int)
    assert geometric(Fraction(1, 2**50)) >= 0


def test_refusals():
    with pytest.raises(ParameterError, match="tilt must be at least 2"):
        geometric(Fraction(1, 2**51))
    with pytest.raises(ParameterError, match="size must be an integer"):
        geometric(1, -1)
    assert noisy_counts(np.array([2**64 - 1], dtype=np.uint64), 1).item() > 2**60
    with pytest.raises(ParameterError, match="counts must be integers"):
        noisy_counts([1.5], 1)
