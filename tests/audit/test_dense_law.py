"""The exact law of two batches is a law, and cube noise has its norm."""

from itertools import product
from math import exp

import numpy as np
import pytest

from dprules.accounting import DenseStream, Neighbours
from dprules.audit import both_ways, largest_loss
from dprules.audit.dense_law import DenseLaw, cube_law
from dprules.audit.stream_law import Round

YES, NO = Round((2, 2), 1), Round((-2, 2), -1)
LAW = DenseLaw(cube_law(0.8), unit=2, length=1, reach=60)


def test_laws_add_up_to_1():
    for law in LAW([YES, NO], [NO, NO]):
        assert sum(law.values()) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_cube_noise_by_its_definition(dimension):
    cube = list(product(range(-8, 9), repeat=dimension))
    found = cube_law(3.0)(np.array(cube))
    weights = np.array([exp(-3.0 * max(map(abs, k))) for k in cube])
    assert found == pytest.approx(weights / weights.sum(), rel=1e-6)


def test_the_same_streams_have_the_same_law():
    here, there = LAW([YES, NO], [YES, NO])
    assert here == there


def test_the_second_batch_sees_the_weights_of_the_first():
    noisy = np.array([[20, 0], [0, 0], [-20, 0]])
    weights = LAW.weights(noisy)
    assert weights.tolist() == [[1.5, 0], [0, 0], [-1.5, 0]]
    assert LAW.sums([YES], weights).tolist() == [[0, 0], [2, 2], [2, 2]]
    assert LAW.sums([None], weights).tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("place", [0, 1])
def test_an_exchange_costs_twice_what_a_silent_round_does(place):
    streams = [[YES, YES], [YES, YES], [YES, YES]]
    streams[1][place] = None
    streams[2][place] = Round((2, 2), -1)
    event = DenseStream(0.8, 2)
    for other, relation in ((1, Neighbours.ZERO_OUT), (2, Neighbours.REPLACE)):
        loss = both_ways(largest_loss, *LAW(streams[0], streams[other]))
        assert loss == pytest.approx(float(event.curve(relation).pure), rel=1e-6)
