"""Learners to compare with do what their names say."""

import numpy as np
import pytest
from river import linear_model

from bench import stream_examples as examples
from bench.stream_baselines import FollowTheLeader, Perceptron, TreeSum, private_experts
from dprules.errors import ParameterError
from dprules.learners.streams import ClippedBlock, DenseBlock
from learners.streams.margins import count_mistakes


def test_the_perceptron_is_that_of_river():
    random = np.random.default_rng(0)
    X = random.random((600, 8)) < 0.5
    y = X[:, 0] & ~X[:, 3]
    theirs = linear_model.Perceptron()
    wrong = 0
    for x, label in zip(np.where(X, 1.0, -1.0), y, strict=True):
        row = dict(enumerate(x))
        wrong += theirs.predict_one(row) != bool(label)
        theirs.learn_one(row, bool(label))
    ours = Perceptron(9)
    ours.learn(DenseBlock(X), np.where(y, 1, -1).astype(np.int8))
    assert abs(ours.mistakes - wrong) <= 0.15 * wrong + 3  # they differ in ties


def test_tree_sums_are_sums_with_noise_of_the_right_size():
    tree = TreeSum(2000, 16, 3.0, np.random.default_rng(0))
    for step in range(1, 17):
        noisy = tree.add(np.ones(2000, dtype=np.int64))
        assert noisy.mean() == pytest.approx(step, abs=0.5)
        assert noisy.std() == pytest.approx(3.0 * np.sqrt(step.bit_count()), rel=0.1)


@pytest.mark.parametrize(("link", "rate"), [("l2", 1e-3), ("entropic", 1e-2)])
def test_following_the_leader_learns_a_disjunction(link, rate):
    learner = FollowTheLeader(21, 20_000, 50.0, 1e-3, rate, link, batch=200)
    for block, labels in examples.disjunction(20, 2, 20_000).blocks(0, 200):
        learner.learn(block, labels)
    assert learner.mistakes < 4000


def test_the_noise_has_the_scale_of_the_features():
    """Features of -1 and 1 are the same whether they are read as Booleans or as numbers on a grid; so is the noise."""
    X = np.random.default_rng(1).random((500, 6)) < 0.5
    labels = np.where(X[:, 0], 1, -1).astype(np.int8)
    learners = []
    for block in (DenseBlock(X), ClippedBlock(np.where(X, 1.0, -1.0))):
        learner = FollowTheLeader(7, 500, 1.0, 1e-6, 1.0, batch=500)
        learner.learn(block, labels)
        learners.append(learner)
    assert learners[0].weights.values.tolist() == learners[1].weights.values.tolist()
    # One node of the tree: 2 sqrt(7) over what (1, 1e-6) allows, far above 2 sqrt(7).
    silent = FollowTheLeader(7, 500, 1.0, 1e-6, 1.0, batch=500)
    silent.learn(ClippedBlock(np.zeros((500, 6))), np.zeros(500, dtype=np.int8))
    assert np.abs(silent.weights.values).mean() > 10


def test_an_unknown_link_is_refused():
    with pytest.raises(ParameterError, match="link must be"):
        FollowTheLeader(3, 10, 1.0, 1e-3, 0.1, "magic")


def test_private_experts_learn_point_functions():
    experts = private_experts(31, threshold=40, releases=20, rate=0.2, above=(0.5, 0.5))
    assert count_mistakes(experts, examples.point_functions(30, 6000)) < 1500
