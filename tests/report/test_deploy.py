import shlex
from dataclasses import replace

import pytest

from cli.helpers import Shell
from dprules.cli.exits import Exit
from dprules.jobs import ListSettings, ScorecardSettings
from dprules.jobs.example import hospital_stays
from dprules.models import Released
from dprules.report.deploy import list_commands
from report.examples import fit_example, make_halfspace


@pytest.fixture(scope="module")
def released():
    return fit_example(rows=300)


@pytest.fixture
def shell(monkeypatch, capsys):
    return Shell(monkeypatch, capsys)


@pytest.mark.parametrize("name", ["model.json", "it's mine.json", "-model.json"])
@pytest.mark.parametrize("settings", [ListSettings(), ScorecardSettings()], ids=["list", "scorecard"])
def test_every_command_runs_as_it_is_written(name, settings, shell: Shell, tmp_path, monkeypatch):
    import pyarrow.csv

    monkeypatch.chdir(tmp_path)
    released = fit_example(rows=300, settings=settings)
    unsigned = replace(released.certificate, model_digest=None)
    released = Released.of(released.model, released.label, unsigned, "hospital stays")
    released.save(tmp_path / name)
    new = hospital_stays(20, 2)
    pyarrow.csv.write_csv(new.append_column("id", [list(range(20))]), tmp_path / "new.csv")
    commands = list_commands(released, name)
    assert len(commands) == 5
    for _, words in commands:
        program, *arguments = shlex.split(" ".join(words))
        assert program == "dprules"
        ran = shell(*arguments)
        assert ran.code == Exit.OK, (arguments, ran.err)
    assert {"labels.csv", "model.sql", "model.py", "model.md"} <= {path.name for path in tmp_path.iterdir()}


def test_probabilities_only_of_models_that_have_them(released):
    assert any("--probabilities" in words for _, words in list_commands(released, "m.json"))
    assert not any("--probabilities" in words for _, words in list_commands(make_halfspace(released), "m.json"))


def test_only_forms_that_a_model_has(released):
    commands = list_commands(make_halfspace(released), "m.json")
    written = " ".join(" ".join(words) for _, words in commands)
    assert "--to sql" in written
    assert "--to python" not in written
