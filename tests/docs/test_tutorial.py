"""The tutorial is run, command by command, in a folder of its own; what it shows must be what is printed."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.helpers import Shell

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def find_blocks() -> Iterator[tuple[str, str]]:
    for match in BLOCK.finditer(PAGE.read_text()):
        yield match[1], match[2]


def mask(line: str) -> str:
    """Return a line without what noise, a simulation or the width of the screen may change."""
    numbers = re.sub(r"\d[\d,.]*(e-\d+)?", "0", line)
    return re.sub(r"[\s━─┏┡└┌┃│╇┳┐┘┴┬┓┩]+", " ", numbers).strip()


def is_fixed(line: str) -> bool:
    """Whether a shown line is the same in every run but for numbers; rules and shortened lines are not."""
    return not (line.startswith(("if ", "else ")) or " ... " in line)


@pytest.fixture
def shell(monkeypatch, capsys, tmp_path) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(monkeypatch, capsys)


def test_the_tutorial_runs_as_it_is_printed(shell, tmp_path):
    printed = ""
    for language, text in find_blocks():
        if language == "python":
            exec(compile(text, str(PAGE), "exec"), {})
        elif language == "sh":
            printed = "".join(run(shell, line) for line in text.splitlines())
        elif language == "toml" and '"?"' in text:
            assert text in (tmp_path / "schema.toml").read_text()
        elif language == "toml":
            (tmp_path / "schema.toml").write_text(text)
        else:
            there = {mask(line) for line in printed.splitlines()}
            lacking = [line for line in text.splitlines() if is_fixed(line) and mask(line) not in there]
            assert not lacking, printed
    assert {path.name for path in tmp_path.iterdir()} >= {"model.json", "report.html", "predict.sql", "labels.csv"}


def run(shell: Shell, line: str) -> str:
    """Run a line of the tutorial and return what it printed; the package is installed already."""
    words = shlex.split(line)
    if words[0] == "pip":
        return ""
    assert words[0] == "dprules"
    ran = shell(*words[1:])
    assert ran.code == 0, ran.err
    return ran.out


def test_every_step_of_the_tutorial_is_a_command():
    commands = " ".join(text for language, text in find_blocks() if language == "sh")
    for step in ("schema draft", "schema check", "plan list", "--dry-run", "fit", "evaluate", "verify", "export"):
        assert step in commands
