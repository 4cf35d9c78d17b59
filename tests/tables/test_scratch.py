import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from dprules.tables.scratch import remove_left_folders, scratch_folder
from dprules.temporary import ABANDONED


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_a_folder_is_private_and_removed(elsewhere: Path) -> None:
    with scratch_folder() as folder:
        assert Path(folder).parent == elsewhere
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
        (Path(folder) / "spill").write_text("secret")
    assert list(elsewhere.iterdir()) == []


def test_it_is_removed_when_the_work_fails(elsewhere: Path) -> None:
    with pytest.raises(KeyboardInterrupt), scratch_folder():
        raise KeyboardInterrupt
    assert list(elsewhere.iterdir()) == []


WORK = "import time\nfrom dprules.tables.scratch import scratch_folder\nwith scratch_folder():\n    time.sleep(60)\n"
CLEAN = "from dprules.tables.scratch import remove_left_folders\nremove_left_folders()\n"
ELSEWHERE = ["unshare", "--pid", "--fork", "--kill-child"]
"""Runs a command with process numbers of its own, as another container does."""


def may_unshare() -> bool:
    try:
        return subprocess.run([*ELSEWHERE, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture(params=["here", "in another container"])
def prefix(request: pytest.FixtureRequest) -> list[str]:
    if request.param != "here" and not may_unshare():
        pytest.skip("needs unshare and the right to use it")
    return [] if request.param == "here" else ELSEWHERE


def start(prefix: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start a process that works in a scratch folder, and wait until it does."""
    process = subprocess.Popen([*prefix, sys.executable, "-c", WORK], env=os.environ | {"TMPDIR": str(folder)})
    while not any(is_locked(path) for path in folder.iterdir()):
        time.sleep(0.01)
    return process


def is_locked(path: Path) -> bool:
    """Whether a folder has an owner; between making and locking it has none."""
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def end(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Kill it, and wait until the kernel has released its lock."""
    process.send_signal(signal.SIGKILL)
    process.wait()
    (left,) = folder.glob("dprules-scratch-*-*")
    handle = os.open(left, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    os.close(handle)


def test_what_a_killed_process_left_is_removed_at_the_next_start(elsewhere: Path, prefix: list[str]) -> None:
    process = start(prefix, elsewhere)
    remove_left_folders()
    assert list(elsewhere.iterdir())  # it still works there
    end(process, elsewhere)
    assert list(elsewhere.iterdir())
    (elsewhere / "dprules-scratch-odd").mkdir()
    remove_left_folders()
    assert [folder.name for folder in elsewhere.iterdir()] == ["dprules-scratch-odd"]


def test_another_container_leaves_a_live_folder_alone(elsewhere: Path, prefix: list[str]) -> None:
    with scratch_folder() as folder:
        for _ in range(3):
            subprocess.run(
                [*prefix, sys.executable, "-c", CLEAN], env=os.environ | {"TMPDIR": str(elsewhere)}, check=True
            )
        assert Path(folder).is_dir()
    assert list(elsewhere.iterdir()) == []


def test_processes_that_make_and_clean_at_the_same_time_lose_no_folder(elsewhere: Path) -> None:
    code = (
        "import os\nfrom dprules.tables.scratch import scratch_folder\n"
        "for _ in range(300):\n"
        "    with scratch_folder() as folder:\n"
        "        assert os.path.isdir(folder)\n"
    )
    environment = os.environ | {"TMPDIR": str(elsewhere)}
    processes = [subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert list(elsewhere.iterdir()) == []


def test_without_locks_only_old_folders_are_removed(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    names = [f"dprules-scratch-{number}-abcdefgh" for number in (1, 2, 3)]
    for name in names:
        (elsewhere / name).mkdir()
    (elsewhere / names[1] / "spill").touch()
    long_ago = time.time() - ABANDONED - 10
    for name in names[1:]:
        os.utime(elsewhere / name, (long_ago, long_ago))
    with scratch_folder() as folder:
        assert {path.name for path in elsewhere.iterdir()} == {*names[:2], Path(folder).name}


def test_folders_of_others_stay(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / "dprules-scratch-999999999-abcdefgh").mkdir()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    remove_left_folders()
    assert len(list(elsewhere.iterdir())) == 1


def test_a_temporary_folder_that_cannot_be_listed_is_no_reason_to_stop(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere / "none"))
    remove_left_folders()
