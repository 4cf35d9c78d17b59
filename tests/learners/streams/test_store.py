"""A stream on disk: killed, torn, full, old, shared; nothing is lost, counted twice or released twice."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dprules.errors import DataError, ModelError, PrivacyError, UnverifiedError
from dprules.learners.streams import (
    BatchedPolicy,
    Position,
    Stream,
    StreamFeatures,
    StreamSettings,
    create_stream,
    read_published,
    store,
)
from dprules.learners.streams.database import connect, unpack_integers
from dprules.schema import Schema
from learners.streams.events import FEATURES, SCHEMA, make_events

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


def read_private(folder) -> dict[str, Any]:
    """What the private store holds: tests may look."""
    with sqlite3.connect(folder / "private" / "state.db") as connection:
        scores, cached, tau, seen = connection.execute("SELECT scores, cached, tau, seen FROM secret").fetchone()
        rows = connection.execute("SELECT indices FROM releases ORDER BY number").fetchall()
    connection.close()
    return {
        "scores": unpack_integers(scores).tolist(),
        "cached": cached,
        "watch": (tau, seen),
        "releases": [unpack_integers(packed) for (packed,) in rows],
    }


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
        assert stream.releases == published.model.releases == len(read_private(folder)["releases"])


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
    FEATURES.block(rows).add(np.arange(100), FEATURES.labels(rows), totals)
    assert kept["scores"] == totals.tolist()
    assert kept["cached"] == 100


def test_private_things_are_private_and_public_things_public(folder):
    assert stat.S_IMODE(os.stat(folder / "private").st_mode) == 0o700
    assert stat.S_IMODE(os.stat(folder / "private" / "state.db").st_mode) == 0o600
    learn_all(folder, make_events(500))
    assert {path.name for path in (folder / "private").iterdir()} == {"state.db", "lock"}
    public = json.loads((folder / "hypothesis.json").read_text())
    envelope = {"format", "version", "kind", "label", "model", "table", "created", "software", "stream", "certificate"}
    assert set(public) == envelope
    assert set(public["model"]) == {"format", "version", "classes", "columns", "bias", "terms", "releases"}
    assert set(public["stream"]) == {"name", "rounds"}
    assert read_published(folder).verify()


def test_values_that_were_read_off_the_data_are_in_the_certificate(tmp_path):
    declared = StreamFeatures(Schema.from_toml("values_are_public = true\n" + SCHEMA))
    published = create_stream(tmp_path / "s", SETTINGS, declared)
    assert "read off the data and declared public" in str(published.certificate)
    assert published.verify()


KILLER = """
import json, os, random, signal, sys, time
from pathlib import Path
from dprules.learners.streams import Position, Stream

folder, kills = Path(sys.argv[1]), int(sys.argv[2])
rows = json.loads(Path(sys.argv[3]).read_text())
random.seed(7)
if sys.argv[4] == "silent":
    from dprules.learners.streams import BatchedPolicy, StreamSettings
    StreamSettings.policy = lambda self, d: BatchedPolicy.start(
        d, threshold=10**9, draws=1, releases=1, rate=1e-3, above=(0.01, 0.01)
    )

def child():
    with Stream.open(folder) as stream:
        for end in range(stream.position("s").line + 10, len(rows) + 1, 10):
            stream.learn(rows[end - 10 : end], "s", Position(end))
    os._exit(0)

seen, killed, finished = {}, 0, False
with Stream.open(folder) as stream:  # compile everything before the first fork
    stream.learn(rows[:10], "s", Position(10))
while not finished:
    pid = os.fork()
    if pid == 0:
        try:
            child()
        finally:
            os._exit(1)
    if killed < kills:
        time.sleep(random.random() * 0.03)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    killed += os.WIFSIGNALED(status)
    finished = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
    assert finished or os.WIFSIGNALED(status), status
    text = json.dumps(json.loads((folder / "hypothesis.json").read_text())["model"])
    number = json.loads(text)["releases"]
    assert seen.setdefault(number, text) == text, "one decision was released twice"
print(json.dumps({"killed": killed, "seen": {n: json.loads(t) for n, t in seen.items()}}))
"""


def silent(settings, dimension):
    """A policy that will never release anything, so that every example stays in the scores."""
    return BatchedPolicy.start(dimension, threshold=10**9, draws=1, releases=1, rate=1e-3, above=(0.01, 0.01))


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "kills"), [("speaking", 200), ("silent", 150)])
def test_killed_at_any_instant(mode, kills, tmp_path, monkeypatch):
    """SIGKILL at random points: no acknowledged event is lost or counted twice, no decision is released twice."""
    if mode == "silent":
        monkeypatch.setattr(StreamSettings, "policy", silent)
    settings = StreamSettings(epsilon=2.0)
    folder = tmp_path / "s"
    create_stream(folder, settings, FEATURES)
    rows = make_events(30_000, seed=1)
    for row in rows[::3]:
        row["y"] = "yes" if row["b"] else "no"  # never learnt, so that hypotheses keep changing
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    command = [sys.executable, "-c", textwrap.dedent(KILLER), folder, str(kills), tmp_path / "rows.json", mode]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    assert told["killed"] == kills
    assert count_rounds(folder) == len(rows)
    kept = read_private(folder)
    policy = settings.policy(FEATURES.count + 1)
    hypotheses = [policy.weights]
    for indices in kept["releases"]:
        policy = policy.after(indices)
        hypotheses.append(policy.weights)
    for number, shown in told["seen"].items():
        assert shown == FEATURES.halfspace(hypotheses[int(number)], int(number)).document()
    if mode == "silent":
        totals = np.zeros(FEATURES.count + 1, dtype=np.int64)
        FEATURES.block(rows).add(np.arange(len(rows)), FEATURES.labels(rows), totals)
        assert kept["scores"] == totals.tolist()
        assert kept["cached"] == len(rows)
    else:
        assert len(hypotheses) > 5


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
        (lambda text: None, DataError, "not a stream"),
        (lambda text: "{", ModelError, "cut short"),
        (lambda text: text.replace('"classes"', '"kinds"', 1), ModelError, "label of the file is not valid"),
        (lambda text: text.replace('"bias": 0.0', '"bias": 0.5'), UnverifiedError, "for another model"),
    ],
    ids=["lost", "torn", "without classes", "edited"],
)
def test_a_public_file_that_was_lost_is_published_again(damage, error, sentence, folder):
    published = learn_all(folder, make_events(2000))
    path = folder / "hypothesis.json"
    text = damage(path.read_text())
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    with pytest.raises(error, match=sentence):
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
    "scores": "UPDATE secret SET scores = x'00'",
    "nothing kept": "DELETE FROM secret",
    "version": "UPDATE meta SET value = '9' WHERE key = 'version'",
    "releases": "UPDATE releases SET indices = x'00'",
    "numbers": "UPDATE releases SET number = number + 1000",
    "rule": """UPDATE meta SET value = replace(value, '"20"', '"10"') WHERE key = 'settings'""",
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
    sentences = {"version": "another version", "rule": "otherwise than was certified"}
    sentence = sentences.get(damage, "does not fit" if damage in CHANGES else "torn")
    with pytest.raises(ModelError, match=sentence) as told, Stream.open(folder):
        pass
    assert told.value.__cause__ is None


def test_a_full_disk_keeps_what_was_acknowledged(folder, monkeypatch):
    rows = make_events(1000)
    learn_all(folder, rows[:500])

    @contextmanager
    def without_room(path):
        with connect(path) as connection:
            connection.execute("PRAGMA max_page_count = 1")
            yield connection

    with monkeypatch.context() as patch:
        patch.setattr(store, "connect", without_room)
        with pytest.raises(DataError, match="disk is full"), Stream.open(folder) as stream:
            stream.learn(rows[500:], "s" * 200_000, Position(1000))  # a name that needs new pages
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
            patch.setattr(store, "pack_integers", lambda values: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                stream.learn(rows[200:], "s", Position(3000))
        assert public_part(stream.published) == shown
        assert stream.position("s").line == 200
        stream.learn(rows[200:], "s", Position(3000))
        assert stream.releases > 0
    after = read_private(folder)
    assert len(after["releases"]) >= len(before["releases"])
    assert count_rounds(folder) == 3000


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
    monkeypatch.setattr(store, "pack_integers", lambda values: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        create_stream(tmp_path / "s", StreamSettings(), FEATURES)
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()
    create_stream(tmp_path / "s", StreamSettings(epsilon=Fraction(1, 3)), FEATURES)
    with Stream.open(tmp_path / "s") as stream:
        assert stream.published.verify()


def test_folders_that_do_not_fit_are_refused(folder, tmp_path):
    with pytest.raises(DataError, match="is there already"):
        create_stream(folder, SETTINGS, FEATURES)
    with pytest.raises(DataError, match="no such folder"):
        create_stream(tmp_path / "no" / "s", SETTINGS, FEATURES)
    with pytest.raises(DataError, match="not a stream"), Stream.open(tmp_path):
        pass
