"""Numbers with bounds and without cuts get what the algorithm can use."""

import numpy as np
import pytest

from dprules.errors import ParameterError
from dprules.learners.streams import StreamFeatures, StreamSettings, Weights
from dprules.learners.streams.bounded import column_between_bounds
from dprules.models.halfspace import Term
from dprules.schema import Boolean, Date, Numeric, PrivateCuts, PrivateDates, Scaled, Schema

SCHEMA = Schema.from_toml("""
[label]
column = "y"
classes = ["no", "yes"]
[columns.ward]
kind = "categorical"
values = ["icu", "er", "gp"]
[columns.age]
kind = "numeric"
lower = 0
upper = 100
number = 3
[columns.height]
kind = "numeric"
cuts = [150, 180]
[columns.day]
kind = "date"
lower = 2024-01-01
upper = 2024-12-31
number = 1
""")
EVENTS = [
    {"ward": "icu", "age": 75, "height": "160", "day": "2024-12-01", "y": "yes"},
    {"ward": "gp", "age": "200", "height": 1, "day": "2023-01-01", "y": "no"},
    {"ward": None, "age": None, "y": "perhaps"},
]


def test_numbers_are_weighed_by_dense_and_cut_for_the_others():
    dense = StreamSettings(algorithm="dense").features(SCHEMA)
    names = [Term(dense.asked(j), 1.0).name for j in range(dense.count)]
    literals = ["ward = icu", "ward = er", "ward = gp", "height >= 150", "height >= 180", "day >= 2024-07-01"]
    assert names == ["age (0 to 100 as -1 to 1)", *literals]
    assert (dense.unit, dense.dimension) == (64, 8)
    others = StreamSettings().features(SCHEMA)
    asked = [str(literal) for literal in others.literals]
    assert asked == [*literals[:3], "age >= 25", "age >= 50", "age >= 75", *literals[3:]]
    assert others.unit == 1


def test_blocks_hold_what_the_model_reads():
    features = StreamSettings(algorithm="dense").features(SCHEMA)
    block = features.block(EVENTS)
    for j in range(features.count):
        term = Term(features.asked(j), 1.0)
        weights = features.halfspace(_unit(features.dimension, j), 1)
        assert block.weigh(_unit(features.dimension, j)).tolist() == [term.value(event) for event in EVENTS]
        assert [weights.weigh(event) for event in EVENTS] == [term.value(event) for event in EVENTS]
    assert features.codes(EVENTS).tolist() == [1, 0, -1]
    assert [features.asked(0).number(event["age"]) for event in EVENTS] == [0.5, 1.0, 0.0]


def _unit(dimension, j):
    values = np.zeros(dimension)
    values[j] = 1.0
    return Weights(values)


def test_wide_conditions_are_not_weighed():
    with pytest.raises(ParameterError, match="single features"):
        StreamFeatures(SCHEMA, 2, real=True)


def test_a_column_with_cuts_stays_as_it_is():
    for column in (Boolean("b"), Numeric("n", (1.0, 2.0)), Date("d", ["2024-01-01"])):
        assert column_between_bounds(column, real=True) is column
        assert column_between_bounds(column, real=False) is column


@pytest.mark.parametrize("number", [1, 3, 7, 63])
def test_cuts_are_equally_spaced_public_and_round(number):
    asked = PrivateCuts("x", lower=0, upper=1, number=number, decimal=",", missing_literal=True)
    made = column_between_bounds(asked, real=False)
    assert isinstance(made, Numeric)
    assert (made.bought, made.decimal, made.missing_literal) == (False, ",", True)
    assert len(made.cuts) == number
    gaps = [b - a for a, b in zip((0.0, *made.cuts), (*made.cuts, 1.0), strict=True)]
    assert max(gaps) - min(gaps) < 0.0041  # the grid has steps of 0.002
    assert all(cut == round(cut, 3) for cut in made.cuts)


def test_few_places_are_all_taken():
    coarse = PrivateCuts("x", lower=0, upper=10, step=4, number=7)
    made = column_between_bounds(coarse, real=False)
    assert isinstance(made, Numeric)
    assert made.cuts == (4.0, 8.0)


def test_dates_get_cuts_from_every_algorithm():
    days = PrivateDates("d", "2024-01-01", "2024-01-31", number=1)
    for real in (True, False):
        made = column_between_bounds(days, real)
        assert isinstance(made, Date)
        assert (made.cuts, made.bought) == (("2024-01-16",), False)


def test_bounds_reach_the_reader():
    made = column_between_bounds(PrivateCuts("x", lower=-2, upper=2, decimal=","), real=True)
    assert made == Scaled("x", -2, 2, decimal=",")
    assert made.number("1,0") == 0.5
