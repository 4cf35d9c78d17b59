"""New columns for a stream that runs: what was learnt stays, the price stays, nothing else may change."""

import json

import numpy as np
import pytest

from dprules.errors import ParameterError, PrivacyError, SchemaError
from dprules.learners.streams import (
    PrivateLearner,
    SegmentPolicy,
    Stream,
    StreamFeatures,
    StreamSettings,
    create_stream,
    read_published,
)
from dprules.learners.streams.extension import extend_features
from dprules.learners.streams.packing import unpack_numbers
from dprules.mechanisms import SeededBits
from dprules.models import Halfspace
from dprules.schema import Schema
from learners.streams.events import FEATURES, SCHEMA, make_events
from learners.streams.stored import read_private

NEW = '[columns.c]\nkind = "categorical"\nvalues = ["red", "blue"]\n'
WIDER = Schema.from_toml(SCHEMA + NEW)


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("front", [False, True])
def test_every_coordinate_keeps_its_meaning(width, front):
    schema = Schema.from_toml(SCHEMA.replace("[columns.a]", NEW + "[columns.a]") if front else SCHEMA + NEW)
    before = StreamFeatures(FEATURES.schema, width)
    after, places = extend_features(before, schema)
    assert len(set(places.tolist())) == before.dimension < after.dimension
    assert [after.asked(j) for j in places[:-1]] == [before.asked(j) for j in range(before.count)]
    assert places[-1] == after.count


CHANGED = {
    "nothing new": SCHEMA,
    "another cut": SCHEMA.replace("[1, 2]", "[1, 3]") + NEW,
    "a column less": SCHEMA.replace('[columns.b]\nkind = "boolean"\n', "") + NEW,
    "another kind": SCHEMA.replace('[columns.b]\nkind = "boolean"', '[columns.b]\nkind = "numeric"\ncuts = [1]') + NEW,
    "another class": SCHEMA.replace('"no"', '"not"') + NEW,
    "classes turned": SCHEMA.replace('["no", "yes"]', '["yes", "no"]') + NEW,
    "another label": SCHEMA.replace('"y"', '"z"') + NEW,
    "values read off the data": "values_are_public = true\n" + SCHEMA + NEW,
    "values to be bought": SCHEMA + '[columns.c]\nkind = "categorical"\nvalues = { private = 0.05, delta = 0.1 }\n',
}


@pytest.mark.parametrize("case", CHANGED)
def test_nothing_else_may_change(case, tmp_path):
    create_stream(tmp_path / "s", StreamSettings(epsilon=20.0), FEATURES)
    with Stream.open(tmp_path / "s") as stream:
        stream.learn(make_events(300), "s", 300)
        before = read_private(tmp_path / "s")
        with pytest.raises(SchemaError):
            stream.extend(Schema.from_toml(CHANGED[case]))
        assert read_private(tmp_path / "s") == before
        stream.learn(make_events(300), "s", 600)


def make_changing_events(size):
    """From round 1,000 on there is a column c, and it decides."""
    random = np.random.default_rng(1)
    rows = make_events(size)
    for row in rows[1000:]:
        row["c"] = "red" if random.random() < 0.5 else "blue"
        row["y"] = "yes" if row["c"] == "red" else "no"
    return rows


def test_a_stream_goes_on_and_learns_the_new_column(tmp_path):
    create_stream(tmp_path / "s", StreamSettings(epsilon=20.0), FEATURES)
    rows = make_changing_events(4000)
    with Stream.open(tmp_path / "s") as stream:
        stream.learn(rows[:1000], "s", 1000)
        before = stream.published
        extended = stream.extend(WIDER)
        assert extended.model == before.model
        assert extended.certificate.charges == before.certificate.charges
        assert extended.stream == before.stream
        stream.learn(rows[1000:2000], "s", 2000)
    with Stream.open(tmp_path / "s") as stream:
        assert stream.features.schema == WIDER
        stream.learn(rows, "s", 4000)
    model = read_published(tmp_path / "s").model
    assert isinstance(model, Halfspace)
    assert model.terms[0].name in ("c = red", "c = blue")
    assert len(read_private(tmp_path / "s")["scores"]) == StreamFeatures(WIDER).dimension


def test_rounds_before_the_moment_count_nothing_for_a_new_coordinate():
    """So one round still moves a score by at most 2, and the price is that of the segment."""
    after, places = extend_features(FEATURES, WIDER)
    found = []
    for changed in (False, True):
        rows = make_events(20)
        if changed:
            rows[3] = {"a": not rows[3]["a"], "b": not rows[3]["b"], "n": 9, "y": "no"}
        learner = PrivateLearner(SegmentPolicy.start(FEATURES.dimension, 1e-3), bits=SeededBits(1))
        learner.take(FEATURES.block(rows), FEATURES.codes(rows))
        threshold = learner.policy.document()["threshold"]
        learner.extend(after, places)
        assert learner.policy.document()["threshold"] == threshold
        more = [row | {"c": "red"} for row in make_events(20, seed=1)]
        scores = unpack_numbers(learner.secret().head)[1]
        new = np.setdiff1d(np.arange(after.dimension), places)
        assert not scores[new].any()
        learner.take(after.block(more), after.codes(more))
        small, scores = unpack_numbers(learner.secret().head)
        assert small["cached"] == 40
        found.append(scores)
        assert json.loads(json.dumps(learner.public()))["policy"]["threshold"] == threshold
    assert np.abs(found[0] - found[1]).max() <= 2


@pytest.mark.parametrize(("algorithm", "delta"), [("dense", 0.0), ("epochs", 1e-6)])
def test_the_others_learn_the_new_column_too(algorithm, delta, tmp_path):
    settings = StreamSettings(20.0, delta, algorithm)
    create_stream(tmp_path / "s", settings, settings.features(FEATURES.schema))
    rows = make_changing_events(6000)
    with Stream.open(tmp_path / "s") as stream:
        stream.learn(rows[:1000], "s", 1000)
        before = stream.published
        extended = stream.extend(WIDER)
        assert extended.model == before.model
        assert extended.certificate.charges == before.certificate.charges
    with Stream.open(tmp_path / "s") as stream:
        stream.learn(rows, "s", 6000)
        model = stream.published.model
    assert (model.predict(rows[5000:]) == np.array([row["y"] for row in rows[5000:]])).mean() > 0.95


def test_an_algorithm_whose_bound_is_for_its_columns_is_not_extended(tmp_path):
    planned = StreamSettings(1.0, 1e-6, "batched", horizon=100_000, margin=0.5)
    create_stream(tmp_path / "s", planned, FEATURES)
    with Stream.open(tmp_path / "s") as stream:
        with pytest.raises((ParameterError, PrivacyError), match="Start a new stream"):
            stream.extend(WIDER)
        stream.learn(make_events(10), "s", 10)
