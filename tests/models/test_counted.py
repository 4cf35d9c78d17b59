"""What is said of noisy counts holds as often as it says, and noise alone says nothing."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from dprules.models import Estimate, Group, Told, show_number
from dprules.models.counted import estimate_number, noise_of, show_interval


def noisy(random, counts, tilt, runs):
    """Two-sided geometric noise, by numpy: these tests are about what is said, not about the sampler."""
    shape = (runs, len(counts))
    stay = -np.expm1(-tilt)
    return np.array(counts) + random.geometric(stay, shape) - random.geometric(stay, shape)


CASES = [
    ([700, 300], 0.05),
    ([700, 300], 3.0),
    ([990, 10], 0.07),
    ([40, 30, 30], 0.5),
    ([500, 500, 500, 500, 500], 0.02),
    ([3000, 0], 0.01),
    ([200, 1], 0.9),
]


@pytest.mark.parametrize(("counts", "tilt"), CASES)
def test_intervals_hold_at_least_94_times_in_a_hundred(counts, tilt):
    """Runs of 4,000: 95% in the limit; a standard deviation of the share is 0.35%."""
    random = np.random.default_rng(0)
    runs = 4000
    number = share = told = 0
    for row in noisy(random, counts, tilt, runs).tolist():
        group = Group(tuple(row), (Fraction(tilt),))
        records, right = group.records(), group.share(0)
        if records is None or right is None:
            continue
        told += 1
        number += records.low <= sum(counts) <= records.high
        share += right.low - 1e-4 <= counts[0] / sum(counts) <= right.high + 1e-4
    assert told > runs / 2
    assert number >= 0.94 * told
    assert share >= 0.94 * told


@pytest.mark.parametrize("tilt", [0.01, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("classes", [2, 5])
def test_noise_alone_is_hardly_ever_told(tilt, classes):
    random = np.random.default_rng(1)
    rows = noisy(random, [0] * classes, tilt, 4000).tolist()
    told = sum(Group(tuple(row), (Fraction(tilt),)).records() is not None for row in rows)
    assert told <= 0.01 * 4000


def test_shares_stay_between_0_and_1_and_hold_their_value():
    random = np.random.default_rng(2)
    for row in noisy(random, [60, 0, 0], 0.1, 3000).tolist():
        right = Group(tuple(row), (Fraction(1, 10),)).share(0)
        if right is not None:
            assert 0 <= right.low <= right.value <= right.high <= 1


def test_a_share_that_could_be_nearly_anything_is_not_told():
    """Three standard deviations of records are 104 here; the interval of their share would be half of all."""
    group = Group((55, 55), (Fraction(6, 100),))
    assert group.records() is not None
    assert group.share(0) is None
    assert str(Told(group.records(), group.share(0), None, group.at_most())) == "too few to tell (at most 190)"


def test_more_noise_makes_wider_intervals():
    tight, wide = (Group((700, 300), (tilt,)) for tilt in (Fraction(1), Fraction(1, 10)))
    assert wide.share(0).high - wide.share(0).low > 5 * (tight.share(0).high - tight.share(0).low)
    assert wide.records().high - wide.records().low > 5 * (tight.records().high - tight.records().low)


def test_groups_that_are_joined_carry_the_noise_of_both():
    joined = Group((10, 20), (Fraction(1),)).joined(Group((1, 2), (Fraction(1, 4),)))
    assert joined == Group((11, 22), (Fraction(1), Fraction(1, 4)))
    assert noise_of(joined.tilts) > max(noise_of((tilt,)) for tilt in joined.tilts)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("counts", [(0, 0, 0), (-50, 3, 9), (100, 900, 4), (2**40, 1, 1)])
def test_probabilities_are_positive_and_largest_at_the_label(counts, place):
    shares = Group(counts, (Fraction(1, 8),)).probabilities(place)
    assert sum(shares) == pytest.approx(1)
    assert min(shares) > 0
    assert all(shares[place] > share for at, share in enumerate(shares) if at != place)


def test_probabilities_follow_large_counts_and_the_label_where_counts_are_noise():
    certain = Group((10_000, 30_000), (Fraction(1),)).probabilities(1)
    assert certain[1] == pytest.approx(0.75, abs=1e-3)
    unknown = Group((3, -4), (Fraction(1, 100),)).probabilities(0)
    assert unknown[0] == pytest.approx(0.75, abs=0.01)


def test_with_class_weights_probabilities_are_plain_shares():
    shares = Group((900, 100), (Fraction(1),)).probabilities(1, weighted=True)
    assert shares[1] == pytest.approx(100 / 1000, abs=0.01)


@pytest.mark.parametrize("classes", [2, 3, 6, 12])
def test_the_share_of_the_largest_class_holds_as_often(classes):
    """The default is the largest of its own noisy counts: an interval for one class alone would hold too rarely."""
    random = np.random.default_rng(3)
    rows = noisy(random, [100] * classes, 0.1, 2000).tolist()
    held = told = 0
    for row in rows:
        right = Group(tuple(row), (Fraction(1, 10),)).share(row.index(max(row)), chosen=True)
        if right is not None:
            told += 1
            held += right.low - 1e-4 <= 1 / classes <= right.high + 1e-4
    assert told > 1000
    assert held >= 0.94 * told


@pytest.mark.parametrize(
    ("number", "shown", "interval"),
    [
        (Estimate(24_173, 23_845, 24_561), "24,200", "23,800 to 24,600"),
        (Estimate(7, 6, 8), "7", "6 to 8"),
        (Estimate(1234, 1222, 1246), "1,230", "1,220 to 1,250"),
    ],
)
def test_numbers_have_no_more_digits_than_their_interval_supports(number, shown, interval):
    assert show_number(number) == shown
    assert show_interval(number) == interval


def test_what_is_said_of_a_line():
    every = Estimate(7_012, 6_900, 7_100)
    told = Told(Estimate(903, 860, 940), Estimate(0.742, 0.703, 0.776), every, 940)
    assert str(told) == "about 900 of 7,000 records, 74% right (70 to 78)"
    assert str(Told(None, None, every, 1234)) == "too few to tell (at most 1,300)"
    more = Told(Estimate(7_300, 7_200, 7_400), Estimate(0.7, 0.7, 0.7), every, 7_400)
    assert str(more) == "about 7,300 records, 70% right (70 to 70)"


@pytest.mark.parametrize("true", [0, 20, 60])
def test_no_more_than_is_said(true):
    random = np.random.default_rng(4)
    rows = noisy(random, [true, 0], 0.1, 4000).tolist()
    held = sum(Group(tuple(row), (Fraction(1, 10),)).at_most() >= true for row in rows)
    assert held >= 0.95 * 4000


def test_below_three_standard_deviations_nothing_is_told():
    assert estimate_number(29, 10.0) is None
    assert estimate_number(30, 10.0) is not None
    assert estimate_number(-5, 0.1) is None
    assert estimate_number(5, inf) is None


def test_a_group_is_read_back():
    group = Group((5, -3), (Fraction(1, 3), Fraction(1, 7)))
    assert Group.from_document(group.document(0), 2) == group
