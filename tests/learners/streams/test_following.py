"""A file that is followed by its name: every line once, whatever rotation does to it."""

import gzip
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from dprules.errors import DataError, FileError
from dprules.learners.streams import Event, EventFile, Follower, Position, following, read_file
from dprules.schema import Categorical, Label, Schema
from dprules.tables.events import CodedEvents, EventReader

SCHEMA = Schema(Label("y", ["no", "yes"]), [Categorical("a", list(range(1000)))])
READER = EventReader(SCHEMA.columns, SCHEMA.label.column())


class Notes:
    """What a stream would note of its source, and what it learnt."""

    def __init__(self) -> None:
        self.rows: dict[int, Position] = {}
        self.learnt: list[int] = []
        self.said: list[str] = []

    def contents(self) -> list[Position]:
        return list(self.rows.values())

    def begun(self) -> None:
        return None

    def encode(self, events: Sequence[Event]) -> CodedEvents:
        return READER.read(events)

    def take(self, batches) -> list[int]:
        """Learn as the store does: what a row of the same content has already is left out."""
        found: list[int] = []
        for batch in batches:
            before = self.rows.get(batch.position.content)
            unseen = batch.position.line - (0 if before is None else before.line)
            assert unseen > 0
            found += batch.events.columns["a"].tolist()[-unseen:]
            self.rows[batch.position.content] = batch.position
        self.learnt += found
        return found

    def follow(self, path: Path) -> Follower:
        return Follower(path, ["a"], self, self.said.append)

    def read(self, path: Path, size: int = 7) -> list[int]:
        with EventFile(path) as file:
            return self.take(read_file(file, self, size, self.said.append))


def rows(*numbers: int) -> bytes:
    return b"".join(b'{"a": %d}\n' % number for number in numbers)


def append(path: Path, text: bytes) -> None:
    with path.open("ab") as file:
        file.write(text)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "e.jsonl").write_bytes(rows(1, 2, 3))
    return tmp_path / "e.jsonl"


@pytest.fixture
def notes() -> Notes:
    return Notes()


def test_what_was_learnt_is_said_to_be_nothing_new(path, notes):
    assert notes.read(path) == [1, 2, 3]
    assert notes.read(path.rename(path.parent / "other.jsonl.1")) == []
    assert notes.said == [
        f"{path.parent / 'other.jsonl.1'}: nothing new; its lines were learnt before, under this name or another."
    ]


def test_unfinished_lines_and_torn_archives_are_said(path, notes):
    append(path, b'{"a": 4')
    assert notes.read(path) == [1, 2, 3]
    assert "no line end yet" in notes.said.pop()
    zipped = path.parent / "z.jsonl.gz"
    zipped.write_bytes(gzip.compress(rows(*range(5, 90)), compresslevel=0)[:200])
    assert notes.read(zipped)[:2] == [5, 6]
    assert "end early" in notes.said.pop()


def test_a_file_that_was_changed_is_refused(path, notes):
    path.write_bytes(rows(*range(200)))
    notes.read(path)
    path.write_bytes(rows(*range(150)) + rows(999) + rows(*range(151, 300)))
    with pytest.raises(DataError, match="goes on in another way"):
        notes.read(path)
    with notes.follow(path) as follower, pytest.raises(DataError, match="goes on in another way"):
        notes.take(follower.look(10))


def test_a_growing_file(path, notes):
    with notes.follow(path) as follower:
        assert notes.take(follower.look(2)) == [1, 2, 3]
        append(path, b'{"a": 4')
        assert notes.take(follower.look(2)) == []
        append(path, b"}\n" + rows(5))
        assert notes.take(follower.look(2)) == [4, 5]
        assert notes.take(follower.look(2)) == []


def test_renamed_and_made_anew(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        append(path, rows(4))
        old = path.rename(path.parent / "e.jsonl.1")
        assert notes.take(follower.look(10)) == [4]  # nothing has its name
        path.write_bytes(b"")
        append(old, rows(5))
        assert notes.take(follower.look(10)) == [5]
        append(path, rows(11, 12))
        append(old, rows(6))  # its writer is late
        assert notes.take(follower.look(10)) == [6, 11, 12]
        append(path, rows(13))
        append(old, rows(7))
        assert notes.take(follower.look(10)) == [7, 13]
    assert any("was rotated" in sentence for sentence in notes.said)
    assert notes.read(old) == []
    assert notes.read(path) == []


def test_an_old_file_is_given_up_after_a_while(path, notes, monkeypatch):
    monkeypatch.setattr(following, "LINGER", -1.0)
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        old = path.rename(path.parent / "e.jsonl.1")
        append(old, b'{"a": 4')
        path.write_bytes(rows(11))
        assert notes.take(follower.look(10)) == [11]
        notes.take(follower.look(10))
        assert "no line end" in notes.said[-1]
        append(old, b"}\n")
        assert notes.take(follower.look(10)) == []
    assert notes.read(old) == [4]


def test_copied_and_truncated(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        append(path, rows(4))  # after the last look, before the copy
        shutil.copy(path, path.parent / "e.jsonl.1")
        path.write_bytes(b"")
        assert notes.take(follower.look(10)) == []
        append(path, rows(11, 12))
        assert notes.take(follower.look(10)) == [4, 11, 12]
    assert any("was truncated" in sentence for sentence in notes.said)
    assert notes.read(path.parent / "e.jsonl.1") == []


def test_a_copy_that_lacks_the_last_lines_is_known(path, notes):
    """The lines that were written between copying and truncating are only in what was followed."""
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        shutil.copy(path, path.parent / "e.jsonl.1")
        append(path, rows(4))
        notes.take(follower.look(10))
        path.write_bytes(rows(11))
        assert notes.take(follower.look(10)) == [11]
    assert notes.read(path.parent / "e.jsonl.1") == []


def test_truncated_and_rewritten_to_more_than_was_read(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        path.write_bytes(rows(21, 22, 23, 24, 25))
        assert notes.take(follower.look(10)) == [21, 22, 23, 24, 25]


def test_a_new_file_that_begins_like_the_old_one_is_waited_for(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        path.rename(path.parent / "e.jsonl.1")
        path.write_bytes(rows(1, 2))
        assert notes.take(follower.look(10)) == []
        assert "waiting for more" in notes.said[-1]
        assert notes.take(follower.look(10)) == []
        append(path, rows(9))
        assert notes.take(follower.look(10)) == [1, 2, 9]


def test_a_copy_that_was_put_back_goes_on(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        shutil.copy(path, path.parent / "copy")
        os.replace(path.parent / "copy", path)
        append(path, rows(4))
        assert notes.take(follower.look(10)) == [4]


def test_a_link_that_is_set_to_another_file(path, notes):
    link = path.parent / "link.jsonl"
    link.symlink_to(path)
    with notes.follow(link) as follower:
        assert notes.take(follower.look(10)) == [1, 2, 3]
        (path.parent / "new.jsonl").write_bytes(rows(11))
        link.unlink()
        link.symlink_to(path.parent / "new.jsonl")
        append(path, rows(4))
        assert notes.take(follower.look(10)) == [4, 11]


@pytest.mark.parametrize("zipped", [False, True])
def test_files_that_were_rotated_while_nobody_looked_come_first(zipped, path, notes):
    """The oldest first, from the one on that was known."""
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
    texts = {3: rows(71, 72), 2: rows(1, 2, 3, 4), 1: rows(51, 52)}
    for number, text in texts.items():
        place = path.parent / f"e.jsonl.{number}{'.gz' if zipped else ''}"
        place.write_bytes(gzip.compress(text) if zipped else text)
        os.utime(place, (100 - number, 100 - number))
    path.write_bytes(rows(61))
    with notes.follow(path) as follower:
        assert notes.take(follower.look(10)) == [4, 51, 52, 61]
        assert notes.take(follower.look(10)) == []


def test_rotated_files_that_nobody_knows_are_left(path, notes):
    (path.parent / "e.jsonl.1").write_bytes(rows(91))
    with notes.follow(path) as follower:
        assert notes.take(follower.look(10)) == [1, 2, 3]


def test_a_csv_file_that_is_made_anew_gets_its_header_later(tmp_path, notes):
    path = tmp_path / "e.csv"
    path.write_bytes(b"a,y\n1,no\n")
    with notes.follow(path) as follower:
        assert notes.take(follower.look(10)) == [1]
        path.rename(tmp_path / "e.csv.1")
        for text, expected in ((b"", []), (b"a,", []), (b"y\n", []), (b"2,no\n", [2])):
            append(path, text)
            assert notes.take(follower.look(10)) == expected


def test_two_files_without_a_line_yet_do_not_share_a_number(path, notes):
    """The old file and the new one may both get their first line later."""
    path.write_bytes(b"\n")
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        old = path.rename(path.parent / "e.jsonl.1")
        path.write_bytes(rows(1))
        notes.take(follower.look(10))
        append(old, rows(2))
        append(path, rows(3))
        notes.take(follower.look(10))
    assert notes.learnt == [-1, 1, 2, 3]


def test_what_cannot_be_followed_is_refused(tmp_path, notes):
    with pytest.raises(FileError, match="no such file"):
        notes.follow(tmp_path / "e.jsonl")
    (tmp_path / "e.jsonl.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(DataError, match="does not grow"):
        notes.follow(tmp_path / "e.jsonl.gz")


def test_nothing_is_shown(path, notes):
    with notes.follow(path) as follower:
        assert repr(follower) == "<private Follower>"
