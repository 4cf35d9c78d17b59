"""Outputs: they can be written, are no inputs, and what was paid for stays."""

import os
import stat
from pathlib import Path

import pytest

from dprules.cli import options
from dprules.cli.exits import Exit
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
        ("export", model, "--to", "json", "-o", model),
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
        assert (ran.code, "is a file of dprules" in ran.err) == (Exit.FILE, True)
    assert other.read_bytes() == model.read_bytes()


def test_links_pipes_and_modes_are_respected(shell, stays, tmp_path):
    model = stays / "model.json"
    (tmp_path / "link.json").symlink_to(tmp_path / "target.json")
    assert shell("export", model, "--to", "json", "-o", tmp_path / "link.json").code == Exit.OK
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "target.json").exists()
    (tmp_path / "open.csv").write_text("")
    (tmp_path / "open.csv").chmod(0o644)
    assert shell("predict", model, stays / "stays.csv", "-o", tmp_path / "open.csv", "--force").code == Exit.OK
    assert stat.S_IMODE((tmp_path / "open.csv").stat().st_mode) == 0o600
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert shell("export", model, "--to", "sql", "--table", "t", "-o", tmp_path / "pipe").code == Exit.OK
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    os.close(reader)
