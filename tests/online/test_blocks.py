import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from dprules.data import Boolean, conjunctions, literals
from dprules.data.packed import pack
from dprules.errors import ParameterError, PrivacyError
from dprules.online.blocks import Conjoined, Dense, Packed, Real, Sparse, Weights, as_block

RANDOM = np.random.default_rng(0)
X = RANDOM.random((300, 130)) < 0.3
LABELS = RANDOM.choice([-1, 1], 300).astype(np.int8)
VALUES = np.where(RANDOM.random(131) < 0.1, RANDOM.normal(size=131), 0)
SIGNED = np.hstack([np.where(X, 1, -1), np.ones((300, 1), dtype=int)])

KINDS = {
    "bool": lambda: Dense(X),
    "int8": lambda: Dense(X.astype(np.int8)),
    "signs": lambda: Dense(np.where(X, 1, -1).astype(np.int8)),
    "floats": lambda: Dense(np.where(X, 0.5, -3.0)),
    "columns": lambda: Dense(np.asfortranarray(X)),
    "packed": lambda: Packed(pack(X), 130),
    "csr": lambda: Sparse(csr_matrix(X)),
    "csr with zeros": lambda: Sparse(
        csr_array(
            (np.where(X, 2, -1).ravel(), np.tile(np.arange(130), 300), np.arange(0, 300 * 130 + 1, 130)), shape=X.shape
        )
    ),
    "real": lambda: Real(np.where(X, 1.0, -7.0)),
    "frame": lambda: as_block(X.tolist()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_and_adds_the_same(kind):
    block, weights = KINDS[kind](), Weights(VALUES)
    assert (len(block), block.dimension) == (300, 131)
    assert block.says(weights, 20, 250) == pytest.approx(SIGNED[20:250] @ VALUES)
    rows = np.flatnonzero(RANDOM.random(300) < 0.2)
    totals = np.zeros(131, dtype=np.int64)
    block.add(rows, LABELS, totals)
    assert (totals == block.unit * (LABELS[rows].astype(int) @ SIGNED[rows])).all()


def test_what_is_said_of_an_example_does_not_depend_on_the_others():
    weights = Weights(VALUES)
    for make in KINDS.values():
        alone = [make().says(weights, i, i + 1)[0] for i in range(40)]
        assert make().says(weights, 0, 40).tolist() == alone


def test_conjunctions_are_made_for_cached_examples_only():
    asked = [x for i in range(6) for x in literals(Boolean(f"b{i}"))]
    features = conjunctions(asked, 2)
    held = np.empty((300, 12), dtype=bool)
    held[:, ::2], held[:, 1::2] = X[:, :6], ~X[:, :6]
    whole = np.column_stack([held[:, [i for i in f if i >= 0]].all(axis=1) for f in features])
    block, plain = Conjoined(held, features), Dense(whole)
    weights = Weights(np.where(RANDOM.random(len(features) + 1) < 0.2, RANDOM.normal(size=len(features) + 1), 0))
    assert block.says(weights).tolist() == plain.says(weights).tolist()
    totals, expected = np.zeros(len(features) + 1, dtype=np.int64), np.zeros(len(features) + 1, dtype=np.int64)
    block.add(np.arange(50), LABELS, totals)
    plain.add(np.arange(50), LABELS, expected)
    assert (totals == expected).all()


def test_a_feature_that_is_stored_twice_counts_once():
    twice = csr_array((np.ones(4), np.array([1, 1, 2, 2]), np.array([0, 2, 4])), shape=(2, 3))
    totals = np.zeros(4, dtype=np.int64)
    Sparse(twice).add(np.array([0]), np.ones(2, dtype=np.int8), totals)
    assert totals.tolist() == [-1, 1, -1, 1]
    with pytest.raises(ValueError, match="indices"):
        Sparse(csr_array((np.ones(1), np.array([7]), np.array([0, 1])), shape=(1, 3)))


def test_real_features_are_clipped_and_rounded():
    block = Real(np.array([[0.5, 9.0, -9.0, np.nan, 1 / 300, np.inf]]))
    totals = np.zeros(7, dtype=np.int64)
    block.add(np.array([0]), np.ones(1, dtype=np.int8), totals)
    assert totals.tolist() == [32, 64, -64, 0, 0, 64, 64]


def test_blocks_show_nothing():
    block = Dense(X)
    assert repr(block) == "<private examples>"
    with pytest.raises(PrivacyError):
        pickle.dumps(block)
    for wrong in (np.zeros(3), np.array([["a"]]), [[object()]]):
        with pytest.raises(ParameterError, match="two-dimensional"):
            as_block(wrong)
    with pytest.raises(ParameterError, match="must have 5 features"):
        as_block(X, features=5)
