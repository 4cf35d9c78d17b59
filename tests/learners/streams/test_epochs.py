"""Lists on epochs: when they are drawn, what waits, what an alarm drops, and how a learner goes on."""

import json

import numpy as np
import pytest

from dprules.errors import ModelError, ParameterError
from dprules.learners.streams import EpochLearner, LiteralBlock, Secret, StreamFeatures, StreamSettings
from dprules.learners.streams.epochs import plan_of
from dprules.learners.streams.extension import extend_features
from dprules.mechanisms import SeededBits
from dprules.schema import Schema
from learners.streams.events import SCHEMA, make_events

FEATURES = StreamFeatures(Schema.from_toml(SCHEMA), lists=True)
WIDER = Schema.from_toml(SCHEMA + '[columns.c]\nkind = "categorical"\nvalues = ["red", "blue"]\n')
SETTINGS = StreamSettings(epsilon=50.0, delta=1e-6, algorithm="epochs")
"""Epochs of 10, 20, 40, ... rounds; those of 160 and more are watched, in windows of 40."""
ROWS = make_events(1200)
TURNED = [row | {"y": "no" if row["a"] else "yes"} for row in make_events(600, seed=1)]


def start(settings=SETTINGS, seed=1):
    return EpochLearner.start(settings, FEATURES, SeededBits(seed))


def feed(learner, rows, size=10**9, features=FEATURES):
    for at in range(0, len(rows), size):
        part = rows[at : at + size]
        learner.take(features.block(part), features.codes(part))
    return learner


def test_a_list_is_drawn_at_the_end_of_each_epoch_and_is_the_target():
    learner = start()
    released = [feed(learner, [row]).releases for row in ROWS[:310]]
    assert [i + 1 for i in range(1, 310) if released[i] > released[i - 1]] == [10, 30, 70, 150, 310]
    assert learner.hypothesis.predict(ROWS).tolist() == [row["y"] for row in ROWS]
    assert learner.hypothesis.counts is not None


@pytest.mark.parametrize("size", [1, 7, 160, 1200])
def test_blocks_of_any_size_do_the_same(size):
    """With a watch they have one law, and other bits."""
    quiet = StreamSettings(50.0, 1e-6, "epochs", watch=0)
    whole, parts = feed(start(quiet), ROWS), feed(start(quiet), ROWS, size)
    assert whole.public() == parts.public()
    assert whole.secret().head == parts.secret().head
    assert whole.releases == 6
    assert whole.public()["rounds"] == 1200 - 630


@pytest.mark.parametrize("stop", [0, 5, 30, 200, 700, 1201, 1300])
def test_what_was_kept_goes_on_to_the_last_bit(stop):
    rows = ROWS + TURNED
    bits = SeededBits(5)
    before = feed(EpochLearner.start(SETTINGS, FEATURES, bits), rows[:stop], 50)
    secret = before.secret()
    kept = Secret(secret.head, secret.chunks, secret.generation)
    after = EpochLearner.resume(SETTINGS, FEATURES, json.loads(json.dumps(before.public())), kept, bits)
    assert after.settled == before.settled
    feed(after, rows[stop:])
    straight = feed(feed(start(seed=5), rows[:stop], 50), rows[stop:])
    assert after.public() == straight.public()
    assert after.secret().head == straight.secret().head
    assert after.alarms == 1


def test_after_an_alarm_short_epochs_begin_and_the_old_list_stays_for_the_first():
    learner = feed(start(), ROWS)
    old = learner.hypothesis
    place = 0
    while not learner.alarms:
        feed(learner, [TURNED[place]])
        place += 1
    assert place < 300
    assert learner.hypothesis == old
    assert learner.public()["epoch"] == 0
    assert learner.public()["rounds"] == 0
    feed(learner, TURNED[place : place + 10])
    assert learner.hypothesis != old


def test_without_a_watch_nothing_is_noticed():
    learner = feed(start(StreamSettings(50.0, 1e-6, "epochs", watch=0)), ROWS + TURNED)
    assert learner.alarms == 0
    assert learner.event(StreamSettings(50.0, 1e-6, "epochs", watch=0), FEATURES).watch is None


def test_memory_is_how_many_rounds_wait_at_the_most():
    learner = start(StreamSettings(50.0, 1e-6, "epochs", memory=25))
    waited = [feed(learner, [row]).public()["rounds"] for row in ROWS[:300]]
    assert max(waited) == 24
    assert learner.releases == 12  # one of 10 rounds, one of 20, then every 25


def test_new_columns_drop_the_running_epoch_and_are_asked_from_then_on():
    learner = feed(start(), ROWS[:200])
    old = learner.hypothesis
    after, places = extend_features(FEATURES, WIDER)
    learner.extend(after, places)
    assert learner.hypothesis == old
    assert learner.public()["rounds"] == 0
    rows = [row | {"c": "red" if row["b"] else "blue", "y": "yes" if row["b"] else "no"} for row in make_events(2000)]
    feed(learner, [{**row, "b": None} for row in rows], features=after)
    assert learner.hypothesis.predict([{"c": "red"}, {"c": "blue"}]).tolist() == ["yes", "no"]


def test_more_columns_after_an_alarm_do_not_bring_back_what_was_known():
    learner = feed(start(), ROWS + TURNED)
    assert learner.alarms == 1
    for row in TURNED:  # until the next alarm
        if learner.public()["known"] is None:
            break
        feed(learner, [row | {"y": "yes" if row["a"] else "no"}])
    after, places = extend_features(FEATURES, WIDER)
    known = learner.public()["known"]
    learner.extend(after, places)
    assert learner.public()["known"] == (None if known is None else [])


def test_how_long_epochs_are_does_not_change_with_columns():
    """Where all of them are as long as memory allows, more columns would make them shorter."""
    small = StreamSettings(1e-4, 1e-6, "epochs")
    learner = EpochLearner.start(small, FEATURES, SeededBits(0))
    more = "".join(f"[columns.x{i}]\nkind = 'boolean'\n" for i in range(3000))
    many = StreamFeatures(Schema.from_toml(SCHEMA + more), lists=True)
    assert plan_of(small, many).first < plan_of(small, FEATURES).first
    resumed = EpochLearner.resume(small, many, learner.public(), learner.secret(), SeededBits(0))
    assert resumed.settled == learner.settled
    assert resumed.public() == learner.public()


TORN = {
    "a round more": lambda public: public | {"rounds": public["rounds"] + 1},
    "another epoch": lambda public: public | {"epoch": 0},
    "a condition that is none": lambda public: public | {"known": [10**6]},
    "no rounds at all": lambda public: public | {"first": 0},
}


@pytest.mark.parametrize("case", TORN)
def test_a_state_that_does_not_fit_is_refused(case):
    learner = feed(start(), ROWS[:400])
    with pytest.raises(ModelError):
        EpochLearner.resume(SETTINGS, FEATURES, TORN[case](learner.public()), learner.secret(), SeededBits(0))


def test_half_a_round_is_refused():
    learner = feed(start(), ROWS[:400])
    secret = learner.secret()
    torn = Secret(secret.head, (secret.chunks[0][:-1],), secret.generation)
    with pytest.raises(ModelError):
        EpochLearner.resume(SETTINGS, FEATURES, learner.public(), torn, SeededBits(0))


def test_other_blocks_and_classes_are_refused():
    learner = start()
    held = np.ones((3, len(FEATURES.literals)), dtype=np.bool_)
    for block, codes in (
        (LiteralBlock.of(held[:, 1:]), np.zeros(3, dtype=np.int16)),
        (LiteralBlock.of(held), np.full(3, 2, dtype=np.int16)),
        (LiteralBlock.of(held), np.zeros(2, dtype=np.int16)),
        (StreamFeatures(FEATURES.schema).block(ROWS[:3]), np.zeros(3, dtype=np.int16)),
    ):
        with pytest.raises(ParameterError):
            learner.take(block, codes)
