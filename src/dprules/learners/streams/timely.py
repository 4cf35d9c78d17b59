"""Lines of a pipe, in batches that are full, or old enough."""

import io
import os
import select
import time
from collections.abc import Iterator
from typing import IO

CHUNK = 1 << 16
"""Bytes that are read at a time."""


def read_timely(file: IO[bytes], size: int, every: float, least: int = 0) -> Iterator[list[bytes]]:
    """Return lines as soon as there are so many, or so much time has passed since the first of them was read.

    Each line has its end; only the very last may have none.

    Parameters
    ----------
    file : binary file
        Nothing was read from it yet.
    size : int
        Most lines that are returned together.
    every : float
        Seconds; with 0 lines are returned as soon as they are there.
    least : int
        Lines that are waited for at first, however long it takes, and returned together even if they are more than
        `size`.
    """
    try:
        handle = file.fileno()
    except io.UnsupportedOperation:  # something in memory: all of it is there
        yield from _cut(list(file), size, least)
        return
    lines: list[bytes] = []
    rest = bytearray()
    since = 0.0
    while True:
        may_wait = not lines or len(lines) < least
        patience = None if may_wait else max(0.0, since + every - time.monotonic())
        if select.select([handle], [], [], patience)[0]:
            chunk = os.read(handle, CHUNK)
            if not chunk:
                break
            since = since if lines else time.monotonic()
            rest += chunk
            if b"\n" in chunk:
                lines += _take_lines(rest)
        old = len(lines) >= least and time.monotonic() - since >= every
        ready = len(lines) if old else len(lines) - len(lines) % max(size, least)
        if ready:
            yield from _cut(lines[:ready], size, least)
            least = 0
            since = time.monotonic()
            del lines[:ready]
    yield from _cut([*lines, bytes(rest)] if rest else lines, size, least)


def _take_lines(text: bytearray) -> list[bytes]:
    """Take whole lines out of a text, and leave what comes after them."""
    end = text.rindex(b"\n") + 1
    lines = io.BytesIO(text[:end]).readlines()  # at line feeds only: a carriage return is part of its line
    del text[:end]
    return lines


def _cut(lines: list[bytes], size: int, least: int) -> Iterator[list[bytes]]:
    """Return lines, at most so many at a time; the first time at least so many."""
    start = 0
    while start < len(lines):
        stop = start + max(size, least)
        yield lines[start:stop]
        start = stop
        least = 0
