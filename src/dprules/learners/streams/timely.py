"""Lines of a pipe, in batches that are full, or old enough."""

import io
import os
import select
import time
from collections.abc import Iterator
from typing import IO

from dprules.learners.streams.event_files import MOST_HELD
from dprules.tables.lines import LONGEST

CHUNK = 1 << 16
"""Bytes that are read at a time."""


def read_timely(file: IO[bytes], size: int, every: float, least: int = 0) -> Iterator[list[bytes]]:
    """Return lines as soon as there are so many, or so much time has passed since the first of them was read.

    Each line has its end; only the very last may have none. Lines that are longer than `LONGEST` are not held: they
    begin with a zero byte instead, so that they are read as nothing.

    Parameters
    ----------
    file : binary file
        Nothing was read from it yet.
    size : int
        Most lines that are returned together; fewer if they are long.
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
    held = 0
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
                taken = _take_lines(rest)
                held += sum(map(len, taken))
                lines += taken
            if len(rest) > LONGEST:
                rest[:] = b"\0"
        old = len(lines) >= least and (time.monotonic() - since >= every or held >= MOST_HELD)
        ready = len(lines) if old else len(lines) - len(lines) % max(size, least)
        if ready:
            yield from _cut(lines[:ready], size, least)
            least = 0
            since = time.monotonic()
            del lines[:ready]
            held = sum(map(len, lines))
    yield from _cut([*lines, bytes(rest)] if rest else lines, size, least)


def _take_lines(text: bytearray) -> list[bytes]:
    """Take whole lines out of a text, and leave what comes after them."""
    end = text.rindex(b"\n") + 1
    lines = io.BytesIO(text[:end]).readlines()  # at line feeds only: a carriage return is part of its line
    del text[:end]
    return [line if len(line) <= LONGEST else b"\0\n" for line in lines]


def _cut(lines: list[bytes], size: int, least: int) -> Iterator[list[bytes]]:
    """Return lines, at most so many at a time; the first time at least so many."""
    start = 0
    while start < len(lines):
        stop = start + max(size, least)
        yield lines[start:stop]
        start = stop
        least = 0
