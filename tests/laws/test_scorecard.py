"""Scorecards: the code that runs has the sums and the noise of theory G2, and their exact law is within its price."""

from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from flint import arb, ctx

from dprules.accounting import Gaussian, Neighbours
from dprules.audit import CardLaw, CardRecord, CardScale, both_ways, hockey_stick, residual_of_each, rounded_gaussian
from dprules.learners.scorecards import descent
from dprules.learners.scorecards.descent import Target, Weights, descend
from dprules.learners.scorecards.groups import Grouped
from dprules.learners.scorecards.noise import sigma_for
from dprules.mechanisms import SeededBits
from dprules.schema import Categorical
from dprules.tables import CodedSample, residual_table

RELATIONS = [Neighbours.ADD_REMOVE, Neighbours.REPLACE]
SMALL = CardScale(unit=4, longest=2)


def test_the_table_of_residuals_is_that_of_the_theory():
    scores = np.arange(-2048, 2049)
    for positive in (0, 1):
        table = residual_table(np.array([64, 64]), positive)
        for label in (0, 1):
            target = np.full(1, int(label == positive))
            expected = residual_of_each(CardScale(), scores[:, None], target)[:, 0]
            assert np.array_equal(table[label], expected)


class Written:
    """Stands for Gaussian noise: writes down what it was asked for."""

    def __init__(self, seed):
        self._random = np.random.default_rng(seed)
        self.asked = []
        self.given = []

    def __call__(self, sums, sigma, bits):
        self.asked.append((sums.copy(), sigma))
        self.given.append(sums + np.rint(float(sigma) * self._random.standard_normal(sums.shape)).astype(np.int64))
        return self.given[-1]


@pytest.mark.parametrize("sizes", [(2,), (3, 2), (40, 30, 2, 5)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_every_step_sums_what_the_theory_sums(sizes, seed, monkeypatch):
    """All sums of a descent, given all noisy sums before them, for joint codes of several columns too."""
    random = np.random.default_rng(seed)
    codes = [random.integers(0, size, 30).astype(np.int16) for size in sizes]
    labels = random.integers(0, 2, 30).astype(np.int16)
    columns = [
        Grouped(Categorical(f"c{at}", tuple(range(size))), np.append(np.arange(size), 0), np.full(size, 1 / size))
        for at, size in enumerate(sizes)
    ]
    noise = Written(seed)
    monkeypatch.setattr(descent, "gaussian", noise)
    target = Target(1, (64, 64), 30.0)
    base = random.normal()
    event = Gaussian(Fraction(1, 2))
    descend(
        CodedSample.of(codes, sizes, labels, 2).grouped([column.groups for column in columns]),
        columns,
        Weights(np.zeros((sum(sizes), 1)), np.array([base])),
        target,
        event,
        SeededBits(0),
        lambda step, steps: None,
    )
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    records = [
        CardRecord(tuple(int(start + column[i]) for start, column in zip(starts, codes, strict=True)), int(labels[i]))
        for i in range(30)
    ]
    law = CardLaw(1.0, base, 4 / (len(sizes) * 30.0 * 1024))
    assert len(noise.asked) >= 10
    for step, (sums, _) in enumerate(noise.asked):
        weights = law.weights([given[:, 0][None, :] for given in noise.given[:step]], sum(sizes))
        assert np.array_equal(sums[:, 0], law.sums(records, weights)[0]), step
    # One record adds at most 512 to a group of each column in each step; all of it is paid for, and hardly more.
    together = len(noise.asked) * len(sizes) * 512**2
    charged = [Fraction(sigma) ** 2 * Fraction(event.mu) ** 2 for _, sigma in noise.asked]
    assert all(together <= each < together * 1.000001 for each in charged)


@pytest.mark.parametrize("longest", [1, 512, 724])
@pytest.mark.parametrize("square", [1, 2, 3, 4, 150_000])
def test_noise_is_rounded_up(longest, square):
    event = Gaussian(0.1)
    assert sigma_for(event, longest, square) ** 2 * Fraction(event.mu) ** 2 >= longest**2 * square


def slow_twin(law, common, own, other, epsilon, reach):
    """The same hockey stick by two plain loops over noise, every group and every record."""
    noise = rounded_gaussian(law.sigma)
    runs = [(*common, *own), (*common, *other)]
    groups = 1 + max(group for run in runs for record in run for group in record.groups)
    start = [law.sums(run, law.weights([], groups))[0] for run in runs]
    grid = np.array(list(product(range(-reach, reach + 1), repeat=groups)))
    total = 0.0
    for noisy in start[0] + grid:
        first = [noise(noisy - sums).prod() for sums in start]
        weights = law.weights([noisy[None, :]], groups)
        then = [law.sums(run, weights)[0] for run in runs]
        second = [noise(then[0] + grid - sums).prod(axis=1) for sums in then]
        total += np.maximum(0, first[0] * second[0] - exp(epsilon) * first[1] * second[1]).sum()
    return total


@pytest.mark.parametrize("base", [-3.0, 0.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.25])
@pytest.mark.parametrize("other", [[], [CardRecord((0,), 0)], [CardRecord((1,), 1)]], ids=str)
def test_the_law_is_that_of_all_outcomes(base, epsilon, other):
    law = CardLaw(1.2, base, 0.6, CardScale(unit=2, longest=1))
    common = [CardRecord((1,), 0)]
    own = [CardRecord((0,), 1)]
    expected = slow_twin(law, common, own, other, epsilon, reach=8)
    assert hockey_stick(*law(common, own, other), epsilon) == pytest.approx(expected, rel=1e-6)


def test_groups_without_records_change_nothing():
    law = CardLaw(1.2, 0.0, 0.6, SMALL)
    narrow = law([], [CardRecord((0,), 1)], [])
    wide = law([], [CardRecord((7,), 1)], [])
    assert narrow == wide


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
def test_the_real_constants_are_within_the_price(neighbours):
    """Residuals up to 512, one record, noise of 181: all outcomes of both steps."""
    event = Gaussian(4)
    curve = event.curve(neighbours)
    sigma = float(sigma_for(event, 512, 1, 2))
    one, flipped = CardRecord((0,), 1), CardRecord((0,), 0)
    other = [] if neighbours is Neighbours.ADD_REMOVE else [flipped]
    tightest = 0.0
    for base, length in ((-3.0, 1 / 512), (0.0, 1 / 512), (0.0, 1e-9)):
        laws = CardLaw(sigma, base, length)([], [one], other)
        for epsilon in (1.0, 4.0, 16.0):
            found = both_ways(hockey_stick, *laws, epsilon)
            assert found <= curve.delta(epsilon) * (1 + 1e-9)
            tightest = max(tightest, found / curve.delta(epsilon))
    assert tightest > 0.999


def phi(x):
    return (-x / arb(2).sqrt()).erfc() / 2


@pytest.mark.parametrize(("shift", "sigma"), [(512, 1100), (512, 300), (724, 3000), (1, 4), (1, 1)])
@pytest.mark.parametrize("epsilon", [0.0, 0.25, 1.0, 2.5])
def test_one_release_is_within_the_price_in_balls(shift, sigma, epsilon):
    """Odds fall in k, so the best set of outputs is all up to some k: the hockey stick is the largest of these."""
    price = Gaussian(Fraction(shift, sigma)).curve(Neighbours.ADD_REMOVE).delta(epsilon)
    best = shift / 2 - epsilon * sigma**2 / shift  # of the continuous mechanism, about
    found = arb(0)
    with ctx.workprec(128):
        for k in range(round(best) - 3, round(best) + 4):
            edge = arb(k) + arb(1) / 2
            found = found.max(phi(edge / sigma) - arb(epsilon).exp() * phi((edge - shift) / sigma))
    assert float(found.upper()) <= price
    if sigma > 1:
        assert float(found.lower()) > (0.999 if sigma > 100 else 0.9) * price


def test_odds_of_rounded_noise_fall():
    """What the test above rests on."""
    for sigma, shift in ((1.0, 1), (4.0, 1), (3.0, 7)):
        noise = rounded_gaussian(sigma)
        values = np.arange(-int(6 * sigma), int(6 * sigma) + shift)
        odds = np.log(noise(values)) - np.log(noise(values - shift))
        assert (np.diff(odds) < 1e-9).all()
        assert odds[0] > log(2) > -log(2) > odds[-1]
