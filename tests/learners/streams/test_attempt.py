"""What was drawn for a batch that was stopped is drawn again for it, and for no other batch."""

import os
import shutil
import stat
from types import SimpleNamespace

import numpy as np
import pytest

from dprules.errors import DataError, PrivacyError, ResourceError
from dprules.learners.streams import Position, Stream, StreamSettings, create_stream
from dprules.learners.streams.attempt import Attempt, AttemptFile
from dprules.learners.streams.state import State
from dprules.mechanisms import KeyedBits
from learners.streams.events import FEATURES, make_events
from learners.streams.stored import read_private

ROWS = make_events(900)
BATCH = ROWS[:400]


@pytest.fixture
def folder(tmp_path):
    create_stream(tmp_path / "s", StreamSettings(epsilon=20.0), FEATURES)
    return tmp_path / "s"


@pytest.fixture
def drawn(monkeypatch):
    """The words that each batch drew, one list a batch."""
    turn, words, found = KeyedBits.turn, KeyedBits.words, []

    def spied_turn(bits, key, digest):
        turn(bits, key, digest)
        found.append([])

    def spied_words(bits, size):
        made = words(bits, size)
        found[-1].extend(made.tolist())
        return made

    monkeypatch.setattr(KeyedBits, "turn", spied_turn)
    monkeypatch.setattr(KeyedBits, "words", spied_words)
    return found


@pytest.fixture
def full(monkeypatch):
    """A disk that is full when a batch is to be committed, as long as the list holds something."""
    commit = State.commit
    disk = SimpleNamespace(times=[1], wanted=[])

    def without_room(state, before, learner, rounds, source, position):
        disk.wanted.append((learner.public(), learner.secret().head))
        if disk.times:
            disk.times.pop()
            raise DataError("the disk is full")
        return commit(state, before, learner, rounds, source, position)

    monkeypatch.setattr(State, "commit", without_room)
    return disk


def learn(folder, events, reached=None, source="s"):
    with Stream.open(folder) as stream:
        stream.learn(events, source, len(events) if reached is None else reached)


def fail(folder, events=BATCH):
    with pytest.raises(DataError, match="disk is full"):
        learn(folder, events)


def test_a_batch_that_was_stopped_repeats_its_draws(folder, drawn, full):
    """In the process that failed, and in the next one; bit for bit what would have been committed."""
    full.times[:] = [1, 1, 1]
    with Stream.open(folder) as stream:
        for _ in range(2):
            with pytest.raises(DataError, match="disk is full"):
                stream.learn(BATCH, "s", 400)
        assert stream.rounds == 0
        assert stream.interrupted("s").line == 400
        assert stream.interrupted("another") is None
    fail(folder)
    learn(folder, BATCH)
    first, *others = [batch for batch in drawn if len(batch) > 1]
    assert len(first) > 3
    assert all(batch == first for batch in others)
    assert len(full.wanted) == 4
    assert all(wanted == full.wanted[0] for wanted in full.wanted)
    kept = read_private(folder)
    assert kept["public"] == full.wanted[0][0]
    assert kept["public"]["releases"] > 0


def test_another_batch_meets_independent_noise_under_the_same_key(folder, drawn, full):
    """One event differs; the same noise on both would tell their difference."""
    keys = []
    for other in (BATCH[1:], BATCH[:-1], [*BATCH[:-1], {**BATCH[-1], "b": not BATCH[-1]["b"]}], [{}, *BATCH]):
        full.times[:] = [1]
        drawn.clear()
        with Stream.open(folder) as stream:
            start = stream.position("s").line
            drawn.clear()
            with pytest.raises(DataError):
                stream.learn(BATCH, "s", start + 400)
            keys.append(stream._begun.key)
            stream.learn(other, "s", start + len(other))
        one, _, two = drawn  # between them the learner was loaded again
        assert one
        assert two
        assert not set(one) & set(two)
    assert len(set(keys)) == 4  # each state has its own


def test_the_key_is_void_by_the_commit_itself(folder, drawn, full, monkeypatch):
    """A kill may come before the file is overwritten."""
    full.times.clear()
    monkeypatch.setattr(AttemptFile, "clear", lambda file: None)
    for end in (400, 800):
        with Stream.open(folder) as stream:
            assert stream.interrupted("s") is None
            stream.learn(BATCH, "s", end)
    words = [word for batch in drawn for word in batch]
    assert len(set(words)) == len(words)


def test_the_key_is_void_when_the_effect_is_committed(folder, drawn, full):
    full.times.clear()
    with Stream.open(folder) as stream:
        drawn.clear()
        for end in range(400, 4001, 400):
            stream.learn(BATCH, "s", end)
            assert stream.interrupted("s") is None
    words = [word for batch in drawn for word in batch]
    assert len(set(words)) == len(words)
    left = (folder / "private" / "attempt").read_bytes()
    assert left == bytes(len(left))


def test_the_batch_that_was_stopped_comes_first_as_it_was(folder, full):
    """A file that has grown offers more at once."""
    fail(folder)
    learn(folder, ROWS, Position(900))
    stopped, repeated, rest = full.wanted
    assert repeated == stopped
    assert rest[0]["releases"] >= repeated[0]["releases"]
    assert read_private(folder)["commits"] == 2
    assert read_private(folder)["lines"] == {"s": 900}


@pytest.mark.parametrize(
    "offered", [BATCH[:100], [*BATCH[:100], {}, *ROWS[101:600]]], ids=["less", "a longer one that begins otherwise"]
)
def test_what_is_not_the_batch_that_was_stopped_is_learnt_as_it_comes(offered, folder, full):
    fail(folder)
    learn(folder, offered)
    assert read_private(folder)["commits"] == 1
    assert full.wanted[1] != full.wanted[0]


def test_a_stop_of_another_source_does_not_cut(folder, full):
    fail(folder)
    learn(folder, ROWS, source="another")
    assert read_private(folder)["commits"] == 1


def copied(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy", copy_function=shutil.copy2)
    return {"folder": tmp_path / "copy"}


def moved_there_and_back(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    shutil.rmtree(folder)
    shutil.move(tmp_path / "copy", folder)
    return {"folder": folder}


def database_alone(folder, tmp_path):
    """As a backup of the database would be restored."""
    shutil.copy(folder / "private" / "state.db", tmp_path / "backup")
    (folder / "private" / "attempt").unlink()
    (tmp_path / "backup").replace(folder / "private" / "state.db")
    return {"folder": folder}


def restored(folder, tmp_path):
    (folder / "hypothesis.json").unlink()
    return {"folder": folder, "restore": True}


@pytest.mark.parametrize("how", [copied, moved_there_and_back, database_alone, restored])
def test_a_restored_or_copied_state_draws_a_new_key(how, folder, tmp_path, full, drawn):
    fail(folder)
    with Stream.open(**how(folder, tmp_path)) as stream:
        assert stream.interrupted("s") is None
        stream.learn(BATCH, "s", 400)
    one, two = [batch for batch in drawn if len(batch) > 3]
    assert not set(one) & set(two)


def test_a_disk_that_is_full_before_the_draws_draws_nothing(folder, drawn, monkeypatch):
    monkeypatch.setattr(os, "fdatasync", lambda handle: (_ for _ in ()).throw(OSError(28, "no room")))
    with Stream.open(folder) as stream:
        drawn.clear()
        with pytest.raises(ResourceError, match=r"attempt: the disk is full .* acknowledged is kept"):
            stream.learn(BATCH, "s", 400)
        assert drawn == []
        monkeypatch.undo()
        stream.learn(BATCH, "s", 400)
        assert stream.rounds == 400


def test_an_attempt_is_private_and_read_only_if_it_is_whole_and_for_this_state(folder, tmp_path):
    file = AttemptFile(folder / "private" / "attempt", folder / "private" / "state.db")
    made = Attempt.begin(b"digest", 7, "queue\ud800", Position(9, file=2, identity="h"))
    state = ["name", 3, 2, 1]
    file.write(state, made)
    path = folder / "private" / "attempt"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found = file.read(state)
    assert found.row() == made.row()
    assert (found.start.line, found.start.file, found.start.identity) == (2, 2, "h")
    assert file.read(["name", 4, 2, 1]) is None
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert file.read(state) is None
        path.write_bytes(whole[:at])
        assert file.read(state) is None
    path.unlink()
    assert file.read(state) is None


def test_a_stream_is_not_extended_while_a_batch_is_stopped(folder, full):
    fail(folder)
    with Stream.open(folder) as stream, pytest.raises(PrivacyError, match="learn it first"):
        stream.extend(FEATURES.schema)


def test_the_draws_of_one_batch_have_the_law_of_fresh_bits(folder):
    """Words of many batches under one key: fair bits, and no two alike."""
    bits = KeyedBits()
    found = []
    for batch in range(400):
        bits.turn(bytes(32), batch.to_bytes(32, "big"))
        found.append(bits.words(100))
    words = np.concatenate(found)
    assert len(np.unique(words)) == len(words)
    shares = [int(((words >> np.uint64(k)) & np.uint64(1)).sum()) / len(words) for k in range(64)]
    assert max(abs(share - 0.5) for share in shares) < 6 * 0.5 / 200
