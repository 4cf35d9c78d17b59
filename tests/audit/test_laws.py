from fractions import Fraction
from math import exp, inf, log

import pytest

from dprules.accounting import cover
from dprules.audit import both_ways, exact_list_law, exact_stream_law, hockey_stick, largest_loss, renyi
from dprules.audit.list_law import TRUE, Example, powered, tilted
from dprules.audit.stream_law import Round
from dprules.audit.stream_law import Tests as ExactTests
from dprules.audit.stream_learners import Batched, FirstOnly, Guarded, Segment

HALVES = ExactTests(Fraction(1, 2), Fraction(1, 3))


def test_divergences():
    p, q = {"a": 0.5, "b": 0.5}, {"a": 0.25, "b": 0.75}
    assert hockey_stick(p, q, log(1.5)) == pytest.approx(0.125)
    assert largest_loss(p, q) == pytest.approx(log(2))
    assert both_ways(largest_loss, p, q) == pytest.approx(log(2))
    assert renyi(p, q, 2.0) == pytest.approx(log(0.25 / 0.25 + 0.25 / 0.75))
    assert largest_loss({"a": 1.0}, {"b": 1.0}) == renyi({"a": 1.0}, {"b": 1.0}, 2) == inf


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


def test_a_public_prior_keeps_the_bound():
    prior = {TRUE: Fraction(7), 0: Fraction(1), 1: Fraction(3)}.__getitem__
    rows = [Example((True, False), 0), Example((True, True), 1)]
    for extra in (Example((True, True), 0), Example((False, True), 1)):
        laws = [exact_list_law(sample, tilted(0.8), 2, prior=prior) for sample in (rows, [*rows, extra])]
        for epsilon in (0.0, 0.4, 0.8):
            assert both_ways(hockey_stick, *laws, epsilon) <= cover.delta(0.8, epsilon)


def test_first_fire_sums_tau_exactly():
    """Against a long plain sum over tau."""
    counts, threshold = [0, 1, 1, 3], 2
    plain = [Fraction(0)] * 4
    for tau in range(200):
        silent = Fraction(1, 2) ** (tau + 1)
        for i, count in enumerate(counts):
            chance = Fraction(1, 3) ** max(0, threshold + tau - count)
            plain[i] += silent * chance
            silent *= 1 - chance
    exact = HALVES.first_fire(counts, threshold)
    assert all(abs(a - b) < Fraction(1, 10**50) for a, b in zip(plain, exact, strict=True))


STREAM = [Round((1, -1), 1), None, Round((1, 1), -1), Round((-1, 1), 1)]


@pytest.mark.parametrize("kind", [Batched, FirstOnly])
def test_stream_laws_are_laws(kind):
    law = exact_stream_law(STREAM, kind(2, Fraction(3, 2), draws=2, releases=2, limit=1), HALVES)
    assert sum(law.values()) == 1
    assert max(sum(said is not None for said in transcript) for transcript in law) == 2


def test_only_the_first_mistake_differs_between_paper_and_batched():
    twice = [Round((1, -1), -1)] * 2  # the uniform hypothesis ties: both are mistakes
    tests = ExactTests(Fraction(1, 10**9), Fraction(1, 10**9))  # fires at the threshold, practically for sure
    for kind, score in ((Batched, 2), (FirstOnly, 1)):
        law = exact_stream_law(twice, kind(2, Fraction(2), draws=1, releases=1, limit=2), tests)
        expected = Fraction(2) ** -score / (Fraction(2) ** -score + 2**score)
        assert float(law[None, (0,)]) == pytest.approx(float(expected), rel=1e-6)


def test_segment_and_guarded_laws_are_laws():
    tests = ExactTests(exp(-0.5), exp(-0.5))
    segment = Segment(2, 1.0, scale=100.0)
    guarded = Guarded(segment, Batched(4, exp(0.25), draws=1, releases=1, limit=1), most=1)
    for learner in (segment, guarded):
        law = exact_stream_law(STREAM, learner, tests)
        assert float(sum(law.values())) == pytest.approx(1)
        assert len(law) > 10
    assert segment.threshold() == 1
    draws, eta = segment.rate()
    assert draws * eta <= 0.25


def test_the_default_rule_of_segment():
    """Weights move by steps that grow while the sign stays and halve when it turns; thresholds follow the nulls."""
    learner = Segment(2, 1.0, scale=100.0)
    once = learner._after((0,), 1)
    assert once.weights == (0.5, 0.0)  # the first sign is new: half a step
    again = once._after((0,), 1)
    assert again.weights == pytest.approx((0.5 + 0.6, 0.0))
    back = again._after((2,), 1)
    assert back.weights == pytest.approx((1.1 - 0.3, 0.0))
    assert learner._after((4,), 1).limit == 2
    assert Segment(2, 1.0, scale=100.0, limit=8)._after((0,), 1).limit == 6
