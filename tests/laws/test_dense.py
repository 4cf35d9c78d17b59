"""The dense learner that runs has the law that theory B9 says, on two batches, in blocks of any size."""

from fractions import Fraction
from itertools import product
from math import exp, sqrt

import numpy as np
import pytest

from conftest import assert_law
from dprules.accounting import DenseStream
from dprules.learners.streams import ClippedBlock, DenseBlock, Weights
from dprules.learners.streams import dense as module
from dprules.learners.streams.dense import DenseLearner, DensePolicy

RUNS = 1500
BLOCKS = ((4,), (1, 2, 1), (1, 1, 1, 1), (3, 1))
"""How a stream of four rounds may be cut."""
ROUNDS = [((1,), 1), ((-1,), -1), ((1,), -1), ((1,), 1)]
WITH_SILENCE = [((1,), 1), ((1,), 0), ((-1,), 1), ((-1,), -1)]
REACH = 14
"""Noise beyond it has a probability below 1e-7 at the tilts here."""


def masses(unit, tilt):
    """exp(-tilt max |k|), for both coordinates."""
    cube = list(product(range(-REACH * unit, REACH * unit + 1), repeat=2))
    weights = [exp(-tilt * max(map(abs, k))) for k in cube]
    total = sum(weights)
    return {k: weight / total for k, weight in zip(cube, weights, strict=True)}


def sums(batch, weights, unit):
    """What a batch adds up to: y (x, 1) of the examples with y <w, (x, 1)> < 1."""
    found = [0, 0]
    for (x,), y in batch:
        if y and y * (weights[0] * x + weights[1]) < 1:
            found = [found[0] + unit * y * x, found[1] + unit * y]
    return found


def law(rounds, unit, tilt):
    """Every pair of noisy sums."""
    noise = masses(unit, tilt)
    found = {}
    first = sums(rounds[:2], (0.0, 0.0), unit)
    for k, p in noise.items():
        noisy = (first[0] + k[0], first[1] + k[1])
        length = sqrt(noisy[0] ** 2 + noisy[1] ** 2)
        weights = tuple(1.5 * n / length if length else 0.0 for n in noisy)
        second = sums(rounds[2:], weights, unit)
        for j, q in noise.items():
            found[noisy, (second[0] + j[0], second[1] + j[1])] = p * q
    return found


def transcript(make, rounds, blocks, kind, monkeypatch):
    """One run: the noisy sums of both batches."""
    said = []
    after = DensePolicy.after

    def record(policy, noisy):
        said.append(tuple(noisy.tolist()))
        return after(policy, noisy)

    with monkeypatch.context() as patch:
        patch.setattr(DensePolicy, "after", record)
        learner = make()
        start = 0
        for size in blocks:
            part = rounds[start : start + size]
            codes = np.array([{1: 1, -1: 0, 0: -1}[y] for _, y in part], dtype=np.int16)
            learner.take(kind(np.array([x for x, _ in part], dtype=float)), codes)
            start += size
    return tuple(said)


def maker(kind, tilt, bits, learner=DenseLearner):
    policy = DensePolicy(DenseStream(Fraction(tilt) / kind.unit, kind.unit), 2, Weights.zero(2))
    return lambda: learner(policy, 1, bits)


def check(kind, tilt, rounds, bits, monkeypatch, learner=DenseLearner):
    make = maker(kind, tilt, bits, learner)
    runs = [transcript(make, rounds, BLOCKS[i % len(BLOCKS)], kind, monkeypatch) for i in range(RUNS)]
    assert_law(runs, law(rounds, kind.unit, tilt))


@pytest.mark.parametrize("rounds", [ROUNDS, WITH_SILENCE], ids=["examples", "a silent round"])
@pytest.mark.parametrize("tilt", [2.0, pytest.param(1.5, marks=pytest.mark.slow)])
def test_the_law_of_two_batches(rounds, tilt, bits, monkeypatch):
    check(DenseBlock, tilt, rounds, bits, monkeypatch)


def test_sums_of_numbers_are_64_times_as_fine(bits, monkeypatch):
    """The first batch on the grid of 1/64: noise is as wide as the sums."""
    tilt = 2.0
    make = maker(ClippedBlock, tilt, bits)
    firsts = [transcript(make, ROUNDS[:2], (2,), ClippedBlock, monkeypatch)[0] for _ in range(RUNS)]
    k = np.arange(-REACH * 64, REACH * 64 + 1)
    weights = np.exp(-tilt / 64 * np.maximum.outer(np.abs(k), np.abs(k)))
    rows = np.rint((128 + k) / 64).astype(int)
    columns = np.rint(k / 64).astype(int)
    mass = np.zeros((2 * REACH + 3, 2 * REACH + 3))
    np.add.at(mass, (rows[:, None] + REACH, columns[None, :] + REACH), weights / weights.sum())
    law = {(i - REACH, j - REACH): float(mass[i, j]) for i, j in zip(*np.nonzero(mass), strict=True)}
    assert_law([(round(x / 64), round(y / 64)) for x, y in firsts], law)


class Sharp(DenseLearner):
    """Adds half the noise."""

    def _release(self):
        event = self.policy.event
        object.__setattr__(event, "tilt", Fraction(event.tilt) * 2)
        super()._release()
        object.__setattr__(event, "tilt", Fraction(event.tilt) / 2)


class Keeping(DenseLearner):
    """Keeps the sums of earlier batches."""

    def _release(self):
        sums = self._sums.copy()
        super()._release()
        self._sums[:] = sums


class Careless(DenseLearner):
    """Adds all examples, whatever their margin."""

    def _enter(self, block, labels, start, stop):
        block.add(np.arange(start, stop), labels, self._sums)
        self._rounds += stop - start


@pytest.mark.slow
@pytest.mark.parametrize("fault", [Sharp, Keeping, Careless])
def test_a_faulty_learner_is_noticed(fault, bits, monkeypatch):
    with pytest.raises(AssertionError):
        check(DenseBlock, 2.0, ROUNDS, bits, monkeypatch, fault)


def test_noise_is_drawn_once_a_batch_and_from_the_sums(bits, monkeypatch):
    asked = []

    def no_noise(sums, tilt, source):
        asked.append((tilt, source))
        return sums

    monkeypatch.setattr(module, "cube_noise", no_noise)
    transcript(maker(DenseBlock, 0.5, bits), ROUNDS, (4,), DenseBlock, monkeypatch)
    assert asked == [(Fraction(1, 2), bits)] * 2
