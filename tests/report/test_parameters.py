from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprules.accounting import (
    BatchedStream,
    CountedCover,
    Cover,
    DenseStream,
    EpochStream,
    Event,
    GuardedStream,
    SegmentStream,
    StreamDraws,
    ThresholdTilts,
)
from dprules.report.parameters import describe_event, describe_settings, show_exact

TILT = Fraction(123456789012345678901234567890, 10**30)
DRAWS = StreamDraws(((3, Fraction(1, 3)), (5000, Fraction(1, 7))))
ABOVE = ThresholdTilts(Fraction(1, 2), Fraction(1, 3))
REWARDS = (Fraction(1, 3), Fraction(1, 3), Fraction(1))
EVENTS: list[tuple[Event, dict[str, str]]] = [
    (CountedCover(TILT, 12), {"tilt": "0.1235", "rounds": "12", "last cell": "0.25"}),
    (Cover(TILT, REWARDS, 3), {"rewards": "2 at 0.3333, 1 at 1", "rounds": "3"}),
    (Cover(TILT), {"rounds": "any number", "rewards": "1 at 0"}),
    (
        EpochStream((CountedCover(TILT, 3), CountedCover(TILT, 6)), ABOVE),
        {"fits, kind 1: tilt": "0.1235", "fits, kind 2: rounds": "6", "watch: test": "0.3333"},
    ),
    (EpochStream((CountedCover(TILT, 3),)), {"watch": "none"}),
    (DenseStream(Fraction(1, 128), 64), {"tilt": "0.007812", "unit": "64"}),
    (
        GuardedStream(SegmentStream(DRAWS, ABOVE), BatchedStream(DRAWS, ABOVE)),
        {"segment: above: test": "0.3333", "batched: draws": "3 at 0.3333, 5,000 at 0.1429"},
    ),
]


@pytest.mark.parametrize(("event", "expected"), EVENTS, ids=lambda value: getattr(value, "kind", ""))
def test_parameters_are_short_decimals(event, expected):
    shown = {parameter.name: parameter.words for parameter in describe_event(event)}
    assert expected.items() <= shown.items()
    assert not any("/" in words for words in shown.values())


def test_the_exact_number_is_kept_where_the_decimal_is_rounded():
    tilt, rounds, *_ = describe_event(CountedCover(TILT, 1000))
    assert tilt.exact == str(TILT)
    assert (rounds.words, rounds.exact) == ("1,000", None)


def test_long_lists_are_cut():
    draws = StreamDraws(tuple((1, Fraction(1, n)) for n in range(1, 101)))
    words = describe_event(BatchedStream(draws, ABOVE))[0].words
    assert words.endswith(" and 80 more")
    assert words.count(" at ") == 20


@given(st.fractions(0, 10**20))
def test_decimals_are_near(number):
    shown = Fraction(show_exact(str(number)).replace(",", ""))
    assert abs(shown - number) <= number / 1000


def test_settings_are_shown_as_they_were_given():
    shown = describe_settings({"max_rules": None, "shares": {"counts": 0.1}, "accounting": "exact", "a\nb": True})
    assert [(setting.name, setting.words) for setting in shown] == [
        ("max rules", "not given"),
        ("shares", '{"counts": 0.1}'),
        ("accounting", "exact"),
        ("a\\nb", "true"),
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("1/1000000", "1e-06"),
        ("1/8", "0.125"),
        ("1/0", "1/0"),
        ("0/0", "0/0"),
        ("²/1", "²/1"),
        ("1/2/3", "1/2/3"),
        ("7", "7"),
    ],
)
def test_settings_that_are_fractions_are_shortened_and_any_other_text_is_not(value, words):
    assert describe_settings({"delta": value})[0].words == words


def test_settings_of_any_length_stop_nothing():
    for value in ("9" * 5000, f"{'9' * 5000}/7", f"1/{'9' * 5000}"):
        assert describe_settings({"delta": value})[0].words
