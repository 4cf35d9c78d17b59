"""What scores mean: rows of a table, odds in whole numbers, and noisy totals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.models import Estimate, Odds, RiskTable, Totals
from dprules.models.meaning import FINE


def table(*risks: float) -> RiskTable:
    return RiskTable(tuple(range(0, 10 * (len(risks) - 1), 10)), tuple(Estimate(risk, 0.0, 1.0) for risk in risks))


def test_a_score_is_in_the_row_that_names_it():
    made = RiskTable((-3, -2, 5), table(0.1, 0.2, 0.3, 0.4).risks)
    assert made.ranges() == ["-4 or less", "-3", "-2 to 4", "5 or more"]
    assert made.rows_of(np.array([-99, -4, -3, -2, 4, 5, 99])).tolist() == [0, 0, 1, 2, 2, 3, 3]
    assert table(0.5).ranges() == ["any score"]
    assert table(0.5).rows_of(np.array([-7, 7])).tolist() == [0, 0]


def test_rows_predict_the_largest_weight_times_risk_and_in_a_tie_the_first_class():
    made = table(0.2, 0.25, 0.5, 0.501)
    assert made.labels(("no", "yes"), "yes", None) == ["no", "no", "no", "yes"]
    assert made.labels(("yes", "no"), "yes", None) == ["no", "no", "yes", "yes"]
    third = (Fraction(1, 3), Fraction(1))  # 0.25 against 0.75 / 3 is a tie
    assert made.labels(("no", "yes"), "yes", third) == ["no", "no", "yes", "yes"]
    assert made.labels(("yes", "no"), "yes", third[::-1]) == ["no", "yes", "yes", "yes"]


@settings(max_examples=60, deadline=None)
@given(
    doubling=st.fractions(Fraction(1, 100), 10_000),
    spread=st.integers(0, 3000),
    scores=st.lists(st.integers(-1500, 1500), min_size=2, max_size=5),
)
def test_odds_are_powers_of_two_nearly(doubling, spread, scores):
    """Until odds are too small to matter, and never nothing."""
    odds = Odds(doubling).table(spread)
    leads = np.minimum(max(scores) - np.array(scores), spread)
    weights = odds.weigh(np.array([(-leads).tolist()]))[0]
    exact = 2.0 ** (-leads / float(doubling))
    assert weights.min() >= 1
    assert weights.max() == odds.fine[0] * odds.coarse[0] < 2**46 + 1
    large = exact > 1e-3
    shares = weights / weights.max()
    assert np.allclose(shares[large], exact[large], rtol=4000 / FINE)
    assert (shares[~large] < 2e-3).all()


def test_odds_never_rise_with_the_lead():
    odds = Odds(Fraction(13, 2)).table(400)
    weights = odds.weigh(-np.array([range(400)]))[0]
    assert (np.diff(weights[: odds.last]) < 0).all()
    assert (weights[odds.last :] == weights[odds.last]).all()


def test_handicaps_move_the_odds_as_weights_do():
    weights = (Fraction(1, 2), Fraction(1), Fraction(1, 3))
    assert Odds(Fraction(10)).handicaps(weights, 3) == (-10, 0, -16)
    assert Odds(Fraction(10)).handicaps(None, 3) == (0, 0, 0)


def test_totals_tell_a_number_only_where_noise_could_not_have_made_it_up():
    assert Totals((12, 12), Fraction(6)).records() is None
    assert Totals((12, 12), Fraction(6)).share(0) is None
    told = Totals((700, 300), Fraction(10)).records()
    assert told is not None
    assert told.value == 1000
    assert told.high - 1000 == pytest.approx(1.96 * 10 * 2**0.5, abs=1)
    share = Totals((700, 300), Fraction(10)).share(1)
    assert share is not None
    assert share.low < 0.3 == share.value < share.high
    assert Totals((15, 15), Fraction(6)).share(0) is None, "too wide to say anything"


def test_intervals_hold_as_often_as_they_say():
    noise = np.random.default_rng(1).normal(0, 10, (4000, 2)).round().astype(int)
    held = 0
    for first, second in noise.tolist():
        share = Totals((700 + first, 300 + second), Fraction(10)).share(1)
        held += share is not None and share.low <= 0.3 <= share.high
    assert 0.93 < held / 4000 < 0.97
