"""An account takes what was promised to the ledger, and nothing else."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dprules.accounting import Account, Counts, LedgerReference, Quote, Unit, compose
from dprules.errors import ModelError, PrivacyError

MARK = LedgerReference("0" * 32, "patients", None, 3, "a" * 64)


def promised(fixed=True):
    account = Account(1, Fraction(1, 10**6))
    account.charge("class counts", Counts(Fraction(1, 4)))
    account.charge("more counts", Counts(Fraction(1, 2)))
    return Quote.of("fit", account, fixed=fixed)


def test_what_was_promised_is_taken():
    account = promised().account(MARK)
    account.charge("class counts", Counts(Fraction(1, 4)))
    account.charge("more counts", Counts(Fraction(1, 2)))
    assert account.charges == promised().charges
    assert account.certificate(secure=True, assumptions=()).ledger == MARK


@pytest.mark.parametrize(
    ("name", "tilt"), [("class counts", Fraction(1, 5)), ("class counts", Fraction(1, 3)), ("other", Fraction(1, 4))]
)
def test_what_was_not_promised_is_refused(name, tilt):
    account = promised().account(MARK)
    with pytest.raises(PrivacyError, match="was not promised"):
        account.charge(name, Counts(tilt))
    assert account.charges == ()


def test_more_than_was_promised_is_refused():
    account = promised().account(MARK)
    for name, tilt in (("class counts", Fraction(1, 4)), ("more counts", Fraction(1, 2))):
        account.charge(name, Counts(tilt))
    with pytest.raises(PrivacyError, match="was not promised"):
        account.charge("still more", Counts(Fraction(1, 100)))


def test_a_promise_of_a_budget_takes_anything_within_it():
    account = promised(fixed=False).account(MARK)
    account.charge("anything", Counts(Fraction(9, 10)))
    with pytest.raises(PrivacyError, match="more than is left"):
        account.charge("too much", Counts(Fraction(2, 10)))


def test_its_curve_is_that_of_its_charges_or_of_its_budget():
    assert promised().curve().epsilon(0) == 0.75
    assert promised(fixed=False).curve().delta(1.0) == pytest.approx(1e-6, rel=1e-9)
    wide = replace(promised(), unit=Unit("patient", 3))
    assert wide.curve().epsilon(0) == compose.curve(wide.events, "add-remove", 3).epsilon(0) > 2


def test_a_promise_that_does_not_hold():
    charges = tuple(replace(charge, epsilon=charge.epsilon / 2) for charge in promised().charges)
    assert "cost more" in replace(promised(), charges=charges).faults()[0]
    assert "too much" in replace(promised(), epsilon=Fraction(1, 2)).faults()[0]
    assert promised().faults() == []


@pytest.mark.parametrize(
    "change",
    [
        {"ledger": "x"},
        {"ledger": 1},
        {"dataset": "a\nb"},
        {"part": 3},
        {"entry": 0},
        {"entry": True},
        {"digest": "A" * 64},
        {"more": 1},
    ],
)
def test_a_mark_that_was_tampered_with_is_refused(change):
    with pytest.raises(ModelError):
        LedgerReference.from_document(MARK.document() | change)


def test_a_mark_is_read_back():
    assert LedgerReference.from_document(MARK.document()) == MARK
    assert LedgerReference.from_document(None) is None
