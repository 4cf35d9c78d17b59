"""Where random bits come from: the operating system, or (for tests only) a seed."""

import os
import threading
from typing import Final, Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from dprules.numbers import whole
from dprules.private import Private

Words = NDArray[np.uint64]

_BUFFER_WORDS: Final = 1 << 13
# Far below the 2^32 blocks after which counter mode would show that no block repeats.
_REKEY_BYTES: Final = 1 << 30


class Bits(Protocol):
    """A source of independent uniform 64-bit words.

    `secure` is false for every source whose output somebody could reproduce; whatever used such a source is not
    private, and says so.
    """

    @property
    def secure(self) -> bool:
        """Whether the words are unpredictable."""
        ...

    def words(self, size: int) -> Words:
        """Return `size` fresh words."""
        ...


class SecureBits(Private):
    """AES-256 in counter mode, keyed by the operating system's generator.

    The key is drawn anew in every child process, so that a fork never repeats its parent's stream (forks that Python
    does not know of are noticed by their process id), and after every GiB. Safe to share between threads.
    """

    __slots__ = ("_buffer", "_encrypt", "_lock", "_next", "_process", "_produced")

    _buffer: Words
    _next: int

    def __init__(self) -> None:
        self._rekey()
        os.register_at_fork(after_in_child=self._rekey)

    @property
    def secure(self) -> bool:
        """Always true."""
        return True

    def __repr__(self) -> str:
        return "SecureBits()"

    def words(self, size: int) -> Words:
        """Return `size` fresh words."""
        if os.getpid() != self._process:  # a library forked behind Python's back
            self._rekey()
        with self._lock:
            if size > _BUFFER_WORDS:
                return self._produce(size)
            if self._next + size > len(self._buffer):
                self._buffer = self._produce(_BUFFER_WORDS)
                self._next = 0
            self._next += size
            return self._buffer[self._next - size : self._next].copy()

    def _rekey(self) -> None:
        # A child also gets a new lock: the parent's may have been held by a thread that the fork did not copy.
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._encrypt = Cipher(algorithms.AES256(os.urandom(32)), modes.CTR(bytes(16))).encryptor()
        self._buffer = np.empty(0, dtype=np.uint64)
        self._next = 0
        self._produced = 0

    def _produce(self, size: int) -> Words:
        if self._produced > _REKEY_BYTES:
            self._encrypt = Cipher(algorithms.AES256(os.urandom(32)), modes.CTR(bytes(16))).encryptor()
            self._produced = 0
        fresh = np.zeros(size, dtype=np.uint64)
        self._encrypt.update_into(fresh.view(np.uint8).data, fresh.view(np.uint8).data)
        self._produced += 8 * size
        return fresh


class SeededBits:
    """A reproducible source, for tests and examples. Whatever used it is **not private**.

    Examples
    --------
    >>> SeededBits(7).words(2).tolist() == SeededBits(7).words(2).tolist()
    True
    >>> SeededBits(7).secure
    False
    """

    __slots__ = ("_generator",)

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.Philox(whole(seed, "seed", least=0)))

    @property
    def secure(self) -> bool:
        """Always false."""
        return False

    def __repr__(self) -> str:
        return "SeededBits(not private)"

    def words(self, size: int) -> Words:
        """Return the next `size` words of the seed's stream."""
        return self._generator.integers(0, 2**64, size=size, dtype=np.uint64)


os_bits: Final[Bits] = SecureBits()
