"""A stream on disk: killed, torn, full, old, shared; nothing is lost, counted twice or released twice."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dprules.errors import (
    DataError,
    FileError,
    ModelError,
    ParameterError,
    PrivacyError,
    ResourceError,
    UnverifiedError,
)
from dprules.learners.streams import (
    SIGNS,
    BatchedPolicy,
    Position,
    Stream,
    StreamFeatures,
    StreamSettings,
    create_stream,
    read_published,
)
from dprules.learners.streams.state import State
from dprules.models import Released
from dprules.schema import Schema
from dprules.temporary import make_file
from learners.streams.events import FEATURES, SCHEMA, make_events
from learners.streams.stored import read_private

SETTINGS = StreamSettings(epsilon=20.0)


@pytest.fixture
def folder(tmp_path):
    create_stream(tmp_path / "s", SETTINGS, FEATURES)
    return tmp_path / "s"


def learn_all(folder, rows, size=50):
    """Learn everything in batches, from the beginning of the source, and return what is published then."""
    with Stream.open(folder) as stream:
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            stream.learn(part, "s", Position(start + len(part)))
        return stream.published


def count_rounds(folder):
    with Stream.open(folder) as stream:
        return stream.published.stream.rounds


def public_part(published):
    """All but the time, which goes on, and is in the digest."""
    return published.model, published.label, replace(published.certificate, model_digest=None), published.stream


def test_it_learns_and_goes_on_after_a_stop(folder):
    rows = make_events(3000)
    learn_all(folder, rows[:1500])
    published = learn_all(folder, rows)  # the first half is recognised
    assert public_part(read_published(folder)) == public_part(published)
    assert published.model.terms[0].name == "a is true"
    assert published.stream.rounds == 3000
    with Stream.open(folder) as stream:
        assert stream.position("s").line == 3000
        assert stream.position("another").line == 0
        assert stream.releases == published.stream.releases == read_private(folder)["public"]["releases"]


@pytest.mark.parametrize("algorithm", ["segment", "batched", "dense", "epochs"])
def test_what_is_published_is_the_same_text_after_a_stop(algorithm, tmp_path):
    """Otherwise one decision would look like two."""
    planned = {"delta": 1e-6, "horizon": 6000, "margin": 0.2} if algorithm == "batched" else {}
    settings = StreamSettings(epsilon=20.0, algorithm=algorithm, **planned)
    numbers = SCHEMA.replace("cuts = [1, 2]", "lower = 0\nupper = 4") if algorithm == "dense" else SCHEMA
    create_stream(tmp_path / "s", settings, settings.features(Schema.from_toml(numbers), 1))
    rows = make_events(6000)
    released = 0
    for start in range(0, 6000, 750):
        with Stream.open(tmp_path / "s") as stream:
            stream.learn(rows[start : start + 750], "s", start + 750)
            before, released = stream.published, stream.releases
        with Stream.open(tmp_path / "s") as stream:
            assert stream.published.model.to_json() == before.model.to_json()
    assert released > 0


def test_every_event_counts_once_whatever_a_queue_sends_again(tmp_path, monkeypatch):
    """Whole batches, ends of batches, numbers instead of positions."""
    monkeypatch.setattr(StreamSettings, "policy", silent)
    create_stream(tmp_path / "s", StreamSettings(epsilon=2.0), FEATURES)
    rows = make_events(100)
    with Stream.open(tmp_path / "s") as stream:
        for start, stop in ((0, 30), (0, 30), (10, 40), (35, 40), (20, 100)):
            assert stream.learn(rows[start:stop], "queue", stop) == stop
        assert stream.published.stream.rounds == 100
    kept = read_private(tmp_path / "s")
    totals = np.zeros(FEATURES.count + 1, dtype=np.int64)
    FEATURES.block(rows).add(np.arange(100), SIGNS[FEATURES.codes(rows)], totals)
    assert kept["scores"] == totals.tolist()
    assert kept["cached"] == 100


def test_private_things_are_private_and_public_things_public(folder):
    assert stat.S_IMODE(os.stat(folder / "private").st_mode) == 0o700
    assert stat.S_IMODE(os.stat(folder / "private" / "state.db").st_mode) == 0o600
    learn_all(folder, make_events(500))
    assert {path.name for path in (folder / "private").iterdir()} == {"state.db", "lock", "attempt"}
    public = json.loads((folder / "hypothesis.json").read_text())
    envelope = {"format", "version", "kind", "label", "model", "table", "created", "software", "stream", "certificate"}
    assert set(public) == envelope
    assert set(public["model"]) == {"format", "version", "classes", "columns", "bias", "terms", "releases"}
    assert set(public["stream"]) == {"name", "rounds", "releases"}
    assert read_published(folder).verify()


def test_values_that_were_read_off_the_data_are_in_the_certificate(tmp_path):
    declared = StreamFeatures(Schema.from_toml("values_are_public = true\n" + SCHEMA))
    published = create_stream(tmp_path / "s", SETTINGS, declared)
    assert "read off the data and declared public" in str(published.certificate)
    assert published.verify()


def silent(settings, dimension):
    """A policy that will never release anything, so that every example stays in the scores."""
    return BatchedPolicy.start(dimension, threshold=10**9, draws=1, releases=1, rate=1e-3, above=(0.01, 0.01))


def test_a_second_process_is_refused(folder):
    code = f"from dprules.learners.streams import Stream\nwith Stream.open({str(folder)!r}): pass"
    with Stream.open(folder):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "is in use by another process" in done.stderr


def test_an_older_copy_of_the_state_is_refused(folder):
    """Also if nothing was released since: its tests were silent, and would be drawn again."""
    for size in (5, 2000):
        older = (folder / "private" / "state.db").read_bytes()
        learn_all(folder, make_events(size))
        newer = (folder / "private" / "state.db").read_bytes()
        (folder / "private" / "state.db").write_bytes(older)
        with pytest.raises(PrivacyError, match="older than what was published"), Stream.open(folder):
            pass
        (folder / "private" / "state.db").write_bytes(newer)


def test_the_public_file_of_another_stream_is_refused(folder, tmp_path):
    create_stream(tmp_path / "other", StreamSettings(), FEATURES)
    (folder / "hypothesis.json").write_text((tmp_path / "other" / "hypothesis.json").read_text())
    with pytest.raises(PrivacyError, match="belongs to another stream"), Stream.open(folder):
        pass


@pytest.mark.parametrize(
    ("damage", "error", "sentence"),
    [
        (lambda text: None, FileError, "is missing. Put it back"),
        (lambda text: "{", ModelError, "cut short"),
        (lambda text: text.replace('"classes"', '"kinds"', 1), ModelError, "label of the file is not valid"),
    ],
    ids=["lost", "torn", "without classes"],
)
def test_without_its_public_file_a_stream_goes_on_only_if_it_is_restored(damage, error, sentence, folder):
    """The private state may be an older copy, and nobody can tell."""
    published = learn_all(folder, make_events(2000))
    path = folder / "hypothesis.json"
    text = damage(path.read_text())
    path.unlink()
    if text is not None:
        path.write_text(text)
    with pytest.raises(error, match=sentence):
        read_published(folder)
    with pytest.raises(PrivacyError, match=r"nobody can tell .* --restore .* decides again what was published"):
        Stream.open(folder)
    with Stream.open(folder, restore=True):
        pass
    again = read_published(folder)
    assert (again.model, again.stream) == (published.model, published.stream)
    assert str(again.certificate).count("the private state was the newest one when it was restored") == 1
    with Stream.open(folder, restore=True) as stream:  # nothing to restore: it says so once
        assert stream.published.certificate.assumptions == again.certificate.assumptions
    with Stream.open(folder) as stream:
        assert stream.published.verify()


def test_an_edited_public_file_is_published_again(folder):
    published = learn_all(folder, make_events(2000))
    path = folder / "hypothesis.json"
    path.write_text(path.read_text().replace('"bias": 0.0', '"bias": 0.5'))
    with pytest.raises(UnverifiedError, match="for another model"):
        read_published(folder)
    with Stream.open(folder):
        pass
    assert public_part(read_published(folder)) == public_part(published)


def test_a_file_that_no_stream_published_is_refused(folder):
    path = folder / "hypothesis.json"
    document = json.loads(path.read_text())
    document["stream"] = None
    path.write_text(json.dumps(document))
    with pytest.raises(ModelError, match="the certificate is for another model"):
        read_published(folder)
    with pytest.raises(ModelError, match="not the public file of a stream"):
        read_published(folder, unverified=True)


CHANGES = {
    "scores": "UPDATE learner SET head = x'00'",
    "nothing kept": "DELETE FROM learner",
    "version": "UPDATE meta SET value = '9' WHERE key = 'version'",
    "releases": "UPDATE learner SET releases = releases + 1",
    "public": "UPDATE learner SET public = '[]'",
    "settings": """UPDATE meta SET value = replace(value, '"20"', '"10"') WHERE key = 'settings'""",
    "no name": "DELETE FROM meta WHERE key = 'name'",
}


@pytest.mark.parametrize("damage", ["torn", "empty", "noise", *CHANGES])
def test_damaged_states_are_told(damage, folder):
    learn_all(folder, make_events(500))
    path = folder / "private" / "state.db"
    whole = path.read_bytes()
    match damage:
        case "torn":
            path.write_bytes(whole[: len(whole) // 2])
        case "empty":
            path.write_bytes(b"")
        case "noise":
            path.write_bytes(b"not a database" * 100)
        case _:
            with sqlite3.connect(path) as connection:
                connection.execute(CHANGES[damage])
            connection.close()
    sentence = "another version" if damage == "version" else "torn"
    with pytest.raises(ModelError, match=sentence) as told:
        Stream.open(folder)
    assert told.value.__cause__ is None


def test_a_full_disk_keeps_what_was_acknowledged(folder, monkeypatch):
    rows = make_events(1000)
    learn_all(folder, rows[:500])
    with Stream.open(folder) as stream:
        stream._state._database._connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(ResourceError, match="disk is full"):
            stream.learn(rows[500:], "s" * 9_000, Position(1000))  # a name that needs new pages
    assert count_rounds(folder) == 500
    learn_all(folder, rows)
    assert count_rounds(folder) == 1000


def test_a_batch_that_fails_leaves_the_learner_as_it_was(folder, monkeypatch):
    """What was drawn and not committed was seen by nobody."""
    rows = make_events(3000)
    with Stream.open(folder) as stream:
        stream.learn(rows[:200], "s", Position(200))
        before = read_private(folder)
        shown = public_part(stream.published)
        with monkeypatch.context() as patch:
            patch.setattr(State, "commit", lambda *parts: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                stream.learn(rows[200:], "s", Position(3000))
        assert public_part(stream.published) == shown
        assert stream.position("s").line == 200
        assert read_private(folder) == before
        stream.learn(rows[200:], "s", Position(3000))
        assert stream.releases > 0
    assert count_rounds(folder) == 3000


def test_a_hypothesis_that_could_not_be_published_is_published_before_the_next_batch(folder, monkeypatch):
    rows = make_events(2000)
    with Stream.open(folder) as stream:
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", lambda *parts: (_ for _ in ()).throw(OSError(28, "no room")))
            with pytest.raises(ResourceError, match=r"hypothesis\.json cannot be written"):
                stream.learn(rows, "s", 2000)
        assert read_published(folder).stream.rounds == 0
        assert stream.learn(rows, "s", 2000) == 2000  # recognised
        assert read_published(folder).stream.rounds == stream.rounds == 2000
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_it_is_open_in_a_with_statement_or_until_it_is_closed(folder):
    stream = Stream.open(folder)
    assert stream.learn(make_events(10), "s", 10) == 10
    with pytest.raises(DataError, match="in use by another process"):
        Stream.open(folder)
    for _ in range(2):
        stream.close()
    for use in (lambda: stream.learn([], "s", 11), lambda: stream.position("s"), lambda: stream.published):
        with pytest.raises(DataError, match="is closed"):
            use()
    with Stream.open(folder) as stream:
        assert stream.position("s").line == 10


def test_a_stream_that_could_not_be_opened_is_let_go(folder, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Stream, "_publish", lambda stream: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Stream.open(folder)
    with Stream.open(folder) as stream:
        assert stream.rounds == 0


def test_threads_take_turns(folder):
    rows = make_events(400)
    with Stream.open(folder) as stream:
        work = [threading.Thread(target=stream.learn, args=(rows, f"queue-{i}", 400)) for i in range(4)]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
        assert stream.rounds == 1600


@pytest.mark.parametrize(
    ("source", "position"),
    [(7, 3), ("\ud800", 3), ("s", -1), ("s", 2**63), ("s", True), ("s", "3"), ("s", Position(2**63))],
    ids=["number", "half a character", "negative", "too large", "Boolean", "text", "position"],
)
def test_sources_and_positions_that_cannot_be_kept_are_refused(source, position, folder):
    with Stream.open(folder) as stream:
        with pytest.raises(ParameterError):
            stream.learn(make_events(3), source, position)
        assert stream.rounds == 0


def test_a_batch_without_events_moves_the_position(folder):
    with Stream.open(folder) as stream:
        assert stream.learn([], "s", 5) == 5
        assert stream.position("s").line == 5
        assert stream.rounds == 0
        assert stream.learn(make_events(2), "s", 9) == 9  # a queue with gaps
        assert stream.rounds == 2


def test_opening_does_not_replay_what_was_released(folder):
    """The state keeps what the releases led to, and stays as small as it was."""
    path = folder / "private" / "state.db"
    rows = make_events(3000)
    for i, row in enumerate(rows):
        row["y"] = "yes" if (row["a"] if i % 200 < 100 else row["b"]) else "no"  # never learnt
    learn_all(folder, rows[:1000], 1000)
    size = path.stat().st_size
    published = learn_all(folder, rows, 3000)
    assert published.stream.releases > 3
    assert path.stat().st_size == size


GONE = 2**22 + 1
"""A process number that no process has."""


def test_what_a_killed_process_left_goes_at_the_next_start_and_nothing_else(folder, tmp_path):
    ours = [folder / f".dprules-{GONE}-abcdefgh", tmp_path / f".dprules-stream-{GONE}-abcdefgh"]
    ours[0].write_text("half a hypothesis")
    (ours[1] / "private").mkdir(parents=True)
    (ours[1] / "private" / "state.db").write_text("half a stream")
    others = [folder / ".dprules-x", tmp_path / ".dprules-stream-notes"]
    for path in others:
        path.write_text("not ours")
    written, handle = make_file(folder)
    others.append(written)
    link = tmp_path / f".dprules-stream-{GONE}-linkhere"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "kept").touch()
    link.symlink_to(tmp_path / "elsewhere")
    with Stream.open(folder):
        pass
    os.close(handle)
    assert [path.exists() for path in ours] == [False, False]
    assert [path.exists() for path in others] == [True] * 3
    assert (tmp_path / "elsewhere" / "kept").exists()
    (ours[1] / "private").mkdir(parents=True)
    create_stream(tmp_path / "t", SETTINGS, FEATURES)
    assert not ours[1].exists()


def test_a_locked_state_is_not_called_torn(folder, monkeypatch):
    other = sqlite3.connect(folder / "private" / "state.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    plain = sqlite3.connect
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda path, **options: plain(path, **options | {"timeout": 0.1}))
        with pytest.raises(DataError, match="in use by another program"), Stream.open(folder):
            pass
    other.execute("ROLLBACK")
    other.close()


def test_a_stream_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(Released, "save", lambda *parts: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        create_stream(tmp_path / "s", StreamSettings(), FEATURES)
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()
    create_stream(tmp_path / "s", StreamSettings(epsilon=Fraction(1, 3)), FEATURES)
    with Stream.open(tmp_path / "s") as stream:
        assert stream.published.verify()


def test_folders_that_do_not_fit_are_refused(folder, tmp_path):
    with pytest.raises(DataError, match="already exists"):
        create_stream(folder, SETTINGS, FEATURES)
    with pytest.raises(DataError, match="no such folder"):
        create_stream(tmp_path / "no" / "s", SETTINGS, FEATURES)
    with pytest.raises(DataError, match="not a stream"), Stream.open(tmp_path):
        pass


@pytest.mark.parametrize("odd", [None, 3, [], "text", b"{}", 1.5])
def test_an_event_that_is_none_is_a_round_in_which_nothing_happened(odd, folder):
    with Stream.open(folder) as stream:
        stream.learn([{"a": True, "y": "yes"}, odd], "q", 2)
        assert stream.rounds == 2


@pytest.mark.parametrize("events", [{"a": True}, iter([{}]), "[{}]", b"[]", None, 3])
def test_what_is_no_list_of_events_is_refused(events, folder):
    with Stream.open(folder) as stream:
        with pytest.raises(ParameterError, match="events must be a list of mappings"):
            stream.learn(events, "q", 1)
        assert stream.rounds == 0


def test_a_position_before_the_last_event_is_refused(folder):
    """It would leave events out in silence."""
    with Stream.open(folder) as stream:
        with pytest.raises(ParameterError, match="place after the last event"):
            stream.learn(make_events(10), "q", 5)
        assert stream.rounds == 0
