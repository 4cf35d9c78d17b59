import json

import pytest

from cli.helpers import assert_one_sentence
from dprules.cli.exits import Exit


def test_a_picture_and_numbers_are_written(shell, tmp_path):
    ran = shell("audit", "--only", "list, replace", "--output", tmp_path / "a")
    assert ran.code == Exit.OK, ran.err
    assert "holds" in ran.out
    assert (tmp_path / "a" / "audit.svg").read_text().lstrip().startswith("<?xml")
    (finding,) = json.loads((tmp_path / "a" / "audit.json").read_text())
    assert finding["holds"]
    assert finding["ratio"] <= 1 + 1e-9


@pytest.mark.slow
def test_without_matplotlib_there_are_numbers(shell, tmp_path, monkeypatch):
    monkeypatch.setattr("dprules.cli.audit.find_spec", lambda name: None)
    ran = shell("audit", "--only", "list, replace", "--output", tmp_path / "a")
    assert ran.code == Exit.OK, ran.err
    assert "pip install 'dprules[plot]'" in ran.out
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["audit.json"]


@pytest.mark.slow
def test_a_planted_fault_is_caught(shell, tmp_path):
    arguments = ("audit", "--only", "batched, zero-out", "--mutate", "halved-noise", "--output", tmp_path)
    ran = shell(*arguments, "--json")
    assert ran.code == Exit.BROKEN
    assert not json.loads(ran.out)[0]["holds"]
    assert "BROKEN" in shell(*arguments).out


@pytest.mark.slow
def test_a_check_without_a_curve_has_no_picture_and_json_is_strict(shell, tmp_path):
    only = ("audit", "--only", "list, add-remove, 3 rounds")
    ran = shell(*only, "--mutate", "doubled-tilt", "--output", tmp_path / "a", "--json")
    assert ran.code == Exit.BROKEN
    json.loads(ran.out, parse_constant=lambda name: pytest.fail(name))
    alone = shell("audit", "--only", "noisy counts, as they run", "--output", tmp_path / "b")
    assert alone.code == Exit.OK
    assert not (tmp_path / "b" / "audit.svg").exists()


@pytest.mark.parametrize(
    ("option", "sentence"), [("--mutate", "mutate must be one of"), ("--only", "only must name a check")]
)
def test_unknown_names_are_refused(shell, tmp_path, option, sentence):
    code, _, err = shell("audit", option, "nothing", "--output", tmp_path)
    assert_one_sentence(code, err, Exit.PARAMETER)
    assert sentence in err


def test_a_folder_that_cannot_be_made_is_one_sentence(shell, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = shell("audit", "--only", "list, replace", "--output", tmp_path / "file")
    assert_one_sentence(code, err, Exit.FILE)
    assert "cannot read or write" in err
