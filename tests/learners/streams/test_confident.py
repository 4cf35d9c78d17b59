"""ConfidentWinnow stays within the paper's lemma, whatever the adversary's bits."""

import numpy as np
import pytest

from bench import stream_examples as examples
from dprules.errors import ParameterError
from dprules.learners.streams import ConfidentWinnow, DenseBlock
from learners.streams.margins import FEATURES, LENGTH, STREAMS

CONFIDENCE = 1 / 3


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("bits", ["always", "random", "never"])
def test_updates_stay_within_the_lemma(name, bits):
    stream = STREAMS[name]
    random = np.random.default_rng(0)
    asked = {"random": random.random(LENGTH) < 0.5, "never": np.zeros(LENGTH, dtype=np.bool_)}.get(bits)
    rate = stream.margin / 2
    careful = ConfidentWinnow(FEATURES + 1, rate, stream.margin, CONFIDENCE, asked)
    for block, labels in stream.blocks(1):
        careful.learn(block, labels)
    most = np.log(2 * (FEATURES + 1)) / ((1 - CONFIDENCE) * rate * stream.margin - rate**2 / 2)
    assert careful.updates <= most
    assert careful.mistakes <= careful.updates
    if bits == "never":
        assert careful.mistakes == careful.updates


def test_bits_go_on_from_block_to_block():
    """The same stream in one block and in many."""
    random = np.random.default_rng(5)
    X = random.random((500, 20)) < 0.5
    y = np.where(X[:, 2] | X[:, 9], 1, -1).astype(np.int8)
    bits = random.random(500) < 0.5
    margin = examples.disjunction(20, 2, 500).margin
    runs = []
    for size in (500, 33):
        learner = ConfidentWinnow(21, 0.1, margin, bits=bits)
        for start in range(0, 500, size):
            learner.learn(DenseBlock(X[start : start + size]), y[start : start + size])
        runs.append((learner.mistakes, learner.updates))
    assert runs[0] == runs[1]


def test_a_confidence_beyond_the_lemma_is_refused():
    with pytest.raises(ParameterError, match="confidence must lie"):
        ConfidentWinnow(3, 0.1, 0.1, confidence=0.6)
