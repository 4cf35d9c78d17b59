"""Temporary files and folders that live as long as the process that made them.

The owner holds a lock (flock) on the file or folder. A lock works between containers that share a disk and have process
numbers of their own, and the system releases it when the owner ends, however it ends. So what can be locked by another
process has no owner, and is removed.
"""

import errno
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from pathlib import Path

ATTEMPTS = 100
"""Times that a file is made again that another process has removed."""
SCRATCH = "dprules-scratch-"
"""Prefix of folders in which engines keep private rows."""
WRITING = ".dprules-"
"""Prefix of a file that is written beside its final place."""
ABANDONED = 7 * 24 * 3600
"""Seconds without a change after which a file or folder has no owner, where the file system has no locks."""
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


class _Lock(Enum):
    TAKEN = auto()
    HELD_BY_ANOTHER = auto()
    UNSUPPORTED = auto()


def _lock(handle: int) -> _Lock:
    """Try to lock an open file or folder; closing the handle releases it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        held = error.errno in (errno.EWOULDBLOCK, errno.EACCES)
        return _Lock.HELD_BY_ANOTHER if held else _Lock.UNSUPPORTED
    return _Lock.TAKEN


def make_folder(prefix: str, parent: Path | None = None) -> tuple[Path, int]:
    """Make a folder of mode 0700; return it, and an open handle: while it is open, no other process removes the folder.

    Parameters
    ----------
    prefix : str
        How its name begins; the number of the process and random letters follow.
    parent : Path or None
        None: where the system keeps temporary files.
    """

    def make() -> tuple[int, str]:
        name = tempfile.mkdtemp(dir=parent, prefix=f"{prefix}{os.getpid()}-")
        return os.open(name, _FLAGS | os.O_DIRECTORY), name

    return _make_owned(make)


def make_file(folder: Path) -> tuple[Path, int]:
    """Make a file of mode 0600; return it, and its handle. While that is open, no other process removes the file."""
    return _make_owned(lambda: tempfile.mkstemp(dir=folder, prefix=f"{WRITING}{os.getpid()}-"))


def _make_owned(make: Callable[[], tuple[int, str]]) -> tuple[Path, int]:
    """Make something and lock it; make another one if a process that cleans up was quicker."""
    for attempt in range(ATTEMPTS):
        try:
            handle, name = make()
        except FileNotFoundError:
            if attempt == ATTEMPTS - 1:
                raise
            continue  # removed before it was opened
        if _lock(handle) is not _Lock.HELD_BY_ANOTHER and _is_at(handle, name):
            return Path(name), handle
        os.close(handle)
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)


def _is_at(handle: int, name: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(name))
    except FileNotFoundError:
        return False


def remove_left_folders(parent: Path | None = None, prefix: str = SCRATCH) -> None:
    """Remove folders whose owner has ended without removing them.

    Parameters
    ----------
    parent : Path or None
        Where to look; None: where the system keeps temporary files.
    prefix : str
        How their names begin.
    """
    for folder in _ownerless(Path(tempfile.gettempdir()) if parent is None else parent, prefix):
        if folder.is_dir():
            shutil.rmtree(folder, ignore_errors=True)


def remove_left_files(folder: Path) -> None:
    """Remove files that were being written in a folder when their owner was killed."""
    for path in _ownerless(folder, WRITING):
        if path.is_file():
            path.unlink(missing_ok=True)


def _ownerless(parent: Path, prefix: str) -> Iterator[Path]:
    """Return files and folders of this user without an owner, each locked while the caller looks at it."""
    pattern = re.compile(re.escape(prefix) + r"[0-9]{1,9}-\w{8}")
    with suppress(OSError):
        for path in list(parent.iterdir()):
            if pattern.fullmatch(path.name):
                with suppress(OSError), _opened(path) as handle:
                    if os.fstat(handle).st_uid == os.getuid() and _has_no_owner(handle, path):
                        yield path


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    handle = os.open(path, _FLAGS)
    try:
        yield handle
    finally:
        os.close(handle)


def _has_no_owner(handle: int, path: Path) -> bool:
    lock = _lock(handle)
    if lock is not _Lock.UNSUPPORTED:
        return lock is _Lock.TAKEN
    inside = list(path.iterdir()) if path.is_dir() else []
    return max(one.lstat().st_mtime for one in (path, *inside)) < time.time() - ABANDONED
