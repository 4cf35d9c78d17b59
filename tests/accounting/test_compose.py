from fractions import Fraction
from math import erfc, exp, log, pi, sqrt

import numpy as np
import pytest
from dp_accounting.pld import common, privacy_loss_distribution

from accounting.approximate import Approximate
from dprules.accounting import (
    Concentrated,
    CountedCover,
    Counts,
    Cover,
    Gaussian,
    Neighbours,
    Pure,
    compose,
    cover,
    stream,
)
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


@pytest.mark.slow
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


@pytest.mark.parametrize("copies", [2, pytest.param(3, marks=pytest.mark.slow)])
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


def test_gaussians_are_one_gaussian_exactly():
    """3-4-5, under each relation and for units of two rows."""
    parts = [Gaussian(Fraction(3, 10)), Gaussian(Fraction(4, 10))]
    for relation in ("add-remove", "replace"):
        for rows in (1, 2):
            together = compose.curve(parts, relation, rows)
            one = Gaussian(Fraction(1, 2)).curve(Neighbours.parse(relation)).for_group(rows)
            assert together.mu_squared == one.mu_squared
            assert together.rho == pytest.approx(one.rho)
            for epsilon in (0.0, 0.3, 2.0, 9.0):
                assert together.delta(epsilon) == one.delta(epsilon)
                assert together.delta(epsilon) == together.backward(epsilon)


def test_an_exchange_in_histograms_costs_the_root_of_two():
    parts = [Gaussian(Fraction(1, 10), histogram=True), Gaussian(Fraction(1, 10))]
    assert compose.curve(parts).mu_squared == Fraction(2, 100)
    assert compose.curve(parts, "replace").mu_squared == Fraction(2 + 4, 100)
    assert compose.curve(parts, "replace", rows=3).mu_squared == 9 * Fraction(2 + 4, 100)


def test_gaussians_with_others_agree_with_dp_accounting():
    events = [Gaussian(Fraction(1, 10)), Pure(Fraction(1, 5)), Gaussian(Fraction(1, 5)), Approximate(0.1, 1e-7)]
    theirs = privacy_loss_distribution.from_gaussian_mechanism(1 / 0.05**0.5)
    theirs = theirs.compose(oracle((0.2, 0), (0.1, 1e-7)))
    for epsilon in (0.3, 0.8, 1.3):
        assert compose.delta(events, epsilon) == pytest.approx(theirs.get_delta_for_epsilon(epsilon), rel=0.01)


def test_a_gaussian_after_a_concentrated_release_keeps_its_own_curve():
    """Between the sum of concentrated bounds, which forgets what the Gaussian is, and the Gaussian alone."""
    rho = Fraction(1, 1000)
    noise = Gaussian(Fraction(1, 5))
    found = compose.epsilon([Concentrated(rho), noise], 1e-6)
    assert noise.curve(ADD).epsilon(1e-6) < found
    assert found < Concentrated(rho + noise.mu**2 / 2).curve(ADD).epsilon(1e-6)


def normal(at):
    return erfc(-at / sqrt(2)) / 2


def with_noise(p, q, mu, epsilon):
    """HS_epsilon of a release with laws p and q together with N(mu, 1) or N(0, 1): at each outcome a normal one."""
    total = 0.0
    for outcome, mass in p.items():
        at = epsilon + log(q[outcome] / mass)
        total += mass * (normal(mu / 2 - at / mu) - exp(at) * normal(-mu / 2 - at / mu))
    return total


def rows(shift):
    """A bad pair of samples for a list: with and without one record."""
    common_rows = [Example((True,), 0), Example((False,), 0)]
    return [*common_rows, Example((True,), 1)] if shift else common_rows


@pytest.mark.parametrize("mu", [pytest.param(Fraction(1, 10), marks=pytest.mark.slow), Fraction(1)])
def test_lists_with_noise_cover_the_exact_law(mu):
    p, q = (exact_list_law(rows(shift), tilted(0.5), features=1) for shift in (True, False))
    price = compose.curve([Cover(Fraction(1, 2), rounds=2), Gaussian(mu)])
    for epsilon in (0.0, 0.3, 1.0, 2.0):
        assert with_noise(p, q, float(mu), epsilon) <= price.forward(epsilon)
        assert with_noise(q, p, float(mu), epsilon) <= price.backward(epsilon)


@pytest.mark.slow
def test_noise_before_a_list_may_steer_it():
    """Noise first, then one draw whose candidates depend on it: pairs cover that, whatever the order of the events.

    One draw at width t is worth (k - sqrt(y)/k)^2 / (e^t - e^-t) at y = e^epsilon Q/P within e^(2t) of 1, k = e^(t/2)
    (`docs/proofs/free_counts.md`).
    """
    t, mu, epsilon = 0.3, 0.25, 0.6

    def one_draw(y):
        if abs(log(y)) >= 2 * t:
            return max(0.0, 1 - y)
        return (exp(t / 2) - sqrt(y) * exp(-t / 2)) ** 2 / (exp(t) - exp(-t))

    grid = np.linspace(mu - 10, mu + 10, 40_001)
    density = np.exp(-((grid - mu) ** 2) / 2) / sqrt(2 * pi)
    losses = mu * grid - mu**2 / 2
    steered = float(np.sum(density * [one_draw(exp(epsilon - loss)) for loss in losses]) * (grid[1] - grid[0]))
    for events in ([Cover(t, (Fraction(1),), 1), Gaussian(mu)], [Gaussian(mu), Cover(t, (Fraction(1),), 1)]):
        assert steered <= compose.delta(events, epsilon) <= steered * 1.01


@pytest.mark.parametrize("event", [CountedCover(0.15, 4), Cover(0.15, (Fraction(1, 2),), 4)])
def test_noise_with_a_list_is_the_mean_of_the_lists_curve_over_the_loss_of_the_noise(event):
    """The product of the two pairs, by quadrature; compose finds it through grids."""
    mu = 0.2
    price = compose.curve([event, Gaussian(mu)])
    alone = event.curve(ADD)
    grid = np.linspace(mu - 9, mu + 9, 1201)
    density = np.exp(-((grid - mu) ** 2) / 2) / np.sum(np.exp(-((grid - mu) ** 2) / 2))
    for way, whole in ((alone, price.forward), (alone.reversed(), price.backward)):
        for epsilon in (0.2, 0.8):
            losses = mu * grid - mu**2 / 2
            truth = float(np.sum(density * [way.at(epsilon - loss) for loss in losses]))
            assert truth * (1 - 1e-6) <= whole(epsilon) <= truth * 1.01 + 1e-9


def test_units_price_each_part_for_all_their_rows():
    """With Gaussians among them, parts are grouped before they are composed: c mu, and c epsilon."""
    events = [Gaussian(Fraction(1, 20)), Counts(Fraction(1, 20))]
    by_parts = [Gaussian(Fraction(3, 20)), Counts(Fraction(3, 20))]
    whole = compose.curve(events).for_group(3)
    for epsilon in (0.2, 0.5, 1.0):
        price = compose.curve(events, rows=3).delta(epsilon)
        # A record more in three cells is no worse than three in one, up to what group privacy adds to the counts.
        assert compose.delta(by_parts, epsilon) * (1 - 1e-9) <= price < whole.delta(epsilon)


@pytest.mark.slow
def test_units_without_gaussians_are_priced_as_before():
    events = [Pure(Fraction(1, 10)), Counts(Fraction(1, 10))]
    for epsilon in (0.1, 0.3):
        assert compose.curve(events, rows=2).delta(epsilon) == compose.curve(events).for_group(2).delta(epsilon)
