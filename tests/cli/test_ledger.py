"""`dprules ledger`, and the commands that charge one."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow.csv
import pytest

from cli.helpers import assert_refused
from dprules import Ledger
from dprules.cli.exits import Exit
from dprules.errors import FileError
from dprules.jobs.example import SCHEMA, hospital_stays
from dprules.ledger.log import Log
from dprules.models import Released


class Commands:
    """Run commands that must come to their end, or be refused."""

    def __init__(self, shell):
        self.run = shell

    def done(self, *words):
        ran = self.run(*words)
        assert ran.code == Exit.OK, ran.err
        return ran.out

    def refused(self, code, *words):
        ran = self.run(*words)
        assert_refused(ran, code)
        return ran.err


@pytest.fixture
def commands(shell):
    return Commands(shell)


@pytest.fixture
def folder(tmp_path, monkeypatch, commands):
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(hospital_stays(800, 1), tmp_path / "stays.csv")
    (tmp_path / "schema.toml").write_text(SCHEMA.to_toml())
    commands.done("ledger", "init", "l.db", "--dataset", "stays", "--schema", "schema.toml")
    words = ["--dataset", "stays", "--epsilon", "2", "--delta", "1e-5", "--by", "officer"]
    commands.done("ledger", "grant", "l.db", *words)
    return tmp_path


def fit(*more):
    words = ["fit", "stays.csv", "--schema", "schema.toml", "--ledger", "l.db", "--dataset", "stays", "--epsilon", "1"]
    return [*words, "--width", "1", "--max-rules", "3", *more]


def test_from_grant_to_report(folder, commands):
    said = commands.done(*fit("-o", "m.json", "--report", "r.html"))
    assert "Charged: entry 3 of ledger" in said
    page = (folder / "r.html").read_text()
    assert "Ledger" in page
    assert "officer" in page
    assert "epsilon 1 and delta 9e-06" in page
    shown = commands.done("ledger", "show", "l.db", "--charges")
    for words in ("epsilon 2", "epsilon 1", "50%", "released", "Keep the head", "Grant 2: by officer."):
        assert words in shown
    document = json.loads(commands.done("ledger", "show", "l.db", "--json"))
    (grant,) = document["datasets"]["stays"]["grants"]
    assert (grant["left"]["epsilon"], grant["spent"]["epsilon"]) == (1.0, 1.0)
    (charge,) = document["datasets"]["stays"]["charges"]
    assert (charge["job"], charge["outcome"]) == ("fit", "released")
    assert "charged for it" in commands.done("verify", "m.json", "--ledger", "l.db")
    assert "Verified" in commands.done("ledger", "verify", "l.db", "--head", document["head"], "--model", "m.json")
    commands.done("report", "m.json", "--ledger", "l.db", "-o", "again.html")
    assert "officer" in (folder / "again.html").read_text()
    commands.done("ledger", "export", "l.db", "-o", "l.json")
    assert len(json.loads((folder / "l.json").read_text())["entries"]) == 4
    commands.done("ledger", "export", "l.db", "--to", "html", "-o", "l.html")
    assert "<script" not in (folder / "l.html").read_text()


def test_a_report_needs_the_ledger_of_the_model_and_does_not_replace_it(folder, commands):
    commands.done(*fit("-o", "m.json"))
    said = commands.refused(Exit.FILE, "report", "m.json", "--ledger", "l.db", "-o", "l.db", "--force")
    assert "already used by this command" in said
    commands.done("ledger", "init", "other.db", "--dataset", "stays")
    assert "not charged to this ledger" in commands.refused(
        Exit.PARAMETER, "report", "m.json", "--ledger", "other.db", "-o", "r.html"
    )
    commands.done("ledger", "verify", "l.db", "--model", "m.json")


def test_a_refusal(folder, commands):
    said = commands.refused(Exit.PRIVACY, *fit("--epsilon", "2.5", "-o", "m.json"))
    assert "epsilon 2.5" in said
    assert "epsilon 2" in said
    assert not (folder / "m.json").exists()
    assert "epsilon 2.5" in commands.refused(Exit.PRIVACY, *fit("--epsilon", "2.5", "-o", "m.json", "--dry-run"))
    said = commands.done(*fit("--dry-run", "-o", "m.json"))
    assert "Grant 2 would pay epsilon 1 and delta 1e-06, and have epsilon 1 and delta 9e-06 left." in said
    charge = json.loads(commands.done(*fit("--dry-run", "--json", "-o", "m.json")))["charge"]
    assert charge == {
        "grant": 2,
        "cost": "epsilon 1 and delta 1e-06",
        "left": "epsilon 1 and delta 9e-06",
    }
    assert json.loads(commands.done("ledger", "show", "l.db", "--json"))["entries"] == 2


def test_a_grant_of_fits_like_a_model(folder, commands):
    commands.done(*fit("--delta", "1e-6", "-o", "first.json"))
    commands.done("ledger", "init", "l.db", "--dataset", "others", "--schema", "schema.toml", "--distinct")
    grant = ["ledger", "grant", "l.db", "--dataset", "others", "--fits", "2", "--delta", "1e-6"]
    said = commands.done(*grant, "--like", "first.json")
    assert "slots 2" in said
    assert "(1.779, 1e-06)" in said  # the sum is 2
    words = [word if word != "stays" else "others" for word in fit("--delta", "1e-6")]
    commands.done(*words, "-o", "a.json")
    said = commands.refused(Exit.PRIVACY, *words, "--max-rules", "30", "-o", "b.json")
    assert "not below the curve of a slot" in said
    commands.done(*words, "-o", "b.json")
    assert "slots 0 left" in commands.refused(Exit.PRIVACY, *words, "-o", "c.json")
    shown = " ".join(commands.done("ledger", "show", "l.db", "--dataset", "others").split())
    assert "fits a list of 3 rules at epsilon 1 and delta 1e-06." in shown


def test_fits_like_a_list_whose_price_is_not_known_are_refused(folder, commands):
    commands.done("fit", "stays.csv", "--schema", "schema.toml", "-o", "open.json")
    grant = ["ledger", "grant", "l.db", "--dataset", "stays", "--fits", "2", "--delta", "1e-6", "--like", "open.json"]
    assert "max_rules" in commands.refused(Exit.PARAMETER, *grant)


def test_a_paid_model_needs_a_file(folder, commands):
    commands.refused(Exit.FILE, *fit("-o", "/dev/null"))
    assert not Ledger("l.db").book().charges


def test_an_export_may_be_written_again(folder, commands):
    for more in ([], ["--force"]):
        commands.done("ledger", "export", "l.db", "-o", "l.json", *more)
    commands.done(*fit("-o", "m.json"))
    assert "is a model" in commands.refused(Exit.FILE, "ledger", "export", "l.db", "-o", "m.json", "--force")


def test_a_ledger_that_cannot_be_made(folder, commands):
    assert "no such folder" in commands.refused(Exit.FILE, "ledger", "init", "none/l.db", "--dataset", "x")


@pytest.mark.parametrize("command", [("verify", "m.json"), ("report", "m.json", "-o", "r.html")], ids=lambda c: c[0])
def test_a_model_whose_release_was_not_recorded_is_settled(command, folder, commands, monkeypatch):
    """The job is stopped between the rename of its model and the last entry of the ledger."""

    def stop(*words):
        raise SystemExit(Exit.TERMINATED)

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "finish", stop)
        assert commands.run(*fit("-o", "m.json")).code != Exit.OK
    assert Released.load("m.json").certificate.verify()
    assert [state.outcome for state in Ledger("l.db").book().charges.values()] == ["interrupted, or running"]
    commands.done(*command, "--ledger", "l.db")
    assert [state.outcome for state in Ledger("l.db").book().charges.values()] == ["released"]
    assert "Verified" in commands.done("ledger", "verify", "l.db", "--model", "m.json")


def test_a_model_that_cannot_be_written_is_not_recorded_as_released(folder, commands, monkeypatch):
    def refuse(text, output, force):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dprules.cli.fit.write_output", refuse)
    ran = commands.run(*fit("-o", "m.json"))
    assert ran.code != Exit.OK
    assert json.loads(ran.out)["certificate"]
    assert [state.outcome for state in Ledger("l.db").book().charges.values()] == ["interrupted, or running"]


def test_a_grant_that_was_closed_has_nothing_left(folder, commands):
    words = ["--dataset", "stays", "--epsilon", "1", "--delta", "1e-6", "--until", "2999-12-31"]
    commands.done("ledger", "grant", "l.db", *words)
    commands.done("ledger", "close", "l.db", "3")
    shown = commands.done("ledger", "show", "l.db")
    assert "nothing" in shown
    assert "closed" in shown
    assert "2999" not in shown
    document = json.loads(commands.done("ledger", "show", "l.db", "--json"))
    assert [grant["ended"] for grant in document["datasets"]["stays"]["grants"]] == [False, True]


def test_a_dry_run_notices_a_ledger_that_cannot_be_written(folder, commands, monkeypatch):
    def refuse(self):
        raise FileError("l.db cannot be written. Nothing has run; check its permissions.")

    monkeypatch.setattr(Log, "require_writable", refuse)
    assert "cannot be written" in commands.refused(Exit.FILE, *fit("--dry-run", "-o", "m.json"))


def test_what_makes_no_sense_makes_no_ledger(folder, commands):
    commands.refused(Exit.PARAMETER, "ledger", "init", "n.db", "--dataset", "s", "--neighbours", "zero-out")
    assert not Path("n.db").exists()
    commands.done("ledger", "init", "n.db", "--dataset", "s", "--neighbours", "replace")
    assert "replace neighbours" in commands.done("ledger", "show", "n.db")


def test_what_was_edited_is_found(folder, commands):
    commands.done(*fit("-o", "m.json"))
    with closing(sqlite3.connect("l.db")) as connection, connection:
        connection.execute("UPDATE entries SET text = replace(text, 'officer', 'analyst') WHERE number = 2")
    ran = commands.run("ledger", "verify", "l.db")
    assert ran.code == Exit.UNVERIFIED
    assert "entry 2 was changed or moved" in ran.err
    ran = commands.run("verify", "m.json", "--ledger", "l.db")
    assert ran.code == Exit.UNVERIFIED
    assert "was changed or moved" in commands.refused(Exit.INPUT, *fit("-o", "n.json"))
    assert json.loads(commands.run("ledger", "verify", "l.db", "--json").out)["holds"] is False


def test_the_ledger_is_not_overwritten(folder, commands):
    before = (folder / "l.db").read_bytes()
    commands.refused(Exit.FILE, *fit("-o", "l.db", "--force"))
    commands.refused(Exit.FILE, "ledger", "export", "l.db", "-o", "l.db", "--force")
    commands.refused(Exit.FILE, "ledger", "init", "l.db")
    assert (folder / "l.db").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["init", "no/l.db"], Exit.FILE),
        (["init", "n.db", "--unit", "person"], Exit.PARAMETER),
        (["init", "l.db", "--dataset", "stays"], Exit.PARAMETER),
        (["init", "l.db", "--dataset", "twin", "--schema", "schema.toml"], Exit.PRIVACY),
        (["init", "l.db", "--dataset", "s", "--stream", "--neighbours", "add-remove"], Exit.PARAMETER),
        (["grant", "l.db", "--dataset", "none", "--epsilon", "1"], Exit.PARAMETER),
        (["grant", "l.db", "--dataset", "stays"], Exit.PARAMETER),
        (["grant", "l.db", "--dataset", "stays", "--epsilon", "1", "--fits", "1"], Exit.PARAMETER),
        (["grant", "l.db", "--dataset", "stays", "--epsilon", "-1"], Exit.PARAMETER),
        (["grant", "l.db", "--dataset", "stays", "--epsilon", "nan"], Exit.PARAMETER),
        (["grant", "l.db", "--dataset", "stays", "--fits", "2", "--delta", "1e-6"], Exit.PARAMETER),
        (["grant", "l.db", "--dataset", "stays", "--epsilon", "1", "--until", "soon"], Exit.PARAMETER),
        (["grant", "l.db", "--dataset", "stays", "--epsilon", "1", "--delta", "2"], Exit.PARAMETER),
        (["show", "none.db"], Exit.FILE),
        (["show", "stays.csv"], Exit.INPUT),
        (["show", "l.db", "--dataset", "none"], Exit.PARAMETER),
        (["verify", "l.db", "--model", "none.json"], Exit.FILE),
        (["export", "l.db", "--to", "pdf"], Exit.PARAMETER),
        (["show", "mysql://x/y"], Exit.PARAMETER),
        (["show", "postgresql://me:secret@127.0.0.1:1/none"], Exit.FILE),
    ],
)
def test_mistakes_get_one_sentence(words, code, folder, commands):
    assert "secret" not in commands.refused(code, "ledger", *words)


def test_ctrl_c_says_that_a_charge_stands(folder, commands, monkeypatch):
    def stop(*asked):
        raise KeyboardInterrupt

    monkeypatch.setattr("dprules.jobs.fit", stop)
    ran = commands.run(*fit("-o", "m.json"))
    assert ran.code == Exit.INTERRUPTED
    assert "if a charge was written, it stands" in ran.err


def test_several_grants_and_dates(folder, commands):
    grant = ["ledger", "grant", "l.db", "--dataset", "stays", "--epsilon", "1"]
    assert "is over" in commands.refused(Exit.PARAMETER, *grant, "--until", "2020-12-31")
    ran = commands.run(*grant, "--until", "2199-12-31", "--why", "[more]")
    assert "evaluations only" in ran.err
    shown = commands.done("ledger", "show", "l.db")
    assert ", [more], until 2199-12-31." in shown
    assert "All grants of it together: (3, 1e-05)." in shown


def test_streams_and_evaluations(folder, commands):
    commands.done("ledger", "init", "l.db", "--dataset", "clicks", "--stream", "--schema", "schema.toml", "--distinct")
    commands.done("ledger", "grant", "l.db", "--dataset", "clicks", "--epsilon", "1")
    stream = ["stream", "init", "state", "--features", "schema.toml", "--ledger", "l.db", "--dataset", "clicks"]
    assert "Charged: " in commands.done(*stream)
    assert "Charged: " in commands.done("stream", "show", "state")
    assert "left" in commands.refused(Exit.PRIVACY, *[word if word != "state" else "other" for word in stream])
    commands.done(*fit("-o", "m.json"))
    evaluate = ["evaluate", "m.json", "stays.csv", "--epsilon", "0.5", "--ledger", "l.db", "--dataset", "stays"]
    commands.done(*evaluate)
    commands.done(*evaluate)
    assert "Nothing was spent" in commands.refused(Exit.PRIVACY, *evaluate)
