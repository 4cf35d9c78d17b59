import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.errors import PrivacyError
from dprules.schema import Conditions
from dprules.tables import PackedSample
from dprules.tables import sample as sample_module

Matrix = np.ndarray


def obvious_counts(matrix: Matrix, labels: Matrix, classes: int, conditions: Conditions) -> Matrix:
    every = np.hstack([matrix, np.ones((len(matrix), 1), dtype=bool)])  # index -1: always true
    held = every[:, conditions[:, 0]] & every[:, conditions[:, 1]] & every[:, conditions[:, 2]]
    return np.stack([(held & (labels == label)[:, None]).sum(axis=0) for label in range(classes)])


def some_conditions(random: np.random.Generator, width: int) -> Conditions:
    picks = np.sort(random.integers(0, width, (50, 3)), axis=1).astype(np.int32)
    picks[:20, 2] = -1
    picks[:10, 1] = -1
    ordered: Conditions = picks[np.lexsort((picks[:, 2], picks[:, 1], picks[:, 0]))]
    return ordered


@pytest.mark.parametrize("price", [0, 0.85, 10**9], ids=["always moved", "as it pays", "never moved"])
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 300), st.integers(1, 90), st.integers(1, 4))
def test_counts_and_covers_agree_with_the_obvious_twin(
    price: int, seed: int, rows: int, width: int, classes: int
) -> None:
    random = np.random.default_rng(seed)
    matrix = random.random((rows, width)) < 0.5
    labels = random.integers(0, classes, rows).astype(np.int16)
    conditions = some_conditions(random, width)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample_module, "MOVED_WORD", price)
        sample = PackedSample.from_booleans(matrix, labels, classes)
        assert sample.classes == classes
        assert (sample.totals() == np.bincount(labels, minlength=classes)).all()
        assert (sample.counts(conditions) == obvious_counts(matrix, labels, classes, conditions)).all()
        left = np.ones(rows, dtype=bool)
        for condition in conditions[:4]:
            held = left & np.logical_and.reduce([matrix[:, i] for i in condition if i >= 0])
            left = left & ~held
            covered, sample = sample.cover(condition)
            for part, mask in ((covered, held), (sample, left)):
                assert (part.totals() == np.bincount(labels[mask], minlength=classes)).all()
                expected = obvious_counts(matrix[mask], labels[mask], classes, conditions)
                assert (part.counts(conditions) == expected).all()


def test_a_sample_of_no_records() -> None:
    sample = PackedSample.from_booleans(np.zeros((0, 3), dtype=bool), np.zeros(0, dtype=np.int16), 2)
    conditions = np.array([[0, -1, -1], [0, 2, -1]], dtype=np.int32)
    assert sample.totals().tolist() == [0, 0]
    assert sample.counts(conditions).tolist() == [[0, 0], [0, 0]]
    covered, others = sample.cover(conditions[1])
    assert covered.totals().sum() == others.totals().sum() == 0


def test_labels_without_a_class_count_nowhere() -> None:
    sample = PackedSample.from_booleans(np.ones((3, 1), dtype=bool), np.array([0, -1, 1], dtype=np.int16), 2)
    assert sample.totals().tolist() == [1, 1]


def test_a_sample_shows_nothing() -> None:
    sample = PackedSample.from_booleans(np.ones((3, 2), dtype=bool), np.zeros(3, dtype=np.int16), 2)
    assert repr(sample) == str(sample) == "<private PackedSample>"
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(PrivacyError, match="private values"):
            attempt(sample)
