"""Outputs: they can be written, are no inputs, and what was paid for stays."""

import os
import stat
from pathlib import Path

import pytest
import typer

from cli.helpers import assert_refused, write_lines
from cli.test_stream import SCHEMA as STREAM_SCHEMA
from cli.test_stream import events
from dprules.cli import options
from dprules.cli.exits import Exit
from dprules.cli.main import app
from dprules.errors import DataError


def test_what_cannot_be_written_is_refused_before_anything_is_spent(tmp_path):
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere" / "file")
    for path, sentence in (
        (tmp_path / "none" / "model.json", "no such folder"),
        (tmp_path, "is a folder"),
        (tmp_path / ("n" * 250), "cannot be written"),
        (tmp_path / "gone", "no such folder"),
        (Path("/proc/model.json"), "cannot be written"),
    ):
        with pytest.raises(DataError, match=sentence):
            options.require_writable(path)
    options.require_writable(tmp_path / "model.json")
    assert not [path for path in tmp_path.iterdir() if path.name != "gone"]


def test_what_is_there_stays_unless_it_is_asked_for(tmp_path):
    (tmp_path / "m").write_text("")
    with pytest.raises(DataError, match="--force"):
        options.require_new(tmp_path / "m", force=False)
    options.require_new(tmp_path / "m", force=True)
    options.require_new(tmp_path / "new", force=False)


def test_hints_can_be_copied():
    assert options.repeat_source("my table.csv", None, ";", True) == "'my table.csv' --delimiter ';' --multiline"
    assert options.repeat_source("duckdb:///d.db", "a b", None, False) == "duckdb:///d.db --table 'a b'"


def test_outputs_never_overwrite_inputs_or_each_other(shell, stays, tmp_path):
    for name in ("stays.csv", "schema.toml", "model.json"):
        (tmp_path / name).write_bytes((stays / name).read_bytes())
    table, schema, model = (tmp_path / name for name in ("stays.csv", "schema.toml", "model.json"))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    fit = ("fit", table, "--schema", schema, "--force")
    for command in (
        (*fit, "-o", tmp_path / "a.json", "--report", tmp_path / "a.json"),
        (*fit, "-o", table),
        (*fit, "-o", schema),
        ("fit", tmp_path, "--schema", stays / "schema.toml", "-o", table, "--force"),
        ("fit", tmp_path / "*.csv", "--schema", stays / "schema.toml", "-o", table, "--force"),
        ("predict", model, table, "-o", table),
        ("schema", "draft", table, "--label", "readmitted", "-o", table, "--force"),
        ("export", model, "--to", "python", "-o", model),
        ("report", model, "-o", model),
    ):
        ran = shell(*command)
        assert (ran.code, "already used" in ran.err) == (Exit.FILE, True), command
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_no_command_overwrites_a_model_with_something_else(shell, stays, tmp_path):
    other = tmp_path / "other.json"
    other.write_bytes((stays / "model.json").read_bytes())
    model, table = stays / "model.json", stays / "stays.csv"
    for command in (
        ("export", model, "--to", "sql", "-o", other),
        ("report", model, "-o", other),
        ("predict", model, table, "-o", other),
    ):
        ran = shell(*command)
        assert (ran.code, "is a model" in ran.err) == (Exit.FILE, True)
    assert other.read_bytes() == model.read_bytes()


def test_links_and_modes_are_respected(shell, stays, tmp_path):
    model = stays / "model.json"
    (tmp_path / "link.json").symlink_to(tmp_path / "target.json")
    assert shell("export", model, "--to", "python", "-o", tmp_path / "link.json").code == Exit.OK
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "target.json").exists()
    (tmp_path / "open.csv").write_text("")
    (tmp_path / "open.csv").chmod(0o644)
    assert shell("predict", model, stays / "stays.csv", "-o", tmp_path / "open.csv", "--force").code == Exit.OK
    assert stat.S_IMODE((tmp_path / "open.csv").stat().st_mode) == 0o600


OUTPUTS = {
    "fit": "fit TABLE --schema SCHEMA -o OUTPUT",
    "fit, report": "fit TABLE --schema SCHEMA -o @model.json --report OUTPUT",
    "schema draft": "schema draft TABLE --label readmitted -o OUTPUT",
    "predict": "predict MODEL TABLE -o OUTPUT",
    "export": "export MODEL --to sql --table t -o OUTPUT",
    "report": "report MODEL -o OUTPUT",
    "stream predict": "stream predict STREAM EVENTS -o OUTPUT",
    "stream export": "stream export STREAM -o OUTPUT",
    "ledger export": "ledger export LEDGER -o OUTPUT",
    "audit": "audit --only draw --output @",
}
"""Every command that writes a file which the caller names."""


@pytest.fixture
def words(stays, shell, tmp_path_factory):
    """Return the words of a command: names in capitals are files, @ is a folder that is empty at first."""
    inputs, folder = tmp_path_factory.mktemp("inputs"), tmp_path_factory.mktemp("outputs")
    (inputs / "stream.toml").write_text(STREAM_SCHEMA)
    write_lines(inputs / "events.jsonl", events(3))
    assert shell("stream", "init", inputs / "stream", "--features", inputs / "stream.toml").code == Exit.OK
    assert shell("ledger", "init", inputs / "ledger.db").code == Exit.OK
    known = {name.upper(): stays / f"{name}.{ending}" for name, ending in (("schema", "toml"), ("model", "json"))}
    known |= {"TABLE": stays / "stays.csv", "EVENTS": inputs / "events.jsonl", "STREAM": inputs / "stream"}
    known |= {"LEDGER": inputs / "ledger.db", "OUTPUT": folder / "audit.json"}
    return lambda command: [
        known.get(word, folder / word[1:] if word.startswith("@") else word) for word in OUTPUTS[command].split()
    ], folder / "audit.json"


@pytest.mark.parametrize("command", OUTPUTS)
def test_no_output_is_overwritten_without_force(command, shell, words, monkeypatch):
    choose, output = words
    output.write_text("kept")
    ran = shell(*choose(command))
    assert_refused(ran, Exit.FILE)
    assert ran.err == f"dprules: {output} already exists. Choose another name or pass --force.\n"
    assert [output.read_text(), *output.parent.iterdir()] == ["kept", output]
    if command != "audit":  # it takes long; tests of the audit overwrite
        assert shell(*choose(command), "--force").code == Exit.OK
        assert output.read_text() != "kept"


@pytest.mark.parametrize("command", [name for name in OUTPUTS if name != "audit"])
def test_an_output_that_is_a_pipe_is_refused_and_not_waited_for(command, shell, words):
    choose, output = words
    os.mkfifo(output)
    for force in ((), ("--force",)):
        ran = shell(*choose(command), *force)
        assert_refused(ran, Exit.FILE)
        assert "is a pipe, a device or a socket" in ran.err
    assert list(output.parent.iterdir()) == [output]


def test_every_option_that_writes_a_file_is_listed_here():
    """A command with an option for an output has one to overwrite it."""
    command = typer.main.get_command(app)
    leaves = dict(walk(command, ""))
    writing = {
        name: {option for parameter in leaf.params for option in parameter.opts}
        for name, leaf in leaves.items()
        if any({"--output", "--report"} & set(parameter.opts) for parameter in leaf.params)
    }
    assert set(writing) - {"demo"} == {name.partition(",")[0] for name in OUTPUTS}
    assert all("--force" in options for options in writing.values())


def walk(command, name):
    """Yield the names of commands and the commands themselves."""
    below = getattr(command, "commands", None)
    if below is None:
        yield name, command
        return
    for word, one in below.items():
        yield from walk(one, f"{name} {word}".strip())


def test_nothing_is_charged_if_the_output_exists(shell, words, stays, tmp_path):
    choose, output = words
    output.write_text("kept")
    ledger = tmp_path / "budget.db"
    assert shell("ledger", "init", ledger, "--dataset", "stays", "--schema", stays / "schema.toml").code == Exit.OK
    assert shell("ledger", "grant", ledger, "--dataset", "stays", "--epsilon", 3, "--delta", "1e-5").code == Exit.OK
    before = shell("ledger", "show", ledger, "--json").out
    assert_refused(shell(*choose("fit"), "--ledger", ledger, "--dataset", "stays"), Exit.FILE)
    assert shell("ledger", "show", ledger, "--json").out == before


def test_the_null_device_is_an_output(shell, words):
    choose, _ = words
    command = [Path(os.devnull) if str(word).endswith("audit.json") else word for word in choose("export")]
    assert shell(*command).code == Exit.OK
