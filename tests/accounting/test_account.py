"""Charge first, then run; and prices that were chosen adaptively only ever add up."""

from fractions import Fraction
from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.approximate import Approximate
from dprules.accounting import (
    Account,
    Concentrated,
    Counts,
    Cover,
    Neighbours,
    Pure,
    Unit,
    compose,
    cover,
    stream,
)
from dprules.audit import both_ways, followed_by, hockey_stick
from dprules.errors import ParameterError, PrivacyError

ONE = Fraction(1)


def responses(epsilon, delta=0.0):
    """Randomised response that tells all with probability delta, on two neighbours."""
    yes = (1 - delta) * exp(epsilon) / (1 + exp(epsilon))
    no = (1 - delta) / (1 + exp(epsilon))
    return {"yes": yes, "no": no, "first": delta}, {"yes": no, "no": yes, "second": delta}


# The adaptive mechanism of the proof note: B if A said yes, else C.
A = Pure(1)
B = Pure(Fraction(1, 500))
C = Approximate(1e-9, 7.3e-4)


def adaptive_laws():
    first = responses(1.0)
    if_yes = responses(1 / 500)
    if_no = responses(1e-9, 7.3e-4)

    def law(side):
        return followed_by(first[side], lambda said: if_yes[side] if said == "yes" else if_no[side])

    return law(0), law(1)


def test_adaptively_chosen_prices_cost_more_than_either_composition_claims():
    truth = both_ways(hockey_stick, *adaptive_laws(), 1.0)
    assert truth == pytest.approx(9.27e-4, rel=1e-3)
    for path in ([A, B], [A, C]):
        assert compose.delta(path, 1.0) < 7.33e-4 < truth


@pytest.mark.parametrize("second", [B, C], ids=["B", "C"])
def test_an_account_does_not_certify_adaptive_prices_that_cheaply(second):
    together = Account(1.0, 7.4e-4)
    together.charge_together([("first", A), ("second", second)])  # right if the second is fixed in advance
    one_by_one = Account(1.0, 7.4e-4)
    one_by_one.charge("first", A)
    with pytest.raises(PrivacyError, match="second would cost more than is left"):
        one_by_one.charge("second", second)


def test_one_after_the_other_epsilons_and_deltas_add_and_that_covers_the_adaptive_law():
    for second in (B, C):
        account = Account(1 + Fraction(1, 500), C.delta)
        account.charge("first", A)
        account.charge("second", second)
    assert both_ways(hockey_stick, *adaptive_laws(), 1 + 1 / 500) <= float(C.delta)


amounts = st.tuples(st.floats(0.01, 1.5), st.floats(0.0, 0.2))


@settings(max_examples=60, deadline=None)
@given(amounts, amounts, amounts)
def test_sums_hold_whatever_the_second_release_depends_on(first, if_yes, otherwise):
    """The filter: the budget pays the first release and the dearer of the two that may follow."""

    def law(side):
        def second(said):
            return responses(*(if_yes if said in ("yes", "first") else otherwise))[side]

        return followed_by(responses(*first)[side], second)

    epsilon = first[0] + max(if_yes[0], otherwise[0])
    delta = first[1] + max(if_yes[1], otherwise[1])
    assert both_ways(hockey_stick, law(0), law(1), epsilon) <= delta + 1e-12


def test_what_is_charged_is_what_is_left_and_what_is_certified():
    account = Account(1.0, 1e-6)
    account.charge("class counts", Counts(Fraction(1, 50)))
    assert account.epsilon_left == Fraction(49, 50)
    assert account.delta_left == Fraction(1e-6)
    account.charge("rules", Cover(cover.tilt(0.98, 1e-6, rounds=5), rounds=5))
    assert account.epsilon_left == account.delta_left == 0
    assert account.certificate(secure=True, assumptions=[]).charges == account.charges
    assert [release.name for charge in account.charges for release in charge.releases] == ["class counts", "rules"]


def test_a_refusal_charges_nothing_and_says_what_to_do():
    account = Account(0.5, 1e-6)
    with pytest.raises(PrivacyError) as caught:
        account.charge("counts", Counts(2))
    said = str(caught.value)
    assert said.startswith("counts would cost more than is left: epsilon 0.5 and delta 1e-06 (alone, ")
    assert "epsilon 2 at delta 0" in said
    assert said.endswith("Raise epsilon or delta, or ask for less.")
    assert account.charges == ()
    account.charge("counts", Counts(0.5))
    with pytest.raises(PrivacyError, match="more counts would cost more"):
        account.charge("more counts", Counts(1e-9))


def test_pure_accounts_take_pure_releases_only():
    account = Account(1, 0)
    account.charge("pure", Pure(0.5))
    with pytest.raises(PrivacyError):
        account.charge("concentrated", Concentrated(1e-9))
    assert account.epsilon_left == Fraction(1, 2)


def test_prices_fixed_in_advance_cost_less_together():
    """Two lists at (1, 1e-6) fit into 1.2 together, and not one after the other."""
    event = Cover(cover.tilt(1.0, 1e-6))
    together = Account(1.2, 1e-6)
    together.charge_together([("one", event), ("another", event)])
    one_by_one = Account(1.2, 2e-6)
    one_by_one.charge("one", event, ONE, Fraction(1e-6))
    with pytest.raises(PrivacyError, match="another would cost more"):
        one_by_one.charge("another", event)
    enough = Account(2, 2e-6)
    enough.charge("one", event, ONE, Fraction(1e-6))
    enough.charge("another", event)
    assert enough.epsilon_left == 0


def test_parts_that_are_not_there_cannot_be_set_aside():
    account = Account(1, 1e-6)
    for part in (dict(epsilon=2), dict(epsilon=0), dict(epsilon=-1), dict(delta=1e-5), dict(delta=-1e-9)):
        with pytest.raises(PrivacyError):
            account.charge("counts", Counts(0.1), **part)
    account.charge("counts", Counts(0.1), epsilon=0.25)
    assert account.epsilon_left == Fraction(3, 4)
    with pytest.raises(ParameterError, match="at least one release"):
        account.charge_together([])


@pytest.mark.parametrize("rows", [2, 3, 10])
def test_a_unit_of_several_rows_pays_for_all_of_them(rows):
    account = Account(3, 1e-6, unit=Unit("patient", rows))
    account.charge("counts", Counts(Fraction(1, 10)))
    assert account.epsilon_left == 3 - Fraction(rows, 10)
    each, delta = account.for_one_row(account.epsilon_left)
    event = Cover(cover.tilt(each, delta))
    account.charge("rules", event)
    too_sharp = Account(3, 1e-6, unit=Unit("patient", rows))
    with pytest.raises(PrivacyError):
        too_sharp.charge("rules", Cover(cover.tilt(3, 1e-6)))


def test_one_row_may_cost_all_that_is_left_if_it_is_the_unit():
    assert Account(1.5, 1e-6).for_one_row(Fraction(3, 2)) == (1.5, 1e-6)


def test_streams_are_charged_under_their_own_relations():
    event = stream.event("segment", draws=4, rate=1 / 16, above=(0.5, 0.5))
    account = Account(1, 0, Neighbours.REPLACE, Unit(of="round"))
    account.charge("Winnow", event)
    assert account.epsilon_left == 0
    with pytest.raises(PrivacyError, match="Streams have rounds"):
        Account(1, 0).charge("Winnow", event)


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        ((0, 1e-6), "epsilon must be positive"),
        ((501, 1e-6), "epsilon must lie between"),
        ((float("nan"), 1e-6), "epsilon must be finite"),
        ((1, 1.5), "delta must be below 1"),
        ((1, -1), "delta must be at least 0"),
        ((1, 0, "nearby"), "neighbours must be add-remove or replace"),
    ],
)
def test_bad_accounts_get_a_sentence(arguments, starts):
    with pytest.raises(ParameterError, match="^" + starts):
        Account(*arguments)
