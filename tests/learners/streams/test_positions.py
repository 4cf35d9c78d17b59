"""Which file is which: a file keeps its identity through renaming and growth, and no other file has it."""

import os
import shutil
import time

from dprules.learners.streams import Position, identify_path, positions
from dprules.learners.streams.positions import identify


def test_a_file_keeps_its_identity(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"1\n")
    identity = identify_path(path)
    with path.open("rb") as file:
        assert identify(file.fileno()) == identity
    path.write_bytes(b"1\n2\n")
    other = path.rename(tmp_path / "b")
    (tmp_path / "link").symlink_to(other)
    os.utime(other, (1, 1))
    assert identify_path(other) == identify_path(tmp_path / "link") == identity


def test_no_other_file_has_it(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"1\n")
    identity = identify_path(path)
    shutil.copy2(path, tmp_path / "b")
    assert identify_path(tmp_path / "b") != identity
    time.sleep(0.05)  # birth is as exact as the kernel's clock
    path.unlink()
    path.write_bytes(b"1\n")  # most file systems give it the same inode
    if ":" in identity:
        assert identify_path(path) != identity


def test_where_no_time_of_birth_is_kept_the_device_stands_in_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(positions, "_statx", lambda: None)
    (tmp_path / "a").write_bytes(b"")
    status = (tmp_path / "a").stat()
    assert identify_path(tmp_path / "a") == f"{status.st_dev}/{status.st_ino}"


def test_a_position_shows_lines_only():
    assert repr(Position(3, file=2, identity="7:1.5")) == "<position after line 3>"
