"""The documented exit codes, command by command."""

import re
from pathlib import Path

import pytest

from cli.helpers import assert_refused
from dprules.cli.exits import Exit

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "exit-codes.md"


def test_every_code_is_documented_under_its_name():
    documented = re.findall(r"^\| (\d+) \| (\w+) \|", PAGE.read_text(), re.MULTILINE)
    assert [(int(number), name) for number, name in documented] == [(code.value, code.name) for code in Exit]


@pytest.fixture
def at(stays, tmp_path):
    """Return the words of a command: names are files in a folder with a table, a schema and a model, or none there."""
    (tmp_path / "broken.toml").write_text("[label\n")
    (tmp_path / "broken.json").write_text('{"format": "dprules-model"')
    (tmp_path / "broken.parquet").write_text("no Parquet")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.toml").mkdir()

    def words(command):
        known = {"TABLE": stays / "stays.csv", "SCHEMA": stays / "schema.toml", "MODEL": stays / "model.json"}
        return [known.get(word, tmp_path / word[1:] if word.startswith("@") else word) for word in command.split()]

    return words


OUTPUT = "-o @written"
COMMANDS = {
    # What is not there, or cannot be read or written.
    f"fit @none.csv --schema SCHEMA {OUTPUT}": Exit.FILE,
    f"fit @none/*.csv --schema SCHEMA {OUTPUT}": Exit.FILE,
    f"fit TABLE --schema @none.toml {OUTPUT}": Exit.FILE,
    f"fit TABLE --schema @folder.toml {OUTPUT}": Exit.FILE,
    "fit TABLE --schema SCHEMA -o @none/written": Exit.FILE,
    f"fit TABLE --schema SCHEMA {OUTPUT} --report @none/report.html": Exit.FILE,
    f"schema draft @none.csv --label y {OUTPUT}": Exit.FILE,
    "schema draft TABLE --label readmitted -o @none/written": Exit.FILE,
    "show @none.json": Exit.FILE,
    "verify @none.json": Exit.FILE,
    "export @none.json --to python": Exit.FILE,
    "export MODEL --to python -o @none/written": Exit.FILE,
    "report @none.json": Exit.FILE,
    "report MODEL -o @none/written": Exit.FILE,
    "predict @none.json TABLE": Exit.FILE,
    "predict MODEL @none.csv": Exit.FILE,
    "predict MODEL TABLE -o @none/written": Exit.FILE,
    "evaluate @none.json TABLE --public": Exit.FILE,
    "evaluate MODEL @none.csv --public": Exit.FILE,
    "stream init @written --features @none.toml": Exit.FILE,
    "stream learn @none @none.jsonl": Exit.FILE,
    "stream show @none": Exit.FILE,
    "stream predict @none @none.jsonl": Exit.FILE,
    "stream export @none": Exit.FILE,
    # What is there and is not what it should be.
    f"fit @folder.csv --schema SCHEMA {OUTPUT}": Exit.INPUT,
    f"fit @broken.parquet --schema SCHEMA {OUTPUT}": Exit.INPUT,
    f"fit TABLE --schema @broken.toml {OUTPUT}": Exit.INPUT,
    f"fit TABLE --schema SCHEMA --unit nobody {OUTPUT}": Exit.INPUT,
    f"schema draft @broken.parquet --label y {OUTPUT}": Exit.INPUT,
    "show @broken.json": Exit.INPUT,
    "verify @broken.json": Exit.INPUT,
    "export @broken.json --to python": Exit.INPUT,
    "report @broken.json": Exit.INPUT,
    "predict @broken.json TABLE": Exit.INPUT,
    "predict MODEL @broken.parquet": Exit.INPUT,
    "evaluate @broken.json TABLE --public": Exit.INPUT,
    "evaluate MODEL @broken.parquet --public": Exit.INPUT,
    "stream init @written --features @broken.toml": Exit.INPUT,
    "stream show @folder.csv": Exit.INPUT,
    # Parameters.
    f"fit TABLE --schema SCHEMA --epsilon -1 {OUTPUT}": Exit.PARAMETER,
    f"fit TABLE --schema SCHEMA --unit readmitted {OUTPUT}": Exit.PARAMETER,
    "plan list --features -1": Exit.PARAMETER,
    "stream init @written --features SCHEMA --epsilon -1": Exit.PARAMETER,
    "evaluate MODEL TABLE": Exit.PRIVACY,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_ends_with_the_documented_code(command, shell, at, tmp_path):
    ran = shell(*at(command))
    assert_refused(ran, COMMANDS[command])
    assert "Choose another place" not in ran.err
    assert not (tmp_path / "written").exists()


@pytest.mark.parametrize("command", ["fit TABLE --colour", "fit TABLE", "paint", "predict MODEL", "stream grow @none"])
def test_wrong_options_are_usage_errors(command, shell, at):
    ran = shell(*at(command))
    assert (ran.code, ran.out) == (Exit.USAGE, "")
