from fractions import Fraction
from math import exp

import pytest

from dprules.accounting import Account, CountedCover, Counts, Event, Neighbours, Unit, compose, counted, cover
from dprules.accounting.counted import FEW, Parts
from dprules.errors import ModelError, ParameterError, PrivacyError

HALF = Fraction(1, 2)
QUARTER = Fraction(1, 4)
FREE = Parts(last_rule=Fraction(3, 4))
"""The last draw and its counts together have the tilt of a draw: what theory A6 says is free."""


@pytest.mark.parametrize("rounds", [3, 5, 10, 20])
def test_counts_leave_the_tilt_of_the_draws_alone(rounds):
    plain = cover.tilt(1.0, 1e-6, reward=1, rounds=rounds)
    free = counted.tilt(1.0, 1e-6, rounds, parts=FREE)
    assert free >= plain * (1 - 1e-6)
    assert counted.delta(free, 1.0, rounds, parts=FREE) <= 1e-6 < counted.delta(free * 1.001, 1.0, rounds, parts=FREE)


@pytest.mark.parametrize("rounds", [FEW, FEW + 1, 10, 20])
def test_the_parts_that_are_used_cost_no_tilt(rounds):
    """Beyond a few rules the last one may even be drawn at 9/10."""
    plain = cover.tilt(1.0, 1e-6, reward=1, rounds=rounds)
    assert counted.tilt(1.0, 1e-6, rounds, parts=Parts.of(rounds)) >= plain * 0.999


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5])
def test_a_blunter_last_draw_leaves_more_to_a_few(rounds):
    assert (
        counted.tilt(1.0, 1e-6, rounds, parts=Parts.of(rounds)) > cover.tilt(1.0, 1e-6, reward=1, rounds=rounds) * 1.02
    )


@pytest.mark.parametrize("epsilon", [0.1, 3.0])
def test_other_budgets(epsilon):
    plain = cover.tilt(epsilon, 1e-6, reward=1, rounds=10)
    assert counted.tilt(epsilon, 1e-6, 10, parts=FREE) >= plain * (1 - 1e-4)


def test_an_exchange_is_a_chain_of_two():
    """The better split of (e1 + e2, d1 + e^e1 d2): no split is cheaper by more than the search leaves."""
    one = CountedCover(0.2, 5).curve(Neighbours.ADD_REMOVE)
    both = CountedCover(0.2, 5).curve(Neighbours.REPLACE)
    for epsilon in (0.3, 1.0):
        early = [epsilon * k / 20 for k in range(21)]
        splits = [one.delta(first) + exp(first) * one.delta(epsilon - first) for first in early]
        assert both.delta(epsilon) == pytest.approx(min(splits), rel=0.05)
        assert both.delta(epsilon) <= min(splits) * (1 + 1e-6)
        assert both.delta(epsilon) >= one.delta(epsilon)
    tilt = counted.tilt(1.0, 1e-6, 10, "replace")
    assert tilt == pytest.approx(cover.tilt(1.0, 1e-6, "replace", 1, 10), rel=0.02)
    assert counted.delta(tilt, 1.0, 10, "replace") <= 1e-6


def test_the_largest_loss():
    """The normaliser in every round, the stop, and its counts; an exchange, twice."""
    event = CountedCover(Fraction(1, 8), 6)
    # Five draws that leave the record, the last at 9/10 takes it, with counts at a quarter: 5 + 1.8 + 0.25.
    one = Fraction(141, 160)
    for neighbours, pure in ((Neighbours.ADD_REMOVE, one), (Neighbours.REPLACE, 2 * one)):
        curve = event.curve(neighbours)
        assert curve.pure == pure
        assert curve.delta(curve.epsilon(0)) == 0.0
    assert counted.delta(Fraction(1, 8), 0.8, 6) > 0.0


@pytest.mark.parametrize(
    ("rounds", "parts", "loss"),
    [
        (1, Parts(), Fraction(41, 20)),  # 2 * 9/10 + 1/4
        (1, Parts(Fraction(1, 2), Fraction(1, 2), Fraction(1, 4)), Fraction(3, 2)),  # 1/2, and all that is left
        (3, Parts(Fraction(1, 2), Fraction(1, 2), Fraction(1, 4)), Fraction(7, 2)),  # the second of three takes it
    ],
)
def test_the_dearest_of_all_ends_is_the_largest_loss(rounds, parts, loss):
    assert CountedCover(1, rounds, parts).curve(Neighbours.ADD_REMOVE).pure == loss


def test_units_of_several_rows_cost_what_their_rows_cost_one_by_one():
    one = CountedCover(0.05, 5).curve(Neighbours.ADD_REMOVE)
    three = one.for_group(3)
    assert three.delta(0.6) == pytest.approx(one.delta(0.2) * (1 + exp(0.2) + exp(0.4)), rel=1e-6)
    account = Account(1, 1e-6, "add-remove", unit=Unit(rows=3, column="person"))
    epsilon, delta = account.for_one_row(account.epsilon)
    tilt = counted.tilt(epsilon, delta, 5)
    account.charge("rules", CountedCover(tilt, 5), account.epsilon_left)
    assert CountedCover(tilt, 5).curve(Neighbours.ADD_REMOVE).for_group(3).delta(1.0) <= 1e-6


FORGED = [
    ({"cell": "3/5"}, "at most half the tilt"),
    ({"last_cell": "3/5"}, "at most half the tilt"),
    ({"remainder": "2"}, "at most the tilt of a draw"),
    ({"last_rule": "11/10"}, "at most the tilt of a draw"),
    ({"last_rule": "1/10"}, "at most the tilt of its draw"),
    ({"cell": "0"}, "cell"),
    ({"remainder": "-1"}, "remainder"),
    ({"rounds": 0}, "rounds"),
    ({"rounds": 10_001}, "rounds"),
    ({"tilt": "0"}, "tilt"),
]


@pytest.mark.parametrize(("change", "says"), FORGED, ids=str)
def test_forged_parts_are_refused(change, says):
    """No theorem prices them, so a certificate with them is not believed."""
    document = CountedCover(Fraction(1, 5), 5).document()
    assert Event.from_document(document) == CountedCover(Fraction(1, 5), 5)
    with pytest.raises(ModelError, match=says):
        Event.from_document(document | change)


@pytest.mark.parametrize(
    "parts",
    [
        {"cell": Fraction(51, 100)},
        {"last_cell": Fraction(51, 100)},
        {"remainder": Fraction(101, 100)},
        {"last_rule": Fraction(101, 100)},
        {"last_rule": Fraction(1, 5), "last_cell": QUARTER},
        {"cell": 0},
    ],
    ids=str,
)
def test_parts_beyond_the_theorem_are_refused(parts):
    with pytest.raises(ParameterError):
        Parts(**parts)


def test_other_bad_parameters_get_a_sentence():
    with pytest.raises(PrivacyError, match="no zero-out neighbours"):
        counted.delta(0.1, 1.0, 5, "zero-out")
    with pytest.raises(ParameterError, match="rounds must be"):
        counted.tilt(1.0, 1e-6, 0)
    with pytest.raises(ParameterError, match="rounds must be"):
        CountedCover(0.1, 0)
    with pytest.raises(ParameterError, match="parts must be Parts"):
        CountedCover(0.1, 5, (1, 1, 1, 1))


def test_the_tilts_of_the_counts_are_those_that_are_priced():
    event = CountedCover(Fraction(1, 5), 5, Parts(Fraction(3, 4), HALF, QUARTER, Fraction(1)))
    assert event.count_tilts == (Fraction(1, 10), Fraction(1, 20), Fraction(1, 5))


@pytest.mark.parametrize(
    "neighbours", [Neighbours.ADD_REMOVE, pytest.param(Neighbours.REPLACE, marks=pytest.mark.slow)]
)
def test_with_noisy_class_counts_it_composes(neighbours):
    """Together they cost at least the dearer one, and at most the sum."""
    rules = CountedCover(0.1, 10, FREE)
    classes = Counts(Fraction(1, 50))
    together = compose.curve([rules, classes], neighbours)
    alone = rules.curve(neighbours)
    extra = classes.curve(neighbours).epsilon(0)
    for epsilon in (0.5, 1.0):
        assert alone.delta(epsilon) * (1 - 1e-9) <= together.delta(epsilon)
        assert together.delta(epsilon) <= alone.delta(epsilon - extra) * (1 + 1e-6)


def test_any_number_of_rounds_costs_no_less_than_a_few():
    values = [counted.delta(0.3, 1.0, rounds) for rounds in (1, 2, 4, 8, 16, 64)]
    assert values == sorted(values)
    assert values[-1] <= counted.delta(0.3, 1.0, None) <= values[-1] * 1.3
    assert counted.delta(0.3, 1.0, 1_000) == counted.delta(0.3, 1.0, None)


def test_extremes_are_answered():
    assert counted.delta(100, 1.0, 3) == pytest.approx(1.0)
    assert counted.delta(1e-9, 0.0, 3) < 1e-8
    assert counted.delta(0.001, 500, 3, "replace") == 0.0
    # A draw that is next to nothing beside a sharp remainder, as a document may name it.
    blunt = CountedCover(1, 1, Parts(Fraction(1, 10**30), HALF, Fraction(1, 10**30), Fraction(1)))
    assert blunt.curve(Neighbours.ADD_REMOVE).delta(0.5) >= (1 - exp(-0.5)) / (1 + exp(-1.0))
