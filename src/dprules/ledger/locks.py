"""Whether a folder's files can be locked: on some mounts locks are granted to everybody, or to nobody."""

import os
import re
import struct
from contextlib import suppress
from pathlib import Path

from dprules.errors import FileError
from dprules.temporary import make_file

_FLOCK = struct.Struct("hhqqi4x")
"""struct flock on 64-bit Linux: type, whence, start, length, process."""


MOUNTS = Path("/proc/self/mountinfo")
"""What is mounted where, on Linux."""
_LOCAL = frozenset({"nolock", "local_lock=all", "local_lock=posix", "localflock", "noflock", "nobrl"})
"""Options of mounts from other machines with which locks keep apart the writers of one machine, at the most."""


def require_locks(folder: Path) -> None:
    """Refuse a folder whose mount does not keep two writers apart: a budget could be spent twice there."""
    if _options_of(folder) & _LOCAL:
        raise FileError(
            f"{folder}: it is mounted without locks between machines, so that two jobs could spend the same budget. "
            "Keep the ledger on another disk, or in PostgreSQL."
        )
    try:
        import fcntl
    except ImportError:  # another system, whose SQLite locks in another way
        return
    if not hasattr(fcntl, "F_OFD_SETLK"):
        return
    try:
        path, handle = make_file(folder)
    except OSError:
        return  # it cannot be written at all, which SQLite says better
    try:
        other = os.open(path, os.O_RDWR)
        try:
            kept_apart = _are_kept_apart(fcntl, handle, other)
        finally:
            os.close(other)
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(handle)
    if not kept_apart:
        raise FileError(
            f"{folder}: files cannot be locked there, so that two jobs could spend the same budget. "
            "Keep the ledger on another disk, or in PostgreSQL."
        )


def _options_of(folder: Path) -> frozenset[str]:
    """Return the options of the mount that a folder is on; none where nobody says them."""
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return frozenset()
    found: tuple[int, frozenset[str]] = (0, frozenset())
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, source = before.split(" "), after.split(" ")
        if len(fields) < 6 or len(source) < 3:
            continue
        place = Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[4]))
        if folder.is_relative_to(place) and len(place.parts) >= found[0]:  # of two at one place the later one is seen
            found = (len(place.parts), frozenset(f"{fields[5]},{source[2]}".split(",")))
    return found[1]


def _are_kept_apart(fcntl: object, first: int, second: int) -> bool:
    """Whether a lock through one description of a file is refused through another: as between two processes."""
    take = fcntl.F_OFD_SETLK  # type: ignore[attr-defined]
    exclusive = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)  # type: ignore[attr-defined]
    try:
        fcntl.fcntl(first, take, exclusive)  # type: ignore[attr-defined]
    except OSError:
        return False
    try:
        fcntl.fcntl(second, take, exclusive)  # type: ignore[attr-defined]
    except OSError:
        return True
    return False
