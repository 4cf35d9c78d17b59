"""Calibrated numbers that are kept on disk: a tilt takes longer to find than a small table to read.

A number is kept in a file of its own below `$DPRULES_CACHE`, or `dprules` in the user's cache folder; an empty
`$DPRULES_CACHE` keeps nothing. Nothing private is in it: a tilt follows from epsilon, delta and the number of rules,
which are public. (The number of rules may come from noisy counts that were released.) Still, the name of a file is a
digest of a few such numbers, so that whoever reads the folder can find out which budgets were used here. The folder is
therefore closed to others (0700), and so are the files (0600).

Guarantee: none is needed. What is read must pass the same certified check as what is found, so that a file that was
altered costs time or accuracy, and never privacy. The account prices it once more. Names also depend on the code of
the accounting, so that a better bound never meets a number of an older one.
"""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

import flint
import numpy as np

from dprules.errors import ModelError
from dprules.files import digest, read_document, write_whole

Question = Sequence[str | int | float | Fraction | None]
"""Everything that a number depends on, besides the code."""

FORMAT: Final = "dprules-tilt"
MOST_BYTES: Final = 1_000
"""Of a file: more is none of ours."""
MOST_FILES: Final = 1_000
"""In the folder: then it is emptied."""
_LARGEST: Final = 1_000.0
"""Of a tilt: no budget allows more."""


def recall(question: Question, holds: Callable[[float], bool], find: Callable[[], float]) -> float:
    """Return what was found before if it is on disk and holds; otherwise find it, and keep it.

    A folder that is missing, full, broken or another user's only costs time.

    Parameters
    ----------
    question : sequence
        What the number is, and everything that it depends on.
    holds : callable
        Whether a number is allowed, certainly.
    find : callable
        Searches for the best number that is allowed.
    """
    path = find_place(question)
    kept = None if path is None else _read(path)
    if kept is not None and _is_allowed(kept, holds):
        return kept
    found = find()
    if path is not None:
        _write(path, found)
    return found


def _is_allowed(kept: float, holds: Callable[[float], bool]) -> bool:
    if not 0 < kept <= _LARGEST:  # NaN neither
        return False
    try:
        return holds(kept)
    except (ArithmeticError, ValueError):  # nobody tried such a number before
        return False


def find_place(question: Question) -> Path | None:
    """Return the file of a question; None: there is no folder, or nothing to tell the code by."""
    try:
        folder = _find_folder()
        code = _digest_code()
    except (OSError, RuntimeError):  # no home
        return None
    if folder is None or code is None:
        return None
    return folder / f"{digest([code, *map(_spell, question)])}.json"


def _spell(part: str | int | float | Fraction | None) -> str:
    """Write a number in full, by its bits: decimals of a long fraction are refused by Python."""
    if isinstance(part, float):
        return part.hex()
    if isinstance(part, Fraction):
        return f"{part.numerator:x}/{part.denominator:x}"
    return str(part)


def _find_folder() -> Path | None:
    named = os.environ.get("DPRULES_CACHE")
    if named is not None:
        return Path(named).absolute() / "tilts" if named else None
    cached = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(cached) if Path(cached).is_absolute() else Path.home() / ".cache"
    return base / "dprules" / "tilts"


@cache
def _digest_code() -> str | None:
    """Return a digest of the code that numbers follow from, and of the libraries it computes with."""
    here = Path(__file__).parent
    files = [*sorted(here.glob("*.py")), here.parent / "numbers.py"]
    if here / "rounds.py" not in files:  # an install without sources
        return None
    text = b"\0".join(file.read_bytes() for file in files)
    return hashlib.sha256(text + f"{np.__version__} {flint.__version__}".encode()).hexdigest()


def _read(path: Path) -> float | None:
    with suppress(OSError, ValueError, OverflowError, ModelError):
        if not (_is_ours(path.parent, stat.S_ISDIR) and _is_ours(path, stat.S_ISREG)):
            return None
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            return None
        document = read_document(text.decode("ascii"))
        tilt = document.get("tilt")
        if isinstance(tilt, str) and document == _document(path, tilt):
            return float.fromhex(tilt)
    return None


def _is_ours(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Whether something is of a kind, belongs to this user, and is closed to all others."""
    found = path.lstat()
    return is_kind(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _write(path: Path, found: float) -> None:
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(path.parent, stat.S_ISDIR):
            return
        if path.is_symlink() or not path.is_file():  # a pipe would be waited for
            path.unlink(missing_ok=True)
        kept = list(path.parent.glob("*.json"))
        for old in kept if len(kept) >= MOST_FILES else []:
            old.unlink(missing_ok=True)
        write_whole(path, f"{json.dumps(_document(path, found.hex()))}\n", mode=0o600, overwrite=True)


def _document(path: Path, tilt: str) -> dict[str, str]:
    """Return what a file holds; the digest shows a bit that fell over, or a file under another name."""
    return {"format": FORMAT, "tilt": tilt, "digest": digest([path.name, tilt])}
