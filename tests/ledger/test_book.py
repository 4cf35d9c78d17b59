"""What is left, with parts, keys, readings and reservations: against a twin that counts for every record."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import Unit
from dprules.errors import PrivacyError
from dprules.ledger import Book, Sums
from dprules.ledger.chain import Entry
from dprules.ledger.charges import Closed
from dprules.ledger.grants import DataSet, Grant
from ledger.helpers import part, promise

VALUES = {"region": ["north", "south", None], "ward": ["a", "b", None]}
"""None: a record whose key is missing, or undeclared."""
CLOCK = datetime(2026, 1, 1, tzinfo=UTC)
RECORDS = [dict(zip(VALUES, values, strict=True)) for values in product(*VALUES.values())]


def write(book, body):
    number = len(book.entries) + 1
    entry = Entry(number, CLOCK, f"token {number}", body, f"digest {number}")
    book.add(entry)
    return entry


def new_book(epsilon=1):
    neighbours = promise("0.1").neighbours
    book = Book("name", [])
    write(book, DataSet("patients", None, Unit(), neighbours))
    write(book, Grant("patients", Sums(epsilon, 0), "officer"))
    return book


def charge(book, amount, where):
    return write(book, book.require_charge("patients", promise(amount), None, where, None, "me", CLOCK))


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["0.1", "0.2", "0.35"]),
        st.one_of(
            st.none(),
            st.tuples(st.just("region"), st.sampled_from(["north", "south"])),
            st.tuples(st.just("ward"), st.sampled_from(["a", "b"])),
        ),
    ),
    max_size=14,
)


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_no_record_ever_pays_more_than_the_grant(steps):
    """The twin knows what every possible record has paid; a charge is refused only if some record could not pay it."""
    book = new_book()
    paid = [Fraction(0)] * len(RECORDS)
    for amount, where in steps:
        enters = [where is None or record[where[0]] == where[1] for record in RECORDS]
        after = [have + Fraction(amount) * inside for have, inside in zip(paid, enters, strict=True)]
        try:
            charge(book, amount, None if where is None else part(where[1], where[0]))
        except PrivacyError:
            # Some record that would pay for it, or the sum of the dearest over keys, is at the limit.
            assert max(have for have, inside in zip(after, enters, strict=True) if inside) > 1
            continue
        paid = after
        assert max(paid) <= 1
        assert book.grants[2].spent[0] == max(paid)


def test_readings_of_one_column_are_two_keys():
    book = new_book()
    charge(book, "0.5", part("1", declaration={"values": ["1", "2"]}))
    charge(book, "0.5", part("2", declaration={"values": ["1", "2"]}))
    assert book.grants[2].left[0] == Fraction(1, 2)
    charge(book, "0.5", part("1.0", declaration={"values": [1.0, 2.0]}))
    assert book.grants[2].left[0] == 0


def test_parts_need_add_remove_and_a_key_of_the_unit():
    book = new_book()
    replacing = promise("0.1", "1e-9", neighbours="replace")
    write(book, DataSet("exchanged", None, Unit(), replacing.neighbours))
    write(book, Grant("exchanged", Sums(1, 1e-6), "officer"))
    with pytest.raises(PrivacyError, match="add-remove"):
        book.require_charge("exchanged", replacing, None, part("north"), None, "me", CLOCK)
    persons = promise("0.1", unit=Unit("person", 2))
    write(book, DataSet("persons", None, Unit("person"), persons.neighbours))
    write(book, Grant("persons", Sums(1, 0), "officer"))
    with pytest.raises(PrivacyError, match="function of the unit"):
        book.require_charge("persons", persons, None, part("north"), None, "me", CLOCK)
    assert book.require_charge("persons", persons, None, part("7", "person"), None, "me", CLOCK)


def test_a_reservation_holds_room():
    book = new_book()
    cost = (Fraction(1, 5), Fraction(0))
    held = write(book, book.require_reservation("patients", Counter({cost: 4}), "me", CLOCK)).number
    assert book.grants[2].left[0] == Fraction(1, 5)
    with pytest.raises(PrivacyError, match="left"):
        charge(book, "0.35", None)
    for _ in range(4):
        write(book, book.require_charge("patients", promise("0.2"), None, None, held, "me", CLOCK))
    with pytest.raises(PrivacyError, match=r"reservation [0-9]+ holds nothing"):
        book.require_charge("patients", promise("0.2"), None, None, held, "me", CLOCK)
    assert book.grants[2].left[0] == Fraction(1, 5)
    with pytest.raises(PrivacyError, match="2 fits"):
        book.require_reservation("patients", Counter({cost: 2}), "me", CLOCK)
    write(book, Closed(held))
    with pytest.raises(PrivacyError, match=r"reservation [0-9]+ holds nothing"):
        book.require_charge("patients", promise("0.2"), None, None, held, "me", CLOCK)


def test_what_a_closed_reservation_held_is_free_again():
    book = new_book()
    cost = (Fraction(1, 5), Fraction(0))
    held = write(book, book.require_reservation("patients", Counter({cost: 4}), "me", CLOCK)).number
    write(book, book.require_charge("patients", promise("0.2"), None, None, held, "me", CLOCK))
    write(book, Closed(held))
    assert book.grants[2].left[0] == Fraction(4, 5)


def test_a_reservation_ends_with_its_grant():
    book = new_book()
    write(book, Grant("patients", Sums(5, 0), "officer", until=CLOCK.date()))
    held = write(
        book, book.require_reservation("patients", Counter({(Fraction(2), Fraction(0)): 2}), "me", CLOCK)
    ).number
    book.require_charge("patients", promise("2"), None, None, held, "me", CLOCK)
    with pytest.raises(PrivacyError, match="has ended"):
        book.require_charge("patients", promise("2"), None, None, held, "me", CLOCK + timedelta(days=1))
