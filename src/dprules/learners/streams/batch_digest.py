"""A digest of everything that a learner reads of a batch: which noise the batch meets depends on it."""

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprules.errors import PrivacyError
from dprules.learners.streams.blocks import Block


def digest_batch(block: Block, codes: NDArray[np.int16]) -> bytes:
    """Return SHA-256 of the rounds of a block and of the codes of their classes.

    Guarantee: batches that differ in anything the learner reads are written to the hash as different bytes, since
    every part is written with its name, its type and its length. A block that holds something else than arrays and
    whole numbers is refused: two of them could not be told apart.
    """
    written = hashlib.sha256()
    _write(written, "kind", type(block).__qualname__)
    for name in sorted(_names_of(block)):
        _write(written, name, getattr(block, name))
    _write(written, "codes", codes)
    return written.digest()


def _names_of(block: Block) -> set[str]:
    slots: set[str] = set()
    for kind in type(block).__mro__:
        declared = vars(kind).get("__slots__", ())
        slots.update([declared] if isinstance(declared, str) else declared)
    return {name for name in slots | set(getattr(block, "__dict__", ())) if hasattr(block, name)}


def _write(written: Any, name: str, value: object) -> None:
    """Write one part; the lengths before it keep it apart from its neighbours."""
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise PrivacyError("a block holds objects, which have no digest. Give it arrays of numbers.")
        parts: Iterable[Any] = (b"array", value.dtype.str.encode(), repr(value.shape).encode())
        body = np.ascontiguousarray(value).reshape(-1).view(np.uint8).data
    elif value is None or isinstance(value, bool | int | str):
        parts = (type(value).__name__.encode(),)
        body = memoryview(repr(value).encode())
    elif isinstance(value, tuple):
        parts = (b"tuple",)
        body = memoryview(str(len(value)).encode())
    else:
        raise PrivacyError("a block holds something that has no digest. Give it arrays of numbers.")
    for part in (name.encode(), *parts, body):
        written.update(len(part).to_bytes(8, "big"))
        written.update(part)
    if isinstance(value, tuple):
        for place, entry in enumerate(value):
            _write(written, f"{name}[{place}]", entry)
