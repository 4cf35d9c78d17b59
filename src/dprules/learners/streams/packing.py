"""Private state as bytes, for a private store only."""

import json
import zlib
from collections.abc import Mapping

import numpy as np

from dprules.errors import ModelError
from dprules.learners.streams.blocks import Integers

TORN = "the private state of the stream is torn. Start a new stream, and add its epsilon."


def pack_numbers(small: Mapping[str, int | None], large: Integers) -> bytes:
    """Return a few numbers by name, and many in a row, as bytes."""
    return json.dumps(dict(small)).encode() + b"\n" + pack_integers(large)


def unpack_numbers(packed: bytes) -> tuple[dict[str, int | None], Integers]:
    """Undo `pack_numbers`."""
    head, _, rest = packed.partition(b"\n")
    try:
        small = json.loads(head)
    except (ValueError, RecursionError):
        raise ModelError(TORN) from None
    whole = isinstance(small, dict) and all(
        value is None or (isinstance(value, int) and not isinstance(value, bool)) for value in small.values()
    )
    if not whole:
        raise ModelError(TORN)
    return small, unpack_integers(rest)


def pack_integers(values: Integers) -> bytes:
    """Return integers as compressed bytes."""
    return zlib.compress(values.astype(np.int64).tobytes(), 1)


def unpack_integers(packed: bytes) -> Integers:
    """Undo `pack_integers`; nothing if the bytes are damaged."""
    try:
        return np.frombuffer(zlib.decompress(packed), dtype=np.int64).copy()
    except (zlib.error, TypeError, ValueError):
        return np.zeros(0, dtype=np.int64)
