"""A stream on disk: killed, torn, full, old, shared; nothing is lost, counted twice or released twice."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import textwrap
from fractions import Fraction

import numpy as np
import pytest

from dprules.data import Schema
from dprules.errors import DataError, ModelError, ParameterError, PrivacyError, SchemaError
from dprules.online.batched import Batched
from dprules.online.events import EventFile, Features, Place, read_event
from dprules.online.settings import StreamSettings
from dprules.online.state import Published, _integers, create, opened

SCHEMA = """
[label]
column = "y"
classes = ["no", "yes"]
[columns.a]
kind = "boolean"
[columns.b]
kind = "boolean"
[columns.n]
kind = "numeric"
cuts = [1, 2]
"""
FEATURES = Features(Schema.from_toml(SCHEMA))


def events(size, seed=0):
    random = np.random.default_rng(seed)
    rows = zip(random.random(size) < 0.5, random.random(size) < 0.5, random.integers(0, 4, size), strict=True)
    return [{"a": bool(a), "b": bool(b), "n": int(n), "y": "yes" if a else "no"} for a, b, n in rows]


@pytest.fixture
def folder(tmp_path):
    create(tmp_path / "s", StreamSettings(epsilon=20.0), FEATURES)
    return tmp_path / "s"


def learn_all(folder, rows, size=50):
    with opened(folder) as state:
        for end in range(size, len(rows) + size, size):
            end = min(end, len(rows))
            state.learn(rows[end - size : end] if end % size == 0 else rows[end - end % size :], "s", Place(end))
        return state.published


def test_it_learns_and_goes_on_after_a_stop(folder):
    rows = events(3000)
    learn_all(folder, rows[:1500])
    published = learn_all(folder, rows)  # the first half is recognised
    assert Published.read(folder) == published
    assert published.hypothesis.terms[0].name == "a is true"
    with opened(folder) as state:
        assert state._rounds == 3000
        assert state.place("s").line == 3000
        assert repr(state).startswith("<stream ")


def test_private_things_are_private_and_public_things_public(folder):
    assert stat.S_IMODE(os.stat(folder / "private").st_mode) == 0o700
    assert stat.S_IMODE(os.stat(folder / "private" / "state.db").st_mode) == 0o600
    learn_all(folder, events(500))
    assert {p.name for p in (folder / "private").iterdir()} == {"state.db", "lock"}
    public = json.loads((folder / "hypothesis.json").read_text())
    assert set(public) == {"format", "version", "stream", "schema", "width", "hypothesis", "certificate", "rounds"}
    assert set(public["hypothesis"]) == {"format", "version", "classes", "bias", "terms", "releases", "real"}
    assert Published.read(folder).certificate.verify()


KILLER = """
import json, os, random, signal, sys, time
from pathlib import Path
from dprules.online.events import Place
from dprules.online.state import opened

folder, kills = Path(sys.argv[1]), int(sys.argv[2])
rows = json.loads(Path(sys.argv[3]).read_text())
random.seed(7)
if sys.argv[4] == "silent":
    from dprules.online import Batched, StreamSettings
    StreamSettings.rule = lambda self, d: Batched.start(
        d, threshold=10**9, draws=1, releases=1, rate=1e-3, above=(0.01, 0.01)
    )

def child():
    with opened(folder) as state:
        for end in range(state.place("s").line + 10, len(rows) + 1, 10):
            state.learn(rows[end - 10 : end], "s", Place(end))
    os._exit(0)

seen, killed, finished = {}, 0, False
with opened(folder) as state:  # compile everything before the first fork
    state.learn(rows[:10], "s", Place(10))
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
    text = json.dumps(json.loads((folder / "hypothesis.json").read_text())["hypothesis"])
    number = json.loads(text)["releases"]
    assert seen.setdefault(number, text) == text, "one decision was released twice"
print(json.dumps({"killed": killed, "seen": {n: json.loads(t) for n, t in seen.items()}}))
"""


def silent(settings, dimension):
    return Batched.start(dimension, threshold=10**9, draws=1, releases=1, rate=1e-3, above=(0.01, 0.01))


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "kills"), [("speaking", 200), ("silent", 150)])
def test_killed_at_any_instant(mode, kills, tmp_path, monkeypatch):
    """SIGKILL at random points: no acknowledged event is lost or counted twice, no decision is released twice."""
    if mode == "silent":  # never releases, so every example must be in the cache: exactly once
        monkeypatch.setattr(StreamSettings, "rule", silent)
    create(tmp_path / "s", StreamSettings(epsilon=2.0, delta=1e-6), FEATURES)
    rows = events(30_000, seed=1)
    for row in rows[::3]:
        row["y"] = "yes" if row["b"] else "no"  # never learnt, so that hypotheses keep changing
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    command = [sys.executable, "-c", textwrap.dedent(KILLER), tmp_path / "s", str(kills), tmp_path / "rows.json", mode]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    assert told["killed"] == kills
    with opened(tmp_path / "s") as state:
        assert state._rounds == len(rows)
        assert state.place("s").line == len(rows)
        rule = state._start
        hypotheses = {0: rule.weights}
        for number, (packed,) in enumerate(
            state._connection.execute("SELECT indices FROM releases ORDER BY number"), 1
        ):
            rule = rule.after(_integers(packed))
            hypotheses[number] = rule.weights
        for number, shown in told["seen"].items():
            weights = {term["feature"]: term["weight"] for term in shown["terms"]}
            expected = hypotheses[int(number)]
            assert weights == {FEATURES.name(j): expected.values[j] for j in expected.support.tolist()}
        if mode == "silent":
            totals = np.zeros(FEATURES.count + 1, dtype=np.int64)
            FEATURES.block(rows).add(np.arange(len(rows)), FEATURES.labels(rows), totals)
            assert (state._learner.secret().scores == totals).all()
            assert state._learner.secret().cached == len(rows)
        else:
            assert len(hypotheses) > 5


def test_a_second_process_is_refused(folder):
    code = (
        f"from pathlib import Path; from dprules.online.state import opened\nwith opened(Path({str(folder)!r})): pass"
    )
    with opened(folder):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "is in use by another process" in done.stderr


def test_an_older_copy_of_the_state_is_refused(folder):
    """Also if nothing was released since: its tests were silent, and would be drawn again."""
    for size in (5, 2000):
        older = (folder / "private" / "state.db").read_bytes()
        learn_all(folder, events(size))
        newer = (folder / "private" / "state.db").read_bytes()
        (folder / "private" / "state.db").write_bytes(older)
        with pytest.raises(PrivacyError, match="older than what was published"), opened(folder):
            pass
        (folder / "private" / "state.db").write_bytes(newer)


def test_the_public_file_of_another_stream_is_refused(folder, tmp_path):
    create(tmp_path / "other", StreamSettings(), FEATURES)
    (folder / "hypothesis.json").write_text((tmp_path / "other" / "hypothesis.json").read_text())
    with pytest.raises(PrivacyError, match="belongs to another stream"), opened(folder):
        pass


def test_a_public_file_that_was_lost_is_published_again(folder):
    published = learn_all(folder, events(2000))
    (folder / "hypothesis.json").unlink()
    with pytest.raises(DataError, match="not a stream"):
        Published.read(folder)
    with opened(folder):
        pass
    assert Published.read(folder) == published
    (folder / "hypothesis.json").write_text("{")
    with pytest.raises(ModelError, match="torn"):
        Published.read(folder)
    with opened(folder):
        pass
    assert Published.read(folder) == published


CHANGES = {
    "scores": "UPDATE secret SET scores = x'00'",
    "version": "UPDATE meta SET value = '9' WHERE key = 'version'",
    "releases": "UPDATE releases SET indices = x'00'",
    "numbers": "UPDATE releases SET number = number + 1000",
    "rule": """UPDATE meta SET value = replace(value, '"20"', '"10"') WHERE key = 'settings'""",
}


@pytest.mark.parametrize("damage", ["torn", "empty", "noise", *CHANGES])
def test_damaged_states_are_told(damage, folder):
    learn_all(folder, events(500))
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
    with pytest.raises(ModelError, match=sentence) as told, opened(folder):
        pass
    assert told.value.__cause__ is None


def test_a_full_disk_keeps_what_was_acknowledged(folder):
    rows = events(1000)
    learn_all(folder, rows[:500])

    def without_room(state):
        state._connection.execute("PRAGMA max_page_count = 1")
        state.learn(rows[500:], "s" * 200_000, Place(1000))  # a name that needs new pages

    with pytest.raises(DataError, match="disk is full"), opened(folder) as state:
        without_room(state)
    with opened(folder) as state:
        assert state._rounds == 500
    learn_all(folder, rows)
    with opened(folder) as state:
        assert state._rounds == 1000


def test_a_batch_that_fails_leaves_the_learner_as_it_was(folder, monkeypatch):
    rows = events(400)
    with opened(folder) as state:
        state.learn(rows[:200], "s", Place(200))
        before = state._learner.secret()
        with monkeypatch.context() as patch:
            patch.setattr("dprules.online.state._keep", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                state.learn(rows[200:], "s", Place(400))
        after = state._learner.secret()
        assert (after.scores == before.scores).all()
        assert (after.cached, after.watch) == (before.cached, before.watch)
        assert state.place("s").line == 200


def test_files_are_read_where_they_were_left(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_text('\ufeff{"a": 1}\n\nnot json\n{"a": 2')
    file = EventFile(path)
    first = list(file.batches(Place(), 10))
    assert [b.events for b in first] == [[{"a": 1}, {}, {}]]
    assert repr(first[0]) + repr(first[0].place) == "<private events><place after line 3>"
    assert file.unfinished(first[-1].place)  # the last line has no end
    with path.open("a") as more:
        more.write("}\n")
    second = list(file.batches(first[-1].place, 10))
    assert [b.events for b in second] == [[{"a": 2}]]
    assert second[-1].place.line == 4
    assert not file.unfinished(second[-1].place)
    with pytest.raises(DataError, match="was read from standard input"):
        list(file.batches(Place(4), 10))
    path.write_text('{"another": "file"}\n' * 50)
    with pytest.raises(DataError, match="not the file that was read before"):
        list(file.batches(second[-1].place, 10))
    table = tmp_path / "e.csv"
    table.write_text('a,b\n1,"x, y"\n3\n')
    assert next(EventFile(table).batches(Place(), 10)).events == [{"a": "1", "b": "x, y"}, {}]
    with pytest.raises(DataError, match="has no column 'y'"):
        EventFile(table, ["y"])
    table.write_text("\n")
    with pytest.raises(DataError, match="no header"):
        EventFile(table)
    for name in ("e.jsonl.gz", "e.csv.1"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(DataError, match=r"not \.jsonl"):
            EventFile(tmp_path / name)
    table.write_text("a,a\n1,2\n")
    with pytest.raises(DataError, match="two columns"):
        EventFile(table)
    assert read_event(b"\xff") == {}
    assert read_event(b"[1]") == {}


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"algorithm": "magic"}, ParameterError, "algorithm must be one of"),
        ({"neighbours": "add-remove"}, ParameterError, "neighbours of a stream"),
        ({"epsilon": 0}, ParameterError, "epsilon must be positive"),
        ({"delta": 1}, ParameterError, "delta must lie"),
    ],
)
def test_bad_settings(change, error, sentence):
    with pytest.raises(error, match=sentence):
        StreamSettings(**change)


def test_schemas_that_do_not_fit_a_stream():
    with pytest.raises(SchemaError, match="public cuts"):
        Features(
            Schema.from_toml(SCHEMA.replace("cuts = [1, 2]", "private_cuts = { lower = 0, upper = 1, number = 2 }"))
        )
    with pytest.raises(SchemaError, match="two classes"):
        Features(Schema.from_toml(SCHEMA.replace('"yes"]', '"yes", "maybe"]')))
    positive = Features(Schema.from_toml(SCHEMA.replace("[columns.a]", 'positive = "no"\n[columns.a]')))
    assert positive.classes == ("yes", "no")
    assert positive.labels([{"y": "no"}, {"y": "yes"}, {"y": "?"}]).tolist() == [1, -1, 0]


def test_a_locked_state_is_not_called_torn(folder):
    other = sqlite3.connect(folder / "private" / "state.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.MonkeyPatch.context() as patch:
        plain = sqlite3.connect
        patch.setattr(sqlite3, "connect", lambda path, **options: plain(path, **options | {"timeout": 0.1}))
        with pytest.raises(DataError, match="in use by another program"), opened(folder):
            pass
    other.execute("ROLLBACK")
    other.close()


def test_a_stream_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("dprules.online.state._keep", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        create(tmp_path / "s", StreamSettings(), FEATURES)
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()
    create(tmp_path / "s", StreamSettings(epsilon=Fraction(1, 3)), FEATURES)
    with opened(tmp_path / "s") as state:
        assert state.published.certificate.verify()
