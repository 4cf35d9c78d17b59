"""Exact laws of rounded normal noise on integer sums, against the price that is claimed for them."""

from fractions import Fraction
from math import erfc, exp, sqrt

import pytest

from dprules.accounting import Gaussian, Neighbours, compose
from dprules.audit import both_ways, hockey_stick

ADD = Neighbours.ADD_REMOVE


def above(x, sigma):
    return erfc(x / sigma / sqrt(2)) / 2


def noisy(total, sigma):
    """The law of a sum with rounded normal noise, up to 12 standard deviations."""
    reach = int(12 * sigma) + 2
    return {total + k: above(k - 0.5, sigma) - above(k + 0.5, sigma) for k in range(-reach, reach + 1)}


def shifted(one, other, sigma):
    """Both laws on the integers where both are known."""
    p, q = noisy(one, sigma), noisy(other, sigma)
    common = p.keys() & q.keys()
    return {k: p[k] for k in common}, {k: q[k] for k in common}


@pytest.mark.parametrize("sigma", [0.7, 2.0, 9.5])
@pytest.mark.parametrize("moved", [1, 2, 5])
def test_one_sum(sigma, moved):
    """Rounding tells less than the normal noise itself, and the finer the noise the less it hides."""
    price = Gaussian(Fraction(moved) / Fraction(sigma)).curve(ADD)
    for epsilon in (0.0, 0.2, 1.0, 3.0):
        truth = both_ways(hockey_stick, *shifted(0, moved, sigma), epsilon)
        assert truth <= price.delta(epsilon) + 1e-15
        assert sigma < 5 or price.delta(epsilon) <= truth * 1.02 + 1e-12


def test_questions_that_depend_on_earlier_answers():
    """Two stages; the second asks another sum, with the same price, if the first answer was above 0."""
    sigma = 3.0
    first = shifted(1, 0, sigma)
    branches = {True: shifted(5, 6, sigma), False: shifted(-1, -2, sigma)}
    price = compose.curve([Gaussian(Fraction(1, 3))] * 2)
    laws = tuple(
        {(a, b): mass * other for a, mass in first[run].items() for b, other in branches[a > 0][run].items()}
        for run in (0, 1)
    )
    for epsilon in (0.0, 0.5, 1.5):
        truth = both_ways(hockey_stick, *laws, epsilon)
        alone = both_ways(hockey_stick, *first, epsilon)
        assert alone < truth <= price.delta(epsilon)
        assert price.delta(epsilon) <= 1.1 * truth + 1e-9


@pytest.mark.parametrize("rows", [2, 4])
def test_units_of_several_rows(rows):
    price = Gaussian(Fraction(1, 8)).curve(ADD).for_group(rows)
    for epsilon in (0.0, 0.3, 1.0):
        truth = both_ways(hockey_stick, *shifted(0, rows, 8.0), epsilon)
        assert truth <= price.delta(epsilon) <= truth * 1.05 + 1e-12
        assert truth > Gaussian(Fraction(1, 8)).curve(ADD).delta(epsilon) * exp(epsilon / 10)


def test_exchanges_in_two_histograms():
    """A record leaves one cell of each of two histograms and enters another: four sums move, by sqrt(2) sqrt(2)."""
    sigma = 4.0
    leaves, enters = shifted(1, 0, sigma), shifted(0, 1, sigma)
    price = Gaussian(sqrt(2) / sigma, histogram=True).curve(Neighbours.REPLACE)
    # The likelihood ratio of two cells depends on their difference only; four cells are two of length sqrt(2).
    laws = []
    for run in (0, 1):
        law: dict[int, float] = {}
        for a, mass in leaves[run].items():
            for b, other in enters[run].items():
                law[a - b] = law.get(a - b, 0.0) + mass * other
        laws.append(law)
    both = [
        {(a, b): mass * other for a, mass in law.items() for b, other in law.items() if mass * other > 1e-30}
        for law in laws
    ]
    common = both[0].keys() & both[1].keys()
    pair = tuple({k: law[k] for k in common} for law in both)
    for epsilon in (0.0, 0.4, 1.0):
        truth = both_ways(hockey_stick, *pair, epsilon)
        assert truth <= price.delta(epsilon) <= truth * 1.05 + 1e-9
