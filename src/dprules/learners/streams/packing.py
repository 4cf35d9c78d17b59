"""Private state as bytes, for a private store only."""

import json
import zlib
from collections.abc import Mapping

import numpy as np

from dprules.errors import ModelError
from dprules.learners.streams.blocks import Integers

MOST_NUMBERS = 1 << 24
"""Numbers in a row, where nobody knows how many there must be."""
TORN = "the private state of the stream is torn. Start a new stream, and add its epsilon."


def pack_numbers(small: Mapping[str, int | None], large: Integers) -> bytes:
    """Return a few numbers by name, and many in a row, as bytes."""
    return json.dumps(dict(small)).encode() + b"\n" + pack_integers(large)


def unpack_numbers(packed: bytes, most: int = MOST_NUMBERS) -> tuple[dict[str, int | None], Integers]:
    """Undo `pack_numbers`; of more numbers in a row than `most` there are none."""
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
    return small, unpack_integers(rest, most)


def pack_integers(values: Integers) -> bytes:
    """Return integers as compressed bytes."""
    return zlib.compress(values.astype(np.int64).tobytes(), 1)


def unpack_integers(packed: bytes, most: int) -> Integers:
    """Undo `pack_integers`; nothing if the bytes are damaged, or stand for more than `most` integers."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(packed, 8 * most + 1)  # a few bytes may stand for gigabytes
        if stream.eof and len(text) <= 8 * most:
            return np.frombuffer(text, dtype=np.int64).copy()
    except (zlib.error, TypeError, ValueError):
        pass
    return np.zeros(0, dtype=np.int64)
