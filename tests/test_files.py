"""Files are written whole or not at all, and none is overwritten unless it is asked for."""

import errno
import os
import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from dprules.errors import FileError
from dprules.files import require_new_file, write_whole


@pytest.fixture(params=["hard links", "no hard links"])
def links(request, monkeypatch):
    """File systems with and without hard links."""
    if request.param == "no hard links":

        def refuse(source, target):
            raise OSError(errno.EPERM, "no hard links here")

        monkeypatch.setattr(os, "link", refuse)


def test_a_file_that_exists_is_refused_in_one_sentence(links, tmp_path):
    path = tmp_path / "model.json"
    write_whole(path, "paid for", 0o640, overwrite=False)
    sentence = f"{path} already exists. Choose another name or pass overwrite=True."
    with pytest.raises(FileError) as refused:
        write_whole(path, "another", overwrite=False)
    assert str(refused.value) == sentence
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("paid for", 0o640)
    write_whole(path, "another", overwrite=True)
    assert path.read_text() == "another"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_appears_after_the_check_is_not_overwritten(links, tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    synchronise = os.fsync

    def appear(handle):
        synchronise(handle)
        path.write_text("another's")

    monkeypatch.setattr(os, "fsync", appear)
    with pytest.raises(FileError, match=r"already exists\. Choose another name or pass --force\.$"):
        write_whole(path, "ours", overwrite=False, option="--force")
    assert path.read_text() == "another's"
    assert list(tmp_path.iterdir()) == [path]


def test_of_many_writers_one_wins(links, tmp_path):
    path, writers = tmp_path / "model.json", 16
    together = Barrier(writers)

    def write(number: int) -> int | None:
        together.wait()
        try:
            write_whole(path, f"{number}" * 10_000, overwrite=False)
        except FileError:
            return None
        return number

    with ThreadPoolExecutor(writers) as pool:
        (winner,) = [number for number in pool.map(write, range(writers)) if number is not None]
    assert path.read_text() == f"{winner}" * 10_000
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    for path in (tmp_path / "pipe", tmp_path / "link", tmp_path / "socket", Path("/dev/zero")):
        for refuse in (require_new_file, lambda path, overwrite: write_whole(path, "text", overwrite=overwrite)):
            with pytest.raises(FileError, match="is a pipe, a device or a socket"):
                refuse(path, overwrite=True)
    with pytest.raises(FileError, match="is a folder"):
        write_whole(tmp_path, "text", overwrite=True)


def test_the_null_device_takes_everything():
    write_whole(Path(os.devnull), "text", overwrite=False)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_an_interruption_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    path.write_text("old")

    def interrupt(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "new", overwrite=True)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
