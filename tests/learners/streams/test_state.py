"""The tables of a stream: what two processes, lost locks, damage and growth do to them."""

import fcntl
import sqlite3
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.errors import DataError, DprulesError, ModelError
from dprules.learners.streams import (
    Learner,
    Position,
    Secret,
    Stream,
    StreamSettings,
    Weights,
    create_stream,
    read_published,
)
from dprules.learners.streams.state import Standing, State
from learners.streams.events import FEATURES, make_events
from learners.streams.stored import read_private

ROWS = make_events(600)
REFUSAL = "another process has learnt into this stream or replaced it"


@pytest.fixture
def folder(tmp_path):
    create_stream(tmp_path / "s", StreamSettings(epsilon=Fraction(20)), FEATURES)
    return tmp_path / "s"


def without_flock(patch):
    """As on some mounts of other machines."""
    patch.setattr(fcntl, "flock", lambda *options: None)


def without_any_lock(patch):
    """Not even SQLite's."""
    without_flock(patch)
    plain = sqlite3.connect
    patch.setattr(sqlite3, "connect", lambda path, **options: plain(f"file:{path}?nolock=1", uri=True, **options))


@pytest.mark.parametrize("locks", [without_flock, without_any_lock, "removed"])
def test_of_two_processes_one_is_refused_and_nothing_is_rolled_back(locks, folder, monkeypatch):
    """Whoever learns second has an older state in its memory; it must not write it."""
    if locks != "removed":
        locks(monkeypatch)
    with Stream.open(folder) as one:
        if locks == "removed":
            (folder / "private" / "lock").unlink()
        with Stream.open(folder) as two:
            assert one.learn(ROWS[:100], "s", 100) == 100
            for _ in range(2):
                with pytest.raises(DataError, match=REFUSAL):
                    two._learn_batch(ROWS[:200], "s", Position(200))
            assert one.learn(ROWS[:300], "s", 300) == 300
        assert one.learn(ROWS, "s", 600) == 600
    assert read_private(folder)["lines"] == {"s": 600}
    assert read_published(folder).stream.rounds == 600


def test_a_process_that_fell_behind_goes_on_from_what_was_committed(folder, monkeypatch):
    """Once refused, it has loaded the newer state, and its batch counts once."""
    without_flock(monkeypatch)
    with Stream.open(folder) as one, Stream.open(folder) as two:
        one.learn(ROWS[:100], "s", 100)
        with pytest.raises(DataError, match=REFUSAL):
            two.learn(ROWS[:200], "t", 200)
        two.close()
        with Stream.open(folder) as again:
            again.learn(ROWS[:200], "t", 200)
        with pytest.raises(DataError, match=REFUSAL):
            one.learn(ROWS[:200], "s", 200)
    assert read_private(folder)["lines"] == {"s": 100, "t": 200}
    assert read_published(folder).stream.rounds == 300


def test_a_process_that_stood_still_publishes_nothing_old(folder, monkeypatch):
    """It had committed, and another process went on before it could publish."""
    without_flock(monkeypatch)
    with Stream.open(folder) as one, Stream.open(folder) as two:
        publish = Stream._publish

        def stand_still(stream):
            monkeypatch.setattr(Stream, "_publish", publish)
            with Stream.open(folder) as newer:
                newer.learn(ROWS[:300], "s", 300)
            publish(stream)

        monkeypatch.setattr(Stream, "_publish", stand_still)
        with pytest.raises(DataError, match=REFUSAL):
            one.learn(ROWS[:100], "s", 100)
        del two
    assert read_published(folder).stream.rounds == 300


@pytest.mark.parametrize("column", ["commits", "rounds", "releases", "name"])
def test_every_part_of_the_standing_is_compared(column, folder):
    with Stream.open(folder) as stream:
        stream.learn(ROWS[:100], "s", 100)
        other = sqlite3.connect(folder / "private" / "state.db")
        if column == "name":
            other.execute("UPDATE meta SET value = 'x' WHERE key = 'name'")
        else:
            other.execute(f"UPDATE learner SET {column} = {column} + 1")
        other.commit()
        other.close()
        with pytest.raises(DataError, match=REFUSAL):
            stream.learn(ROWS[:200], "s", 200)


class Growing(Learner):
    """A learner whose private state is what a test says."""

    __slots__ = ("kept",)

    def __init__(self, kept):
        super().__init__()
        self.kept = kept

    event = start = resume = classmethod(lambda cls, *options: None)  # type: ignore[assignment]
    hypothesis = property(lambda self: Weights.zero(2))
    secure = True

    def take(self, block, codes):
        pass

    def public(self):
        return {}

    def secret(self):
        return self.kept


def test_chunks_are_written_once_and_dropped_with_their_generation(tmp_path):
    (tmp_path / "state.db").touch()
    state = State(tmp_path / "state.db")
    learner = Growing(Secret(b"head", (b"a",)))
    state.create({"name": "n"}, learner)
    written = []
    state._database._connection.set_trace_callback(written.append)
    standing = Standing("n", 0, 0, 0)
    for kept, inserted in (
        (Secret(b"h1", (b"a", b"b", b"c")), 2),
        (Secret(b"h2", (b"a", b"b", b"c")), 0),
        (Secret(b"h3", (b"d",), 1), 1),
        (Secret(b"h4", (b"d", b"e"), 1), 1),
        (Secret(b"h5", (), 2), 0),
    ):
        learner.kept = kept
        written.clear()
        standing = state.commit(standing, learner, 5, "s", Position(standing.rounds + 5))
        assert sum(line.startswith("INSERT INTO chunks") for line in written) == inserted
        found = state.load()
        assert (found.secret.head, found.secret.chunks, found.secret.generation) == (
            kept.head,
            kept.chunks,
            kept.generation,
        )
    assert standing == Standing("n", 5, 25, 0) == found.standing
    state.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE chunks SET chunk = x'62' WHERE place = 0",
        "UPDATE chunks SET generation = 1 WHERE place = 1",
        "DELETE FROM chunks WHERE place = 0",
        "UPDATE learner SET commits = 7",
        "UPDATE learner SET head = x'00'",
        "INSERT INTO sources VALUES ('s', 0, 3, '', x'00')",
        "UPDATE meta SET value = 'm' WHERE key = 'name'",
    ],
)
def test_damaged_rows_are_noticed(damage, tmp_path):
    (tmp_path / "state.db").touch()
    state = State(tmp_path / "state.db")
    state.create({"name": "n"}, Growing(Secret(b"head", (b"a", b"b"))))
    assert state.position("s", 4).file == 4
    with state._database.transaction() as connection:
        connection.execute(damage)
    with pytest.raises(ModelError, match="torn"):
        read_all(state)
    state.close()


def read_all(state):
    state.meta()
    state.load()
    state.position("s", 0)


def test_positions_of_all_files_of_a_source(folder):
    with Stream.open(folder) as stream:
        for file in (2, 1, 0):
            stream.learn(ROWS[:100], "s", Position(100, file=file, identity=f"i{file}"))
        assert [(position.file, position.identity) for position in stream.files("s")] == [(1, "i1"), (2, "i2")]
        assert stream.position("s", 2).identity == "i2"
        assert stream.position("s", 3).line == 0
        assert stream.rounds == 300
        assert (stream.source_of("i2"), stream.source_of("i0"), stream.source_of("i3")) == ("s", None, None)


def test_a_file_whose_first_batch_was_begun_is_known(folder, monkeypatch):
    """Otherwise a file that is rotated before its first batch is committed would be left alone."""
    with Stream.open(folder) as stream:
        stream.learn(ROWS[:100], "s", Position(100, file=1, identity="i1"))
        with monkeypatch.context() as patch:
            patch.setattr(State, "commit", lambda *options: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                stream.learn(ROWS[:50], "s", Position(70, file=2, identity="i2"))
    with Stream.open(folder) as stream:
        assert [(p.file, p.line, p.identity) for p in stream.files("s")] == [(1, 100, "i1"), (2, 20, "i2")]
        assert stream.files("t") == []
        stream.learn(ROWS[:50], "s", Position(70, file=2, identity="i2"))
        assert [p.line for p in stream.files("s")] == [100, 70]


def test_a_state_of_another_version_is_refused_in_one_sentence(folder):
    connection = sqlite3.connect(folder / "private" / "state.db")
    connection.executescript("DROP TABLE sources; CREATE TABLE sources (name TEXT, content INTEGER)")
    connection.close()
    with pytest.raises(ModelError, match="made by another version of dprules"):
        Stream.open(folder)


WAYS = st.sampled_from(["flip", "cut", "zeros", "noise"])


@st.composite
def damages(draw, size):
    """What may happen to a file."""
    way, at = draw(WAYS), draw(st.integers(0, size - 1))
    match way:
        case "flip":
            bit = 1 << draw(st.integers(0, 7))
            return lambda whole: whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :]
        case "cut":
            return lambda whole: whole[:at]
        case "zeros":
            return lambda whole: (whole[:at] + bytes(1000))[:size] + whole[at + 1000 :]
    noise = draw(st.binary(min_size=1, max_size=60))
    return lambda whole: whole[:at] + noise + whole[at + len(noise) :]


def damaged_anyhow(data, folder):
    """Every damage to a file ends in a sentence of ours, or in a stream that works."""
    paths = [folder / "private" / "state.db", folder / "hypothesis.json", folder / "private" / "attempt"]
    whole = {path: path.read_bytes() for path in paths}
    chosen = data.draw(st.sampled_from([paths[0], *paths]))
    damage = data.draw(damages(len(whole[chosen])))
    chosen.write_bytes(damage(whole[chosen]))
    try:
        with Stream.open(folder, restore=data.draw(st.booleans())) as stream:
            stream.learn(ROWS[:10], "new", stream.position("new").line + 10)
            stream.files("s")
            assert stream.published.verify()
    except DprulesError:
        pass
    for path, text in whole.items():
        path.write_bytes(text)
    (folder / "private" / "state.db-journal").unlink(missing_ok=True)


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged") / "s"
    create_stream(folder, StreamSettings(epsilon=20.0), FEATURES)
    with Stream.open(folder) as stream:
        for end in range(100, 601, 100):
            stream.learn(ROWS[end - 100 : end], "s" if end % 200 else "t", end)
    return folder


@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_damaged_files_give_a_sentence_and_no_traceback(data, learnt):
    damaged_anyhow(data, learnt)


@pytest.mark.slow
@settings(deadline=None, max_examples=600)
@given(data=st.data())
def test_files_damaged_in_many_ways(data, learnt):
    damaged_anyhow(data, learnt)
