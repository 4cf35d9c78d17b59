"""Points are whole, and the score's law is that of independent columns."""

from itertools import product

import numpy as np
import pytest

from dprules.learners.scorecards.groups import Grouped
from dprules.learners.scorecards.scale import cell_starts, round_to_points, score_law
from dprules.schema import Categorical

A = Grouped(Categorical("a", ("p", "q")), np.array([0, 1, 1]), np.array([0.75, 0.25]))
B = Grouped(Categorical("b", ("p", "q", "r")), np.array([0, 1, 2, 2]), np.array([0.2, 0.5, 0.3]))


def test_the_strongest_term_has_20_points_and_the_commonest_groups_none():
    points, rest, unit = round_to_points([A, B], np.array([[0.1], [-0.3], [1.0], [-0.5], [0.2]]))
    assert unit == pytest.approx(0.05)
    assert points[:, 0].tolist() == [0, -8, 30, 0, 14]
    assert rest.tolist() == [2 - 10]


def test_no_weights_give_no_points():
    points, _, _ = round_to_points([A], np.zeros((2, 1)))
    assert not points.any()


def test_the_law_is_the_product():
    points = np.array([[0], [-8], [3], [0], [14]])
    lowest, law = score_law([A, B], points)
    expected = dict.fromkeys(range(lowest, lowest + len(law)), 0.0)
    for i, j in product(range(2), range(3)):
        expected[int(points[i, 0] + points[2 + j, 0])] += A.shares[i] * B.shares[j]
    assert lowest == -8
    assert law == pytest.approx(list(expected.values()))


def test_cells_end_inside_the_scores_and_none_is_empty_by_its_edges():
    lowest, law = score_law([A, B], np.array([[0], [-8], [3], [0], [14]]))
    starts = cell_starts(lowest, law)
    assert (np.diff(starts) > 0).all()
    assert lowest < starts.min() <= starts.max() <= lowest + len(law) - 1


def test_a_single_score_is_one_cell():
    assert cell_starts(0, np.ones(1)).tolist() == []
