"""What a file contributes to a stream: its lines by their positions, whatever they say and whatever other files say."""

import gzip
import os
import shutil
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from dprules.errors import DprulesError
from dprules.jobs import Stream, stream_init, stream_learn, stream_show
from dprules.schema import Boolean, Label, Schema

SCHEMA = Schema(Label("y", ("no", "yes")), (Boolean("a"),))
LINE = b'{"a": true, "y": "yes"}\n'
LINES = 100
PLACES = (80, 0, LINES - 1)
OTHERS = {
    "another event": b'{"a": false, "y": "no"}\n',
    "a longer line": b'{"a": true, "y": "yes", "note": "' + b"x" * 9000 + b'"}\n',
    "a shorter line": b"{}\n",
    "an empty line": b"\n",
    "no text": b"\xff\xfe\n",
    "an open quote": b'"\n',
}


def neighbours(lines: int = LINES) -> Iterator[bytes]:
    """A file of equal lines, and files that differ from it in one line."""
    yield LINE * lines
    for place, other in [*zip(cycle(PLACES), OTHERS.values(), strict=False), (0, OTHERS["another event"])]:
        yield LINE * place + other + LINE * (lines - place - 1)


class World:
    """A stream in a folder of its own; it notes everything that a command shows but the hypothesis."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shown: list[Any] = []
        stream_init(folder / "s", SCHEMA, epsilon=1e-6)

    def file(self, name: str) -> Path:
        return self.folder / name

    def learn(self, path: Path, **options: Any) -> None:
        """Run one command."""
        try:
            with Stream.open(self.folder / "s") as stream:
                usual = dict(batch=30, say=self.say)
                for line in stream_learn(stream, str(path), **usual | options):
                    self.shown.append(line)
        except KeyboardInterrupt:
            self.shown.append("stopped")
        except DprulesError as error:
            self.say(f"{type(error).__name__}: {error}")
        mark = stream_show(self.folder / "s").stream
        assert mark is not None
        self.shown.append(mark.rounds)

    def say(self, sentence: str) -> None:
        self.shown.append(sentence.replace(str(self.folder), ""))


def two_files(world: World, text: bytes) -> None:
    """The file that was read first decided over the lines of the second one."""
    world.file("a.jsonl").write_bytes(LINE * LINES)
    world.learn(world.file("a.jsonl"))
    world.file("b.jsonl").write_bytes(text)
    world.learn(world.file("b.jsonl"))
    world.learn(world.file("b.jsonl"))


def two_files_of_one_source(world: World, text: bytes) -> None:
    world.file("a.jsonl").write_bytes(text)
    world.file("b.jsonl").write_bytes(LINE * LINES)
    for name in ("a.jsonl", "b.jsonl", "a.jsonl"):
        world.learn(world.file(name), source="s")
        world.learn(world.file(name), source="s", new=True)


def a_compressed_copy(world: World, text: bytes) -> None:
    world.file("a.jsonl").write_bytes(LINE * LINES)
    world.learn(world.file("a.jsonl"))
    world.file("a.jsonl.1.gz").write_bytes(gzip.compress(text + LINE * 7))
    for options in ({}, {"source": str(world.file("a.jsonl"))}):
        world.learn(world.file("a.jsonl.1.gz"), **options)
        world.learn(world.file("a.jsonl.1.gz"), copy=True, **options)


def written_anew_in_place(world: World, text: bytes) -> None:
    """The file has the same identity: it is continued after as many lines as were learned."""
    path = world.file("a.jsonl")
    path.write_bytes(LINE * (LINES - 10))
    world.learn(path)
    path.write_bytes(text)
    world.learn(path)
    path.write_bytes(text + LINE * 5)
    world.learn(path)
    path.write_bytes(text[: text.index(b"\n") + 1])
    world.learn(path)


def replaced(world: World, text: bytes) -> None:
    path, other = world.file("a.jsonl"), world.file("b.jsonl")
    path.write_bytes(text)
    world.learn(path)
    shutil.copy(path, other)
    with other.open("ab") as more:
        more.write(LINE * 3)
    os.replace(other, path)
    world.learn(path)
    world.learn(path, copy=True)
    world.learn(path)


def a_table(world: World, text: bytes) -> None:
    def as_csv(some: bytes) -> bytes:
        return b"a,y\n" + some.replace(b", ", b",")

    world.file("a.csv").write_bytes(as_csv(LINE * LINES))
    world.learn(world.file("a.csv"))
    world.file("b.csv").write_bytes(as_csv(text))
    world.learn(world.file("b.csv"))
    world.file("a.csv").write_bytes(as_csv(text + LINE))
    world.learn(world.file("a.csv"))


def followed_through_rotation(world: World, text: bytes) -> None:
    path = world.file("a.jsonl")
    path.write_bytes(LINE * LINES)
    (world.folder / "a.jsonl-20240430.gz").write_bytes(gzip.compress(text))  # older than the source
    steps: list[Callable[[], object]] = [
        lambda: path.rename(world.file("a.jsonl-20240501")),
        lambda: path.write_bytes(text),
        lambda: path.rename(world.file("a.jsonl-20240502")),
        lambda: path.write_bytes(LINE * LINES),
    ]

    def sleep(seconds: float) -> None:
        if not steps:
            raise KeyboardInterrupt
        steps.pop(0)()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "sleep", sleep)
        world.learn(path, follow=True)
        steps += [lambda: None]
        world.learn(path, follow=True)
        shutil.copy(path, world.file("copy"))
        os.replace(world.file("copy"), path)
        world.learn(path, follow=True)
        world.learn(path, follow=True, copy=True)


STORIES = [
    two_files,
    two_files_of_one_source,
    a_compressed_copy,
    written_anew_in_place,
    replaced,
    a_table,
    followed_through_rotation,
]


@pytest.mark.parametrize("story", STORIES, ids=[story.__name__ for story in STORIES])
def test_no_line_decides_what_is_shown(story: Callable[[World, bytes], None], tmp_path: Path) -> None:
    """Rounds, acknowledgements, sentences and refusals are the same for all neighbours."""
    shown: list[list[Any]] = []
    for number, text in enumerate(neighbours()):
        (tmp_path / str(number)).mkdir()
        world = World(tmp_path / str(number))
        story(world, text)
        shown.append(world.shown)
    assert all(other == shown[0] for other in shown[1:])


def test_each_of_two_equal_files_is_learned_whole(tmp_path: Path) -> None:
    world = World(tmp_path)
    two_files(world, LINE * LINES)
    skipped = "/b.jsonl: the first 100 lines were learned before and were skipped."
    assert world.shown == [30, 60, 90, 100, 100, 30, 60, 90, 100, 200, skipped, 200]


def test_where_a_batch_ends_does_not_depend_on_the_lengths_of_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dprules.learners.streams.event_files.MOST_HELD", 1000)
    world = World(tmp_path)
    world.file("a.jsonl").write_bytes(OTHERS["a longer line"] * 3 + LINE * (LINES - 3))
    world.learn(world.file("a.jsonl"))
    assert world.shown == [30, 60, 90, 100, 100]
