"""Random bits that say so before the first of them is drawn."""

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dprules.mechanisms import Bits
from dprules.private import Private


class AnnouncedBits(Private):
    """Another source of bits, and a call before its first: a job that was stopped before it may be run again.

    Parameters
    ----------
    bits : Bits
        Where the words come from.
    announce : callable
        Called once, before the first word; if it refuses, no word is drawn.
    """

    __slots__ = ("_announce", "_bits", "_lock")

    def __init__(self, bits: Bits, announce: Callable[[], None]) -> None:
        self._bits = bits
        self._announce: Callable[[], None] | None = announce
        self._lock = threading.Lock()

    @property
    def secure(self) -> bool:
        """Whether the words are unpredictable."""
        return self._bits.secure

    def words(self, size: int) -> NDArray[np.uint64]:
        """Return `size` fresh words."""
        with self._lock:
            if self._announce is not None:
                self._announce()
                self._announce = None
        return self._bits.words(size)
