"""A model that does not verify is refused by every command that takes one, with an exit code of its own."""

import json
import re

import pytest

from cli.helpers import Shell, assert_one_sentence, assert_refused, write_lines
from cli.test_stream import SCHEMA, events
from dprules.cli.exits import Exit
from dprules.cli.options import ModelFile
from dprules.errors import BANNER


def claim_less(document):
    certificate = document["certificate"]
    start = f"({certificate['epsilon']:g}, "
    certificate["statement"] = certificate["statement"].replace(start, "(0.01, ", 1)
    certificate["epsilon"] = 0.01


def assume_nothing(document):
    certificate = document["certificate"]
    certificate["statement"] = re.sub("Assumed public: .*", "Assumed public: .", certificate["statement"])
    certificate["assumptions"] = []


FORGERIES = {
    "a smaller epsilon": claim_less,
    "nothing assumed": assume_nothing,
    "another rule": lambda d: d["model"].update(default="yes" if d["model"]["default"] == "no" else "no"),
    "another label": lambda d: d["label"].update(column="other"),
    "another digest": lambda d: d["certificate"].update(model_digest="0" * 64),
}


def forge(document, forgery):
    FORGERIES[forgery](document)
    return json.dumps(document, indent=2)


def test_a_statement_that_contradicts_its_certificate_is_never_shown(shell, stays, tmp_path):
    document = json.loads((stays / "model.json").read_text())
    document["certificate"]["statement"] = "(0.01, 0)-differentially private"
    (tmp_path / "forged.json").write_text(json.dumps(document))
    assert_refused(shell("show", tmp_path / "forged.json"), Exit.UNVERIFIED)
    looked_at = shell("show", tmp_path / "forged.json", "--unverified")
    assert looked_at.err == BANNER + "\n"
    assert "(0.01, 0)" not in looked_at.out
    assert "(1, 1e-06)-differentially private" in looked_at.out
    told = json.loads(shell("verify", tmp_path / "forged.json", "--json").out)
    assert told["faults"] == ["its statement is not what its charges say"]


@pytest.fixture
def forged(stays, tmp_path):
    document = json.loads((stays / "model.json").read_text())
    (tmp_path / "forged.json").write_text(forge(document, "a smaller epsilon"))
    return tmp_path / "forged.json"


@pytest.mark.parametrize("forgery", FORGERIES)
def test_every_forgery_is_found(forgery, shell, stays, tmp_path):
    document = json.loads((stays / "model.json").read_text())
    (tmp_path / "forged.json").write_text(forge(document, forgery))
    code, out, err = shell("show", tmp_path / "forged.json")
    assert_one_sentence(code, err, Exit.UNVERIFIED)
    assert out == ""
    ran = shell("verify", tmp_path / "forged.json")
    assert (ran.code, ran.out.startswith(BANNER)) == (Exit.UNVERIFIED, True)
    told = json.loads(shell("verify", tmp_path / "forged.json", "--json").out)
    assert told["verified"] is False
    assert told["faults"]


COMMANDS = {
    "show": lambda m, s, t: ("show", m),
    "show as JSON": lambda m, s, t: ("show", m, "--json"),
    "export": lambda m, s, t: ("export", m, "--to", "sql"),
    "export to a file": lambda m, s, t: ("export", m, "--to", "python", "-o", t / "out.py"),
    "predict": lambda m, s, t: ("predict", m, s / "stays.csv"),
    "predict to a file": lambda m, s, t: ("predict", m, s / "stays.csv", "-o", t / "out.csv"),
    "evaluate": lambda m, s, t: ("evaluate", m, s / "stays.csv", "--public"),
    "report": lambda m, s, t: ("report", m, "-o", t / "out.html"),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_every_command_refuses(case, shell, forged, stays, tmp_path):
    command = COMMANDS[case](forged, stays, tmp_path)
    code, out, err = shell(*command)
    assert_one_sentence(code, err, Exit.UNVERIFIED)
    assert out == ""
    assert not list(tmp_path.glob("out.*"))
    looked_at = shell(*command, "--unverified")
    assert looked_at.code == Exit.OK
    assert looked_at.err.startswith(BANNER + "\n")


def test_what_is_shown_anyway_says_so(shell, forged, tmp_path):
    assert BANNER in shell("show", forged, "--unverified").out
    shell("report", forged, "-o", tmp_path / "r.html", "--unverified")
    assert "Not verified" in (tmp_path / "r.html").read_text()


def test_commands_that_take_a_model_are_all_of_these():
    """A new command with a model must be added to the list above."""
    from dprules.cli.main import app

    with_models = set()
    for command in app.registered_commands:
        assert command.callback is not None
        if command.callback.__annotations__.get("model") == ModelFile:
            with_models.add(command.callback.__name__)
    # `serve` does not end by itself: tests/cli/test_serve.py.
    assert with_models == {words.split()[0] for words in COMMANDS} | {"verify", "serve"}


@pytest.fixture
def forged_stream(shell: Shell, tmp_path):
    (tmp_path / "schema.toml").write_text(SCHEMA)
    shell("stream", "init", tmp_path / "s", "--features", tmp_path / "schema.toml", "--epsilon", "8")
    path = tmp_path / "s" / "hypothesis.json"
    path.write_text(forge(json.loads(path.read_text()), "a smaller epsilon"))
    return tmp_path / "s"


STREAM_COMMANDS = {
    "show": lambda s, t: ("show", s),
    "predict": lambda s, t: ("predict", s, t / "e.jsonl"),
    "export": lambda s, t: ("export", s),
}


@pytest.mark.parametrize("case", STREAM_COMMANDS)
def test_a_stream_that_does_not_verify_is_refused(case, shell, forged_stream, tmp_path):
    write_lines(tmp_path / "e.jsonl", events(3))
    command = ("stream", *STREAM_COMMANDS[case](forged_stream, tmp_path))
    code, out, err = shell(*command)
    assert_one_sentence(code, err, Exit.UNVERIFIED)
    assert out == ""
    looked_at = shell(*command, "--unverified")
    assert (looked_at.code, looked_at.err) == (Exit.OK, BANNER + "\n")


def test_learning_publishes_a_true_file_again(shell, forged_stream, tmp_path):
    path = write_lines(tmp_path / "e.jsonl", events(3))
    assert shell("stream", "learn", forged_stream, path).code == Exit.OK
    assert shell("stream", "show", forged_stream).code == Exit.OK
