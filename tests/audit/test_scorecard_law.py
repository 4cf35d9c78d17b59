import numpy as np
import pytest
from scipy.stats import norm

from dprules.audit import CardLaw, CardRecord, CardScale, histogram_laws, hockey_stick, residual_of_each

SMALL = CardScale(unit=8, longest=4)


def test_a_residual_does_not_see_other_records():
    random = np.random.default_rng(0)
    scores = random.integers(-3000, 3000, (100, 3))
    labels = np.array([0, 1, 1])
    together = residual_of_each(CardScale(), scores, labels)
    for at in range(3):
        alone = residual_of_each(CardScale(), scores[:, at : at + 1], labels[at : at + 1])
        assert np.array_equal(together[:, at], alone[:, 0])


def test_residuals_are_truncated_and_clipped():
    scores = np.arange(-3000, 3001)[:, None]
    found = [residual_of_each(CardScale(), scores, np.array([label]))[:, 0] for label in (0, 1)]
    risk = 1 / (1 + np.exp(-np.clip(scores[:, 0], -2048, 2048) / 256))
    assert np.array_equal(found[0], np.minimum(np.floor(1024 * risk), 512))
    assert np.array_equal(found[1], np.maximum(-np.floor(1024 * (1 - risk)), -512))


def test_weights_follow_nesterov():
    law = CardLaw(1.0, 0.0, 0.5, CardScale(steps=1000))
    noisy = [np.array([[2, -4]]), np.array([[-6, 0]])]
    first = np.array([-1.0, 2.0])
    ahead = first + first / 4
    second = ahead + np.array([3.0, 0.0])
    assert np.array_equal(law.weights([], 2), [[0, 0]])
    assert np.array_equal(law.weights(noisy[:1], 2)[0], np.rint(1000 * ahead))
    assert np.array_equal(law.weights(noisy, 2)[0], np.rint(1000 * (second + 2 / 5 * (second - first))))


def test_a_record_adds_its_residual_to_one_group_of_each_column():
    law = CardLaw(1.0, 0.0, 1.0, SMALL)
    sums = law.sums([CardRecord((0, 3), 1), CardRecord((1, 3), 0), CardRecord((0, 2), 1)], np.zeros((1, 4), dtype=int))
    assert sums.tolist() == [[-8, 4, -4, 0]]
    assert law.sums([], np.zeros((1, 2), dtype=int)).tolist() == [[0, 0]]


@pytest.mark.parametrize("sigma", [0.7, 3.0, 20.0])
def test_one_cell_more_or_less_has_the_textbook_distance(sigma):
    found = hockey_stick(*histogram_laws([5, 2], [5, 3], sigma), 0.0)
    assert found == pytest.approx(2 * norm.cdf(0.5 / sigma) - 1, rel=1e-5)


def test_equal_histograms_tell_nothing():
    here, there = histogram_laws([1, 2], [1, 2], 2.0)
    assert here == there == {0: 1.0}


def test_a_far_away_start_hides_a_record_whose_class_is_certain():
    """Its residuals are 0 in both steps, whatever the noise."""
    law = CardLaw(2.0, 30.0, 0.001, SMALL)
    here, there = law([], [CardRecord((0,), 1)], [])
    assert hockey_stick(here, there, 0.0) == 0
