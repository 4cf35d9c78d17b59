"""The loop that the private learners share: what it takes, what it refuses, and how it goes on."""

import json

import numpy as np
import pytest

from dprules.errors import ModelError, ParameterError, SpentError
from dprules.learners.streams import ClippedBlock, DenseBlock, PrivateLearner, Secret, SegmentPolicy, StreamSettings
from dprules.learners.streams.packing import unpack_numbers
from dprules.mechanisms import SeededBits
from learners.streams.questions import Plain

QUESTIONS = Plain(4)
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
    assert not scores_of(learner).any()


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


def scores_of(learner):
    return unpack_numbers(learner.secret().head)[1]


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
    settings = StreamSettings(epsilon=20.0)
    learner = settings.start(QUESTIONS, SeededBits(1))
    assert isinstance(learner, PrivateLearner)
    run(learner, 0, 1000)
    public = json.loads(json.dumps(learner.public()))
    again = settings.resume(QUESTIONS, public, learner.secret(), SeededBits(2))
    assert again.secret().head == learner.secret().head
    assert again.public() == learner.public()
    assert again.releases == learner.releases > 0


@pytest.mark.parametrize(
    "head",
    [b"", b"{}", b"[]\n", b'{"cached": 1, "tau": 2, "seen": "x"}\n', b'{"cached": true}\n', b"[" * 10_000 + b"\n"],
    ids=["nothing", "no numbers", "a list", "text", "a truth", "deep"],
)
def test_a_torn_secret_is_refused(head):
    settings = StreamSettings(epsilon=20.0)
    public = settings.start(QUESTIONS, SeededBits(1)).public()
    with pytest.raises(ModelError, match="torn"):
        settings.resume(QUESTIONS, public, Secret(head), SeededBits(2))


def test_rounds_in_which_nothing_happened_change_nothing():
    learner = PrivateLearner(SegmentPolicy.start(5, 1.0))
    learner.learn(DenseBlock(X), np.zeros(len(X), dtype=np.int8))
    assert not scores_of(learner).any()
    assert unpack_numbers(learner.secret().head)[0]["cached"] == 0
