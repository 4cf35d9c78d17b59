"""Lines of a pipe, in batches that are full, or old enough."""

import io
import os
import select
import time
from collections.abc import Iterator
from typing import IO

from dprules.learners.streams.event_files import MOST_HELD
from dprules.private import Private
from dprules.tables.lines import LONGEST

CHUNK = 1 << 16
"""Bytes that are read at a time."""


class Piece(Private):
    """Some lines of a batch, and whether the batch ends with them."""

    __slots__ = ("ends", "lines")

    def __init__(self, lines: list[bytes], ends: bool) -> None:
        self.lines = lines
        self.ends = ends


def read_timely(file: IO[bytes], size: int, every: float, least: int = 0) -> Iterator[Piece]:
    """Return lines in batches: a batch ends after `size` lines, or when its first line is old enough.

    Where a batch ends does not depend on the lengths of lines. Long lines are handed out in several pieces, so that few
    of them are held at a time. Each line has its end; only the very last may have none. Lines that are longer than
    `LONGEST` are not held: they begin with a zero byte instead, so that they are read as nothing.

    Parameters
    ----------
    file : binary file
        Nothing was read from it yet.
    size : int
        Lines of a batch.
    every : float
        Seconds after which a batch ends; with 0 lines are returned as soon as they are there.
    least : int
        Lines of the first batch that are waited for, however long it takes, even if they are more than `size`.
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
    given = 0  # lines of this batch in earlier pieces
    while True:
        begun = given + len(lines)
        patience = None if begun < max(1, least) else max(0.0, since + every - time.monotonic())
        if select.select([handle], [], [], patience)[0]:
            chunk = os.read(handle, CHUNK)
            if not chunk:
                break
            since = since if begun else time.monotonic()
            rest += chunk
            if b"\n" in chunk:
                taken = _take_lines(rest)
                held += sum(map(len, taken))
                lines += taken
            if len(rest) > LONGEST:
                rest[:] = b"\0"
        while given + len(lines) >= max(size, least):
            wanted = max(size, least) - given
            yield Piece(lines[:wanted], True)
            del lines[:wanted]
            least = given = 0
            since = time.monotonic()
        begun = given + len(lines)
        if begun and begun >= least and time.monotonic() - since >= every:
            yield Piece(lines, True)
            lines, least, given = [], 0, 0
            since = time.monotonic()
        elif held >= MOST_HELD:
            yield Piece(lines, False)
            given += len(lines)
            lines = []
        held = sum(map(len, lines))
    if lines or rest or given:
        yield Piece([*lines, bytes(rest)] if rest else lines, True)


def _take_lines(text: bytearray) -> list[bytes]:
    """Take whole lines out of a text, and leave what comes after them."""
    end = text.rindex(b"\n") + 1
    lines = io.BytesIO(text[:end]).readlines()  # at line feeds only: a carriage return is part of its line
    del text[:end]
    return [line if len(line) <= LONGEST else b"\0\n" for line in lines]


def _cut(lines: list[bytes], size: int, least: int) -> Iterator[Piece]:
    """Return lines, at most so many at a time; the first time at least so many."""
    start = 0
    while start < len(lines):
        stop = start + max(size, least)
        yield Piece(lines[start:stop], True)
        start = stop
        least = 0
