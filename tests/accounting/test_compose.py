from fractions import Fraction
from math import exp

import pytest
from dp_accounting.pld import common, privacy_loss_distribution

from dprules.accounting import Approximate, Concentrated, Counts, Cover, Neighbours, Pure, compose, cover, stream
from dprules.audit import Example, both_ways, exact_list_law, hockey_stick, independent, tilted
from dprules.errors import ParameterError, PrivacyError

ADD = Neighbours.ADD_REMOVE


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
    yes = (1 - delta) * exp(epsilon) / (1 + exp(epsilon))
    no = (1 - delta) / (1 + exp(epsilon))
    return {"yes": yes, "no": no, "first": delta}, {"yes": no, "no": yes, "second": delta}


def test_many_pure_releases_agree_with_dp_accounting():
    ours = compose.epsilon([Pure(Fraction(1, 10))] * 100, 1e-6)
    theirs = oracle((0.1, 0)).self_compose(100).get_epsilon_for_delta(1e-6)
    assert theirs - 1e-9 <= ours <= theirs * 1.002


def test_mixed_releases_agree_with_dp_accounting():
    events = [Pure(Fraction(1, 2)), Approximate(Fraction(3, 10), Fraction(1, 10**7)), Counts(Fraction(1, 5))]
    theirs = oracle((0.5, 0), (0.3, 1e-7), (0.2, 0))
    laws = [responses(0.5, 0), responses(0.3, 1e-7), responses(0.2, 0)]
    p = independent(independent(laws[0][0], laws[1][0]), laws[2][0])
    q = independent(independent(laws[0][1], laws[1][1]), laws[2][1])
    for epsilon in (0.2, 0.5, 0.8):
        ours = compose.delta(events, epsilon)
        truth = hockey_stick(p, q, epsilon)
        assert truth <= ours <= truth * 1.01 + 1e-9
        assert ours == pytest.approx(theirs.get_delta_for_epsilon(epsilon), rel=0.01)


def test_concentrated_releases_add_up():
    rho = Fraction(1, 100)
    one = Concentrated(4 * rho).curve(ADD)
    assert compose.epsilon([Concentrated(rho)] * 4, 1e-6) == one.epsilon(1e-6)


def test_pure_releases_stay_pure():
    assert compose.epsilon([Pure(Fraction(1, 4)), Counts(Fraction(1, 4))], 0) == 0.5
    assert compose.epsilon([Pure(Fraction(1, 4)), Counts(Fraction(1, 4))], 0, "replace") == 0.75
    with pytest.raises(PrivacyError, match="No finite epsilon"):
        compose.epsilon([Pure(1), Concentrated(1)], 0)


def test_one_release_is_its_own_price():
    assert compose.delta([Cover(0.0916)], 1.0) == cover.delta(0.0916, 1.0)


def test_a_list_with_counts_costs_less_than_the_sum_and_no_less_than_the_list():
    """The main use: class counts, cut points, and a list."""
    tilt = cover.tilt(0.9, 1e-6, reward=0.5, rounds=8)
    events = [Cover(tilt, (Fraction(1, 2),), 8), Counts(Fraction(1, 50)), Pure(Fraction(2, 25))]
    together = compose.epsilon(events, 1e-6)
    assert 0.9 < together < 1.0


@pytest.mark.parametrize("copies", [2, 3])
def test_lists_together_cover_the_exact_law(copies):
    """The product of exact laws of one bad pair stays below the composed claim, which is below the plain sum."""
    common_rows = [Example((True,), 0), Example((False,), 0)]
    samples = ([*common_rows, Example((True,), 1)], common_rows)
    laws = [exact_list_law(rows, tilted(1.0), features=1) for rows in samples]
    products = list(laws)
    for _ in range(copies - 1):
        products = [independent(product, law) for product, law in zip(products, laws, strict=True)]
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        claimed = compose.delta([Cover(1)] * copies, epsilon)
        assert both_ways(hockey_stick, *products, epsilon) <= claimed
        assert claimed <= 1


def test_composition_of_lists_beats_adding_epsilons():
    event = Cover(cover.tilt(1.0, 1e-6))
    assert compose.epsilon([event] * 2, 1e-6) < 1.2
    assert compose.epsilon([event] * 5, 1e-6) < 1.6


@pytest.mark.slow
def test_streams_and_lists_compose_under_one_relation():
    events = [
        stream.event("batched", draws=20, releases=10, rate=0.005, above=(0.1, 0.1)),
        Cover(Fraction(1, 20)),
    ]
    together = compose.epsilon(events, 1e-6, "replace")
    prices = [event.curve(Neighbours.REPLACE) for event in events]
    assert max(price.epsilon(1e-6) for price in prices) <= together
    assert together < sum(price.epsilon(5e-7) for price in prices)
    for relation in ("add-remove", "zero-out"):
        with pytest.raises(PrivacyError, match="neighbours"):
            compose.curve(events, relation)


@pytest.mark.slow
def test_lists_with_rewards_compose_under_replace():
    """Two lists at tilts that one could have at (1, 1e-6): between one and two of them."""
    event = Cover(cover.tilt(1.0, 1e-6, "replace", 1, rounds=5), (Fraction(1),), 5)
    assert 1.0 < compose.epsilon([event] * 2, 1e-6, "replace") < 2.0


def test_segments_together_stay_pure():
    segment = stream.event("segment", draws=4, rate=1 / 16, above=(0.5, 0.5))
    assert compose.epsilon([segment, segment], 0, "replace") == 2.0
    assert compose.delta([segment, segment], 2.0, "replace") == 0.0


def test_tiny_deltas_fall_back_to_sums():
    event = Cover(Fraction(1, 20))
    assert compose.epsilon([event] * 2, 1e-18) <= 2 * event.curve(ADD).epsilon(5e-19) * (1 + 1e-6)


def test_large_epsilons_add_up():
    assert compose.epsilon((Pure(400) for _ in range(2)), 1e-6) == 800.0


def test_nothing_cannot_be_composed():
    with pytest.raises(ParameterError, match="at least one release"):
        compose.curve([])
    with pytest.raises(ParameterError, match="neighbours must be add-remove or replace"):
        compose.curve([Pure(1)], "nearby")
    with pytest.raises(ParameterError, match="delta must lie"):
        compose.epsilon([Pure(1)], 2)
