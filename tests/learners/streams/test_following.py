"""Files of a source, once and followed by name: every line once, in its order, whatever rotation does."""

import gzip
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.errors import DataError, FileError
from dprules.learners.streams import Event, EventFile, Follower, Position, following, list_files, read_file
from dprules.schema import Categorical, Label, Schema
from dprules.tables.events import CodedEvents, EventReader

SCHEMA = Schema(Label("y", ["no", "yes"]), [Categorical("a", list(range(1000)))])
READER = EventReader(SCHEMA.columns, SCHEMA.label.column())


class Notes:
    """What a stream would note of its source, and what it learned."""

    def __init__(self) -> None:
        self.rows: dict[int, Position] = {}
        self.learned: list[int] = []
        self.said: list[str] = []

    def files(self) -> list[Position]:
        return [self.rows[number] for number in sorted(self.rows)]

    def begun(self) -> None:
        return None

    def record(self, position: Position) -> None:
        self.rows[position.file] = position

    def encode(self, events: Sequence[Event]) -> CodedEvents:
        return READER.read(events)

    def take(self, batches) -> list[int]:
        """Learn as the store does: lines that a file has in its row already are left out."""
        taken: list[int] = []
        for batch in batches:
            before = self.rows.get(batch.position.file)
            unseen = batch.position.line - (0 if before is None else before.line)
            assert unseen > 0
            taken += batch.events.columns["a"].tolist()[-unseen:]
            self.rows[batch.position.file] = batch.position
        self.learned += taken
        return taken

    def follow(self, path: Path, replacement=None) -> Follower:
        return Follower(path, ["a"], self, self.said.append, replacement)

    def read(self, path: Path, replacement=None, size: int = 7) -> list[int]:
        with EventFile(path) as file:
            return self.take(read_file(file, self, size, self.said.append, replacement))


def rows(*numbers: int) -> bytes:
    return b"".join(b'{"a": %d}\n' % number for number in numbers)


def append(path: Path, text: bytes) -> None:
    with path.open("ab") as file:
        file.write(text)


def rotate(path: Path, text: bytes | None = b"") -> Path:
    """Rename as logrotate does, and make the file anew unless there is no text."""
    files = list_files(path)
    for entry in files:
        if entry.scheme:
            ending = ".gz" if entry.zipped else ""
            entry.path.rename(path.with_name(f"{path.name}.{1 - entry.order[0]}{ending}"))
    old = path.rename(path.with_name(path.name + ".1"))
    if text is not None:
        path.write_bytes(text)
    return old


def compress(path: Path) -> Path:
    zipped = path.with_name(path.name + ".gz")
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return zipped


def replace(path: Path, text: bytes) -> None:
    """Put another file in the place of one."""
    other = path.with_name("other")
    other.write_bytes(text)
    os.replace(other, path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "e.jsonl").write_bytes(rows(1, 2, 3))
    return tmp_path / "e.jsonl"


@pytest.fixture
def notes() -> Notes:
    return Notes()


def test_a_file_is_continued_after_its_learned_lines(path, notes):
    assert notes.read(path) == [1, 2, 3]
    assert notes.said == []
    assert notes.read(path) == []
    assert notes.said.pop() == f"{path}: the first 3 lines were learned before and were skipped."
    append(path, rows(4))
    assert notes.read(path.rename(path.with_name("other.jsonl"))) == [4]


def test_what_the_skipped_lines_say_takes_no_part(path, notes):
    notes.read(path)
    path.write_bytes(rows(100, 200, 300, 4))
    assert notes.read(path) == [4]
    path.write_bytes(rows(1))
    with pytest.raises(DataError, match="has fewer lines than were learned of it"):
        notes.read(path)


def test_a_file_that_has_replaced_another_is_refused_without_a_word(path, notes):
    notes.read(path)
    replace(path, rows(1, 2, 3, 4))
    with pytest.raises(DataError, match="is another file than the one that was learned as this source"):
        notes.read(path)
    assert notes.learned == [1, 2, 3]


def test_a_copy_goes_on(path, notes):
    notes.read(path)
    zipped = path.with_name("e.jsonl.1.gz")
    zipped.write_bytes(gzip.compress(rows(1, 2, 3, 4)))
    assert notes.read(zipped, "copy") == [4]
    assert notes.read(zipped, "copy") == notes.read(zipped) == []
    with pytest.raises(DataError, match="nothing was learned of this source"):
        Notes().read(zipped, "copy")


def test_a_new_file_is_learned_whole_and_once(path, notes):
    notes.read(path)
    replace(path, rows(1, 2))
    assert notes.read(path, "new") == [1, 2]
    assert notes.read(path, "new") == notes.read(path) == []


def test_unfinished_lines_and_torn_archives_are_said(path, notes):
    append(path, b'{"a": 4')
    assert notes.read(path) == [1, 2, 3]
    assert "no line end yet" in notes.said.pop()
    zipped = path.parent / "z.jsonl.gz"
    zipped.write_bytes(gzip.compress(rows(*range(5, 90)), compresslevel=0)[:200])
    assert notes.read(zipped, "new")[:2] == [5, 6]
    assert "end early" in notes.said.pop()


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
        old = rotate(path, None)
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
    assert notes.said == [f"{path} was rotated; the new file is followed."]
    assert notes.read(old) == notes.read(path) == []


def test_lines_that_came_late_are_learned_after_a_restart(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        old = rotate(path, rows(11))
        notes.take(follower.look(10))
    append(old, rows(4))
    append(path, rows(12))
    with notes.follow(path) as follower:
        assert notes.take(follower.look(10)) == [4, 12]
        append(old, rows(5))
        assert notes.take(follower.look(10)) == [5]


def test_an_old_file_is_given_up_after_a_while(path, notes, monkeypatch):
    monkeypatch.setattr(following, "LINGER", -1.0)
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        append(path, b'{"a": 4')
        old = rotate(path, rows(11))
        assert notes.take(follower.look(10)) == [11]
        notes.take(follower.look(10))
        assert "no line end" in notes.said[-1]
        append(old, b"}\n")
        assert notes.take(follower.look(10)) == []
    assert notes.read(old) == [4]


def test_a_file_that_was_cut_is_refused(path, notes):
    """After a copy and a cut nothing public tells which lines of the copy were learned."""
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        shutil.copy(path, path.with_name("e.jsonl.1"))
        path.write_bytes(rows(11))
        with pytest.raises(DataError, match="was cut while it was followed"):
            notes.take(follower.look(10))
    with notes.follow(path) as follower, pytest.raises(DataError, match="has fewer lines than were learned of it"):
        notes.take(follower.look(10))
    assert notes.learned == [1, 2, 3]


def test_a_rotated_file_that_was_cut_is_left(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        old = rotate(path, rows(11))
        notes.take(follower.look(10))
        old.write_bytes(b"")
        assert notes.take(follower.look(10)) == []
    append(path, rows(12))
    with notes.follow(path) as follower:
        assert notes.take(follower.look(10)) == [12]
    assert notes.said[-1].startswith(f"{old} has fewer lines than were learned of it")


def test_a_file_that_replaced_the_followed_one_while_nobody_looked(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
    replace(path, rows(1, 2, 3, 4))
    with notes.follow(path) as follower, pytest.raises(DataError, match="is another file than the one"):
        notes.take(follower.look(10))
    with notes.follow(path, "copy") as follower:
        assert notes.take(follower.look(10)) == [4]
        rotate(path, rows(5))
        assert notes.take(follower.look(10)) == [5]
    replace(path, rows(6))
    with notes.follow(path, "new") as follower:
        assert notes.take(follower.look(10)) == [6]


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


def test_a_link_to_files_with_dates(tmp_path, notes):
    link = tmp_path / "e.jsonl"
    for day in (1, 2, 3):
        (tmp_path / f"e.jsonl-2024050{day}").write_bytes(rows(day))
        link.unlink(missing_ok=True)
        link.symlink_to(tmp_path / f"e.jsonl-2024050{day}")
        if day != 2:
            with notes.follow(link) as follower:
                notes.take(follower.look(10))
                notes.take(follower.look(10))
    assert notes.learned == [1, 2, 3]
    assert notes.said == []


@pytest.mark.parametrize("dated", [False, True])
def test_files_that_were_rotated_while_nobody_looked_come_first(dated, path, notes):
    """The oldest first, from the one on that was known."""
    older = path.with_name("e.jsonl-20240501" if dated else "e.jsonl.1")
    older.write_bytes(rows(91))
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
    assert notes.said == [f"Not learned, because rotated before the file that is followed: {older}."]
    append(path, rows(4))
    for day, text in enumerate((rows(51, 52), b"", rows(61, 62), rows(71))):
        if dated:
            path.rename(path.with_name(f"e.jsonl-2024051{day}"))
            path.write_bytes(text)
        else:
            rotate(path, text)
    with notes.follow(path) as follower:
        assert notes.take(follower.look(10)) == [4, 51, 52, 61, 62, 71]
        assert notes.take(follower.look(10)) == []


def test_rotation_while_catching_up(path, notes):
    """Each rotation moves every name on by one; no file is passed over."""
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
    rotate(path, rows(*range(10, 20)))
    rotate(path, rows(*range(20, 30)))
    with notes.follow(path) as follower:
        for number, batch in enumerate(follower.look(2)):
            notes.take([batch])
            if number < 5:
                rotate(path, rows(30 + number))
    assert notes.learned == [1, 2, 3, *range(10, 35)]
    with notes.follow(path) as follower:
        assert notes.take(follower.look(10)) == []


def test_files_that_are_removed_while_catching_up(path, notes):
    """As by logrotate's `rotate 2`: the oldest file goes, also while it is read."""
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
    append(path, rows(*range(4, 10)))
    rotate(path, rows(10, 11))
    rotate(path, rows(12))
    with notes.follow(path) as follower:
        looking = follower.look(2)
        notes.take([next(looking)])
        rotate(path, rows(13))
        path.with_name("e.jsonl.3").unlink()
        notes.take(looking)
    assert notes.learned == [*range(1, 14)]


def test_a_file_that_is_compressed_at_once_is_not_learned_again(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        append(path, rows(4))
        for number in (11, 12, 13):
            zipped = compress(rotate(path, b""))
            notes.take(follower.look(10))
            append(path, rows(number))
            notes.take(follower.look(10))
            assert str(zipped) in notes.said[-1]
    assert notes.learned == [1, 2, 3, 4, 11, 12, 13]


def test_a_file_that_is_compressed_at_once_after_files_were_caught_up(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
    rotate(path, rows(11))
    rotate(path, rows(12))
    with notes.follow(path) as follower:
        assert notes.take(follower.look(10)) == [11, 12]
        compress(rotate(path, rows(13)))
        assert notes.take(follower.look(10)) == [13]


def test_a_compressed_file_beside_the_plain_one_is_still_being_written(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        old = rotate(path, rows(11))
        zipped = path.with_name("e.jsonl.1.gz")
        zipped.write_bytes(gzip.compress(old.read_bytes()))
        assert notes.take(follower.look(10)) == [11]
        old.unlink()
        append(path, rows(12))
        assert notes.take(follower.look(10)) == [12]


def test_compressed_files_that_cannot_be_told_apart_are_named(path, notes):
    """One is a copy of what was learned, the other was never read."""
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        first = compress(rotate(path, rows(11)))
        second = compress(rotate(path, rows(12)))
        first = path.with_name("e.jsonl.2.gz")
        with pytest.raises(DataError, match="cannot tell which of these files hold lines") as refused:
            notes.take(follower.look(10))
    assert str(first) in str(refused.value)
    assert str(second) in str(refused.value)
    with notes.follow(path) as follower, pytest.raises(DataError, match="cannot tell which of these files hold lines"):
        notes.take(follower.look(10))
    assert notes.read(first, "copy") == []
    assert notes.read(second, "new") == [11]
    with notes.follow(path) as follower:
        assert notes.take(follower.look(10)) == [12]


def test_a_compressed_file_after_a_known_one_is_named(path, notes):
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
    rotate(path, rows(11))
    rotate(path, rows(12))
    compress(path.with_name("e.jsonl.1"))
    with notes.follow(path) as follower, pytest.raises(DataError, match=r"e\.jsonl\.1\.gz\. Learn those first"):
        notes.take(follower.look(10))
    with notes.follow(path, "new") as follower:
        assert notes.take(follower.look(10)) == [12]
    assert notes.said[-1].endswith("e.jsonl.1.gz.")


def test_files_are_listed_oldest_first(tmp_path):
    names = ["e.jsonl.10.gz", "e.jsonl.2", "e.jsonl.1", "e.jsonl-20240501", "e.jsonl-20240502.gz", "e.jsonl"]
    others = ["e.jsonl.1.gz", "e.jsonl.bak", "other.jsonl.1", "e.jsonlx.1", "e.jsonl.x.gz"]
    for name in [*names, *others]:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "e.jsonl.3").mkdir()
    listed = [entry.path.name for entry in list_files(tmp_path / "e.jsonl")]
    assert listed == [*names[3:5], *names[:3], "e.jsonl"]
    assert list_files(tmp_path / "none" / "e.jsonl") == []


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
    path.write_bytes(b"")
    with notes.follow(path) as follower:
        notes.take(follower.look(10))
        old = rotate(path)
        notes.take(follower.look(10))
        append(old, rows(2))
        append(path, rows(3))
        notes.take(follower.look(10))
    assert notes.learned == [2, 3]


def test_what_cannot_be_followed_is_refused(tmp_path, notes):
    with pytest.raises(FileError, match="no such file"):
        notes.follow(tmp_path / "e.jsonl")
    (tmp_path / "e.jsonl.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(DataError, match="does not grow"):
        notes.follow(tmp_path / "e.jsonl.gz")


def test_nothing_is_shown(path, notes):
    with notes.follow(path) as follower:
        assert repr(follower) == "<private Follower>"


class Log:
    """A log that is written, rotated and followed; the follower may end at any batch."""

    def __init__(self, path: Path, patch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.notes = Notes()
        self.written = 0
        self.rotate_in = 0
        path.write_bytes(b"")
        self.append(3)
        plain = following.list_files

        def list_and_rotate(path: Path):
            listed = plain(path)
            self.rotate_in -= 1
            if self.rotate_in == 0:
                self.rotate()
            return listed

        patch.setattr(following, "list_files", list_and_rotate)
        self.start()
        self.batches(1)  # a source begins with its first line

    def start(self, _: int = 0) -> None:
        self.follower = self.notes.follow(self.path)
        self.looking = self.follower.look(2)

    def kill(self, _: int) -> None:
        self.follower.__exit__(None, None, None)
        self.start()

    def append(self, number: int) -> None:
        append(self.path, rows(*((self.written + i) % 1000 for i in range(number))))
        self.written += number

    def rotate(self, _: int = 0) -> None:
        rotate(self.path)

    def rotate_while_listing(self, number: int) -> None:
        self.rotate_in = number

    def batches(self, number: int) -> None:
        for _ in range(number):
            batch = next(self.looking, None)
            if batch is None:
                self.looking = self.follower.look(2)
            else:
                self.notes.take([batch])


STEPS = st.tuples(
    st.sampled_from([Log.append, Log.append, Log.batches, Log.rotate, Log.rotate_while_listing, Log.kill]),
    st.integers(1, 6),
)


@settings(deadline=None)
@given(st.lists(STEPS, max_size=40))
def test_every_line_once_and_in_order_whenever_it_is_rotated_and_killed(steps):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        log = Log(Path(folder) / "e.jsonl", patch)
        for step, number in steps:
            step(log, number)
        log.rotate_in = 0
        for _ in range(2):
            log.batches(log.written + 10)
            log.kill(0)
        log.follower.__exit__(None, None, None)
        assert log.notes.learned == [number % 1000 for number in range(log.written)]
        assert [said for said in log.notes.said if "rotated" not in said] == []
