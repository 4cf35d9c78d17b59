import pytest

from cli.helpers import assert_one_sentence
from dprules.cli.demo import CHOICE, FILES
from dprules.cli.exits import Exit
from dprules.models import Released


@pytest.mark.slow
def test_end_to_end(shell, tmp_path):
    folder = tmp_path / "demo"
    for _ in range(2):  # the second demo overwrites the first
        ran = shell("demo", "--output", folder)
        assert ran.code == Exit.OK, ran.err
        assert "without privacy" in ran.out
        assert "private list, epsilon 1" in ran.out
        assert "private scorecard, epsilon 1" in ran.out
        assert CHOICE in " ".join(ran.out.split())
    assert {path.name for path in folder.iterdir()} == set(FILES)
    for name in ("model.json", "scorecard.json"):
        assert shell("verify", folder / name).code == Exit.OK
        assert str(Released.load(folder / name)) in ran.out
    assert "The list" in (folder / "report.html").read_text()
    assert "The card" in (folder / "scorecard.html").read_text()
    assert shell("fit", folder / "stays.csv", "--schema", folder / "schema.toml", "-o", tmp_path / "m.json").code == 0


@pytest.mark.slow
def test_an_epsilon_beyond_the_papers_lemma(shell, tmp_path):
    ran = shell("demo", "--output", tmp_path / "demo", "--epsilon", "90")
    assert ran.code == Exit.OK, ran.err
    assert "the paper's settings" not in ran.out


def test_files_of_others_are_kept(shell, tmp_path):
    (tmp_path / "model.json").write_text("mine")
    code, _, err = shell("demo", "--output", tmp_path)
    assert_one_sentence(code, err, Exit.FILE)
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_a_budget_that_makes_no_sense_makes_no_files(shell, tmp_path):
    code, _, err = shell("demo", "--output", tmp_path / "demo", "--epsilon", "-1")
    assert_one_sentence(code, err, Exit.PARAMETER)
    assert not (tmp_path / "demo").exists()
