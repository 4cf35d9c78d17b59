from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.errors import ParameterError
from dprules.learners.lists.scores import STEPS, UNIT, LabelScores, Score, quantise, whole_weights
from dprules.models.class_weights import WEIGHTS

UNITS = st.integers(0, STEPS).map(lambda steps: Fraction(steps, STEPS))


def score_by_hand(counts, label, score, weights):
    """The definition, for one candidate: classes and their counts."""
    worth = [score.gain if other == label else -score.loss for other in range(len(counts))]
    return sum(w * weight * int(count) for w, weight, count in zip(worth, weights, counts, strict=True))


@settings(max_examples=100, deadline=None)
@given(
    UNITS,
    UNITS,
    st.lists(st.lists(st.integers(0, 10**9), min_size=3, max_size=3), min_size=1, max_size=4),
    st.lists(st.integers(1, WEIGHTS), min_size=3, max_size=3),
)
def test_scores_are_what_the_theory_writes(gain, loss, candidates, steps):
    score = Score(gain, loss)
    weights = [Fraction(step, WEIGHTS) for step in steps]
    counts = np.array(candidates, dtype=np.int64).T
    found = score.of_all(counts, whole_weights(weights, 3))
    expected = [score_by_hand(candidate, label, score, weights) for candidate in candidates for label in range(3)]
    assert [Fraction(int(value), UNIT) for value in found] == expected


@settings(max_examples=100, deadline=None)
@given(UNITS, UNITS, st.lists(st.integers(1, WEIGHTS), min_size=2, max_size=2), st.integers(0, 1))
def test_one_record_moves_a_score_by_one_at_most(gain, loss, steps, label):
    """What the price of a draw at reward 1 rests on (theory A7)."""
    weights = whole_weights([Fraction(step, WEIGHTS) for step in steps], 2)
    before = np.array([[5], [7]], dtype=np.int64)
    after = before.copy()
    after[label] += 1
    moved = Score(gain, loss).of_all(after, weights) - Score(gain, loss).of_all(before, weights)
    assert np.all(np.abs(moved) <= UNIT)


@pytest.mark.parametrize(
    ("reward", "gain", "loss"),
    [(0, 0, 1), (1, 1, 1), (0.5, 0.5, 1), (2, 1, 0.5), (8, 1, 0.125), (1e9, 1, 0), (Fraction(1, 3), 85 / 256, 1)],
)
def test_a_reward_above_one_makes_errors_count_less(reward, gain, loss):
    assert Score.of(reward) == Score(Fraction(gain), Fraction(loss))


@pytest.mark.parametrize(("gain", "loss"), [(2, 1), (1, 2), (-1, 1), (1, -1), (Fraction(257, 256), 0)])
def test_more_than_the_price_covers_is_refused(gain, loss):
    with pytest.raises(ParameterError, match=r"must lie in \[0, 1\]"):
        Score(Fraction(gain), Fraction(loss))


def test_numbers_are_rounded_down():
    assert quantise(0.3) == Fraction(76, 256)
    assert quantise(1) == 1
    assert quantise(Fraction(1, 1000)) == 0


@pytest.mark.parametrize(
    "weights",
    [
        [Fraction(1)],
        [Fraction(1), Fraction(0)],
        [Fraction(1), Fraction(65, 64)],
        [Fraction(1), Fraction(-1, 64)],
        [Fraction(1), Fraction(1, 3)],
    ],
    ids=str,
)
def test_other_class_weights_are_refused(weights):
    with pytest.raises(ParameterError, match="class weights must be multiples of 1/64"):
        whole_weights(weights, 2)


def test_without_class_weights_all_are_one():
    assert whole_weights(None, 3).tolist() == [WEIGHTS] * 3


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(UNITS, UNITS), min_size=3, max_size=3), st.integers(0, 2**32))
def test_every_class_may_have_a_score_of_its_own(steps, seed):
    scores = [Score(gain, loss) for gain, loss in steps]
    counts = np.random.default_rng(seed).integers(0, 1000, (3, 7))
    weights = whole_weights(None, 3)
    found = LabelScores(tuple(scores)).of_all(counts, weights).reshape(7, 3)
    for label, score in enumerate(scores):
        assert found[:, label].tolist() == score.of_all(counts, weights).reshape(7, 3)[:, label].tolist()


def test_with_one_score_for_all_classes_nothing_changes():
    score = Score(Fraction(1, 4), Fraction(1))
    counts = np.arange(12).reshape(2, 6)
    weights = whole_weights([Fraction(1), Fraction(1, 2)], 2)
    assert LabelScores((score, score)).of_all(counts, weights).tolist() == score.of_all(counts, weights).tolist()
