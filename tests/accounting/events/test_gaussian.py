"""The price of Gaussian noise, and shares of it."""

from fractions import Fraction
from itertools import product
from math import hypot, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import Account, Gaussian, Neighbours, Unit, compose, gaussian
from dprules.errors import ParameterError, PrivacyError


def sums(records, columns, bins):
    """How often each value of each column occurs."""
    return [sum(record[column] == value for record in records) for column in range(columns) for value in range(bins)]


def distance(one, other):
    return hypot(*(a - b for a, b in zip(one, other, strict=True)))


def test_histograms_move_by_the_root_of_two_when_a_record_is_exchanged():
    """All exchanges of two records in three columns of three bins: sqrt(2) times what one record more moves."""
    records = list(product(range(3), repeat=3))
    one_more = max(distance(sums([record], 3, 3), sums([], 3, 3)) for record in records)
    exchanged = max(distance(sums([a], 3, 3), sums([b], 3, 3)) for a in records for b in records)
    squares = [
        Gaussian(one_more, histogram=True).curve(relation).mu_squared
        for relation in (Neighbours.ADD_REMOVE, Neighbours.REPLACE)
    ]
    assert sqrt(squares[0]) == pytest.approx(one_more)
    assert sqrt(squares[1]) == pytest.approx(exchanged)


def test_sums_with_signs_move_twice_as_far():
    """A record may add 512 where the other took 512 away, in every column."""
    one_more = distance([512] * 3, [0] * 3)
    exchanged = distance([512] * 3, [-512] * 3)
    square = Gaussian(Fraction(1, 10)).curve(Neighbours.REPLACE).mu_squared
    assert sqrt(square) == pytest.approx(exchanged / one_more / 10)


WEIGHTS = st.lists(st.tuples(st.floats(0.01, 1.0), st.booleans()), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(
    WEIGHTS,
    st.sampled_from(["add-remove", "replace"]),
    st.sampled_from([1, 2, 3, 7, 1000]),
    st.floats(0.01, 20),
    st.sampled_from([1e-12, 1e-6, 1e-5, 0.01]),
)
def test_shares_fit_the_account_and_leave_nothing(weights, relation, rows, epsilon, delta):
    unit = Unit("person", rows) if rows > 1 else Unit()
    account = Account(epsilon, delta, relation, unit)
    total = gaussian.mu(account.epsilon_left, account.delta_left)
    whole = sum(weight for weight, _ in weights)
    events = [Gaussian.share(total, weight / whole, relation, rows, histogram) for weight, histogram in weights]
    account.charge_together([(f"part {i}", event) for i, event in enumerate(events)])
    assert account.certificate(secure=True, assumptions=()).charges[0].holds(account.neighbours, unit)
    spent = compose.curve(events, relation, rows).mu_squared
    assert Fraction(total) ** 2 * (1 - Fraction(1, 10**12)) <= spent <= Fraction(total) ** 2
    dearer = [Gaussian(event.mu * (1 + Fraction(1, 10**6)), event.histogram) for event in events]
    with pytest.raises(PrivacyError, match="cost more than is left"):
        Account(epsilon, delta, relation, unit).charge_together([("too much", event) for event in dearer])


def test_a_share_is_cheaper_for_units_and_exchanges():
    one = Gaussian.share(1, 0.25)
    assert float(one.mu) == pytest.approx(0.5)
    assert float(Gaussian.share(1, 0.25, rows=4).mu) == pytest.approx(0.125)
    assert float(Gaussian.share(1, 0.25, "replace").mu) == pytest.approx(0.25)
    assert float(Gaussian.share(1, 0.25, "replace", histogram=True).mu) == pytest.approx(0.5 / sqrt(2))
    assert Gaussian.share(1, 0.25, "replace", histogram=True).histogram


@pytest.mark.parametrize(
    "arguments",
    [(1, 0), (1, 1.01), (0, 0.5), (1, 0.5, "nearby"), (1, 0.5, "replace", 0), (1, 0.5, "replace", 1, "yes")],
)
def test_what_is_no_share_is_refused(arguments):
    with pytest.raises(ParameterError):
        Gaussian.share(*arguments)


def test_streams_have_no_sums():
    for call in (
        lambda: Gaussian(1).curve(Neighbours.ZERO_OUT),
        lambda: Gaussian.share(1, 0.5, "zero-out"),
    ):
        with pytest.raises(PrivacyError, match="zero-out"):
            call()
