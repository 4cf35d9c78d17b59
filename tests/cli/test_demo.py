import pytest

from cli.helpers import assert_one_sentence
from dprules.cli.demo import FILES
from dprules.cli.exits import Exit


@pytest.mark.slow
def test_end_to_end(shell, tmp_path):
    folder = tmp_path / "demo"
    for _ in range(2):  # the second demo overwrites the first
        ran = shell("demo", "--output", folder)
        assert ran.code == Exit.OK, ran.err
        assert "without privacy" in ran.out
    assert {path.name for path in folder.iterdir()} == set(FILES)
    assert shell("verify", folder / "model.json").code == Exit.OK
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
