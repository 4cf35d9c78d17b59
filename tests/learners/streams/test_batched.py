"""The batched policy: public, and priced as a whole."""

from fractions import Fraction

import numpy as np
import pytest

from dprules.accounting import BatchedStream
from dprules.errors import ParameterError
from dprules.learners.streams import BatchedPolicy

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


def test_after_the_last_release_nothing_is_tested():
    policy = BatchedPolicy.start(3, **(OPTIONS | {"releases": 1}))
    assert policy.above is not None
    assert policy.after(np.array([2])).above is None


def test_both_signs_of_every_coordinate_are_candidates():
    asked = BatchedPolicy.start(3, **OPTIONS).draws(np.array([4, -1, 2]), cached=4, unit=64)
    assert asked.scores.tolist() == [4, -1, 2, -4, 1, -2]
    assert asked.tilt == Fraction(0.1) / 64
    assert asked.size == 1


@pytest.mark.parametrize("change", [{"draws": 0}, {"releases": 0}, {"threshold": 0}, {"rate": 0}, {"above": (0, 1)}])
def test_parameters_that_make_no_sense_are_refused(change):
    with pytest.raises(ParameterError):
        BatchedPolicy.start(3, **(OPTIONS | change))
