"""Where random bits come from: the operating system, a key that a store keeps, or (for tests only) a seed."""

import hmac
import os
import threading
from typing import Final, Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from dprules.errors import ParameterError
from dprules.numbers import whole
from dprules.private import Private

Words = NDArray[np.uint64]

KEY_BYTES: Final = 32
_BUFFER_WORDS: Final = 1 << 13
_KEYED_WORDS: Final = 1 << 9
"""A batch needs few words, and starts anew."""
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
        self._encrypt = _count_with(os.urandom(KEY_BYTES))
        self._buffer = np.empty(0, dtype=np.uint64)
        self._next = 0
        self._produced = 0

    def _produce(self, size: int) -> Words:
        if self._produced > _REKEY_BYTES:
            self._encrypt = _count_with(os.urandom(KEY_BYTES))
            self._produced = 0
        self._produced += 8 * size
        return _next_words(self._encrypt, size)


class KeyedBits(Private):
    """A pseudorandom function of a secret key and of a batch: the same two give the same words again.

    AES-256 in counter mode; its key is HMAC-SHA-256 of the batch's digest under the secret key. A store that keeps the
    key until the batch's effect is committed can repeat a batch that was interrupted without drawing anything anew,
    and another batch under the same key meets independent noise (`docs/proofs/stream_state.md`). Until the first
    `turn` the key is fresh.

    Examples
    --------
    >>> bits = KeyedBits()
    >>> key = bytes(32)
    >>> bits.turn(key, b"one batch")
    >>> first = bits.words(3).tolist()
    >>> bits.turn(key, b"another")
    >>> set(bits.words(3).tolist()) & set(first)
    set()
    >>> bits.turn(key, b"one batch")
    >>> bits.words(3).tolist() == first
    True
    """

    __slots__ = ("_buffer", "_encrypt", "_next")

    _buffer: Words
    _next: int

    def __init__(self) -> None:
        self.turn(os.urandom(KEY_BYTES), b"")

    @property
    def secure(self) -> bool:
        """Always true: the key comes from the operating system, and nobody sees it."""
        return True

    def turn(self, key: bytes, digest: bytes) -> None:
        """Start the words of a batch.

        Parameters
        ----------
        key : bytes
            32 bytes from the operating system, for one state of the learner.
        digest : bytes
            Of everything that the learner reads of the batch: injective, or two batches share their noise.
        """
        if len(key) != KEY_BYTES:
            raise ParameterError(f"a key must have {KEY_BYTES} bytes. Draw one from the operating system.")
        self._encrypt = _count_with(hmac.digest(key, digest, "sha256"))
        self._buffer = np.empty(0, dtype=np.uint64)
        self._next = 0

    def words(self, size: int) -> Words:
        """Return the next `size` words of the batch."""
        if self._next + size > len(self._buffer):
            self._buffer = _next_words(self._encrypt, max(size, _KEYED_WORDS))
            self._next = 0
        self._next += size
        return self._buffer[self._next - size : self._next].copy()


def _count_with(key: bytes) -> CipherContext:
    return Cipher(algorithms.AES256(key), modes.CTR(bytes(16))).encryptor()


def _next_words(encrypt: CipherContext, size: int) -> Words:
    fresh = np.zeros(size, dtype=np.uint64)
    encrypt.update_into(fresh.view(np.uint8).data, fresh.view(np.uint8).data)
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
