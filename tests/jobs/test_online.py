"""Features and labels of the online estimators: blocks of matrices, frames and single examples are read alike."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from dprules.errors import PrivacyError
from dprules.jobs import (
    HashedRequest,
    OnlineRequest,
    PlainLearner,
    StreamLearner,
    StreamSettings,
    choose_columns,
    hash_columns,
    hash_name,
    read_label_codes,
)
from dprules.learners.streams import Weights
from dprules.schema import Label

NAMES = ["a", "b", "c"]
ROWS = np.array([[1.0, 0.0, -1.0], [0.25, np.nan, 3.0], [-0.5, np.inf, 0.0]])
FRAME = pd.DataFrame(ROWS, columns=NAMES)
EXAMPLES = [dict(zip(NAMES, row, strict=True)) for row in ROWS.tolist()]
SETTINGS = [("positive", 1), ("real", 1), ("auto", 1), ("positive", 2)]


def make_request(values="positive", width=1):
    columns = choose_columns(FRAME, NAMES, values, width > 1)
    return OnlineRequest(columns, width).with_classes(("no", "yes"), lists=False)


def weigh_examples(request, weights):
    return request.make_block([request.read_one(example) for example in EXAMPLES]).weigh(weights).tolist()


@pytest.mark.parametrize(("values", "width"), SETTINGS)
def test_every_form_of_an_example_weighs_the_same(values, width):
    request = make_request(values, width)
    weights = Weights(np.arange(1.0, request.dimension + 1))
    expected = request.read(ROWS).weigh(weights).tolist()
    for form in (ROWS.astype(object), FRAME, FRAME.astype(object)):
        assert request.read(form).weigh(weights).tolist() == expected
    assert weigh_examples(request, weights) == expected
    says = request.prepare(weights)
    assert [says(example) for example in EXAMPLES] == expected
    finite = np.nan_to_num(ROWS, nan=0, posinf=0)
    assert request.read(csr_matrix(finite)).weigh(weights).tolist() == request.read(finite).weigh(weights).tolist()
    halfspace = request.model(weights, 1)
    assert [halfspace.weigh(example) for example in EXAMPLES] == pytest.approx(expected)


MANY = [f"x{i}" for i in range(9)]
MIXED = {
    "floats": lambda random: random.normal(size=9).tolist(),
    "integers": lambda random: random.integers(-2, 3, 9).tolist(),
    "both": lambda random: [*random.normal(size=5).tolist(), *random.integers(-2, 3, 4).tolist()],
    "Booleans": lambda random: (random.random(9) < 0.5).tolist(),
    "Booleans among numbers": lambda random: [True, False, *random.normal(size=7).tolist()],
    "odd numbers": lambda random: [float("nan"), float("inf"), -1e101, 10**400, 1e99, -0.0, 5e-324, 10**50, -3],
    "anything": lambda random: ["text", None, [1], "0.5", *random.normal(size=5).tolist()],
}


@pytest.mark.parametrize("cells", MIXED)
@pytest.mark.parametrize("values", ["positive", "real", "boolean"])
def test_many_features_are_weighed_at_once_as_one_by_one(cells, values):
    """To the last bit: what is cached, and so what is released, depends on it."""
    random = np.random.default_rng(0)
    columns = choose_columns(None, MANY, values, asks=False)
    request = OnlineRequest(columns).with_classes(("no", "yes"), lists=False)
    weights = Weights(random.normal(size=10))
    says = request.prepare(weights)
    for _ in range(50):
        example = dict(zip(MANY, MIXED[cells](random), strict=True))
        block = request.make_block([request.read_one(example)])
        frame = request.read(pd.DataFrame([example], columns=MANY, dtype=object))
        assert says(example) == block.weigh(weights)[0] == frame.weigh(weights)[0]
        del example["x3"]
        assert says(example) == request.make_block([request.read_one(example)]).weigh(weights)[0]


@pytest.mark.parametrize("values", ["positive", "real", "boolean"])
def test_hashed_examples_weigh_as_one_and_as_a_block(values):
    request = HashedRequest(hash_columns(8, values, asks=False)).with_classes(("no", "yes"), lists=False)
    weights = Weights(np.arange(1.0, 10.0))
    says = request.prepare(weights)
    assert weigh_examples(request, weights) == [says(example) for example in EXAMPLES]


def test_examples_may_lack_features_and_have_others():
    request = make_request()
    block = request.make_block([request.read_one(example) for example in ({"a": 1, "z": 1}, {})])
    assert block.weigh(Weights(np.array([1.0, 1.0, 1.0, 0.0]))).tolist() == [-1.0, -3.0]


def test_signs_of_labels():
    label = Label("y", ("no", "yes"))
    assert read_label_codes(["yes", "no", "perhaps", None, ["yes"]], label).tolist() == [1, 0, -1, -1, -1]
    assert read_label_codes(np.array(["yes", "no"]), label).tolist() == [1, 0]
    assert read_label_codes(np.array([0, 1]), label).tolist() == [-1, -1]  # no type of labels is refused


def test_hashes_are_a_public_function_of_names():
    assert hash_name("a", 256) == hash_name("a", 256) < 256
    assert len({hash_name(f"feature {i}", 256) for i in range(200)}) > 100
    assert 0 <= hash_name("\ud800", 7) < 7


def test_learners():
    request = make_request()
    codes = np.array([1, 0, 1], dtype=np.int16)
    learner = StreamLearner(StreamSettings(epsilon=2.0), request, [], seed=1)
    learner.learn(request.read(ROWS), codes)
    assert learner.certificate.verify()
    assert "private" in repr(learner)
    with pytest.raises(PrivacyError):
        learner.__reduce_ex__(4)
    for plain in (PlainLearner(request, 0.2), PlainLearner(request, 0.1, 0.1, 0.3)):
        plain.learn(request.read(ROWS), codes)
        assert plain.releases > 0
