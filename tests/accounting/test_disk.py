"""Numbers that are kept on disk save time; whatever a file says, no more is spent."""

import json
import os
import stat
from fractions import Fraction
from pathlib import Path

import pytest

from dprules.accounting import Account, CountedCover, counted, cover, disk
from dprules.accounting.counted import Parts
from dprules.errors import PrivacyError
from dprules.files import digest

QUESTION = ("test", 1.0, 1e-6, 5, Fraction(1, 3), None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for numbers, and no memory of what was found in this process."""
    monkeypatch.setenv("DPRULES_CACHE", str(tmp_path / "cache"))
    counted.forget_tilts()
    cover._tilt.cache_clear()
    return tmp_path / "cache" / "tilts"


def ask(holds: bool = True, found: float = 0.25) -> tuple[float, bool]:
    """Return the answer, and whether it was searched for."""
    searched = []

    def find() -> float:
        searched.append(True)
        return found

    return disk.recall(QUESTION, lambda value: holds, find), bool(searched)


def plant(path: Path, tilt: object) -> None:
    """Put a number into a file, with a digest that fits it."""
    path.write_text(json.dumps({"format": disk.FORMAT, "tilt": tilt, "digest": digest([path.name, tilt])}))


def test_a_number_is_found_once(folder: Path) -> None:
    assert ask(found=0.1) == (0.1, True)
    assert ask(found=0.7) == (0.1, False)


def test_files_are_closed_to_others(folder: Path) -> None:
    ask()
    (file,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_number_that_does_not_hold_is_found_anew(folder: Path) -> None:
    ask(found=0.1)
    assert ask(holds=False, found=0.05) == (0.05, True)
    assert ask() == (0.05, False)


def test_other_questions_and_other_code_have_other_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(found=0.1)
    assert disk.recall((*QUESTION[:-1], 7), lambda value: True, lambda: 0.2) == 0.2
    monkeypatch.setattr(disk, "_digest_code", lambda: "other code")
    assert ask(found=0.3) == (0.3, True)


@pytest.mark.parametrize(
    "tilt",
    ["nan", "inf", "-0x1p-3", "0x0p+0", "0x1p+900", "0x1p+99999999", "1/3", "a word", "", 0.1, None, True, ["0x1p-3"]],
)
def test_a_tilt_of_another_kind(folder: Path, tilt: object) -> None:
    ask(found=0.1)
    (file,) = folder.iterdir()
    plant(file, tilt)
    assert ask(found=0.2) == (0.2, True)
    assert ask() == (0.2, False)


def test_a_fraction_with_giant_digits(folder: Path) -> None:
    ask(found=0.1)
    (file,) = folder.iterdir()
    plant(file, f"{'9' * 100_000}/{'7' * 100_000}")
    assert ask(found=0.2) == (0.2, True)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\xfe", b"\x00" * 5000, b"[" * 900])
def test_a_broken_file(folder: Path, content: bytes) -> None:
    ask(found=0.1)
    (file,) = folder.iterdir()
    file.write_bytes(content)
    assert ask(found=0.2) == (0.2, True)


def test_a_bit_that_fell_over(folder: Path) -> None:
    ask(found=0.1)
    (file,) = folder.iterdir()
    file.write_text(file.read_text().replace((0.1).hex(), (0.05).hex()))
    assert ask(found=0.1) == (0.1, True)


def test_a_check_that_fails(folder: Path) -> None:
    """No number stops a fit: what cannot be priced does not hold."""

    def overflow(value: float) -> bool:
        raise OverflowError

    ask(found=0.1)
    assert disk.recall(QUESTION, overflow, lambda: 0.2) == 0.2


@pytest.mark.parametrize("mode", [0o755, 0o777])
def test_a_folder_that_others_may_open_is_not_used(folder: Path, mode: int) -> None:
    ask(found=0.1)
    folder.chmod(mode)
    assert ask(found=0.2) == (0.2, True)
    folder.chmod(0o700)
    assert ask() == (0.1, False)


def test_a_folder_of_another_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(found=0.1)
    other = os.getuid() + 1
    with monkeypatch.context() as changed:
        changed.setattr(os, "getuid", lambda: other)
        assert ask(found=0.2) == (0.2, True)
    assert ask() == (0.1, False)


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    ask(found=0.1)
    (file,) = folder.iterdir()
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert ask(found=0.2) == (0.2, True)


def test_a_file_in_the_place_of_the_folder(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("no folder")
    assert ask() == (0.25, True)
    assert folder.read_text() == "no folder"


def test_a_disk_that_is_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(disk, "write_whole", fail)
    assert ask() == (0.25, True)


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("DPRULES_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", fail)
    assert ask() == (0.25, True)


def test_the_cache_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DPRULES_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ask()
    assert len(list((tmp_path / "dprules" / "tilts").iterdir())) == 1


def test_nothing_is_kept_if_the_folder_is_empty_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPRULES_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert ask() == (0.25, True)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_full_is_emptied(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "MOST_FILES", 3)
    for rounds in range(1, 5):
        disk.recall(("test", rounds), lambda value: True, lambda: 0.1)
    assert len(list(folder.iterdir())) == 1


def test_a_calibrated_tilt_is_the_same_from_disk(folder: Path) -> None:
    first = counted.tilt(1.0, 1e-6, 4), cover.tilt(1.0, 1e-6, rounds=4, reward=Fraction(1, 3))
    assert len(list(folder.iterdir())) == 2
    counted.forget_tilts()
    cover._tilt.cache_clear()
    assert (counted.tilt(1.0, 1e-6, 4), cover.tilt(1.0, 1e-6, rounds=4, reward=Fraction(1, 3))) == first


@pytest.mark.parametrize("factor", [1.001, 2.0, 1e3])
def test_a_tilt_that_is_too_large_is_never_charged(folder: Path, factor: float) -> None:
    parts = Parts.of(4)
    honest = counted.tilt(1.0, 1e-6, 4, parts=parts)
    (file,) = folder.iterdir()
    plant(file, (honest * factor).hex())
    counted.forget_tilts()
    assert counted.tilt(1.0, 1e-6, 4, parts=parts) == honest
    with pytest.raises(PrivacyError):  # and if it got that far
        Account(1.0, 1e-6).charge("rules", CountedCover(Fraction(honest * factor), 4, parts))


def test_numbers_with_giant_digits_may_be_asked_for(folder: Path) -> None:
    long = Fraction(10**6_000 + 1, 3 * 10**6_000)
    assert 0 < cover.tilt(1.0, 1e-6, rounds=2, reward=long) < 1
