from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprules.models import Group, Halfspace, Rule, RuleList, Term
from dprules.report.lines import list_lines, list_weights
from dprules.schema import Boolean, literals_of

CONDITION = literals_of(Boolean("a"))[:1]


def a_list(*counts):
    groups = tuple(Group(cell, (Fraction(1, 10),)) for cell in counts)
    return RuleList((Rule(CONDITION, "no"),) * (len(counts) - 1), "yes", ("no", "yes"), groups)


def test_a_bar_is_as_long_as_its_share_and_its_whisker_as_its_interval():
    rules = a_list((2500, 500), (1000, 6000))
    first, default = list_lines(rules)
    every = rules.records()
    told = rules.told()[0]
    assert first.records.place == pytest.approx(30)
    assert first.records.low == pytest.approx(100 * told.records.low / every.value, abs=0.01)
    assert first.records.high == pytest.approx(100 * told.records.high / every.value, abs=0.01)
    assert first.right.place == pytest.approx(100 * told.right.value, abs=0.01)
    assert first.right.words == "83%"
    assert (first.question, default.question) == (("a is true",), ())


def test_too_few_records_have_no_mark():
    first, default = list_lines(a_list((3, -2), (1000, 6000)))
    assert first.records is first.right is None
    assert default.records is not None


@given(st.lists(st.tuples(st.integers(-200, 10**6), st.integers(-200, 10**6)), min_size=1, max_size=4))
def test_marks_stay_on_their_scale(counts):
    """Also where the sum of all is smaller than one of them, or too small to tell."""
    for line in list_lines(a_list(*counts)):
        for mark in (line.records, line.right):
            if mark is not None:
                assert 0 <= mark.low <= mark.place <= mark.high <= 100


def test_without_counts_there_are_no_marks():
    lines = list_lines(RuleList((Rule(CONDITION, "no"),), "yes", ("no", "yes")))
    assert [line.records for line in lines] == [None, None]


def test_weights_start_in_the_middle():
    halfspace = Halfspace((Term(CONDITION, -2.0), Term(CONDITION, 1.0)), 0.5, ("no", "yes"))
    drawn = [(weight.name, weight.words, weight.start, weight.length) for weight in list_weights(halfspace)]
    assert drawn == [
        ("a is true", "-2.000", 0, 50),
        ("a is true", "+1.000", 50, 25),
        ("always", "+0.500", 50, 12.5),
    ]
    assert list_weights(Halfspace((), 0.0, ("no", "yes"))) == []
