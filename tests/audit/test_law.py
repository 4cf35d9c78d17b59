from fractions import Fraction
from math import inf, log

import pytest

from dprules.audit import both_ways, followed_by, hockey_stick, independent, largest_loss, renyi
from dprules.errors import ParameterError

P = {"a": 0.5, "b": 0.5}
Q = {"a": 0.25, "b": 0.75}


def test_divergences():
    assert hockey_stick(P, Q, log(1.5)) == pytest.approx(0.125)
    assert largest_loss(P, Q) == pytest.approx(log(2))
    assert both_ways(largest_loss, P, Q) == pytest.approx(log(2))
    assert renyi(P, Q, 2.0) == pytest.approx(log(0.25 / 0.25 + 0.25 / 0.75))


def test_what_only_one_law_has_is_lost_for_good():
    assert largest_loss({"a": 1.0}, {"b": 1.0}) == renyi({"a": 1.0}, {"b": 1.0}, 2) == inf
    assert hockey_stick({"a": 1.0}, {"b": 1.0}, 100.0) == 1.0


def test_total_variation_of_exact_laws_is_exact():
    third = Fraction(1, 3)
    assert hockey_stick({"a": third, "b": 1 - third}, {"a": 1 - third, "b": third}, 0.0) == float(third)


def test_an_order_of_one_is_refused():
    with pytest.raises(ParameterError, match="order must be above 1"):
        renyi(P, Q, 1.0)


def test_releases_after_one_another():
    both = independent(P, Q)
    assert both["a", "b"] == 0.375
    assert followed_by(P, lambda said: Q) == both
    chosen = followed_by(P, lambda said: Q if said == "a" else {"stop": 1})
    assert chosen == {("a", "a"): 0.125, ("a", "b"): 0.375, ("b", "stop"): 0.5}
