"""Files of events: one line is one round, read where it was left."""

import json

import pytest

from dprules.errors import DataError
from dprules.learners.streams import EventFile, Position, read_event


def test_files_are_read_where_they_were_left(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_text('\ufeff{"a": 1}\n\nnot json\n{"a": 2')
    file = EventFile(path)
    first = list(file.batches(Position(), 10))
    assert [batch.events for batch in first] == [[{"a": 1}, {}, {}]]
    assert file.has_unfinished_line(first[-1].position)
    with path.open("a") as more:
        more.write("}\n")
    second = list(file.batches(first[-1].position, 10))
    assert [batch.events for batch in second] == [[{"a": 2}]]
    assert second[-1].position.line == 4
    assert not file.has_unfinished_line(second[-1].position)
    with pytest.raises(DataError, match="was read from standard input"):
        list(file.batches(Position(4), 10))
    path.write_text('{"another": "file"}\n' * 50)
    with pytest.raises(DataError, match="not the file that was read before"):
        list(file.batches(second[-1].position, 10))


def test_positions_show_lines_only(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_text('{"a": 1}\n' * 3)
    batch = next(EventFile(path).batches(Position(), 10))
    assert repr(batch) == "<private EventBatch>"
    assert repr(batch.position) == "<position after line 3>"


def test_a_last_line_without_an_end_is_an_event_where_nobody_writes(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}')
    assert [b.events for b in EventFile(path).batches(Position(), 1, whole_lines=False)] == [[{"a": 1}], [{"a": 2}]]


def test_csv_files_have_a_header(tmp_path):
    table = tmp_path / "e.csv"
    table.write_text('a,b\n1,"x, y"\n3\n"open,2\n')
    assert next(EventFile(table).batches(Position(), 10)).events == [{"a": b"1", "b": b"x, y"}, {}, {}]
    with pytest.raises(DataError, match="has no column 'y'"):
        EventFile(table, ["y"])
    table.write_text("\n")
    with pytest.raises(DataError, match="no header"):
        EventFile(table)
    table.write_text("a,a\n1,2\n")
    with pytest.raises(DataError, match="two columns"):
        EventFile(table)
    tabs = tmp_path / "e.tsv"
    tabs.write_text("a\tb\n1\t2,3\n")
    assert next(EventFile(tabs).batches(Position(), 10)).events == [{"a": b"1", "b": b"2,3"}]


@pytest.mark.parametrize("name", ["e.jsonl.gz", "e.csv.1"])
def test_files_of_other_kinds_are_refused(name, tmp_path):
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(DataError, match=r"not \.jsonl"):
        EventFile(tmp_path / name)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        EventFile(tmp_path / "e.jsonl")


ODD_LINES = {
    "not UTF-8": b"\xff\n",
    "a list": b"[1]\n",
    "nothing": b"\n",
    "a lone carriage return": b'{"a": 1}\r{"a": 2}\n',
    "half a record": b'{"a": 1\n',
    "too deep": b"[" * 100_000 + b"\n",
    "a number too long": b'{"a": ' + b"9" * 10_000 + b"}\n",
}


@pytest.mark.parametrize("line", ODD_LINES.values(), ids=ODD_LINES)
def test_a_line_that_cannot_be_read_is_a_round_in_which_nothing_happened(line, tmp_path):
    assert read_event(line) == {}
    path = tmp_path / "e.jsonl"
    path.write_bytes(b'{"a": 1}\n' + line + b'{"a": 2}\n')
    assert next(EventFile(path).batches(Position(), 10)).events == [{"a": 1}, {}, {"a": 2}]


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
    assert next(EventFile(path).batches(Position(), 10)).events == [
        {"a": b"1", "b": b"2"},
        {},
        {"a": b"3", "b": b"4"},
    ]


def test_batches_of_any_size_make_the_same_events(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_text("".join(json.dumps({"a": i}) + "\n" for i in range(20)))
    for size in (1, 3, 20, 100):
        assert [e for batch in EventFile(path).batches(Position(), size) for e in batch.events] == [
            {"a": i} for i in range(20)
        ]
