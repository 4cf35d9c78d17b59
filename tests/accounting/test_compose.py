from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf

import pytest
from dp_accounting.pld import common, privacy_loss_distribution
from dprules.accounting.dominating import connect_the_dots
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import (
    Approximate,
    Concentrated,
    Counts,
    Cover,
    Event,
    Neighbours,
    Pure,
    compose,
    cover,
    price,
    stream,
)
from dprules.audit import both_ways, exact_list_law, hockey_stick, independent
from dprules.audit.list_law import Example, tilted
from dprules.errors import ParameterError, PrivacyError

ADD, REPLACE = Neighbours.ADD_REMOVE, Neighbours.REPLACE


def oracle(*parameters):
    laws = [
        privacy_loss_distribution.from_privacy_parameters(common.DifferentialPrivacyParameters(*pair))
        for pair in parameters
    ]
    total = laws[0]
    for law in laws[1:]:
        total = total.compose(law)
    return total


def responses(epsilon, delta):
    """Randomised response that tells all with probability delta."""
    yes, no = (1 - delta) * exp(epsilon) / (1 + exp(epsilon)), (1 - delta) / (1 + exp(epsilon))
    return {"yes": yes, "no": no, "first": delta}, {"yes": no, "no": yes, "second": delta}


def test_many_pure_releases_agree_with_dp_accounting():
    ours = compose.epsilon([Pure(ADD, Fraction(1, 10))] * 100, 1e-6)
    theirs = oracle((0.1, 0)).self_compose(100).get_epsilon_for_delta(1e-6)
    assert theirs - 1e-9 <= ours <= theirs * 1.002


def test_mixed_releases_agree_with_dp_accounting():
    events = [
        Pure(ADD, Fraction(1, 2)),
        Approximate(ADD, Fraction(3, 10), Fraction(1, 10**7)),
        Counts(ADD, Fraction(1, 5)),
    ]
    theirs = oracle((0.5, 0), (0.3, 1e-7), (0.2, 0))
    laws = [responses(0.5, 0), responses(0.3, 1e-7), responses(0.2, 0)]
    p = independent(independent(laws[0][0], laws[1][0]), laws[2][0])
    q = independent(independent(laws[0][1], laws[1][1]), laws[2][1])
    for epsilon in (0.2, 0.5, 0.8):
        ours, truth = compose.delta(events, epsilon), hockey_stick(p, q, epsilon)
        assert truth <= ours <= truth * 1.01 + 1e-9
        assert ours == pytest.approx(theirs.get_delta_for_epsilon(epsilon), rel=0.01)


def test_concentrated_releases_add_up():
    rho = Fraction(1, 100)
    assert compose.epsilon([Concentrated(ADD, rho)] * 4, 1e-6) == price(Concentrated(ADD, 4 * rho)).epsilon(1e-6)


def test_pure_releases_stay_pure():
    assert compose.epsilon([Pure(ADD, Fraction(1, 4)), Counts(ADD, Fraction(1, 4))], 0) == 0.5
    assert price(Counts(REPLACE, Fraction(1, 4))).pure == 0.5
    with pytest.raises(PrivacyError, match="No finite epsilon"):
        compose.epsilon([Pure(ADD, Fraction(1)), Concentrated(ADD, Fraction(1))], 0)


def test_one_release_is_its_own_price():
    event = Cover(ADD, Fraction(0.0916))
    assert compose.delta([event], 1.0) == cover.delta(0.0916, 1.0)


def test_a_list_with_counts_costs_less_than_the_sum_and_no_less_than_the_list():
    """The main use: class counts, cut points, and a list."""
    tilt = Fraction(cover.tilt(0.9, 1e-6, reward=0.5, rounds=8))
    events = [Cover(ADD, tilt, (Fraction(1, 2),), 8), Counts(ADD, Fraction(1, 50)), Pure(ADD, Fraction(2, 25))]
    together = compose.epsilon(events, 1e-6)
    assert 0.9 < together < 1.0


@pytest.mark.parametrize("copies", [2, 3])
def test_lists_together_cover_the_exact_law(copies):
    """The product of exact laws of one bad pair stays below the composed claim, which is below the plain sum."""
    tilt, z = 1.0, Example((True,), 1)
    common_rows = [Example((True,), 0), Example((False,), 0)]
    laws = [exact_list_law(rows, tilted(tilt), features=1) for rows in ([*common_rows, z], common_rows)]
    products = list(laws)
    for _ in range(copies - 1):
        products = [independent(product, law) for product, law in zip(products, laws, strict=True)]
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        claimed = compose.delta([Cover(ADD, Fraction(tilt))] * copies, epsilon)
        assert both_ways(hockey_stick, *products, epsilon) <= claimed
        assert claimed <= 1


def test_composition_of_lists_beats_adding_epsilons():
    event = Cover(ADD, Fraction(cover.tilt(1.0, 1e-6)))
    assert compose.epsilon([event] * 2, 1e-6) < 1.2
    assert compose.epsilon([event] * 5, 1e-6) < 1.6


@settings(max_examples=15, deadline=None)
@given(st.floats(0.05, 1.0), st.floats(0.0, 1.0))
def test_connecting_the_dots_stays_above_the_curve(tilt, reward):
    for curve in (price(Cover(ADD, Fraction(tilt), (Fraction(reward),))), price(Pure(ADD, Fraction(tilt)))):
        for way in (curve, curve.reversed()):
            reach = way.pure if way.pure < inf else way.epsilon(1e-12)
            pair = connect_the_dots(way, reach / 300, reach)
            assert pair.mass.sum() + pair.infinite == pytest.approx(1, abs=1e-9)
            for epsilon in (0.0, reach / 7, reach / 2.3):
                assert pair.delta(epsilon) >= way.at(epsilon)
                assert pair.delta(epsilon) <= way.at(epsilon) * 1.05 + 1e-9


def test_streams_and_lists_compose_under_one_relation():
    learner = stream.event("batched", draws=20, releases=10, rate=0.005, above=(0.1, 0.1))
    each = [learner, Cover(REPLACE, Fraction(1, 20))]
    together = compose.epsilon(each, 1e-6)
    assert max(price(event).epsilon(1e-6) for event in each) <= together
    assert together < sum(price(event).epsilon(5e-7) for event in each)
    with pytest.raises(PrivacyError, match="different neighbours"):
        compose.compose([learner, Cover(ADD, Fraction(1, 20))])


@pytest.mark.parametrize(
    ("make", "starts"),
    [
        (lambda: Pure(ADD, Fraction(-1)), "epsilon must be positive"),
        (lambda: Pure(ADD, Fraction(1000)), "epsilon must lie between"),
        (lambda: Approximate(ADD, Fraction(1), Fraction(2)), "delta must lie"),
        (lambda: Concentrated(ADD, Fraction(-1)), "rho must be positive"),
        (lambda: Counts(ADD, Fraction(0)), "tilt must be positive"),
        (lambda: Cover(ADD, Fraction(-1)), "tilt must be positive"),
        (lambda: Cover(ADD, Fraction(1), (Fraction(5),)), "rewards must lie"),
        (lambda: Cover(ADD, Fraction(1), (Fraction(0), Fraction(0)), 5), "rewards must have one entry"),
        (lambda: Cover(ADD, Fraction(1), (Fraction(0),), 0), "rounds must be an integer"),
        (lambda: Cover(ADD, Fraction(1), (Fraction(0),), 2, Fraction(2)), "last must lie"),
    ],
)
def test_events_that_make_no_sense_cannot_be_made(make, starts):
    with pytest.raises(ParameterError, match="^" + starts):
        make()


def test_counts_have_no_zero_out_neighbours():
    with pytest.raises(PrivacyError, match="zero-out"):
        Counts(Neighbours.ZERO_OUT, Fraction(1))


def test_segments_together_stay_pure():
    seg = stream.event("segment", draws=4, rate=1 / 16, above=(0.5, 0.5))
    assert compose.epsilon([seg, seg], 0) == 2.0
    assert compose.delta([seg, seg], 2.0) == 0.0


def test_tiny_deltas_fall_back_to_sums():
    event = Cover(ADD, Fraction(1, 20))
    assert compose.epsilon([event] * 2, 1e-18) <= 2 * price(event).epsilon(5e-19) * (1 + 1e-6)


def test_large_epsilons_add_up():
    assert compose.epsilon((Pure(ADD, Fraction(400)) for _ in range(2)), 1e-6) == 800.0


def test_unknown_events_are_refused():
    @dataclass(frozen=True)
    class Novelty(Event):
        pass

    with pytest.raises(PrivacyError, match="No rule prices Novelty"):
        compose.compose([Novelty(ADD)])
    with pytest.raises(ParameterError, match="at least one release"):
        compose.compose([])
