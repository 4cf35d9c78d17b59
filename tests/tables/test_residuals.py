"""Residuals are integers that depend on one record alone, and are never longer than the price says."""

from math import exp, isqrt, trunc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.tables.residuals import (
    LARGEST_SCORE,
    LONGEST,
    LONGEST_VECTOR,
    STEPS,
    UNIT,
    Residuals,
    add_residuals,
    exponential_table,
    residual_table,
)

EXPONENTS = exponential_table()
FULL = (64, 64)


def residuals_of(
    weights: list[list[int]], base: list[int], labels: list[int], class_weights: tuple[int, ...] | None = None
) -> np.ndarray:
    """The residual of each record, given by its weights: every record has a code of its own."""
    classes = class_weights or (64,) * max(2, len(base))
    table = residual_table(np.array(classes), 1) if len(base) == 1 else EXPONENTS
    chosen = Residuals(np.array(weights), np.array(base), table, np.array(classes))
    codes = np.arange(len(weights), dtype=np.uint16)[:, None]
    sums = np.zeros((len(weights), len(base)), dtype=np.int32)
    add_residuals(codes, np.array(labels, dtype=np.uint16), np.array(weights), chosen, sums)
    return sums


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("weights", [FULL, (64, 16), (1, 64)], ids=str)
def test_the_table_is_the_truncated_residual(weights, positive):
    table = residual_table(np.array(weights), positive)
    for label in (0, 1):
        for score in range(-LARGEST_SCORE, LARGEST_SCORE + 1, 37):
            exact = (1024 / (1 + exp(-score / 256)) - 1024 * (label == positive)) * weights[label] / 64
            assert table[label, score + LARGEST_SCORE] == max(-512, min(512, trunc(exact)))


def test_no_entry_is_longer_than_the_price_says():
    assert np.abs(residual_table(np.array(FULL), 1)).max() == LONGEST == 512
    assert isqrt(2 * 512**2) == LONGEST_VECTOR


def test_a_score_beyond_the_table_is_as_certain_as_its_end():
    assert residuals_of([[10**6], [-(10**6)], [2**40]], [0], [0, 1, 0]).tolist() == [[512], [-512], [512]]


@settings(deadline=None)
@given(
    st.integers(2, 6).flatmap(
        lambda k: st.tuples(
            st.lists(st.lists(st.integers(-5000, 5000), min_size=k, max_size=k), min_size=1, max_size=5),
            st.lists(st.integers(-3000, 3000), min_size=k, max_size=k),
            st.lists(st.integers(0, k - 1), min_size=5, max_size=5),
            st.lists(st.integers(1, 64), min_size=k, max_size=k),
        )
    )
)
def test_vectors_are_short_and_point_at_the_truth(made):
    weights, base, labels, class_weights = made
    labels = labels[: len(weights)]
    if len(base) == 2:  # two classes have one score
        weights, base, class_weights = [[*w, 0] for w in weights], [*base, 0], [*class_weights, 64]
    found = residuals_of(weights, base, labels, tuple(class_weights))
    assert (found**2).sum(axis=1).max() <= LONGEST_VECTOR**2
    for residual, label in zip(found, labels, strict=True):
        assert residual[label] <= 0
        assert np.delete(residual, label).min() >= 0


def test_softmax_is_near_the_real_one():
    weights = [[300, -200, 50, 0]]
    scores = np.array(weights[0]) / STEPS
    shares = np.exp(scores) / np.exp(scores).sum()
    exact = UNIT * (shares - np.array([0, 0, 1, 0]))
    exact *= min(1, LONGEST_VECTOR / np.linalg.norm(exact))
    assert residuals_of(weights, [0, 0, 0, 0], [2])[0] == pytest.approx(exact, abs=2)


@pytest.mark.parametrize("scores", [1, 3])
def test_a_residual_depends_on_its_record_alone(scores):
    rng = np.random.default_rng(3)
    weights = rng.integers(-600, 600, (6, scores)).tolist()
    labels = rng.integers(0, max(2, scores), 6).tolist()
    together = residuals_of(weights, [5] * scores, labels)
    for i in range(6):
        alone = residuals_of(weights[i : i + 1], [5] * scores, labels[i : i + 1])
        assert together[i].tolist() == alone[0].tolist()
