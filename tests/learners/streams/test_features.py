"""What a stream learner asks of an event, and how it reads the answers."""

import numpy as np
import pytest

from dprules.errors import SchemaError
from dprules.learners.streams import StreamFeatures, Weights
from dprules.schema import Schema
from learners.streams.events import FEATURES, SCHEMA


def of(old: str, new: str, width: int = 1) -> StreamFeatures:
    assert old in SCHEMA
    return StreamFeatures(Schema.from_toml(SCHEMA.replace(old, new)), width)


def test_schemas_that_do_not_fit_a_stream_are_refused():
    with pytest.raises(SchemaError, match="two classes"):
        of('"yes"]', '"yes", "maybe"]')
    with pytest.raises(SchemaError, match=r"label\.classes must be filled in"):
        of('["no", "yes"]', '"?"')


def test_numbers_between_bounds_get_cuts_that_are_equally_spaced():
    bounded = of("cuts = [1, 2]", "lower = 0\nupper = 8\nnumber = 3")
    asked = [str(bounded.asked(j)[0]) for j in range(bounded.count)]
    assert asked[2:] == ["n >= 2", "n >= 4", "n >= 6"]


def test_the_positive_class_is_the_second():
    positive = of("[columns.a]", 'positive = "no"\n[columns.a]')
    assert positive.classes == ("yes", "no")
    assert positive.codes([{"y": "no"}, {"y": "yes"}, {"y": "?"}, {}]).tolist() == [1, 0, -1, -1]


def test_a_negation_is_a_feature_only_where_features_are_joined():
    assert [str(FEATURES.asked(j)[0]) for j in range(FEATURES.count)] == [
        "a is true",
        "b is true",
        "n >= 1",
        "n >= 2",
    ]
    wide = StreamFeatures(FEATURES.schema, 2)
    assert ["a is true", "b is false"] in [list(map(str, wide.asked(j))) for j in range(wide.count)]


EVENTS = [
    {"a": True, "b": "no", "n": "1.5", "y": "yes"},
    {"a": b"1", "n": 2, "y": "no"},
    {"a": None, "b": [1], "n": "x", "y": "yes"},
    {"other": 1},
]


@pytest.mark.parametrize("width", [1, 2])
def test_a_block_holds_what_the_model_says_of_each_event(width):
    """One hypothesis, two readers: the learner's block and the published model."""
    features = StreamFeatures(FEATURES.schema, width)
    values = np.random.default_rng(0).integers(-8, 8, features.count + 1) / 8
    model = features.halfspace(Weights(values), releases=3)
    assert model.releases == 3
    assert features.block(EVENTS).weigh(Weights(values)).tolist() == [model.weigh(event) for event in EVENTS]


def test_no_events_make_an_empty_block():
    assert len(FEATURES.block([])) == 0
    assert len(FEATURES.codes([])) == 0
