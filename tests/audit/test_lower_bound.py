from math import log
from random import Random

import pytest

from dprules.audit import epsilon_lower_bound
from dprules.errors import ParameterError


def test_the_bound_is_below_the_truth_nearly_always():
    random = Random(1)
    exceeded = 0
    for _ in range(40):
        found = epsilon_lower_bound(
            lambda: random.random() < 0.6, lambda: random.random() < 0.4, runs=1000, confidence=0.9
        )
        exceeded += found.epsilon > log(1.5)
    assert exceeded <= 10  # 4 expected at most


def test_the_bound_is_useful():
    random = Random(2)
    found = epsilon_lower_bound(lambda: random.random() < 0.9, lambda: random.random() < 0.1, runs=6000)
    assert log(9) * 0.8 < found.epsilon < log(9)


def test_delta_is_taken_off():
    random = Random(3)
    found = epsilon_lower_bound(lambda: random.random() < 0.2, lambda: False, delta=0.25, runs=4000)
    assert found.epsilon == 0.0


def test_equal_laws_prove_nothing():
    random = Random(4)
    assert epsilon_lower_bound(random.random, random.random, runs=500).epsilon == 0.0


@pytest.mark.parametrize("bad", [dict(runs=1), dict(confidence=1.0), dict(delta=-1), dict(delta=1.0)])
def test_bad_parameters(bad):
    with pytest.raises(ParameterError):
        epsilon_lower_bound(lambda: 0, lambda: 0, **bad)
