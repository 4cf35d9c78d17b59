"""Every kind of block weighs and adds alike, and what is said of an example depends on no other."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from dprules.errors import ParameterError
from dprules.learners.streams import (
    ClippedBlock,
    ConditionBlock,
    DenseBlock,
    LiteralBlock,
    PackedBlock,
    SparseBlock,
    Weights,
    as_block,
)
from dprules.schema import Boolean, build_conditions, literals_of
from dprules.tables import pack

RANDOM = np.random.default_rng(0)
X = RANDOM.random((300, 130)) < 0.3
LABELS = RANDOM.choice([-1, 1], 300).astype(np.int8)
VALUES = np.where(RANDOM.random(131) < 0.1, RANDOM.normal(size=131), 0)
SIGNED = np.hstack([np.where(X, 1, -1), np.ones((300, 1), dtype=int)])


def with_zeros() -> csr_array:
    """Everything is stored, also what is not above 0."""
    starts = np.arange(0, 300 * 130 + 1, 130)
    return csr_array((np.where(X, 2, -1).ravel(), np.tile(np.arange(130), 300), starts), shape=X.shape)


KINDS = {
    "bool": lambda: DenseBlock(X),
    "int8": lambda: DenseBlock(X.astype(np.int8)),
    "uint16": lambda: DenseBlock(X.astype(np.uint16)),
    "signs": lambda: DenseBlock(np.where(X, 1, -1).astype(np.int8)),
    "floats": lambda: DenseBlock(np.where(X, 0.5, -3.0)),
    "narrow floats": lambda: DenseBlock(np.where(X, 0.5, np.inf).astype(np.float32)),
    "with missing numbers": lambda: DenseBlock(np.where(X, 0.5, np.nan)),
    "with endless numbers": lambda: DenseBlock(np.where(X, 0.5, np.inf)),
    "big endian": lambda: DenseBlock(np.where(X, 1, -1).astype(">i4")),
    "columns": lambda: DenseBlock(np.asfortranarray(X)),
    "packed": lambda: PackedBlock(pack(X), 130),
    "csr": lambda: SparseBlock(csr_matrix(X)),
    "csr of narrow floats": lambda: SparseBlock(csr_matrix(np.where(X, 0.5, np.inf).astype(np.float32))),
    "csr with zeros": lambda: SparseBlock(with_zeros()),
    "clipped": lambda: ClippedBlock(np.where(X, 1.0, -7.0)),
    "clipped sparse": lambda: as_block(csr_matrix(np.where(X, 1.0, -7.0)), real=True),
    "lists": lambda: as_block(X.tolist()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_weighs_and_adds_the_same(kind):
    block = KINDS[kind]()
    assert (len(block), block.dimension) == (300, 131)
    assert block.weigh(Weights(VALUES), 20, 250) == pytest.approx(SIGNED[20:250] @ VALUES)
    rows = np.flatnonzero(RANDOM.random(300) < 0.2)
    totals = np.zeros(131, dtype=np.int64)
    block.add(rows, LABELS, totals)
    assert (totals == block.unit * (LABELS[rows].astype(int) @ SIGNED[rows])).all()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_an_example_does_not_depend_on_the_others(kind):
    weights = Weights(VALUES)
    block = KINDS[kind]()
    alone = [block.weigh(weights, i, i + 1)[0] for i in range(40)]
    assert block.weigh(weights, 0, 40).tolist() == alone


def test_conditions_are_made_for_cached_examples_only():
    asked = [literal for i in range(6) for literal in literals_of(Boolean(f"b{i}"))]
    conditions = build_conditions(asked, 2)
    held = np.empty((300, 12), dtype=np.bool_)
    held[:, ::2] = X[:, :6]
    held[:, 1::2] = ~X[:, :6]
    whole = np.column_stack([held[:, [i for i in condition if i >= 0]].all(axis=1) for condition in conditions])
    block = ConditionBlock(held, conditions)
    plain = DenseBlock(whole)
    size = len(conditions) + 1
    weights = Weights(np.where(RANDOM.random(size) < 0.2, RANDOM.normal(size=size), 0))
    assert block.weigh(weights).tolist() == plain.weigh(weights).tolist()
    totals = np.zeros(size, dtype=np.int64)
    expected = np.zeros(size, dtype=np.int64)
    block.add(np.arange(50), LABELS, totals)
    plain.add(np.arange(50), LABELS, expected)
    assert (totals == expected).all()


def test_a_feature_that_is_stored_twice_counts_once():
    twice = csr_array((np.ones(4), np.array([1, 1, 2, 2]), np.array([0, 2, 4])), shape=(2, 3))
    totals = np.zeros(4, dtype=np.int64)
    SparseBlock(twice).add(np.array([0]), np.ones(2, dtype=np.int8), totals)
    assert totals.tolist() == [-1, 1, -1, 1]
    with pytest.raises(ValueError, match="indices"):
        SparseBlock(csr_array((np.ones(1), np.array([7]), np.array([0, 1])), shape=(1, 3)))


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_numbers_are_clipped_and_rounded_and_missing_ones_are_0(kind):
    block = ClippedBlock(np.array([[0.5, 9.0, -9.0, np.nan, 1 / 300, np.inf]], dtype=kind))
    totals = np.zeros(7, dtype=np.int64)
    block.add(np.array([0]), np.ones(1, dtype=np.int8), totals)
    assert totals.tolist() == [32, 64, -64, 0, 0, 0, 64]


@pytest.mark.parametrize(("kind", "zero"), [(np.bool_, -64), (np.uint8, 0), (np.int32, 0), (np.uint64, 0)])
def test_integers_are_clipped_too_and_booleans_are_minus_1_and_1(kind, zero):
    block = ClippedBlock(np.array([[0, 1]], dtype=kind))
    totals = np.zeros(3, dtype=np.int64)
    block.add(np.array([0]), np.ones(1, dtype=np.int8), totals)
    assert totals.tolist() == [zero, 64, 64]


def test_what_is_no_matrix_is_refused():
    for wrong in (np.zeros(3), np.array([["a"]]), [[object()]]):
        with pytest.raises(ParameterError, match="two-dimensional"):
            as_block(wrong)
    with pytest.raises(ParameterError, match="must have 5 features"):
        as_block(X, features=5)
    with pytest.raises(ParameterError, match="words must be"):
        PackedBlock(np.zeros((2, 1), dtype=np.uint64), 100)


def test_a_block_of_literals_decides_as_rules_do():
    """By the first rule that holds; a rule without literals always does."""
    block = LiteralBlock.of(X)
    rules = np.array([[3, 129, -1], [64, -1, -1], [0, 1, 2], [63, 65, 128]], dtype=np.int32)
    expected = []
    for row in X[10:200]:
        held = [all(row[i] for i in rule if i >= 0) for rule in rules]
        expected.append(held.index(True) if any(held) else len(rules))
    assert block.decide(rules, 10, 200).tolist() == expected
    assert block.decide(np.full((1, 3), -1, dtype=np.int32), 0, 5).tolist() == [0] * 5
    assert block.decide(rules[:0], 0, 5).tolist() == [0] * 5


def test_a_block_of_literals_keeps_every_bit():
    block = LiteralBlock.of(X)
    assert (block.rows(7, 90) == pack(X[7:90])).all()
    assert block.dimension == 131


@pytest.mark.parametrize("least", [-3.2e-7, -1e-300, -0.0])
def test_weights_are_the_same_text_after_they_were_kept(least):
    """A negative zero would be written, forgotten, and published again as another zero."""
    weights = Weights.on_grid(np.array([0.5, least, least]))
    again = Weights.from_document(3, json.loads(json.dumps(weights.document())))
    assert str(weights.values.tolist()) == str(again.values.tolist()) == "[0.5, 0.0, 0.0]"
