import copy
from fractions import Fraction

import numpy as np
import pytest

from dprules.errors import PrivacyError
from dprules.learners.lists.remaining import TRUE, Remaining
from dprules.learners.lists.scores import UNIT, Score
from learners.lists.samples import FEATURES, ROWS, sample_of

PLAIN = Score(Fraction(1), Fraction(1))


def left_scores(rows):
    """correct - errors of both conditions and the constant, classes fastest."""
    found = []
    for condition in (0, 1, TRUE):
        covered = [label for held, label in rows if condition == TRUE or held[condition]]
        found += [covered.count(label) - covered.count(1 - label) for label in (0, 1)]
    return [UNIT * value for value in found]


def test_scores_follow_what_is_left():
    remaining = Remaining(sample_of(ROWS), FEATURES)
    assert remaining.scores(PLAIN).tolist() == left_scores(ROWS)
    assert remaining.remove(1).tolist() == [2, 0]
    rest = [row for row in ROWS if not row[0][1]]
    assert remaining.scores(PLAIN).tolist() == left_scores(rest)
    assert remaining.totals.tolist() == [0, 2]
    assert not remaining.is_empty
    assert remaining.remove(0).tolist() == [0, 2]
    assert remaining.is_empty
    assert remaining.scores(PLAIN).tolist() == [0] * 6


def test_the_constant_covers_all_that_is_left():
    remaining = Remaining(sample_of(ROWS), FEATURES)
    remaining.remove(1)
    assert remaining.remove(TRUE).tolist() == [0, 2]
    assert remaining.is_empty


def test_what_was_drawn_is_not_drawn_again():
    given = np.array([2.0, 0.5, 1.0])
    remaining = Remaining(sample_of(ROWS), FEATURES, given)
    remaining.remove(1)
    assert remaining.prior.tolist() == [2.0, 2.0, 0.0, 0.0, 1.0, 1.0]
    remaining.only_constants()
    assert remaining.prior.tolist() == [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    assert given.tolist() == [2.0, 0.5, 1.0]


def test_candidates_have_names():
    remaining = Remaining(sample_of(ROWS), FEATURES)
    assert [remaining.name(candidate) for candidate in range(6)] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (TRUE, 0),
        (TRUE, 1),
    ]


def test_the_heaviest_class_counts_weights():
    weights = (Fraction(1, 4), Fraction(1))
    assert Remaining(sample_of(ROWS), FEATURES).heaviest((5, 2)) == 0
    assert Remaining(sample_of(ROWS), FEATURES, weights=weights).heaviest((5, 2)) == 1
    # Noisy counts may be huge or below 0.
    assert Remaining(sample_of(ROWS), FEATURES, weights=weights).heaviest((2**62, 2**61)) == 1
    assert Remaining(sample_of(ROWS), FEATURES).heaviest((-3, -2)) == 1


def test_it_shows_nothing_of_itself():
    remaining = Remaining(sample_of(ROWS), FEATURES)
    assert repr(remaining) == "<private Remaining>"
    with pytest.raises(PrivacyError):
        copy.copy(remaining)
