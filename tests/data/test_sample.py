import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.data import Boolean, Categorical, Numeric, Sample, conjunctions, literals
from dprules.data import sample as sample_module
from dprules.data.packed import extracted, pack, positions, unpack
from dprules.errors import ParameterError, PrivacyError


@pytest.fixture(autouse=True)
def _the_price_of_moving_rows():
    before = sample_module.EXTRACTION
    yield
    sample_module.EXTRACTION = before


def monkeypatch_price(price):
    sample_module.EXTRACTION = price


def obvious_counts(matrix, labels, classes, weights, features):
    every = np.hstack([matrix, np.ones((len(matrix), 1), dtype=bool)])  # index -1: always true
    held = every[:, features[:, 0]] & every[:, features[:, 1]] & every[:, features[:, 2]]
    return np.stack([(held * (weights * (labels == c))[:, None]).sum(axis=0) for c in range(classes)])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 300), st.integers(1, 90), st.integers(1, 4), st.booleans())
def test_counts_and_covers_agree_with_the_obvious_twin(seed, rows, width, classes, weighted):
    random = np.random.default_rng(seed)
    matrix = random.random((rows, width)) < 0.5
    labels = random.integers(0, classes, rows).astype(np.int16)
    weights = random.integers(1, 20, rows) if weighted else np.ones(rows, dtype=np.int64)
    sample = Sample.from_booleans(matrix, labels, classes, weights if weighted else None)
    picks = np.sort(random.integers(0, width, (50, 3)), axis=1).astype(np.int32)
    picks[:20, 2] = -1
    picks[:10, 1] = -1
    features = picks[np.lexsort((picks[:, 2], picks[:, 1], picks[:, 0]))]
    everything = sample.everything()
    assert (sample.counts(features, everything) == obvious_counts(matrix, labels, classes, weights, features)).all()
    covered, alive = sample.split(everything, features[0])
    held = np.logical_and.reduce([matrix[:, i] for i in features[0] if i >= 0])
    assert (unpack(covered, rows) == held).all()
    assert (unpack(alive, rows) == ~held).all()
    expected = obvious_counts(matrix[held], labels[held], classes, weights[held], features)
    moved = sample.only(covered)
    for price in (0, 10**9):  # move the rows first, always and never
        monkeypatch_price(price)
        assert (sample.counts(features, covered) == expected).all()
        assert (moved.counts(features, moved.everything()) == expected).all()
    assert (sample.totals(covered) == [weights[held & (labels == c)].sum() for c in range(classes)]).all()
    thin, left = sample.thinned(covered)
    assert (thin.totals(left) == sample.totals(covered)).all()
    assert not sample.split(alive, features[0])[0].any()


def test_packing_kernels():
    random = np.random.default_rng(1)
    bits = random.random((70, 130)) < 0.5
    packed = pack(bits)
    assert (np.array([unpack(row, 130) for row in packed]) == bits).all()
    chosen = np.array([3, 129, 0, 64])
    assert (np.array([unpack(row, 4) for row in extracted(packed, chosen)]) == bits[:, chosen]).all()
    assert positions(packed[5]).tolist() == np.flatnonzero(bits[5]).tolist()


def test_a_sample_shows_nothing():
    sample = Sample.from_booleans(np.ones((3, 2), dtype=bool), np.zeros(3, dtype=np.int16), 2)
    assert repr(sample) == str(sample) == "<private sample>"
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(PrivacyError, match="private rows"):
            attempt(sample)


def test_conjunctions_drop_what_is_redundant():
    asked = [
        *literals(Numeric("n", cuts=(1.0, 2.0))),
        *literals(Boolean("b")),
        *literals(Categorical("c", values=("u", "v", "w"))),
    ]
    pairs = {" & ".join(str(asked[i]) for i in f if i >= 0) for f in conjunctions(asked, 2)}
    assert "n < 2 & n >= 1" in pairs  # an interval
    assert "n < 1 & n < 2" not in pairs  # the first alone
    assert "n < 1 & n >= 2" not in pairs  # empty
    assert "b is true & b is false" not in pairs
    assert "c != u & c != v" not in pairs  # that is c = w
    assert "n < 1 & b is true" in pairs
    triples = conjunctions(asked, 3)
    assert len(triples) > len(pairs)
    assert (np.diff(triples[:, 0]) >= 0).all()
    with pytest.raises(ParameterError, match="width must be 1, 2 or 3"):
        conjunctions(asked, 4)
