from fractions import Fraction
from math import exp, expm1, inf, log

import pytest

from accounting.test_rounds import adversary
from dprules.accounting.one_way import OneWay, chain, unlimited
from dprules.accounting.rounds import Step

ONE = Fraction(1)


def counted(tilt, rounds, last_rule=0.9, cell=0.5, last_cell=0.25, remainder=1.0):
    """A counted list in one direction, and the same as steps of the recursion."""
    draws = (tilt,) * (rounds - 1) + (last_rule * tilt,)
    cells = (cell * tilt,) * (rounds - 1) + (last_cell * tilt,)
    exact = tuple(map(Fraction, draws)), tuple(map(Fraction, cells))
    steps = tuple(Step(u, u, h) for u, h in zip(draws, cells, strict=True))
    return OneWay(exact[0], exact[0], rounds, None, exact[1], Fraction(remainder * tilt)), steps, remainder * tilt


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("parts", [(), (0.75,), (0.5, 0.5, 0.5), (1e-9, 0.5, 1e-9), (1.0, 0.5, 0.5)], ids=str)
@pytest.mark.parametrize("tilt", [0.05, 1.0])
def test_counted_lists_are_never_below_the_adversary(rounds, parts, tilt):
    """The bound for any number of rounds must not undercut the recursion: one rule alone may be blunter than the rest.

    A list of one rule whose remainder is counted more sharply than the rule is drawn was once priced as its draw.
    """
    one, steps, remainder = counted(tilt, rounds, *parts)
    for part in (0.0, 0.3, 0.7, 0.95):
        epsilon = part * (rounds + 1) * tilt
        assert adversary(steps, epsilon, remainder, size=150) <= one(epsilon) * (1 + 1e-12) + 1e-18


def test_what_is_left_costs_at_least_its_own_release():
    """With no draw to speak of, the remainder alone: randomised response of its tilt."""
    one, _, _ = counted(1.0, 1, 1e-9, 0.5, 1e-9)
    for epsilon in (0.0, 0.5, 0.9):
        tells = 1 / (1 + exp(-1.0))
        assert tells * (1 - exp(epsilon - 1)) <= one(epsilon)


@pytest.mark.parametrize("tilt", [Fraction(1, 100), Fraction(1, 4), ONE, Fraction(3)])
def test_no_round_with_counts_gains_against_the_closed_form(tilt):
    """Any number of rounds: stops worth G_h, h = t/2, lie below the tangents; and the remainder below the value."""

    def bound(loss):
        return float(unlimited(tilt, tilt, Fraction(-loss)))

    def released(loss, h):
        tells = 1 / (1 + exp(-h))
        return tells * max(0.0, -expm1(-loss - h)) + (1 - tells) * max(0.0, -expm1(h - loss))

    t = float(tilt)
    for step in range(-60, 61):
        loss = step * t / 10
        here = bound(loss)
        assert released(loss, t) <= here * (1 + 1e-12)
        for alpha, beta in ((0.01, 0), (0, 0.01), (0.3, 0.2), (0, 1), (1, 0), (0.5, 0.5), (0, 0.4), (0.4, 0)):
            moved = loss + log(1 + alpha * expm1(-t) + beta * expm1(t))
            stops = alpha * released(moved + t, t / 2) + beta * released(moved - t, t / 2)
            assert stops + (1 - alpha - beta) * bound(moved) <= here * (1 + 1e-9)


def test_more_rounds_than_are_priced_one_by_one_cost_what_any_number_costs():
    few, _, _ = counted(0.1, 200)
    many, _, _ = counted(0.1, 300)
    assert many(1.0) == pytest.approx(float(unlimited(Fraction(0.1), Fraction(0.1), ONE)))
    assert few(1.0) <= many(1.0)


def test_sharper_counts_than_are_free_are_priced_as_wider_draws():
    """Beyond what the recursion is used for only the closed form stands: it must not take them for free."""
    sharp, _, _ = counted(0.1, 300, cell=0.75)
    blunt, _, _ = counted(0.15, 300)
    assert sharp(1.0) == pytest.approx(blunt(1.0))


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0])
def test_a_chain_is_no_better_than_one_way_and_no_worse_than_any_split(epsilon):
    one, _, _ = counted(0.3, 4)
    found = chain(one, one, 0.3, epsilon)
    assert one(epsilon) <= found
    splits = [one(epsilon * k / 10) + exp(epsilon * k / 10) * one(epsilon * (10 - k) / 10) for k in range(11)]
    assert found <= min(splits) * 1.01
    assert found < inf
