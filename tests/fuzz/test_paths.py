"""Names instead of contents: devices, pipes, links in circles, and names with line ends or escapes in them."""

import json
import os
import threading
from pathlib import Path

import pytest

from dprules.errors import FileError
from dprules.files import read_start
from fuzz import genuine
from fuzz.guard import READ, REFUSED, Outcome, require_words

SLOW = pytest.mark.slow
COMMANDS = {
    "show": ["show", "PATH"],
    "verify": ["verify", "PATH"],
    "schema check": ["schema", "check", "PATH"],
    "schema draft": ["schema", "draft", "PATH", "--label", "y", "-o", "OUT"],
    "codebook": ["schema", "draft", "DATA", "--codebook", "PATH", "-o", "OUT"],
    "fit": ["fit", "DATA", "--schema", "PATH", "-o", "OUT", "--dry-run"],
    "stream show": ["stream", "show", "PATH"],
    "stream learn": ["stream", "learn", "PATH", "DATA"],
    "stream init": ["stream", "init", "OUT", "--features", "PATH"],
}


def run(guard, folder: Path, command: str, path: str) -> Outcome:
    (folder / "data.csv").write_bytes(genuine.csv_lines())
    words = {"PATH": path, "DATA": str(folder / "data.csv"), "OUT": str(folder / "out")}
    (folder / "words.json").write_text(json.dumps([words.get(word, word) for word in COMMANDS[command]]))
    return require_words(guard.parse("command", folder / "words.json"))


@pytest.mark.parametrize("command", COMMANDS)
def test_odd_paths_are_refused_in_one_line(command, guard, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    (tmp_path / "a\nb").write_bytes(b"\xff")
    (tmp_path / "\x1b[31mred").write_bytes(b"{}")
    (tmp_path / "a\u2028b").write_bytes(b"[")
    odd = [*sorted(map(str, tmp_path.iterdir())), "/dev/zero", "/dev/null", "/dev/full", "", "x" * 300, "x/" * 3000]
    odd += [str(tmp_path / "folder" / ".." / "nowhere"), str(tmp_path / "a\nb" / "c"), "/proc/self/mem", "~", "-"]
    for path in odd:
        outcome = run(guard, tmp_path, command, path)
        assert outcome.kind == REFUSED, path
        assert "\x1b" not in outcome.sentence


@pytest.mark.parametrize("command", ["show", *(pytest.param(one, marks=SLOW) for one in ("schema check", "codebook"))])
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(command, guard, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "nobody writes to" in run(guard, tmp_path, command, str(tmp_path / "pipe")).sentence


def test_a_pipe_is_read_like_a_file(guard, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "s.toml").write_text(genuine.SCHEMA)
    assert require_words(guard.parse("schema", tmp_path / "s.toml")).kind == READ
    writer = threading.Thread(target=pipe.write_text, args=[genuine.SCHEMA])
    writer.start()
    assert require_words(guard.parse("schema", pipe)).kind == READ
    writer.join()


def test_as_much_is_read_as_was_asked_for_and_one_byte_more(tmp_path):
    (tmp_path / "f").write_bytes(b"12345")
    assert [read_start(tmp_path / "f", most) for most in (3, 4, 5, 6)] == [b"1234", b"12345", b"12345", b"12345"]
    assert len(read_start(Path("/dev/zero"), 10**7)) == 10**7 + 1


def test_a_slow_writer_is_waited_for(tmp_path):
    """Whoever has opened the pipe will write."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    asked = threading.Event()

    def write() -> None:
        with pipe.open("wb") as file:
            asked.wait()
            file.write(b"text")

    writer = threading.Thread(target=write)
    writer.start()
    threading.Timer(0.2, asked.set).start()
    assert read_start(pipe, 100) == b"text"
    writer.join()


def test_a_link_that_leads_to_itself_is_no_place_for_an_output(guard, tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    (tmp_path / "data.csv").write_bytes(genuine.csv_lines())
    words = ["schema", "draft", str(tmp_path / "data.csv"), "--label", "y", "-o", str(loop)]
    (tmp_path / "words.json").write_text(json.dumps(words))
    assert require_words(guard.parse("command", tmp_path / "words.json")).kind == REFUSED


def test_a_pipe_that_nobody_writes_to_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("dprules.files.PATIENCE", 0.05)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="nobody writes to"):
        read_start(tmp_path / "pipe", 10)
