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


def test_what_a_killed_process_left_is_removed_at_the_next_start(elsewhere: Path) -> None:
    code = (
        "import time\nfrom dprules.tables.scratch import scratch_folder\nwith scratch_folder():\n    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"TMPDIR": str(elsewhere)})
    while not list(elsewhere.iterdir()):
        time.sleep(0.01)
    remove_left_folders()
    assert list(elsewhere.iterdir())  # it still works there
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert list(elsewhere.iterdir())
    (elsewhere / "dprules-scratch-odd").mkdir()
    remove_left_folders()
    assert [folder.name for folder in elsewhere.iterdir()] == ["dprules-scratch-odd"]


def test_folders_of_others_stay(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / "dprules-scratch-999999999-x").mkdir()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    remove_left_folders()
    assert len(list(elsewhere.iterdir())) == 1


def test_a_temporary_folder_that_cannot_be_listed_is_no_reason_to_stop(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere / "none"))
    remove_left_folders()
