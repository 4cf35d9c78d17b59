from fractions import Fraction
from math import exp

import pytest

from dprules.audit import BatchedLaw, FirstOnlyLaw, GuardedLaw, Round, SegmentLaw, ThresholdLaw, exact_stream_law

STREAM = [Round((1, -1), 1), None, Round((1, 1), -1), Round((-1, 1), 1)]


def test_only_the_first_mistake_differs_between_paper_and_batched():
    twice = [Round((1, -1), -1)] * 2  # the uniform hypothesis ties: both are mistakes
    tests = ThresholdLaw(Fraction(1, 10**9), Fraction(1, 10**9))  # fires at the threshold, practically for sure
    for kind, score in ((BatchedLaw, 2), (FirstOnlyLaw, 1)):
        law = exact_stream_law(twice, kind(2, Fraction(2), draws=1, releases=1, limit=2), tests)
        expected = Fraction(2) ** -score / (Fraction(2) ** -score + 2**score)
        assert float(law[None, (0,)]) == pytest.approx(float(expected), rel=1e-6)


def test_a_hypothesis_is_what_was_drawn_and_ties_are_mistakes():
    learner = BatchedLaw(2, Fraction(2), draws=2, releases=2, limit=1)
    assert learner.caches(Round((1, -1), 1))
    releases = {indices: after for indices, _, after in learner.release([[Round((1, 1), 1)]])}
    assert releases[0, 0].hypothesis == (2, 0)
    assert not releases[0, 0].caches(Round((1, -1), 1))
    assert releases[0, 1].caches(Round((1, -1), 1))
    assert releases[0, 1].threshold() == 1


def test_the_last_release_of_a_life_begins_another_and_the_paper_s_ends_it_all():
    example = Round((1, -1), 1)
    for kind, threshold in ((BatchedLaw, 1), (FirstOnlyLaw, None)):
        learner = kind(2, Fraction(2), draws=1, releases=1, limit=1)
        chance = {indices: (p, after) for indices, p, after in learner.release([[example]])}
        after = chance[0,][1]
        assert after.threshold() == threshold
        assert after.hypothesis == (1, 0)
        again = {indices: p for indices, p, _ in after.release([[example], []])}
        assert (again[0,] == Fraction(1, 2)) == (kind is BatchedLaw)  # nothing of the first life is scored


def test_segment_and_guarded_laws_are_laws():
    tests = ThresholdLaw(exp(-0.5), exp(-0.5))
    segment = SegmentLaw(2, 1.0, scale=100.0)
    guarded = GuardedLaw(segment, BatchedLaw(4, exp(0.25), draws=1, releases=1, limit=1), switch_after=1)
    for learner in (segment, guarded):
        law = exact_stream_law(STREAM, learner, tests)
        assert float(sum(law.values())) == pytest.approx(1)
        assert len(law) > 10


def test_a_segment_keeps_within_its_part_of_epsilon():
    for epsilon in (0.1, 1.0, 3.0):
        learner = SegmentLaw(3, epsilon)
        for limit in (0, 5, 100, 10_000):
            draws, eta = SegmentLaw(3, epsilon, limit=limit or learner.first_limit).rate()
            assert draws * eta <= epsilon / 4 * (1 + 1e-12)


def test_the_default_rule_of_segment():
    """Weights move by steps that grow while the sign stays and halve when it turns; thresholds follow the nulls."""
    learner = SegmentLaw(2, 1.0, scale=100.0)
    assert learner.threshold() == 1
    once = learner.after((0,), 1)
    assert once.weights == (0.5, 0.0)  # the first sign is new: half a step
    again = once.after((0,), 1)
    assert again.weights == pytest.approx((0.5 + 0.6, 0.0))
    back = again.after((2,), 1)
    assert back.weights == pytest.approx((1.1 - 0.3, 0.0))
    assert learner.after((4,), 1).limit == 2
    assert SegmentLaw(2, 1.0, scale=100.0, limit=8).after((0,), 1).limit == 6


def test_guarded_switches_when_the_next_segment_would_open_too_much():
    segment = SegmentLaw(2, 1.0, scale=100.0)
    batched = BatchedLaw(4, exp(0.25), draws=1, releases=1, limit=3)
    learner = GuardedLaw(segment, batched, switch_after=2)
    assert learner.threshold() == 1
    afters = [after for _, _, after in learner.release([[]])]
    # A segment of one threshold fits; a doubled one (null was drawn) does not: the batched learner takes over.
    assert {after.threshold() for after in afters} == {1, 3}
    switched = next(after for after in afters if after.threshold() == 3)
    again = [after for _, _, after in switched.release([[], []]) if isinstance(after, GuardedLaw)]
    assert len(again) == 4
    # A life of one release, and a fresh segment learner, with the last hypothesis in force.
    assert {(after.opened, after.threshold(), after.first.steps) for after in again} == {(0, 1, ())}
    assert {after.first.weights for after in again} == {(1, 0), (0, 1), (-1, 0), (0, -1)}
