"""Curves, randomised response, and group privacy against explicit laws."""

from fractions import Fraction
from itertools import pairwise
from math import exp, inf

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.approximate import Approximate
from dprules.accounting import Cover, Neighbours, Pure, Quantiles, compose
from dprules.accounting.curve import Curve, gaussian, gaussian_delta, group_weight, randomised_response, symmetric
from dprules.audit import Example, Law, both_ways, exact_list_law, hockey_stick, independent, largest_loss, tilted
from dprules.errors import PrivacyError

ADD = Neighbours.ADD_REMOVE


def response(epsilon, answer):
    """Randomised response of one row."""
    likely = exp(epsilon) / (1 + exp(epsilon))
    return {answer: likely, not answer: 1 - likely}


def of_rows(epsilon, answers):
    """The law of the answers of several rows, each for itself."""
    law: Law = {(): 1.0}
    for answer in answers:
        law = independent(law, response(epsilon, answer))
    return law


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 1.4])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 100)])
def test_randomised_response_has_the_curve_of_its_law(epsilon, delta):
    price = randomised_response(Fraction(1), delta)
    yes = (1 - float(delta)) * exp(1) / (1 + exp(1))
    no = (1 - float(delta)) / (1 + exp(1))
    p = {"yes": yes, "no": no, "first": float(delta)}
    q = {"yes": no, "no": yes, "second": float(delta)}
    truth = both_ways(hockey_stick, p, q, epsilon)
    assert price.delta(epsilon) == pytest.approx(truth, abs=1e-15)
    assert price.delta(epsilon) >= truth - 1e-15


@pytest.mark.parametrize("rows", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.5, 1.0, 2.0, 3.0])
def test_group_privacy_covers_the_law_of_many_rows(rows, epsilon):
    """Every row answers for itself: a unit that changes all of its rows changes all answers."""
    each = 0.4
    p = of_rows(each, [True] * rows)
    q = of_rows(each, [False] * rows)
    group = Pure(each).curve(ADD).for_group(rows)
    assert both_ways(hockey_stick, p, q, epsilon) <= group.delta(epsilon) + 1e-15
    assert both_ways(largest_loss, p, q) == pytest.approx(float(group.pure))


@pytest.mark.parametrize("rows", [2, 3])
def test_group_privacy_covers_lists_of_several_records_more(rows):
    common = [Example((True, False), 0), Example((True, True), 1)]
    unit = [Example((True, True), 0), Example((False, True), 1), Example((True, False), 1)][:rows]
    tilt = 0.5
    laws = [exact_list_law(sample, tilted(tilt), 2) for sample in (common, [*common, *unit])]
    group = Cover(tilt).curve(ADD).for_group(rows)
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        assert both_ways(hockey_stick, *laws, epsilon) <= group.delta(epsilon)


@pytest.mark.parametrize("rows", [2, 3])
def test_group_privacy_covers_units_that_are_exchanged_for_smaller_ones(rows):
    """Under replace a unit of several rows may become a unit of one: exchanges, and removals that cost no more."""
    common = [Example((True, False), 0)]
    large = [Example((True, True), 1)] * rows
    small = [Example((True, True), 0)]
    for reward in (0, 1):
        laws = [exact_list_law([*common, *unit], tilted(0.4), 2, rewards=(reward,)) for unit in (large, small)]
        group = Cover(0.4, (Fraction(reward),)).curve(Neighbours.REPLACE).for_group(rows)
        for epsilon in (0.0, 0.5, 1.0, 2.0):
            assert both_ways(hockey_stick, *laws, epsilon) <= group.delta(epsilon)


def test_an_approximate_release_of_a_group_pays_delta_with_its_weights():
    price = Approximate(Fraction(1, 10), Fraction(1, 1000)).curve(ADD)
    expected = 1e-3 * (1 + exp(0.1) + exp(0.2))
    assert price.for_group(3).delta(0.3) == pytest.approx(expected)
    assert price.for_group(3).delta(0.3) >= expected


def test_groups_of_a_composition():
    events = [Pure(Fraction(1, 10)), Quantiles(Fraction(1, 20), 2)]
    assert compose.curve(events).for_group(4).pure == Fraction(4, 5)


@settings(max_examples=100, deadline=None)
@given(st.floats(0.0, 3.0), st.integers(1, 200))
def test_the_weight_of_a_group_is_the_sum_that_it_stands_for(each, rows):
    total = sum(exp(i * each) for i in range(rows)) if rows * each <= 700 else inf
    assert group_weight(each, rows) == pytest.approx(total, rel=1e-10)


def test_large_groups_are_never_cheap():
    """A weight beyond all doubles is infinite, not the largest that can be added up."""
    tiny = symmetric(lambda epsilon: 1e-320)
    assert tiny.for_group(100_000).delta(1000.0) == 1.0
    assert symmetric(lambda epsilon: 0.0).for_group(100_000).delta(1000.0) == 0.0


def test_below_zero_the_other_direction_speaks():
    """HS_-e(P || Q) = 1 - e^-e + e^-e HS_e(Q || P)."""
    p = {"a": 0.5, "b": 0.3, "c": 0.2}
    q = {"a": 0.25, "b": 0.5, "c": 0.25}
    curve = Curve(lambda e: hockey_stick(p, q, e), lambda e: hockey_stick(q, p, e))
    for epsilon in (-1.5, -0.5, -0.1, 0.0, 0.3):
        assert curve.at(epsilon) == pytest.approx(hockey_stick(p, q, epsilon))
        assert curve.reversed().at(epsilon) == pytest.approx(hockey_stick(q, p, epsilon))
    assert not curve.is_symmetric()


def test_epsilon_and_delta_invert_each_other():
    price = Pure(1).curve(ADD)
    assert price.epsilon(0) == 1.0
    assert price.epsilon(0.9) == 0.0
    found = price.epsilon(0.1)
    assert price.delta(found) <= 0.1 < price.delta(found * (1 - 1e-6))
    with pytest.raises(PrivacyError, match="No finite epsilon"):
        Approximate(1, 1e-6).curve(ADD).epsilon(0)


def normal_hockey_stick(mu_squared, epsilon):
    """HS_epsilon of N(mu, 1) and N(0, 1), in more digits than anything can cancel."""
    with mpmath.workdps(900):
        mu = mpmath.sqrt(mpmath.mpf(mu_squared.numerator) / mu_squared.denominator)
        at = mpmath.mpf(epsilon)
        tails = [mpmath.erfc(x / mpmath.sqrt(2)) / 2 for x in (at / mu - mu / 2, at / mu + mu / 2)]
        return tails[0] - mpmath.exp(at) * tails[1]


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.floats(-100, 100).map(lambda x: 10.0**x), st.floats(1e-3, 40)),
    st.one_of(st.floats(0, 500), st.floats(-100, 2.5).map(lambda x: 10.0**x), st.floats(-50, 0)),
)
def test_the_gaussian_curve_is_that_of_two_normals_rounded_up(mu, epsilon):
    square = Fraction(mu) ** 2
    found = gaussian_delta(square, epsilon)
    with mpmath.workdps(900):
        truth = normal_hockey_stick(square, epsilon)
        assert found >= truth
        assert found <= truth * (1 + mpmath.mpf(2) ** -40) + mpmath.mpf("1e-300")


@pytest.mark.parametrize(("scale", "most"), [(1e-100, 1e-90), (1e-3, 1e-2), (1.0, 1.0), (1e3, 1.0), (1e100, 1.0)])
def test_the_gaussian_curve_falls_and_stays_within_its_limits(scale, most):
    deltas = [gaussian_delta(Fraction(scale) ** 2, k * max(scale, scale**2) / 7) for k in range(60)]
    assert all(late <= early for early, late in pairwise(deltas))
    assert 0 < deltas[0] <= most
    assert all(0 <= each <= 1 for each in deltas)


def test_the_gaussian_curve_below_zero_is_what_the_other_direction_says():
    price = gaussian(Fraction(1, 4))
    for epsilon in (-3.0, -0.5, -1e-9):
        direct = gaussian_delta(Fraction(1, 4), epsilon)
        assert direct <= price.at(epsilon) <= direct * (1 + 1e-13)


@pytest.mark.parametrize("rows", [2, 5, 1000])
def test_a_group_moves_gaussian_sums_by_as_many_records(rows):
    """Sums of c records move c times as far: no less is right, and generic group privacy is far dearer."""
    price = gaussian(Fraction(1, 10**4))
    group = price.for_group(rows)
    assert group.mu_squared == Fraction(rows**2, 10**4)
    assert group.rho == pytest.approx(rows**2 * price.rho)
    generic = Curve(price.forward, price.backward).for_group(rows)
    for epsilon in (0.01 * rows, 0.04 * rows):
        truth = normal_hockey_stick(group.mu_squared, epsilon)
        assert truth <= group.delta(epsilon) <= float(truth) * (1 + 1e-12)
        assert group.delta(epsilon) < generic.delta(epsilon)


def test_long_sums_are_shortened_upwards():
    """Sums of squares with many denominators are priced a little too high, and quickly."""
    square = sum((Fraction(1, 10**148 + k) * 10**145 for k in range(1, 40)), Fraction(0))
    exact = gaussian_delta(square, 1.0)
    assert exact <= gaussian(square).delta(1.0) <= exact * (1 + 1e-12)
    assert gaussian(square).mu_squared == square
