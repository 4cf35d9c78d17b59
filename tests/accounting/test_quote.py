"""Quotes, and references to entries of a ledger."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dprules.accounting import Account, Counts, LedgerReference, Quote, Unit, compose
from dprules.errors import ModelError

REFERENCE = LedgerReference("0" * 32, "patients", 3, "a" * 64)


def quoted(fixed=True):
    account = Account(1, Fraction(1, 10**6))
    account.charge("class counts", Counts(Fraction(1, 4)))
    account.charge("more counts", Counts(Fraction(1, 2)))
    return Quote.of("fit", account, fixed=fixed)


def test_its_curve_is_that_of_its_charges_or_of_its_budget():
    assert quoted().curve().epsilon(0) == 0.75
    assert quoted(fixed=False).curve().delta(1.0) == pytest.approx(1e-6, rel=1e-9)
    wide = replace(quoted(), unit=Unit("patient", 3))
    assert wide.curve().epsilon(0) == compose.curve(wide.events, "add-remove", 3).epsilon(0) > 2


def test_a_quote_that_does_not_hold():
    charges = tuple(replace(charge, epsilon=charge.epsilon / 2) for charge in quoted().charges)
    assert "cost more" in replace(quoted(), charges=charges).problems()[0]
    assert "too much" in replace(quoted(), epsilon=Fraction(1, 2)).problems()[0]
    assert quoted().problems() == []


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
def test_a_reference_that_was_tampered_with_is_refused(change):
    with pytest.raises(ModelError):
        LedgerReference.from_document(REFERENCE.document() | change)


def test_a_reference_is_read_back():
    assert LedgerReference.from_document(REFERENCE.document()) == REFERENCE
    assert LedgerReference.from_document(None) is None
