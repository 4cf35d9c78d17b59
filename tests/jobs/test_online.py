"""Features and labels of the online estimators: blocks of matrices, frames and single examples are read alike."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from dprules.errors import ParameterError, PrivacyError
from dprules.jobs import OnlineRequest, PlainLearner, StreamLearner, StreamSettings, hash_name, read_label_codes
from dprules.learners.streams import Weights
from dprules.schema import Label

NAMES = ["a", "b", "c"]
ROWS = np.array([[1.0, 0.0, -1.0], [0.25, np.nan, 3.0], [-0.5, np.inf, 0.0]])
SETTINGS = [dict(width=1, real=False), dict(width=1, real=True), dict(width=2, real=False)]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_form_of_an_example_weighs_the_same(setting):
    request = OnlineRequest.inferred(pd.DataFrame(ROWS, columns=NAMES), NAMES, **setting)
    weights = Weights(np.arange(1.0, request.dimension + 1))
    examples = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    forms = [ROWS, ROWS.astype(object), pd.DataFrame(ROWS, columns=NAMES)]
    expected = request.read(ROWS).weigh(weights).tolist()
    for form in forms:
        assert request.read(form).weigh(weights).tolist() == expected
    assert request.read_examples(examples).weigh(weights).tolist() == expected
    finite = np.nan_to_num(ROWS, nan=0, posinf=0)
    assert request.read(csr_matrix(finite)).weigh(weights).tolist() == request.read(finite).weigh(weights).tolist()
    halfspace = request.halfspace(weights, ("no", "yes"), 1)
    assert [halfspace.weigh(example) for example in examples] == pytest.approx(expected)


def test_examples_may_lack_features_and_have_others():
    request = OnlineRequest.inferred({name: [] for name in NAMES}, NAMES, 1, False)
    block = request.read_examples([{"a": 1, "z": 1}, {}])
    assert block.weigh(Weights(np.array([1.0, 1.0, 1.0, 0.0]))).tolist() == [-1.0, -3.0]


def test_signs_of_labels():
    label = Label("y", ("no", "yes"))
    assert read_label_codes(["yes", "no", "perhaps", None, ["yes"]], label).tolist() == [1, 0, -1, -1, -1]
    assert read_label_codes(np.array(["yes", "no"]), label).tolist() == [1, 0]
    with pytest.raises(ParameterError, match="match none"):
        read_label_codes(np.array([0, 1]), label)


def test_hashes_are_a_public_function_of_names():
    assert hash_name("a", 256) == hash_name("a", 256) < 256
    assert len({hash_name(f"feature {i}", 256) for i in range(200)}) > 100
    assert 0 <= hash_name("\ud800", 7) < 7


def test_learners():
    request = OnlineRequest.inferred(pd.DataFrame(ROWS, columns=NAMES), NAMES, 1, False)
    signs = np.array([1, -1, 1], dtype=np.int8)
    learner = StreamLearner(StreamSettings(epsilon=2.0), request, [], seed=1)
    learner.learn(request.read(ROWS), signs)
    assert learner.certificate.verify()
    assert "private" in repr(learner)
    with pytest.raises(PrivacyError):
        learner.__reduce_ex__(4)
    for plain in (PlainLearner(request, 0.2), PlainLearner(request, 0.1, 0.1, 0.3)):
        plain.learn(request.read(ROWS), signs)
        assert plain.releases > 0
