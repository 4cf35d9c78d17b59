"""Tilts that are kept on disk: whatever is in the folder, a number is found that holds."""

import os
from pathlib import Path

import pytest
from hypothesis import given

from dprules.accounting import disk
from fuzz.examples import MANY, QUICK, SEEDS
from fuzz.guard import READ, require_words
from fuzz.mutations import scramble
from fuzz.parsers import QUESTION, TILT, recall_tilt


@pytest.fixture
def kept(tmp_path) -> Path:
    """The file of a number that was found."""
    assert recall_tilt(tmp_path) == TILT
    return next(tmp_path.rglob("*.json"))


def recall_kept(folder: Path, monkeypatch) -> float:
    """Look for it; 1 if it has to be found anew."""
    monkeypatch.setenv("DPRULES_CACHE", str(folder))
    return disk.recall(QUESTION, lambda number: True, lambda: 1.0)


def test_the_largest_file(kept, tmp_path, monkeypatch):
    text = kept.read_bytes()
    kept.write_bytes(text + b" " * (disk.MOST_BYTES - len(text)))
    assert recall_kept(tmp_path, monkeypatch) == TILT
    kept.write_bytes(text + b" " * (disk.MOST_BYTES + 1 - len(text)))
    assert recall_kept(tmp_path, monkeypatch) == 1.0


@pytest.mark.parametrize("kind", ["pipe", "folder", "zeros", "loop"])
def test_what_is_no_file_in_the_place_of_one(kind, kept, guard, tmp_path):
    kept.unlink()
    match kind:
        case "pipe":
            os.mkfifo(kept, 0o600)
        case "folder":
            kept.mkdir(mode=0o700)
        case "zeros":
            kept.symlink_to("/dev/zero")
        case _:
            kept.symlink_to(kept)
    assert require_words(guard.parse("tilt", tmp_path)).kind == READ


def read_hostile(guard, kept: Path, folder: Path, seed: int) -> None:
    whole = kept.read_bytes()
    kept.write_bytes(scramble(whole, seed))
    assert require_words(guard.parse("tilt", folder)).kind == READ
    kept.write_bytes(whole)
    kept.chmod(0o600)


@QUICK
@given(seed=SEEDS)
def test_hostile_tilts(guard, kept, tmp_path, seed):
    read_hostile(guard, kept, tmp_path, seed)


@pytest.mark.slow
@MANY
@given(seed=SEEDS)
def test_very_many_hostile_tilts(guard, kept, tmp_path, seed):
    read_hostile(guard, kept, tmp_path, seed)
