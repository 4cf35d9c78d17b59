from fractions import Fraction
from math import exp, log

import pytest

from dprules.accounting import cover
from dprules.audit import TRUE, Example, both_ways, exact_list_law, hockey_stick, powered, tilted


@pytest.mark.parametrize("rewards", [(0,), (1,), (Fraction(1, 2), 1)])
@pytest.mark.parametrize("rounds", [None, 1, 2, 3])
def test_list_laws_are_laws(rewards, rounds):
    sample = [Example((True, False), 1), Example((True, True), 0), Example((False, True), 2)]
    law = exact_list_law(sample, powered(Fraction(3, 2), 2), 2, labels=3, rewards=rewards, rounds=rounds)
    assert sum(law.values()) == 1
    assert all(rules[-1][0] == TRUE for rules in law)
    assert max(len(rules) for rules in law) == (3 if rounds is None else rounds)
    by_float = exact_list_law(sample, tilted(2 * log(1.5)), 2, labels=3, rewards=rewards, rounds=rounds)
    assert all(float(p) == pytest.approx(by_float[rules]) for rules, p in law.items())


def test_a_list_law_by_hand():
    """One feature, one positive record that it covers: weights e^0 for (f, 1), (true, 1); e^-1 for the others."""
    law = exact_list_law([Example((True,), 1)], tilted(1.0), 1)
    total = 2 + 2 * exp(-1)
    assert law[(TRUE, 1),] == pytest.approx(1 / total)
    assert law[(0, 0), (TRUE, 1)] == pytest.approx(exp(-1) / total / 2)


def test_a_label_flip_attains_the_exact_replace_bound_at_zero():
    """Only the constant true is left: the law is that of two candidates, and tanh(tilt / 2) is reached exactly."""
    laws = [exact_list_law([Example((), label)], tilted(1.0), 0) for label in (0, 1)]
    assert both_ways(hockey_stick, *laws, 0.0) == pytest.approx(cover.delta(1.0, 0.0, "replace"))


@pytest.mark.parametrize("reward", [0.25, 0.5, 1.0])
def test_a_label_flip_attains_the_replace_bound_at_zero_with_rewards_too(reward):
    """The ratio of the two weights moves by (1 + reward) tilt each way: tanh((1 + reward) tilt / 2)."""
    laws = [exact_list_law([Example((), label)], tilted(0.7), 0, rewards=(reward,)) for label in (0, 1)]
    assert both_ways(hockey_stick, *laws, 0.0) == pytest.approx(cover.delta(0.7, 0.0, "replace", reward))


def test_a_public_prior_keeps_the_bound():
    prior = {TRUE: Fraction(7), 0: Fraction(1), 1: Fraction(3)}.__getitem__
    rows = [Example((True, False), 0), Example((True, True), 1)]
    for extra in (Example((True, True), 0), Example((False, True), 1)):
        laws = [exact_list_law(sample, tilted(0.8), 2, prior=prior) for sample in (rows, [*rows, extra])]
        for epsilon in (0.0, 0.4, 0.8):
            assert both_ways(hockey_stick, *laws, epsilon) <= cover.delta(0.8, epsilon)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_a_record_with_an_undeclared_label_is_left_out_and_that_costs_no_more(neighbours):
    """Exchanged for a record that the learner ignores, a record is as good as removed."""
    rows = [Example((True, False), 0), Example((True, True), 1)]
    for reward in (0, 1):
        laws = [
            exact_list_law(sample, tilted(0.8), 2, rewards=(reward,))
            for sample in (rows, [*rows, Example((True, True), 0)])
        ]
        for epsilon in (0.0, 0.4, 0.8, 1.2):
            assert both_ways(hockey_stick, *laws, epsilon) <= cover.delta(0.8, epsilon, neighbours, reward)
