"""Events: lines that are long, deep or endless are rounds in which nothing happened; the others are what they were."""

import gzip
import json
import os
import shutil
import threading
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given

from dprules.errors import DataError
from dprules.jobs.streams import stream_learn
from dprules.learners.streams import Stream
from dprules.learners.streams.event_files import MOST_HELD, PIECES, EventFile, read_events
from dprules.learners.streams.timely import read_timely
from dprules.tables.lines import LONGEST
from fuzz import genuine
from fuzz.examples import MANY, QUICK, SEEDS
from fuzz.guard import READ, require_words
from fuzz.mutations import mutate_json, scramble
from learners.streams.events import FEATURES

EVENT = b'{"a": true}\n'


def line_of(size: int) -> bytes:
    """An event whose line has so many bytes, its end included."""
    return b'{"a": true' + b" " * (size - 12) + b"}\n"


def test_the_longest_line_of_a_file(tmp_path):
    for name, opened in (("e.jsonl", open), ("e.jsonl.gz", gzip.open)):
        path = tmp_path / name
        with opened(path, "wb") as file:
            file.write(EVENT + line_of(LONGEST) + EVENT + line_of(LONGEST + 1) + EVENT + line_of(3 * LONGEST) + EVENT)
        with EventFile(path) as events:
            found = [event for some in events.all_events(10) for event in some]
        assert [bool(event) for event in found] == [True, True, True, False, True, False, True]


def test_a_place_after_long_lines_is_found_again(tmp_path):
    """Also in a file that has grown."""
    path = tmp_path / "e.jsonl"
    path.write_bytes(EVENT + line_of(LONGEST + 1) + EVENT)
    with EventFile(path) as file:
        reached = [batch.position for batch in file.batches(10, FEATURES.read)][-1]
        with path.open("ab") as more:
            more.write(EVENT + line_of(2 * LONGEST))
        assert not file.was_cut
        assert [len(batch.events) for batch in file.batches(10, FEATURES.read)] == [2]
    assert reached.line == 3
    with EventFile(path) as file:
        assert file.go_to(1, 3)
        assert [len(batch.events) for batch in file.batches(10, FEATURES.read)] == [2]


def test_long_lines_are_read_a_few_at_a_time_and_make_one_batch(tmp_path):
    """Where a batch ends is seen from outside, so it must not depend on the lengths of lines."""
    path = tmp_path / "e.jsonl"
    number = 40
    path.write_bytes(line_of(MOST_HELD // PIECES) * number)
    with EventFile(path) as file:
        assert [len(file.read_lines(10**6)) for _ in range(3)] == [PIECES, PIECES, number - 2 * PIECES]
        file.go_to(1, 0)
        assert [len(batch.events) for batch in file.batches(10**6, FEATURES.read)] == [number]


def test_a_last_line_that_is_long_and_has_no_end(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_bytes(EVENT + line_of(LONGEST + 2)[:-1])
    with EventFile(path) as file:
        assert [len(some) for some in file.all_events(10)] == [1, 1]
        file.go_to(1, 0)
        assert [len(batch.events) for batch in file.batches(10, FEATURES.read)] == [1]
        assert file.has_unfinished_line()


def test_the_longest_header(tmp_path):
    path = tmp_path / "e.csv"
    path.write_bytes(b"a," + b"b" * (LONGEST - 3) + b"\n1,2\n")
    with EventFile(path, ["a"]) as file:
        assert [event["a"] for some in file.all_events(10) for event in some] == [b"1"]
    path.write_bytes(b"a," + b"b" * (LONGEST - 2) + b"\n1,2\n")
    with pytest.raises(DataError, match="the first line has more than"):
        EventFile(path, ["a"])


def send(data: bytes) -> IO[bytes]:
    """A pipe into which somebody writes."""
    taker, giver = os.pipe()

    def write() -> None:
        with os.fdopen(giver, "wb") as file:
            file.write(data)

    threading.Thread(target=write).start()
    return os.fdopen(taker, "rb")


def test_the_longest_line_of_a_pipe():
    lines = [EVENT, line_of(LONGEST), EVENT, line_of(LONGEST + 1), EVENT, line_of(3 * LONGEST), EVENT]
    with send(b"".join(lines)) as pipe:
        found = [event for piece in read_timely(pipe, 10, 0.0) for event in read_events(piece.lines)]
    assert [bool(event) for event in found] == [True, True, True, False, True, False, True]


def test_a_pipe_of_long_lines_is_taken_in_parts():
    number = 2 * MOST_HELD // LONGEST + 1
    with send(line_of(LONGEST) * number) as pipe:
        sizes = [len(piece.lines) for piece in read_timely(pipe, 10**6, 1e6)]
    assert sum(sizes) == number
    assert len(sizes) > 1


def test_a_stream_learns_every_line_once_whatever_their_length(learnt, tmp_path):
    folder = Path(shutil.copytree(learnt, tmp_path / "copy"))
    path = tmp_path / "e.jsonl"
    path.write_bytes(genuine.json_lines() + line_of(LONGEST + 1) + genuine.json_lines())
    said: list[str] = []
    with Stream.open(folder) as stream:
        before = stream.rounds
        list(stream_learn(stream, str(path), say=said.append))
        assert stream.rounds == before + 41
        list(stream_learn(stream, str(path), say=said.append))
        assert stream.rounds == before + 41
    assert "the first 41 lines were learned before" in said[-1]


DEEP = b"[" * 10**5 + b"\n" + b'{"a":' * 10**5 + b"\n"
DIGITS = b'{"n": %s}\n{"n": 1e%s}\n{"n": 0.%s}\n{"n": -%s}\n' % ((b"9" * 10**6,) * 4)
BOMBS: dict[str, bytes] = {
    "e.jsonl": DEEP + DIGITS + b'{"%s": 1}\n' % (b"k" * 10**6),
    "keys.jsonl": b"{" + b",".join(b'"k%d":{}' % i for i in range(10**5)) + b"}\n",
    "line.jsonl.gz": gzip.compress(b"\0" * 5 * 10**8 + b"\n" + EVENT, 9),
    "lines.jsonl.gz": gzip.compress(line_of(LONGEST) * 60, 9),
    "header.csv.gz": gzip.compress(b"a" * 5 * 10**8, 9),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end_within_the_limits_of_the_guard(name, guard, tmp_path):
    (tmp_path / name).write_bytes(BOMBS[name])
    outcome = require_words(guard.parse("events", tmp_path / name))
    assert (outcome.kind == READ) == ("csv" not in name)


@pytest.mark.slow
def test_a_pipe_without_lines_is_not_held(guard, tmp_path):
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate(2 * 5 * 10**8)  # a hole: it takes no room on the disk
    assert require_words(guard.parse("pipe", path)).kind == READ


def read_hostile(guard, folder: Path, seed: int) -> None:
    """Whatever is in a file of events, it is read; a header alone may be refused."""
    rows = b"\n".join(mutate_json(row, seed + place) for place, row in enumerate(genuine.ROWS[:5])) + b"\n"
    for name, text in {
        "rows.jsonl": rows,
        "bytes.jsonl": scramble(genuine.json_lines(), seed),
        "bytes.csv": scramble(genuine.csv_lines(), seed),
        "bytes.jsonl.gz": scramble(genuine.zipped(genuine.json_lines()), seed),
    }.items():
        (folder / name).write_bytes(text)
        outcome = require_words(guard.parse("events", folder / name))
        assert outcome.kind == READ or name.endswith("csv")
    assert require_words(guard.parse("pipe", folder / "bytes.jsonl")).kind == READ


@QUICK
@given(seed=SEEDS)
def test_hostile_events(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)


@pytest.mark.slow
@MANY
@given(seed=SEEDS)
def test_very_many_hostile_events(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)


def test_the_seeds_are_events():
    assert all(json.loads(line) for line in genuine.json_lines().splitlines())
