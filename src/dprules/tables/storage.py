"""Where blocks of records are kept: in memory, and beyond an allowance in files that nobody else can open."""

import mmap
import os
import tempfile
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.private import Private
from dprules.tables.table import call_quietly

NEEDED = 500_000_000
"""Bytes that the program itself, what is read next and counts need."""
PART_FOR_BLOCKS = 0.8
"""Of the memory that is left then."""

_NO_FILE = "the folder for temporary files cannot be written. Point TMPDIR to another place."


def _allowance(memory: int) -> int:
    return int(max(0.1 * memory, PART_FOR_BLOCKS * (memory - NEEDED)))


class Storage(Private):
    """Keeps arrays that are read from beginning to end, and not changed.

    Parameters
    ----------
    memory : int or None
        Bytes that all of the work may use; None: as many as there are.
    folder : str or None
        A private folder; it must be given with `memory`.
    """

    __slots__ = ("_folder", "_left", "memory")

    def __init__(self, memory: int | None = None, folder: str | None = None) -> None:
        self.memory = memory
        self._folder = folder
        self._left = None if memory is None else _allowance(memory)

    def keep(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array of the same content, which may lie in a file."""
        if self._left is None:
            return array
        if array.nbytes > self._left:
            return call_quietly(lambda: self._written(array), _NO_FILE)
        self._left -= array.nbytes
        # Whoever has used the array last makes room for others.
        weakref.finalize(array, self._give_back, array.nbytes).atexit = False
        return array

    def _give_back(self, size: int) -> None:
        if self._left is not None:
            self._left += size

    def _written(self, array: NDArray[Any]) -> NDArray[Any]:
        """Write first and map then: a full disk is an error when it is written to, and a crash when it is mapped.

        The file has no name any more when it is mapped, so that nothing is left of it whatever happens to the process.
        """
        if array.nbytes == 0:
            return array
        handle, path = tempfile.mkstemp(dir=self._folder)  # 0600
        try:
            os.unlink(path)
            data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            written = 0
            while written < len(data):
                written += os.write(handle, data[written : written + (1 << 26)].data)
            mapped = mmap.mmap(handle, len(data), prot=mmap.PROT_READ)
        finally:
            os.close(handle)
        return np.frombuffer(mapped, dtype=array.dtype).reshape(array.shape)


def release_pages(array: NDArray[Any]) -> None:
    """Give the memory of an array in a file back: it will be read again when it is needed."""
    mapped = _mapped(array)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def _mapped(array: NDArray[Any]) -> mmap.mmap | None:
    """Return the file that an array lies in, None if it lies in memory."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    owner = base.obj if isinstance(base, memoryview) else base
    return owner if isinstance(owner, mmap.mmap) else None
