"""What is left of a grant, against a twin that adds up."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import Unit
from dprules.errors import PrivacyError
from dprules.ledger import Book, EpsilonDelta
from dprules.ledger.chain import Entry
from dprules.ledger.charges import Closed
from dprules.ledger.grants import DataSet, Grant
from ledger.helpers import quote

CLOCK = datetime(2026, 1, 1, tzinfo=UTC)


def write(book, body):
    number = len(book.entries) + 1
    entry = Entry(number, CLOCK, f"token {number}", body, f"digest {number}")
    book.add(entry)
    return entry


def new_book(epsilon=1):
    neighbours = quote("0.1").neighbours
    book = Book("name", [])
    write(book, DataSet("patients", None, Unit(), neighbours))
    write(book, Grant("patients", EpsilonDelta(epsilon, 0), "officer"))
    return book


def charge(book, amount):
    return write(book, book.require_charge("patients", quote(amount), None, None, "me", CLOCK))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["0.1", "0.2", "0.35"]), max_size=14))
def test_charges_never_exceed_the_grant(amounts):
    """A twin adds up; a charge is refused only if it does not fit."""
    book = new_book()
    paid = Fraction(0)
    for amount in amounts:
        after = paid + Fraction(amount)
        try:
            charge(book, amount)
        except PrivacyError:
            assert after > 1
            continue
        paid = after
        assert book.grants[2].spent[0] == paid <= 1


def test_a_reservation_holds_room():
    book = new_book()
    cost = (Fraction(1, 5), Fraction(0))
    held = write(book, book.require_reservation("patients", Counter({cost: 4}), "me", CLOCK)).number
    assert book.grants[2].left[0] == Fraction(1, 5)
    with pytest.raises(PrivacyError, match="left"):
        charge(book, "0.35")
    for _ in range(4):
        write(book, book.require_charge("patients", quote("0.2"), None, held, "me", CLOCK))
    with pytest.raises(PrivacyError, match=r"reservation [0-9]+ holds nothing"):
        book.require_charge("patients", quote("0.2"), None, held, "me", CLOCK)
    assert book.grants[2].left[0] == Fraction(1, 5)
    with pytest.raises(PrivacyError, match="2 fits"):
        book.require_reservation("patients", Counter({cost: 2}), "me", CLOCK)
    write(book, Closed(held))
    with pytest.raises(PrivacyError, match=r"reservation [0-9]+ holds nothing"):
        book.require_charge("patients", quote("0.2"), None, held, "me", CLOCK)


def test_what_a_closed_reservation_held_is_free_again():
    book = new_book()
    cost = (Fraction(1, 5), Fraction(0))
    held = write(book, book.require_reservation("patients", Counter({cost: 4}), "me", CLOCK)).number
    write(book, book.require_charge("patients", quote("0.2"), None, held, "me", CLOCK))
    write(book, Closed(held))
    assert book.grants[2].left[0] == Fraction(4, 5)


def test_a_reservation_ends_with_its_grant():
    book = new_book()
    write(book, Grant("patients", EpsilonDelta(5, 0), "officer", until=CLOCK.date()))
    held = write(
        book, book.require_reservation("patients", Counter({(Fraction(2), Fraction(0)): 2}), "me", CLOCK)
    ).number
    book.require_charge("patients", quote("2"), None, held, "me", CLOCK)
    with pytest.raises(PrivacyError, match="has ended"):
        book.require_charge("patients", quote("2"), None, held, "me", CLOCK + timedelta(days=1))
