"""What is left of a grant, against a twin that adds up."""

from datetime import UTC, datetime
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import Unit
from dprules.errors import PrivacyError
from dprules.ledger import Book, EpsilonDelta
from dprules.ledger.chain import Entry
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
    return write(book, book.require_charge("patients", quote(amount), None, "me", CLOCK))


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
