"""The batched policy: public, and priced as a whole."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.random import Generator

from bench import stream_examples as examples
from dprules.accounting import BatchedStream
from dprules.errors import ModelError, ParameterError
from dprules.learners.streams import (
    BatchedPolicy,
    DenseBlock,
    PrivateLearner,
    StreamSettings,
    plan_stream,
)
from dprules.learners.streams.winnow import Labels
from dprules.tables import Words
from learners.streams.margins import count_mistakes

OPTIONS = {"threshold": 1, "draws": 1, "releases": 5, "rate": 0.1, "above": (0.1, 0.1)}


def test_a_running_learner_is_priced_as_a_whole():
    policy = BatchedPolicy.start(3, **OPTIONS)
    later = policy.after(np.array([0])).after(np.array([1]))
    assert later.releases == 3
    assert later.event() == policy.event()
    assert isinstance(policy.event(), BatchedStream)


def test_a_hypothesis_is_the_count_of_its_draws():
    policy = BatchedPolicy.start(3, **(OPTIONS | {"draws": 4}))
    assert policy.after(np.array([0, 0, 5, 4])).weights.values.tolist() == [0.5, -0.25, -0.25]


def test_after_its_last_release_a_new_life_begins_with_the_last_hypothesis_in_force():
    policy = BatchedPolicy.start(3, **(OPTIONS | {"releases": 2}))
    once = policy.after(np.array([2]))
    again = once.after(np.array([1]))
    assert (policy.forgets, once.forgets, again.forgets) == (False, True, False)
    assert again.releases == 2
    assert again.above == policy.above
    assert again.weights.values.tolist() == [0, 1, 0]
    assert again.event() == policy.event()


def test_scores_are_cleared_between_lives():
    """Where nothing else is random: the scores of the first life would outweigh those of the second."""
    options = {"threshold": 20, "draws": 1, "releases": 1, "rate": 50, "above": (50, 50)}
    learner = PrivateLearner(BatchedPolicy.start(3, **options))
    rows = DenseBlock(np.ones((40, 2), dtype=np.int8))
    learner.learn(rows, np.ones(40, dtype=np.int8))
    assert learner.policy.weights.values.max() == 1
    learner.learn(DenseBlock(np.ones((20, 2), dtype=np.int8)), np.full(20, -1, dtype=np.int8))
    assert learner.policy.weights.values.min() == -1


@pytest.mark.parametrize("left", [0, 6, 2.5, None])
def test_a_document_with_other_releases_than_a_life_has_is_refused(left):
    policy = BatchedPolicy.start(3, **OPTIONS)
    assert policy.at(policy.document()).document() == policy.document()
    with pytest.raises((ModelError, ParameterError)):
        policy.at(policy.document() | {"left": left})


def test_after_a_switch_it_learns_again_within_its_bound():
    """Theory B11: 30 features, one of them is the label; then its complement."""
    part = examples.disjunction(30, 1, 5000)
    settings = StreamSettings(40.0, 1e-3, "batched", horizon=10_000, margin=1.0)
    plan = plan_stream(30, 1.0, 10_000, 40.0, 1e-3, switches=1)
    assert plan.batched == settings.plan(31).batched  # no learner is told of switches
    learner = PrivateLearner(settings.policy(31))
    before = count_mistakes(learner, part)
    after = count_mistakes(learner, replace(part, target=lambda random: turned(part.target(random))))
    assert before + after <= plan.mistakes < 10_000
    # One that is dead would be wrong in all 5,000 rounds.
    assert count_mistakes(learner, replace(part, target=lambda random: turned(part.target(random)))) < 250


def turned(make: Callable[[Generator, int], tuple[Words, Labels]]) -> Callable[[Generator, int], tuple[Words, Labels]]:
    """The complement of a target."""

    def complement(random: Generator, size: int) -> tuple[Words, Labels]:
        words, labels = make(random, size)
        return words, (-labels).astype(np.int8)

    return complement


def test_both_signs_of_every_coordinate_are_candidates():
    asked = BatchedPolicy.start(3, **OPTIONS).draws(np.array([4, -1, 2]), cached=4, unit=64)
    assert asked.scores.tolist() == [4, -1, 2, -4, 1, -2]
    assert asked.tilt == Fraction(0.1) / 64
    assert asked.size == 1


@pytest.mark.parametrize("change", [{"draws": 0}, {"releases": 0}, {"threshold": 0}, {"rate": 0}, {"above": (0, 1)}])
def test_parameters_that_make_no_sense_are_refused(change):
    with pytest.raises(ParameterError):
        BatchedPolicy.start(3, **(OPTIONS | change))
