"""Files that are written whole or not at all, and JSON that is read with suspicion."""

import errno
import hashlib
import json
import os
import re
import stat
import time
from contextlib import suppress
from math import isinf
from pathlib import Path
from typing import Any

from dprules.errors import FileError, ModelError
from dprules.temporary import make_file, remove_left_files

LARGEST_DOCUMENT = 50_000_000
"""Characters of a JSON document, and bytes of its file: more is no model."""
MOST_ITEMS = 3_000_000
"""Commas, brackets and braces of a JSON document: what it may make this machine hold."""
DEEPEST = 32
"""Tables and lists of a document that stand inside one another, the outermost included."""
PATIENCE = 5.0
"""Seconds to wait for somebody who writes to a pipe."""
_CHUNK = 1 << 20


def require_new_file(path: Path, *, overwrite: bool, option: str = "overwrite=True") -> None:
    """Refuse an output that is a file which may not be overwritten, or that is no file.

    A pipe would be waited for. `/dev/null` is the one device that is taken.

    Parameters
    ----------
    path : Path
        Where the file is to be.
    overwrite : bool
        Whether a file that exists may be replaced.
    option : str
        How the caller is asked to overwrite it.
    """
    try:
        kind = path.stat().st_mode
    except OSError:  # nothing to overwrite; if the place is wrong, writing says why
        return
    if stat.S_ISDIR(kind):
        raise FileError(f"{path} is a folder. Name a file in it.")
    if is_null(path):
        return
    if not stat.S_ISREG(kind):
        raise FileError(f"{path} is a pipe, a device or a socket. Name a file.")
    if not overwrite:
        raise FileError(f"{path} already exists. Choose another name or pass {option}.")


def is_null(path: Path) -> bool:
    """Whether a path is the device that forgets what is written to it."""
    return path.exists() and path.samefile(os.devnull)


def write_whole(path: Path, text: str, mode: int = 0o644, *, overwrite: bool, option: str = "overwrite=True") -> None:
    """Write a file under a temporary name beside its place and move it there: an interruption changes nothing.

    Parameters
    ----------
    path : Path
        Where the file is to be.
    text : str
        All of it.
    mode : int
        Permissions: models are public, hence the default; predictions on private rows get 0600.
    overwrite : bool
        Whether a file that exists is replaced; otherwise it is refused, also if it appears at the last moment.
    option : str
        How the caller is asked to overwrite it.
    """
    require_new_file(path, overwrite=overwrite, option=option)
    if is_null(path):
        return
    target = follow_links(path)
    remove_left_files(target.parent)
    temporary, handle = make_file(target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            temporary.chmod(mode)
            _move(temporary, target, overwrite)  # while it is open: it would have no owner otherwise
        sync_folder(target.parent)
    except FileExistsError:  # it has appeared since the check
        require_new_file(path, overwrite=False, option=option)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def _move(temporary: Path, target: Path, overwrite: bool) -> None:
    """Give a file its name, in one step; without `overwrite` the system refuses a name that is taken."""
    if overwrite:
        temporary.replace(target)
        return
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: take the name with an empty file first
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        temporary.replace(target)


def sync_folder(folder: Path) -> None:
    """Make the name of a new file outlive a power cut, where the file system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def follow_links(path: Path) -> Path:
    """Return where links lead; a circle of them is an error of the system, as it is when a file is opened."""
    try:
        return path.resolve()
    except RuntimeError:
        pass
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def read_start(path: Path, most: int) -> bytes:
    """Return what a file holds; of a larger one, or of a device that never ends, one byte more than `most`.

    A pipe is read as well; one that nobody writes to is refused, and not waited for.

    Parameters
    ----------
    path : Path
        A file, a pipe or a device.
    most : int
        Bytes that the caller takes.
    """
    with open(path, "rb", buffering=0, opener=_open_at_once) as file:
        handle = file.fileno()
        parts = [_await_writer(handle, path) if stat.S_ISFIFO(os.fstat(handle).st_mode) else b""]
        os.set_blocking(handle, True)
        left = most + 1 - len(parts[0])
        while left > 0 and (part := os.read(handle, min(left, _CHUNK))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts)


def _open_at_once(name: str, flags: int) -> int:
    """Open without waiting for the other end of a pipe."""
    try:
        return os.open(name, flags | os.O_NONBLOCK)
    except FileNotFoundError:
        pass
    raise FileError(f"{name}: no such file. Check the name.")


def _await_writer(handle: int, path: Path) -> bytes:
    """Return the first byte of a pipe; nothing if its writer has none yet."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            first = os.read(handle, 1)
        except BlockingIOError:  # somebody holds the other end
            return b""
        if first:
            return first
        time.sleep(0.01)
    raise FileError(f"{path} is a pipe that nobody writes to. Name a file, or start what writes to it.")


def is_deep(document: object) -> bool:
    """Whether more than `DEEPEST` tables and lists stand inside one another.

    Examples
    --------
    >>> is_deep({"a": [[]]})
    False
    """
    level: list[Any] = [document]
    for _ in range(DEEPEST + 1):
        level = [one for one in level if isinstance(one, dict | list)]
        if not level:
            return False
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
    return True


def read_document(text: str) -> dict[str, Any]:
    """Parse JSON into a dictionary; anything else is refused.

    Examples
    --------
    >>> read_document('{"format": "dprules-model"}')
    {'format': 'dprules-model'}
    """
    if len(text) > LARGEST_DOCUMENT or sum(map(text.count, ",[{")) > MOST_ITEMS:
        raise ModelError("the file is too large for a model. Is it the right one?")
    try:
        parsed = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_read_float, object_pairs_hook=_refuse_doubles
        )
        if is_deep(parsed):
            parsed = None
        if re.search(r"\\u[dD][89a-fA-F]", text):  # half of a surrogate pair is no text that can be written
            json.dumps(parsed, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise ModelError("the file is not a JSON document of dprules, or it was cut short. Restore it from a copy.")
    return parsed


def read_document_file(path: Path) -> dict[str, Any]:
    """Read a JSON document from a file."""
    start = read_start(path, LARGEST_DOCUMENT)
    if len(start) > LARGEST_DOCUMENT:
        raise ModelError("the file is too large for a model. Is it the right one?")
    try:
        text = start.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    return read_document(text)


def _refuse_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that stands twice shows one value to readers and another to us."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError
    return made


def _read_float(text: str) -> float:
    """1e999 would be Infinity, which is no JSON."""
    number = float(text)
    if isinf(number):
        raise ValueError
    return number


def _refuse_constant(name: str) -> None:
    """NaN and Infinity are no JSON."""
    raise ValueError(name)


def require_format(document: dict[str, Any], form: str, version: int) -> None:
    """Refuse a document of another form, or of another version."""
    if document.get("format") != form:
        raise ModelError(f"the file is not a {form} file. Choose one that dprules wrote.")
    found = document.get("version")
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise ModelError("the file has no version. Export it again.")
    if found != version:
        raise ModelError(
            f"the file has version {found}, this dprules reads version {version}. Use the one that wrote it."
        )


def is_written_alike(first: object, second: object) -> bool:
    """Whether two documents are the same JSON text, up to the order of names: true is not 1, and 1.0 is not 1.

    Examples
    --------
    >>> is_written_alike({"a": 1, "b": 2}, {"b": 2, "a": 1}), is_written_alike([1], [True])
    (True, False)
    """
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def digest(document: object) -> str:
    """Return the SHA-256 digest of a JSON document, whatever the order of its keys and its layout.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
