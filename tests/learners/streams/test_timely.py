"""Lines of a pipe: returned when there are enough of them, or when they are old enough."""

import io
import os
import threading
import time
from collections.abc import Iterator
from typing import BinaryIO

import pytest

from dprules.learners.streams import read_timely, timely


class Pipe:
    """Both ends of a pipe; nobody waits for a writer in another thread unless a test starts one."""

    def __init__(self) -> None:
        reading, self._writing = os.pipe()
        self.file: BinaryIO = os.fdopen(reading, "rb")

    def write(self, text: bytes) -> None:
        os.write(self._writing, text)

    def end(self) -> None:
        os.close(self._writing)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    made.file.close()


def plain(piece):
    return piece.lines, piece.ends


def test_full_batches_do_not_wait(pipe):
    pipe.write(b"a\nb\nc\nd\ne")
    lines = read_timely(pipe.file, size=2, every=600)
    assert plain(next(lines)) == ([b"a\n", b"b\n"], True)
    assert plain(next(lines)) == ([b"c\n", b"d\n"], True)
    pipe.end()
    assert list(map(plain, lines)) == [([b"e"], True)]


def test_a_batch_that_is_old_enough_is_returned(pipe):
    lines = read_timely(pipe.file, size=100, every=0.1)
    pipe.write(b"a\nb")
    start = time.monotonic()
    assert plain(next(lines)) == ([b"a\n"], True)
    assert time.monotonic() - start >= 0.1
    pipe.write(b"c\n")
    assert plain(next(lines)) == ([b"bc\n"], True)
    pipe.end()
    assert list(lines) == []


def test_lines_are_returned_at_once(pipe):
    lines = read_timely(pipe.file, size=100, every=0)
    for text in (b"a\n", b"b\nc\n", b"\rd\n"):
        pipe.write(text)
        assert b"".join(next(lines).lines) == text
    pipe.write(b"no end")
    pipe.end()
    assert list(map(plain, lines)) == [([b"no end"], True)]


def test_a_batch_that_was_begun_is_waited_for(pipe):
    pipe.write(b"a\n")
    timer = threading.Timer(0.2, pipe.write, [b"b\nc\nd\n"])
    timer.start()
    lines = read_timely(pipe.file, size=1, every=0.01, least=3)
    assert plain(next(lines)) == ([b"a\n", b"b\n", b"c\n"], True)
    assert plain(next(lines)) == ([b"d\n"], True)
    timer.join()
    pipe.end()
    assert list(lines) == []


def test_what_is_no_pipe():
    assert list(map(plain, read_timely(io.BytesIO(b"a\nb\nc"), 2, 1.0))) == [([b"a\n", b"b\n"], True), ([b"c"], True)]
    assert list(read_timely(io.BytesIO(b""), 2, 1.0)) == []


def test_a_long_line_comes_whole(pipe):
    text = b"a\n" + b"x" * 300_000 + b"\n"

    def write() -> None:
        pipe.write(text)
        pipe.end()

    writer = threading.Thread(target=write)
    writer.start()
    assert b"".join(b"".join(piece.lines) for piece in read_timely(pipe.file, size=10, every=600)) == text
    writer.join()


@pytest.mark.parametrize("long", [1, 3_000_000])
def test_where_a_batch_ends_does_not_depend_on_the_lengths_of_lines(long, pipe, monkeypatch):
    monkeypatch.setattr(timely, "MOST_HELD", 1_000_000)
    text = b"".join(b"x" * (long if n == 2 else 1) + b"\n" for n in range(10))

    def write() -> None:
        pipe.write(text)
        pipe.end()

    writer = threading.Thread(target=write)
    writer.start()
    ends = []
    lines = 0
    for piece in read_timely(pipe.file, size=4, every=600):
        lines += len(piece.lines)
        if piece.ends:
            ends.append(lines)
    writer.join()
    assert ends == [4, 8, 10]
