"""Commands and schemas that the pages show exist: every option is known, every schema parses."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from dprules import Schema
from dprules.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = typer.main.get_command(app)


def find_blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def find_lines() -> list[tuple[str, str]]:
    lines = [(page.name, line) for page in PAGES for block in find_blocks(page, "sh") for line in block.splitlines()]
    return [(name, line) for name, line in lines if line.startswith("dprules ")]


def parse(words: list[str]) -> None:
    """Parse a command line as `dprules` would, and run nothing."""
    command = COMMAND
    context = typer.Context(command)
    while (commands := getattr(command, "commands", None)) is not None:
        assert words[0] in commands, words[0]
        command = commands[words[0]]
        words = words[1:]
    command.make_context("dprules", list(words), parent=context)


@pytest.mark.parametrize(("page", "line"), find_lines())
def test_a_command_that_a_page_shows_can_be_parsed(page, line):
    parse(shlex.split(line, comments=True)[1:])


@pytest.mark.parametrize("words", [["fit", "a.csv", "--schema", "s.toml", "--no-such"], ["fit", "a.csv"]])
def test_a_wrong_command_would_be_noticed(words):
    with pytest.raises(Exception, match=r"(?i)no such option|missing parameter"):
        parse(words)


SCHEMAS = [(page.name, block) for page in PAGES for block in find_blocks(page, "toml") if '"?"' not in block]


@pytest.mark.parametrize(("page", "block"), SCHEMAS, ids=[name for name, _ in SCHEMAS])
def test_a_schema_that_a_page_shows_parses(page, block):
    label = "" if "[label]" in block else '[label]\ncolumn = "y"\nclasses = ["no", "yes"]\n'
    assert Schema.from_toml(label + block).columns
