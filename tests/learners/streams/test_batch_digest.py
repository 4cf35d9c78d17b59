"""The digest of a batch: the same for the same rounds, another for any others."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from dprules.errors import PrivacyError
from dprules.learners.streams import (
    ClippedBlock,
    ConditionBlock,
    DenseBlock,
    PackedBlock,
    SparseBlock,
    StreamFeatures,
    Weights,
)
from dprules.learners.streams.batch_digest import digest_batch
from dprules.tables import pack
from learners.streams.events import FEATURES, make_events

PAIRS = np.array([[0, -1, -1], [1, -1, -1], [0, 1, -1]], dtype=np.int32)
KINDS = {
    "dense": DenseBlock,
    "clipped": lambda matrix: ClippedBlock(matrix / 2),
    "packed": lambda matrix: PackedBlock(pack(matrix), matrix.shape[1]),
    "sparse": lambda matrix: SparseBlock(scipy.sparse.csr_array(matrix)),
    "conditions": lambda matrix: ConditionBlock(matrix, PAIRS),
}
ROUNDS = st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from([-1, 0, 1])), max_size=5)


def batch(kind, rounds):
    matrix = np.array([row[:2] for row in rounds], dtype=np.bool_).reshape(len(rounds), 2)
    return KINDS[kind](matrix), np.array([row[2] for row in rounds], dtype=np.int16)


@pytest.mark.parametrize("kind", KINDS)
@given(one=ROUNDS, two=ROUNDS)
def test_batches_that_a_learner_can_tell_apart_have_different_digests(kind, one, two):
    assert (digest_batch(*batch(kind, one)) == digest_batch(*batch(kind, two))) == (one == two)


def test_kinds_of_blocks_are_kept_apart():
    rounds = [(True, False, 1), (True, True, 0)]
    digests = {digest_batch(*batch(kind, rounds)) for kind in KINDS}
    assert len(digests) == len(KINDS)


@pytest.mark.parametrize("width", [1, 2])
def test_every_cell_that_a_stream_reads_counts(width):
    features = StreamFeatures(FEATURES.schema, width)
    rows = make_events(30)

    def digest(events):
        return digest_batch(features.block(events), features.codes(events))

    known = {digest(rows)}
    for place in range(30):
        row = rows[place]
        for cell in ({"a": not row["a"]}, {"b": not row["b"]}, {"n": 0 if row["n"] else 2}, {"y": "?"}):
            known.add(digest([*rows[:place], row | cell, *rows[place + 1 :]]))
    assert len(known) == 1 + 30 * 4
    assert digest([row | {"unread": 7} for row in rows]) == digest(rows)
    assert digest(rows[::-1]) != digest(rows)


class Odd(DenseBlock):
    """A block that holds more than arrays."""

    __slots__ = ("more",)

    def __init__(self, more):
        super().__init__(np.ones((2, 2)))
        self.more = more


@pytest.mark.parametrize("more", [{"a": 1}, [1], np.array(["x", 1], dtype=object), Weights.zero(2), 1.5])
def test_what_has_no_digest_is_refused(more):
    with pytest.raises(PrivacyError, match="no digest"):
        digest_batch(Odd(more), np.zeros(2, dtype=np.int16))


def test_parts_do_not_run_into_each_other():
    codes = np.zeros(2, dtype=np.int16)
    others = [None, 0, False, "", (), (1, 2), ((1,), 2), (1, (2,)), "12", 12, np.array([1, 2]), np.array([[1, 2]])]
    others += [np.array([1, 2], dtype=np.int8), np.array([1.0, 2.0]), (np.array([1]), np.array([2]))]
    assert len({digest_batch(Odd(more), codes) for more in others}) == len(others)
