"""The loop that the private learners share: what it takes, what it refuses, and how it goes on."""

import numpy as np
import pytest

from dprules.errors import ParameterError, SpentError
from dprules.learners.streams import ClippedBlock, DenseBlock, PrivateLearner, SegmentPolicy
from dprules.mechanisms import SeededBits

ONE = np.ones(1, dtype=np.int8)
RANDOM = np.random.default_rng(0)
X = RANDOM.random((3000, 4)) < 0.5
Y = np.where(X[:, 0], 1, -1).astype(np.int8)


@pytest.mark.parametrize(
    ("block", "labels"),
    [
        (ClippedBlock(np.ones((1, 2))), ONE),
        (DenseBlock(np.ones((1, 5))), ONE),
        (DenseBlock(np.ones((1, 2))), 100 * ONE),
        (DenseBlock(np.ones((4, 2))), ONE),
        (DenseBlock(np.ones((1, 2))), np.ones(1)),
    ],
    ids=["another grid", "other features", "large labels", "too few labels", "labels of another type"],
)
def test_the_price_holds_for_fitting_blocks_and_labels_only(block, labels):
    learner = PrivateLearner(SegmentPolicy.start(3, 1.0))
    with pytest.raises(ParameterError):
        learner.learn(block, labels)
    assert not learner.secret().scores.any()


def test_a_learner_that_was_stopped_in_a_round_does_not_go_on():
    learner = PrivateLearner(SegmentPolicy.start(3, 8.0, scale=100))
    block = DenseBlock(np.ones((500, 2)))
    labels = np.ones(500, dtype=np.int8)

    def stop(release):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learner.learn(block, labels, stop)
    with pytest.raises(SpentError, match="stopped in the middle"):
        learner.learn(block, labels)


def run(learner, start, stop, size=50):
    said = []
    for at in range(start, stop, size):
        learner.learn(DenseBlock(X[at : at + size]), Y[at : at + size], said.append)
    return [release.indices for release in said]


def test_a_seed_repeats_every_release():
    runs = [run(PrivateLearner(SegmentPolicy.start(5, 20.0), bits=SeededBits(3)), 0, 3000) for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(runs[0]) > 2
    assert not PrivateLearner(SegmentPolicy.start(5, 20.0), bits=SeededBits(3)).secure
    assert PrivateLearner(SegmentPolicy.start(5, 20.0)).secure


def test_what_was_kept_goes_on_where_it_was():
    learner = PrivateLearner(SegmentPolicy.start(5, 20.0))
    run(learner, 0, 1000)
    kept = learner.secret()
    again = PrivateLearner.resume(learner.policy, kept).secret()
    assert (again.scores == kept.scores).all()
    assert (again.cached, again.watch) == (kept.cached, kept.watch)


def test_rounds_in_which_nothing_happened_change_nothing():
    learner = PrivateLearner(SegmentPolicy.start(5, 1.0))
    learner.learn(DenseBlock(X), np.zeros(len(X), dtype=np.int8))
    assert not learner.secret().scores.any()
    assert learner.secret().cached == 0
