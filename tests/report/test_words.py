import re
from dataclasses import replace
from fractions import Fraction
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprules.accounting import Neighbours, Unit
from dprules.report.words import describe_promise, show_chance, show_factor
from report.examples import fit_example

CASES = {
    (Neighbours.ADD_REMOVE, Unit()): "about one person from this model, they could have learnt almost as well without "
    "that person's record: the odds of any conclusion change by at most a factor e^1, here 2.72, but for a chance of 1 "
    "in 1,000,000 (delta).",
    (Neighbours.REPLACE, Unit()): "with anything else in place of that person's record:",
    (
        Neighbours.ADD_REMOVE,
        Unit("patient"),
    ): "about one value of 'patient' (one row of each was used) from this model, "
    "they could have learnt almost as well without its rows:",
    (Neighbours.ADD_REMOVE, Unit("patient", 3)): "(at most 3 rows of each were used)",
    (Neighbours.ZERO_OUT, Unit(of="round")): "about one round of the stream from this model, they could have learnt "
    "almost as well without what happened in it:",
    (Neighbours.REPLACE, Unit(of="round")): "with anything else in place of what happened in it:",
}


@pytest.fixture(scope="module")
def certificate():
    return fit_example(rows=100).certificate


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_promise_names_neighbours_and_unit(case, certificate):
    neighbours, unit = case
    said = describe_promise(replace(certificate, neighbours=neighbours, unit=unit))
    assert CASES[case] in said[0]
    joined = " ".join(said)
    assert ("Each row counts as a person" in joined) == (unit == Unit())
    assert ("How many rows there are" in joined) == (neighbours is Neighbours.REPLACE and unit.of == "row")


def test_a_large_epsilon_has_no_example_and_a_zero_delta_no_chance(certificate):
    said = " ".join(describe_promise(replace(certificate, epsilon=12.0, delta=0.0)))
    assert "That is little" in said
    assert "For example" not in said
    assert "but for a chance" not in said
    usual = " ".join(describe_promise(certificate))
    assert "at least 26% and at most 74% likely" in usual
    assert "That is little" not in usual


@given(st.floats(1e-6, 10))
def test_the_example_is_never_better_than_the_promise(certificate, epsilon):
    said = " ".join(describe_promise(replace(certificate, epsilon=epsilon)))
    least, most = map(float, re.findall(r"at least ([0-9.]+)% and at most ([0-9.]+)%", said)[0])
    assert 0 < least <= 100 / (1 + exp(epsilon)) * (1 + 1e-12)
    assert least + most == pytest.approx(100)
    assert ("almost as well" in said) == (epsilon <= 2)


def test_seeded_noise_promises_nothing(certificate):
    assert describe_promise(replace(certificate, secure=False)) == []


@given(st.floats(1e-9, 34))
def test_a_factor_is_never_understated(epsilon):
    shown = float(show_factor(epsilon).replace(",", ""))
    assert exp(epsilon) * (1 - 1e-12) <= shown <= exp(epsilon) * 1.011


@given(st.floats(1e-14, 0.9))
def test_a_chance_is_never_understated(delta):
    shown = show_chance(delta).replace(",", "").removeprefix("1 in ")
    chance = 1 / Fraction(shown) if delta <= 0.1 else Fraction(shown)
    assert Fraction(delta) * Fraction(1 - 1e-9) <= chance <= Fraction(delta) * Fraction(115, 100)


def test_extreme_numbers_are_powers_of_ten():
    assert show_factor(1000.0) == "about 10^435"
    assert show_factor(1e-20) == "1"
    assert show_chance(1e-30) == "1 in 10^30"
