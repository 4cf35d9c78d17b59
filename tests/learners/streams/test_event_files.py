"""Files of events: one line is one round, and a file is continued after a number of lines."""

import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprules.errors import DataError, FileError
from dprules.learners.streams import EventFile, read_event, read_events
from dprules.learners.streams.event_files import DEEPEST
from dprules.schema import Categorical, Label, Schema
from dprules.tables.events import EventReader

SCHEMA = Schema(Label("y", ["no", "yes"]), [Categorical("a", list(range(100)))])
READER = EventReader(SCHEMA.columns, SCHEMA.label.column())


def codes(batches):
    """The cell `a` of each event, -1 for none."""
    return [int(code) for batch in batches for code in batch.events.columns["a"]]


def learn(path: Path, line: int = 0, size: int = 10) -> list[int]:
    """Read what follows a number of lines."""
    with EventFile(path) as file:
        assert file.go_to(1, line)
        return codes(file.batches(size, READER.read))


def rows(*numbers: int) -> bytes:
    return b"".join(b'{"a": %d}\n' % number for number in numbers)


def test_files_are_read_where_they_were_left(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + rows(1) + b'\nnot json\n{"a": 2')
    assert learn(path) == [1, -1, -1]
    with EventFile(path) as file:
        assert file.go_to(4, 3)
        assert file.has_unfinished_line()
        assert file.has_unfinished_line()  # it stays there
        with path.open("ab") as more:
            more.write(b"}\n")
        (batch,) = file.batches(10, READER.read)
        assert (batch.position.line, batch.position.file, batch.position.identity) == (4, 4, file.identity)
    assert learn(path, 3) == [2]
    assert learn(path, 4) == []


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "csv", "csv.gz"])
def test_any_number_of_lines_is_skipped(ending, tmp_path):
    """Lines of any length, in blocks that end anywhere."""
    path = tmp_path / f"e.{ending}"
    numbers = [i % 100 for i in range(300)]
    if "csv" in ending:
        lines = [b"%d,%s\n" % (number, b"x" * (i * i % 2000)) for i, number in enumerate(numbers)]
    else:
        lines = [b'{"a": %d}%s\n' % (number, b" " * (i * i % 2000)) for i, number in enumerate(numbers)]
    text = (b"a,b\n" if "csv" in ending else b"") + b"".join(lines) + b"7"
    path.write_bytes(gzip.compress(text) if ending.endswith(".gz") else text)
    for skipped in (0, 1, 2, 63, 64, 65, 150, 298, 299, 300):
        assert learn(path, skipped) == numbers[skipped:]
    with EventFile(path) as file:
        assert not file.go_to(1, 301)


def test_a_file_that_is_shorter_than_what_was_read_was_cut(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_bytes(rows(1, 2))
    with EventFile(path) as file:
        codes(file.batches(10, READER.read))
        assert not file.was_cut
        path.write_bytes(rows(3))
        assert file.was_cut


def test_a_batch_that_was_begun_is_offered_as_it_was(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_bytes(rows(*range(20)))
    with EventFile(path) as file:
        begun = next(file.batches(7, READER.read)).position
    for size in (3, 7, 100):
        with EventFile(path) as file:
            file.go_to(1, 0, begun)
            assert len(next(file.batches(size, READER.read)).events) == 7


def test_batches_show_nothing(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_bytes(rows(1))
    with EventFile(path) as file:
        assert repr(file) == "<private EventFile>"
        assert repr(next(file.batches(10, READER.read))) == "<private EventBatch>"


def test_a_last_line_without_an_end_is_an_event_where_nobody_writes(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_bytes(rows(1, 2).rstrip())
    with EventFile(path) as file:
        assert list(file.all_events(1)) == [[{"a": 1}], [{"a": 2}]]


def events_of(path: Path, needed=()) -> list[object]:
    with EventFile(path, needed) as file:
        return [event for events in file.all_events(10) for event in events]


def test_csv_files_have_a_header(tmp_path):
    table = tmp_path / "e.csv"
    table.write_text('a,b\n1,"x, y"\n3\n"open,2\n')
    assert events_of(table) == [{"a": b"1", "b": b"x, y"}, {}, {}]
    with pytest.raises(DataError, match="has no column 'y'"):
        EventFile(table, ["y"])
    for text in ("\n", ""):
        table.write_text(text)
        with pytest.raises(DataError, match="no header"):
            EventFile(table)
    table.write_text("a,a\n1,2\n")
    with pytest.raises(DataError, match="two columns"):
        EventFile(table)
    tabs = tmp_path / "e.tsv"
    tabs.write_text("a\tb\n1\t2,3\n")
    assert events_of(tabs) == [{"a": b"1", "b": b"2,3"}]


def test_csv_rotated_zipped_and_with_a_mark_of_its_encoding(tmp_path):
    path = tmp_path / "e.csv-20240501.gz"
    text = b"\xef\xbb\xbfa,y\r\n1,yes\r\n2,no\r\n"
    path.write_bytes(gzip.compress(text))
    assert learn(path) == [1, 2]
    assert learn(path, 1) == [2]


NAMES = {
    True: ["e.jsonl", "e.JSONL", "e.ndjson.1", "e.json.12", "e.csv.1.gz", "e.tsv-20240501", "e.jsonl.2024-05-01T10.gz"],
    False: ["e.txt", "e.jsonl.bak", "jsonl", "e.gz", "e.jsonl.zst", "e.jsonl~", "e.csv.old.gz"],
}


@pytest.mark.parametrize(("reads", "name"), [(reads, name) for reads in NAMES for name in NAMES[reads]])
def test_files_are_taken_by_their_endings(reads, name, tmp_path):
    path = tmp_path / name
    text = b"a\n"
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    if reads:
        EventFile(path).close()
    else:
        with pytest.raises(DataError, match=r"not \.jsonl"):
            EventFile(path)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        EventFile(tmp_path / "e.jsonl")
    (tmp_path / "d.jsonl").mkdir()
    os.mkfifo(tmp_path / "f.jsonl")
    (tmp_path / "l.jsonl").symlink_to(tmp_path / "e.jsonl")
    for name in ("d.jsonl", "f.jsonl"):
        with pytest.raises(DataError, match="is not a file"):
            EventFile(tmp_path / name)
    with pytest.raises(FileError, match="no such file"):
        EventFile(tmp_path / "l.jsonl")
    (tmp_path / "e.jsonl").write_bytes(rows(1))
    assert events_of(tmp_path / "l.jsonl") == [{"a": 1}]


@pytest.mark.parametrize("cut", [0, 5, 12, 40, -9, -1])
def test_a_zipped_file_that_ends_early_is_read_as_far_as_it_goes(cut, tmp_path):
    path = tmp_path / "e.jsonl.gz"
    whole = gzip.compress(rows(*range(50)), compresslevel=0)
    path.write_bytes(whole[:cut])
    with EventFile(path) as file:
        found = codes(file.batches(10, READER.read))
        assert file.damaged == (cut != 0)
    assert found == list(range(len(found)))
    path.write_bytes(whole)
    assert learn(path) == list(range(50))


def test_a_zipped_file_that_is_none(tmp_path):
    path = tmp_path / "e.jsonl.gz"
    path.write_bytes(rows(1))
    with EventFile(path) as file:
        assert codes(file.batches(10, READER.read)) == []
        assert file.damaged


ODD_LINES = {
    "not UTF-8": b"\xff\n",
    "a list": b"[1]\n",
    "nothing": b"\n",
    "a lone carriage return": b'{"a": 1}\r{"a": 2}\n',
    "half a record": b'{"a": 1\n',
    "two records": b'{"a": 1}{"a": 2}\n',
    "a record and more": b'{"a": 1},\n',
    "too deep": b"[" * 100_000 + b"\n",
    "a number too long": b'{"a": ' + b"9" * 10_000 + b"}\n",
}


@pytest.mark.parametrize("line", ODD_LINES.values(), ids=ODD_LINES)
def test_a_line_that_cannot_be_read_is_a_round_in_which_nothing_happened(line, tmp_path):
    assert read_event(line) == {}
    path = tmp_path / "e.jsonl"
    path.write_bytes(rows(1) + line + rows(2))
    assert events_of(path) == [{"a": 1}, {}, {"a": 2}]


PIECES = [
    *(b'{"a": 1}', b'{"a": NaN}', b'{"a": [1, {"b": null}]}', b'"a": 1}', b'{"a": 1', b"{}", b"[", b"]", b",", b"1"),
    *(
        b" ",
        b"\t",
        b"\r",
        b"\x0b",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc3",
        b"\x00",
        b'"',
        b"null",
    ),
]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=3).map(b"".join), max_size=6))
def test_many_lines_are_read_as_each_by_itself(texts):
    """No line swallows or splits another."""
    lines = [text + b"\n" for text in texts]
    assert repr(read_events(lines)) == repr([read_event(line) for line in lines])
    if texts:
        lines[-1] = texts[-1]
        assert repr(read_events(lines)) == repr([read_event(line) for line in lines])


ODD_ROWS = {
    "an open quote": b'"1,2\n',
    "a cell too few": b"1\n",
    "a cell too many": b"1,2,3\n",
    "nothing": b"\n",
    "text after a quote": b'"1"x,2\n',
}


@pytest.mark.parametrize("line", ODD_ROWS.values(), ids=ODD_ROWS)
def test_a_row_that_cannot_be_read_is_a_round_in_which_nothing_happened(line, tmp_path):
    path = tmp_path / "e.csv"
    path.write_bytes(b"a,b\n1,2\n" + line + b"3,4\n")
    assert events_of(path) == [{"a": b"1", "b": b"2"}, {}, {"a": b"3", "b": b"4"}]


def test_batches_of_any_size_make_the_same_events(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_text("".join(json.dumps({"a": i % 100}) + "\n" for i in range(1200)))
    for size in (1, 300, 1200, 5000):
        assert learn(path, 0, size) == [i % 100 for i in range(1200)]


def test_how_deep_a_line_may_be_does_not_depend_on_others():
    """Python's own bound is nearer when a line that is no text sends all of a batch along another way."""

    def nested(depth):
        return b'{"y": 1, "z": ' + b"[" * depth + b"]" * depth + b"}\n"

    for depth in (DEEPEST - 1, DEEPEST, 500, 980, 985, 990, 995, 1000):
        alone = read_events([nested(depth), b'{"y": 0}\n'])[0]
        beside = read_events([nested(depth), b"\xff\n"])[0]
        assert alone == beside == read_event(nested(depth))
        assert bool(alone) == (depth < DEEPEST)
    assert read_event(b'{"y": "' + b"[" * 300 + b'"}') == {"y": "[" * 300}
