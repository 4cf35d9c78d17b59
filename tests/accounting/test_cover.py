from fractions import Fraction
from math import exp, expm1, tanh

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import Account, Cover, Neighbours, PaperCover, cover
from dprules.accounting.one_way import unlimited
from dprules.errors import ParameterError, PrivacyError

FIGURES = [
    (dict(), 0.0916),
    (dict(neighbours="replace"), 0.0893),
    (dict(reward=1.0), 0.0893),
    (dict(neighbours="replace", reward=1.0), 0.0446),
    (dict(accounting="paper"), 0.0163),
    (dict(accounting="paper", neighbours="replace"), 0.0077),
    (dict(rounds=5), 0.2328),
    (dict(rounds=10), 0.1550),
    (dict(rounds=20), 0.1212),
    (dict(rounds=50), 0.1029),
    (dict(rounds=3, reward=1.0), 0.2622),
    (dict(rounds=5, reward=1.0), 0.1929),
    (dict(rounds=10, reward=1.0), 0.1392),
    (dict(rounds=20, reward=1.0), 0.1134),
    (dict(rounds=50, reward=1.0), 0.0987),
]


@pytest.mark.parametrize(("setting", "figure"), FIGURES)
def test_the_figures_of_the_theory(setting, figure):
    found = cover.tilt(1.0, 1e-6, **setting)
    assert abs(found - figure) < 0.5e-4
    if "accounting" not in setting:
        assert cover.delta(found, 1.0, **setting) <= 1e-6 < cover.delta(found * 1.001, 1.0, **setting)


@pytest.mark.parametrize(("epsilon", "add_remove", "replace"), [(0.1, 0.0119, 0.0115), (10, 0.596, 0.586)])
def test_small_and_large_budgets(epsilon, add_remove, replace):
    assert cover.tilt(epsilon, 1e-6) == pytest.approx(add_remove, rel=5e-3)
    assert cover.tilt(epsilon, 1e-6, "replace") == pytest.approx(replace, rel=5e-3)


@pytest.mark.parametrize("tilt", [0.01, 0.0916, 0.5, 2.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0])
def test_the_closed_forms_as_the_note_writes_them(tilt, epsilon):
    add = (1 - exp(-tilt)) * exp(-(epsilon + tilt) / expm1(tilt))
    below = max(0.0, -expm1(epsilon) + expm1(tilt) * exp((epsilon - tilt) / -expm1(-tilt))) if epsilon < tilt else 0.0
    assert cover.delta(tilt, epsilon) == pytest.approx(max(add, below), rel=1e-9)
    flip = tanh(tilt / 2) * exp(-epsilon / expm1(tilt))
    assert cover.delta(tilt, epsilon, "replace") == pytest.approx(flip, rel=1e-9)


@settings(max_examples=200, deadline=None)
@given(st.floats(0.005, 2), st.floats(0.0, 1.0), st.floats(-1, 3), st.floats(-3, 3))
def test_no_round_gains_against_the_closed_form(tilt, share, epsilon, loss):
    """The lemma of A3, numerically: from every state and for every choice of masses, V does not increase."""
    u, v = Fraction(share * tilt), Fraction(tilt)

    def bound(L):
        return float(unlimited(u, v, Fraction(epsilon - L)))

    def g(L):
        return max(0.0, -expm1(epsilon - L))

    a, c = expm1(v), -expm1(-u)
    here = bound(loss)
    for alpha, beta in [(0, 0.01), (0.01, 0), (0.3, 0.2), (0, 1), (1, 0), (0.5, 0.5), (0.05, 0.4)]:
        moved = loss + np.log(1 - alpha * c + beta * a)
        after = alpha * g(moved + float(u)) + beta * g(moved - float(v)) + (1 - alpha - beta) * bound(moved)
        assert after <= here + 1e-12


def test_directions_meet_where_both_hold():
    """HS_-e(P || Q) = 1 - e^-e + e^-e HS_e(Q || P): the two branches of the closed form are one function."""
    u, v = Fraction(1, 7), Fraction(1, 5)
    for epsilon in (Fraction(-1, 3), Fraction(-1, 50), Fraction(1, 50)):
        forward = float(unlimited(u, v, epsilon))
        backward = float(unlimited(v, u, -epsilon))
        assert forward == pytest.approx(-expm1(epsilon) + exp(epsilon) * backward, rel=1e-9)


def test_the_recursion_tends_to_the_closed_form_and_never_exceeds_it():
    for reward in (0.0, 0.5, 1.0):
        values = [cover.delta(0.3, 1.0, reward=reward, rounds=rounds) for rounds in (2, 4, 8, 16, 64)]
        assert values == sorted(values)
        assert values[-1] <= cover.delta(0.3, 1.0, reward=reward) <= values[-1] * 1.3


def test_few_rounds_are_pure():
    assert cover.delta(0.125, 1.0, rounds=8) == 0.0
    assert cover.delta(0.125, 1.0001, rounds=8) == 0.0
    assert cover.delta(0.125, 0.99, rounds=8) > 0
    assert cover.delta(0.125, 1.125, reward=1.0, rounds=8) == 0.0
    # Replace: a removal costs one tilt more.
    assert cover.delta(0.125, 1.125, "replace", rounds=8) == 0.0
    assert Cover(0.125, rounds=8).curve(Neighbours.REPLACE).epsilon(0) == 1.125
    assert Cover(0.125, (Fraction(1),), 8).curve(Neighbours.REPLACE).epsilon(0) == 2.25
    # The double 0.1 is a little more than a tenth, and ten of it a little more than 1.
    assert cover.delta(0.1, 1.0, rounds=10) > 0


def test_rewards_for_each_round_cost_at_most_the_largest():
    rising = [0.02, 0.1, 0.5, 1.0]
    assert cover.delta(0.3, 0.5, reward=rising, rounds=4) <= cover.delta(0.3, 0.5, reward=1.0, rounds=4) * (1 + 1e-9)
    falling = rising[::-1]
    assert cover.delta(0.3, 0.5, reward=falling, rounds=4) < cover.delta(0.3, 0.5, reward=1.0, rounds=4)
    least = cover.delta(0.3, 0.5, reward=0.02, rounds=4)
    assert cover.delta(0.3, 0.5, reward=falling, rounds=4) >= least * (1 - 1e-9)


def test_epsilon_and_tilt_invert_each_other():
    for setting in (dict(), dict(neighbours="replace", reward=0.5), dict(rounds=7, reward=0.5)):
        tilt = cover.tilt(0.7, 1e-5, **setting)
        assert 0.69 < cover.epsilon(tilt, 1e-5, **setting) <= 0.7 * (1 + 1e-6)
    paper = cover.tilt(0.7, 1e-5, accounting="paper")
    assert cover.epsilon(paper, 1e-5, accounting="paper") == pytest.approx(0.7, rel=1e-6)


def test_answers_are_kept_and_not_mixed_up():
    first = cover.tilt(1.0, 1e-6, rounds=20, reward=0.9)
    fresh = {
        (rounds, reward): cover.tilt(1.0, 1e-6, rounds=rounds, reward=reward)
        for rounds in (19, 20)
        for reward in (0.9, 1.0)
    }
    assert len(set(fresh.values())) == 4
    assert fresh[20, 0.9] == first
    # A table made for a small epsilon is not read beyond its end, and gives the same numbers when made anew.
    low = cover.delta(0.21, 0.2, rounds=6)
    high = cover.delta(0.21, 1.0, rounds=6)
    assert (cover.delta(0.21, 0.2, rounds=6), cover.delta(0.21, 1.0, rounds=6)) == (low, high)


@pytest.mark.parametrize(
    ("call", "starts"),
    [
        (lambda: cover.tilt(0, 1e-6), "epsilon must be positive"),
        (lambda: cover.tilt(float("inf"), 1e-6), "epsilon must be finite"),
        (lambda: cover.tilt(1, 0), "delta must lie strictly between 0 and 1"),
        (lambda: cover.tilt(1, 1.0), "delta must lie strictly between 0 and 1"),
        (lambda: cover.tilt(1, 1e-6, "nearby"), "neighbours must be add-remove or replace"),
        (lambda: cover.tilt(1, 1e-6, reward=2), r"reward must lie in \[0, 1\]"),
        (lambda: cover.tilt(1, 1e-6, reward=[0.1, 0.2]), "reward must have one entry for each of the rounds"),
        (lambda: cover.tilt(1, 1e-6, rounds=0), "rounds must be an integer"),
        (lambda: cover.tilt(1, 1e-6, accounting="loose"), "accounting must be 'exact' or 'paper'"),
        (lambda: cover.delta(-1, 1), "tilt must be positive"),
    ],
)
def test_bad_parameters_get_a_sentence(call, starts):
    with pytest.raises(ParameterError, match="^" + starts):
        call()


def test_paper_accounting_is_for_the_papers_score_and_inverts_near_its_limit():
    with pytest.raises(ParameterError, match="for its score, reward 0"):
        cover.tilt(1, 1e-6, reward=0.5, accounting="paper")
    assert cover.epsilon(0.7, 0.00117, accounting="paper") == pytest.approx(
        4 * 0.7 * (np.log(1 / 0.00117) + 1.5), rel=1e-6
    )


def test_what_cannot_be_priced_is_refused():
    with pytest.raises(PrivacyError, match="zero-out"):
        cover.delta(0.1, 1.0, "zero-out")
    with pytest.raises(PrivacyError, match="lemma fails"):
        cover.tilt(200, 1e-6, accounting="paper")
    with pytest.raises(PrivacyError, match="lemma fails"):
        cover.epsilon(2, 1e-6, accounting="paper")


def exchange(tilt, reward, epsilon):
    """The closed form of an exchange (theory A3), w = (1 + reward) tilt."""
    w = (1 + reward) * tilt
    return tanh(w / 2) * exp(-epsilon / expm1(w))


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 2.0), st.floats(0.0, 1.0), st.floats(0.0, 4.0))
def test_an_exchange_costs_at_most_its_closed_form_and_no_less_than_one_record(tilt, reward, epsilon):
    price = cover.delta(tilt, epsilon, "replace", reward)
    assert price <= exchange(tilt, reward, epsilon) * (1 + 1e-9) + 1e-300
    assert price >= cover.delta(tilt, epsilon, "add-remove", reward) * (1 - 1e-9)


@pytest.mark.parametrize("reward", [0.25, 0.5, 1.0])
def test_the_closed_form_of_an_exchange_is_what_is_used_where_it_is_better(reward):
    better = [
        cover.delta(tilt, epsilon, "replace", reward) == pytest.approx(exchange(tilt, reward, epsilon), rel=1e-9)
        for tilt in (0.05, 0.2, 0.8)
        for epsilon in (0.0, 0.1, 0.5, 1.0)
    ]
    assert any(better)


@settings(max_examples=300, deadline=None)
@given(st.floats(0.001, 3.0), st.floats(0.0, 1.0), st.floats(-6.0, 6.0))
def test_no_round_gains_against_the_closed_form_of_an_exchange(tilt, reward, loss):
    """The four tangent conditions of the proof, at epsilon 0: covering one of the two records never gains."""
    e = tilt
    g = reward * tilt

    def exchanged(L):
        return value(e + g, e + g, L)

    def slope(L):
        """The derivative of that value, which has two branches that meet at 0."""
        w = e + g
        top = tanh(w / 2)
        return top / expm1(w) * exp(L / expm1(w)) if L <= 0 else exp(-L) + top / expm1(-w) * exp(L / expm1(-w))

    def value(u, v, L):
        """V(u, v) with its argument L = ln(P/Q)."""
        return float(unlimited(Fraction(u), Fraction(v), Fraction(-L)))

    here = exchanged(loss)
    rise = slope(loss)
    # z alone is covered, with a ratio of e^g or e^-e: the other record is left, u = e and v = g.
    assert here - expm1(-g) * rise >= value(e, g, loss + g) - 1e-12
    assert here - expm1(e) * rise >= value(e, g, loss - e) - 1e-12
    # z' alone is covered, with a ratio of e^-g or e^e: z is left, u = g and v = e.
    assert here - expm1(g) * rise >= value(g, e, loss - g) - 1e-12
    assert here - expm1(-e) * rise >= value(g, e, loss + e) - 1e-12


def test_huge_tilts_and_epsilons_are_answered():
    assert cover.delta(100, 1.0, "replace", 1) == 1.0
    with pytest.raises(PrivacyError, match="No value meets the budget"):
        cover.epsilon(100, 1e-6, "replace", 1)
    assert cover.delta(0.001, 500, "replace", 0.5) <= 1e-300


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@given(epsilon=st.floats(0.01, 8.0), delta=st.floats(1e-12, 1e-3))
@settings(max_examples=50, deadline=None)
def test_the_papers_tilt_is_affordable(neighbours, epsilon, delta):
    """A tilt that is computed for a budget is never refused by that budget."""
    tilt = cover.tilt(epsilon, delta, neighbours, accounting="paper")
    Account(epsilon, delta, neighbours).charge("rules", PaperCover(tilt))
