"""Where a source has been learned up to, and which file is which.

A line belongs to a source by its position: the source's name, the file, the number of the line. What a line says takes
no part, and neither does its length: a file that was edited is still continued after the same number of lines.
"""

import ctypes
import os
import struct
from functools import cache
from pathlib import Path
from typing import Any

from dprules.private import Private

_AT_EMPTY_PATH = 0x1000  # the file is the open one
_STATX_BTIME = 0x800
_STATX_SIZE = 256  # bytes of the kernel's structure
_BIRTH_AT = 80  # byte where the birth time begins in it


class Position(Private):
    """How far a source has been learned.

    Parameters
    ----------
    line : int
        Lines, and so events, up to here; of a source of files, lines of one file.
    file : int
        Number of the file in its source, from 1 on; 0 for a queue and for standard input, which have lines only.
    identity : str
        Which file it is (`identify`).
    """

    __slots__ = ("file", "identity", "line")

    def __init__(self, line: int = 0, *, file: int = 0, identity: str = "") -> None:
        self.line = line
        self.file = file
        self.identity = identity

    def __repr__(self) -> str:
        return f"<position after line {self.line}>"


def identify(handle: int) -> str:
    """Return what an open file keeps when it is renamed or grows, and no other file has: inode and time of birth.

    An inode is used again once its file was deleted; the time of birth tells the two apart. The device is not part of
    it, since its number may change when the machine starts. Where no time of birth is kept, the device stands in for
    it.
    """
    status = os.fstat(handle)
    birth = getattr(status, "st_birthtime", None) or _read_birth(handle)
    return f"{status.st_ino}:{birth}" if birth else f"{status.st_dev}/{status.st_ino}"


def identify_path(path: Path) -> str:
    """Return the identity of the file that has a name now; links are followed."""
    # Opened first: between two questions about one name another file may get it.
    handle = os.open(path, getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_CLOEXEC)
    try:
        return identify(handle)
    finally:
        os.close(handle)


def _read_birth(handle: int) -> str:
    """Ask Linux for the time of birth, which Python does not before 3.15; nothing where it is not known."""
    statx = _statx()
    answer = ctypes.create_string_buffer(_STATX_SIZE)
    if statx is None or statx(handle, b"", _AT_EMPTY_PATH, _STATX_BTIME, answer) != 0:
        return ""
    (mask,) = struct.unpack_from("=I", answer, 0)
    seconds, nanoseconds = struct.unpack_from("=qI", answer, _BIRTH_AT)
    return f"{seconds}.{nanoseconds:09d}" if mask & _STATX_BTIME else ""


@cache
def _statx() -> Any:
    """Return the function of the C library, or nothing if it has none."""
    try:
        function = ctypes.CDLL(None).statx
    except (AttributeError, OSError):
        return None
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_char_p]
    return function
