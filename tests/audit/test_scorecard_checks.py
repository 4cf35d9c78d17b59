import pytest

from dprules.accounting import Neighbours
from dprules.audit import Subject
from dprules.audit.scorecard_checks import card_points, histogram_points


@pytest.mark.parametrize(
    ("neighbours", "columns"),
    [(Neighbours.ADD_REMOVE, 1), (Neighbours.ADD_REMOVE, 2), (Neighbours.REPLACE, 1)],
    ids=str,
)
def test_descents_are_within_their_price_and_close_to_it(neighbours, columns):
    points = card_points(Subject(), neighbours, columns, longest=1)
    assert all(point.holds for point in points)
    assert max(point.ratio for point in points) > 0.9


@pytest.mark.parametrize(
    ("neighbours", "columns", "rows"),
    [
        (Neighbours.ADD_REMOVE, 1, 3),
        (Neighbours.ADD_REMOVE, 3, 1),
        (Neighbours.ADD_REMOVE, 2, 2),
        (Neighbours.REPLACE, 1, 3),
        (Neighbours.REPLACE, 2, 1),
    ],
    ids=str,
)
def test_histograms_are_within_their_price_and_close_to_it(neighbours, columns, rows):
    points = histogram_points(Subject(), neighbours, columns, rows)
    assert all(point.holds for point in points)
    assert max(point.ratio for point in points) > 0.9


def test_a_thousandth_less_noise_is_noticed():
    """Histograms of one column attain their price."""
    exact = Subject()
    less = Subject(card_sigma=lambda *arguments: 0.999 * exact.card_sigma(*arguments))
    assert not all(point.holds for point in histogram_points(less, Neighbours.ADD_REMOVE))


def test_a_descent_with_two_percent_less_noise_is_noticed():
    exact = Subject()
    less = Subject(card_sigma=lambda *arguments: 0.98 * exact.card_sigma(*arguments))
    assert not all(point.holds for point in card_points(less, Neighbours.ADD_REMOVE, 1, longest=4))
