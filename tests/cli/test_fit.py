"""`dprules fit`: what it prints and writes, what it refuses, and what never stops it."""

import json
import signal
import subprocess
import sys
import time

import duckdb
import pytest

from cli.helpers import assert_one_sentence
from dprules.cli.exits import Exit
from dprules.models import Released


@pytest.fixture
def fit(stays, tmp_path):
    """The words of a fit of the stays; the model goes to a folder of its own."""

    def words(*more, data=stays / "stays.csv", schema=stays / "schema.toml", output="model.json"):
        return ("fit", data, "--schema", schema, "-o", tmp_path / output, *more)

    return words


def test_the_list_and_its_statement_are_printed_and_written(shell, fit, tmp_path):
    code, out, err = shell(*fit("--report", tmp_path / "report.html"))
    assert code == Exit.OK, err
    assert out.startswith("Learnt from about ")
    assert "(1, 1e-06)-differentially private, add-remove neighbours" in out
    released = Released.load(tmp_path / "model.json")
    assert str(released) in out
    page = (tmp_path / "report.html").read_text()
    assert "<svg" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_scorecard_is_printed_and_written(shell, fit, tmp_path):
    options = ("--model", "scorecard", "--terms", "8", "--class-weight", "balanced")
    code, out, err = shell(*fit(*options, "--report", tmp_path / "report.html"))
    assert code == Exit.OK, err
    released = Released.load(tmp_path / "model.json")
    assert str(released) in out
    assert released.model.kind == "scorecard"
    assert released.certificate.settings["terms"] == 8
    assert released.certificate.settings["class_weight"] == "balanced"
    assert "<svg" in (tmp_path / "report.html").read_text()
    assert shell(*fit("--model", "scorecard", "--terms", "all", "--dry-run", output="other.json")).out.startswith(
        "Everything is in order: 10 columns, 51 bins. Nothing was learnt and nothing was spent."
    )


def test_json(shell, fit, tmp_path):
    ran = shell(*fit("--json"))
    assert ran.out == (tmp_path / "model.json").read_text()
    assert json.loads(ran.out)["label"]["column"] == "readmitted"


def test_every_option_reaches_the_certificate(shell, fit, tmp_path):
    options = ("--neighbours", "replace", "--max-rules", "4", "--width", "1", "--reward", "0.5", "--counts", "0.1")
    units = ("--unit", "age", "--unit-rows", "2", "--epsilon", "2", "--delta", "1e-7")
    assert shell(*fit(*options, *units, "--accounting", "exact")).code == Exit.OK
    certificate = Released.load(tmp_path / "model.json").certificate
    assert certificate.settings["max_rules"] == 4
    assert certificate.settings["reward"] == 0.5
    assert certificate.settings["shares"] == {"counts": 0.1}
    assert (certificate.epsilon, certificate.delta) == (2, 1e-7)
    assert str(certificate.unit) == "value of 'age' (at most 2 rows of each)"
    assert "replace neighbours" in certificate.statement()


def test_shares_of_private_cuts_and_class_counts(shell, fit, stays, tmp_path):
    text = (stays / "schema.toml").read_text()
    start = text.index("cuts = ")
    private = text[:start] + "lower = 0\nupper = 100\n" + text[text.index("]", start) + 1 :]
    (tmp_path / "private.toml").write_text(private)
    shares = ("--cuts", "0.2", "--class-counts", "0.1")
    assert shell(*fit(*shares, schema=tmp_path / "private.toml")).code == Exit.OK
    charged = {
        r.name: float(c.epsilon) for c in Released.load(tmp_path / "model.json").certificate.charges for r in c.releases
    }
    assert charged == pytest.approx({"cuts of age": 0.2, "class counts": 0.1, "rules": 0.7})


def test_bought_values_are_named_and_rare_ones_are_nowhere(shell, fit, tmp_path):
    lines = ["city,readmitted", *["Paris,yes", "Lyon,no"] * 1500, *(f"Canary {i},yes" for i in range(200))]
    (tmp_path / "cities.csv").write_text("\n".join(lines) + "\n")
    asked = 'kind = "categorical"\nvalues = { private = 0.2, delta = 0.1 }\n'
    schema = f'[label]\ncolumn = "readmitted"\nclasses = ["no", "yes"]\n[columns.city]\n{asked}'
    (tmp_path / "cities.toml").write_text(schema)
    ran = shell(*fit(data=tmp_path / "cities.csv", schema=tmp_path / "cities.toml"))
    assert ran.code == Exit.OK, ran.err
    assert "values of city (private values): epsilon 0.2, delta 1e-07" in " ".join(ran.out.split())
    assert "Paris" in (tmp_path / "model.json").read_text()
    assert "Canary" not in ran.out + ran.err + (tmp_path / "model.json").read_text()


def test_a_seed_is_marked(shell, fit):
    outs = [shell(*fit("--seed", "3", "--force")).out for _ in range(2)]
    assert outs[0] == outs[1]
    assert "NOT PRIVATE" in outs[0]


def test_a_database_is_named_in_the_model(shell, fit, stays, tmp_path):
    with duckdb.connect(str(tmp_path / "stays.db")) as connection:
        connection.execute(f"CREATE TABLE stays AS SELECT * FROM read_csv('{stays / 'stays.csv'}', all_varchar = true)")
    ran = shell(*fit("--table", "stays", data=f"duckdb:///{tmp_path / 'stays.db'}"))
    assert ran.code == Exit.OK, ran.err
    assert Released.load(tmp_path / "model.json").table == "stays"
    assert 'FROM "stays"' in shell("export", tmp_path / "model.json", "--to", "sql").out


# What was paid for stays.


def test_a_model_is_never_overwritten_unless_it_is_asked_for(shell, fit, tmp_path):
    assert shell(*fit()).code == Exit.OK
    before = (tmp_path / "model.json").read_bytes()
    for more in ((), ("--dry-run",)):
        code, out, err = shell(*fit(*more))
        assert_one_sentence(code, err, Exit.FILE)
        assert "--force" in err
        assert out == ""
    assert (tmp_path / "model.json").read_bytes() == before
    code, _, err = shell(*fit("--report", tmp_path / "model.json", output="other.json"))
    assert_one_sentence(code, err, Exit.FILE)
    assert not (tmp_path / "other.json").exists()
    assert shell(*fit("--force")).code == Exit.OK
    assert (tmp_path / "model.json").read_bytes() != before


def test_a_model_that_cannot_be_written_after_all_is_printed(shell, fit, monkeypatch):
    def fail(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dprules.cli.options.write_whole", fail)
    code, out, err = shell(*fit())
    assert_one_sentence(code, err, Exit.RESOURCE)
    assert Released.from_json(out).verify()


# Checks, with and without --dry-run.


def test_a_dry_run_writes_nothing(shell, fit, tmp_path):
    ran = shell(*fit("--dry-run"))
    assert (ran.code, "nothing was spent" in ran.out) == (Exit.OK, True)
    summary = json.loads(shell(*fit("--dry-run", "--json")).out)
    for part in summary["spending"]:
        assert f"  {part['what']}: epsilon {part['epsilon']:.4g}, delta " in ran.out
    assert sum(part["epsilon"] for part in summary["spending"]) == pytest.approx(1)
    assert summary["epsilon"] == 1.0
    assert summary["conditions"] > summary["literals"] > 0
    assert not list(tmp_path.iterdir())


def edited(folder, tmp_path, old, new):
    text = (folder / "schema.toml").read_text()
    assert old in text
    (tmp_path / "edited.toml").write_text(text.replace(old, new))
    return tmp_path / "edited.toml"


STRUCTURAL = {
    "no such file": (lambda f, s, t: f(data=s / "none.csv"), "no such file", Exit.FILE),
    "no such pattern": (lambda f, s, t: f(data=s / "*.tsv"), "no file matches", Exit.FILE),
    "no such schema": (lambda f, s, t: f(schema=s / "none.toml"), "no such file. Check the name.", Exit.FILE),
    "no database": (lambda f, s, t: f("--table", "t", data="duckdb:///none.db"), "no such database", Exit.FILE),
    "no table": (lambda f, s, t: f(data="duckdb:///none.db"), "--table", Exit.PARAMETER),
    "wrong delimiter": (lambda f, s, t: f("--delimiter", ";"), "quotes that do not balance", Exit.INPUT),
    "long delimiter": (lambda f, s, t: f("--delimiter", "::"), "delimiter must be", Exit.PARAMETER),
    "unknown column": (
        lambda f, s, t: f(schema=edited(s, t, "[columns.age]", "[columns.size]")),
        "has no column 'size'",
        Exit.INPUT,
    ),
    "no label": (lambda f, s, t: f(schema=edited(s, t, "[label]", "[labels]")), "labels must be left out", Exit.INPUT),
    "placeholder": (
        lambda f, s, t: f(schema=edited(s, t, '[\n    "planned",\n    "emergency",\n    "transfer",\n]', '"?"')),
        "must be filled in",
        Exit.INPUT,
    ),
    "epsilon": (lambda f, s, t: f("--epsilon", "-1"), "epsilon must be positive", Exit.PARAMETER),
    "delta": (lambda f, s, t: f("--delta", "2"), "delta must", Exit.PARAMETER),
    "no delta": (lambda f, s, t: f("--delta", "0"), "delta must", Exit.PARAMETER),
    "width": (lambda f, s, t: f("--width", "9"), "width must be 1, 2 or 3", Exit.PARAMETER),
    "width of a card": (
        lambda f, s, t: f("--model", "scorecard", "--width", "2"),
        "a scorecard has no width. Leave it out",
        Exit.PARAMETER,
    ),
    "terms of a list": (lambda f, s, t: f("--terms", "5"), "a list has no terms. Leave it out", Exit.PARAMETER),
    "terms": (lambda f, s, t: f("--model", "scorecard", "--terms", "few"), "terms must be", Exit.PARAMETER),
    "no terms": (lambda f, s, t: f("--model", "scorecard", "--terms", "0"), "terms must be", Exit.PARAMETER),
    "model": (lambda f, s, t: f("--model", "tree"), "model must be list or scorecard", Exit.PARAMETER),
    "delta of a card": (
        lambda f, s, t: f("--model", "scorecard", "--delta", "0"),
        "delta must lie strictly between 0 and 1",
        Exit.PARAMETER,
    ),
    "max rules": (lambda f, s, t: f("--max-rules", "0"), "max_rules must be", Exit.PARAMETER),
    "many rules": (lambda f, s, t: f("--max-rules", "9" * 12), "max_rules must be at most", Exit.PARAMETER),
    "reward": (lambda f, s, t: f("--reward", "2"), "reward must lie in", Exit.PARAMETER),
    "accounting": (lambda f, s, t: f("--accounting", "no"), "accounting must be", Exit.PARAMETER),
    "neighbours": (lambda f, s, t: f("--neighbours", "zero-out"), "no zero-out neighbours", Exit.PARAMETER),
    "unit rows": (lambda f, s, t: f("--unit", "age", "--unit-rows", "0"), "unit_rows must be", Exit.PARAMETER),
    "rows of no unit": (lambda f, s, t: f("--unit-rows", "5"), "Name the column of the unit", Exit.PARAMETER),
    "the label as unit": (lambda f, s, t: f("--unit", "readmitted"), "is the label", Exit.PARAMETER),
    "unit column": (lambda f, s, t: f("--unit", "nobody"), "has no column 'nobody'", Exit.INPUT),
    "shares": (
        lambda f, s, t: f("--counts", "0.99", "--max-rules", "2", "--reward", "0.5", "--class-weight", "balanced"),
        "leave nothing for the model",
        Exit.PARAMETER,
    ),
    "share": (lambda f, s, t: f("--cuts", "2"), "must lie strictly between 0 and 1", Exit.PARAMETER),
    "beyond the lemma": (
        lambda f, s, t: f("--accounting", "paper", "--epsilon", "90"),
        "The paper's lemma fails",
        Exit.PRIVACY,
    ),
    "no output folder": (lambda f, s, t: f(output="none/model.json"), "no such folder", Exit.FILE),
    "output is a folder": (lambda f, s, t: f(output="."), "is a folder", Exit.FILE),
}


@pytest.mark.parametrize("case", STRUCTURAL)
@pytest.mark.parametrize("dry", [(), ("--dry-run",)], ids=["fit", "dry run"])
def test_structural_faults_get_one_sentence(case, dry, shell, fit, stays, tmp_path):
    """A dry run makes every check that a fit makes."""
    make, sentence, expected = STRUCTURAL[case]
    code, out, err = shell(*make(fit, stays, tmp_path), *dry)
    assert_one_sentence(code, err, expected)
    assert sentence in err
    assert out == ""
    assert not (tmp_path / "model.json").exists()


ROWS = {
    "empty table": lambda lines: lines[:1],
    "one row": lambda lines: lines[:2],
    "one class": lambda lines: [lines[0], *(line for line in lines[1:] if line.rstrip().endswith('"no"'))],
    "undeclared labels": lambda lines: [line.replace('"yes"', '"perhaps"') for line in lines],
    "an all-missing column": lambda lines: [lines[0], *("," + line.split(",", 1)[1] for line in lines[1:])],
    "out of range": lambda lines: [lines[0], *("1e300," + line.split(",", 1)[1] for line in lines[1:])],
    "unbalanced quotes": lambda lines: [lines[0], '"' + lines[1], *lines[2:]],
    "too many cells": lambda lines: [*lines, "1,2,3," + lines[-1]],
    "null bytes": lambda lines: [*lines, "\0" * 50 + "\n"],
    "no line end": lambda lines: [*lines[:-1], lines[-1].rstrip("\n")],
    "a carriage return": lambda lines: [*lines[:-1], lines[-1].replace(",", "\r,")],
}


@pytest.mark.parametrize("case", ROWS)
def test_facts_about_rows_never_stop_a_fit(case, shell, fit, stays, tmp_path):
    changed = tmp_path / "rows.csv"
    changed.write_text("".join(ROWS[case]((stays / "stays.csv").read_text().splitlines(keepends=True))), newline="")
    code, out, err = shell(*fit(data=changed))
    assert (code, err) == (Exit.OK, "")
    assert "differentially private" in out


ODD = {
    "empty table": "has no rows",
    "one class": "all rows are of class no",
    "undeclared labels": "undeclared label",
    "an all-missing column": "has no declared value in any row",
}


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("dry", [(), ("--dry-run",)], ids=["fit", "dry run"])
def test_rows_that_are_public_can_be_checked(case, dry, shell, fit, stays, tmp_path):
    changed = tmp_path / "odd.csv"
    changed.write_text("".join(ROWS[case]((stays / "stays.csv").read_text().splitlines(keepends=True))))
    code, _, err = shell(*fit("--rows-are-public", *dry, data=changed))
    assert_one_sentence(code, err, Exit.INPUT)
    assert ODD[case] in err
    assert not (tmp_path / "model.json").exists()


def test_the_certificate_says_that_rows_were_looked_at(shell, fit):
    assert "the rows themselves, which were checked before the fit" in shell(*fit("--rows-are-public")).out


def test_the_certificate_says_that_quotes_are_assumed_to_balance(shell, fit):
    assert "that quotes balance in every record" in shell(*fit("--multiline")).out
    assert "quotes" not in shell(*fit("--force")).out


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.3, 1.5, 3.0])
def test_an_interrupted_fit_leaves_nothing_half_written(after, fit, tmp_path):
    words = fit("--width", "3", output="interrupted.json")
    command = [sys.executable, "-m", "dprules", *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    if (tmp_path / "interrupted.json").exists():  # the interruption came too late: the file is whole
        Released.load(tmp_path / "interrupted.json")
    assert not list(tmp_path.glob(".interrupted*"))


def test_a_dry_run_says_that_a_delta_is_large(shell, stays, tmp_path):
    words = ("fit", stays / "stays.csv", "--schema", stays / "schema.toml", "-o", tmp_path / "m.json", "--dry-run")
    assert "Delta 0.5 is large" in shell(*words, "--delta", "0.5").out
    assert "is large" not in shell(*words).out
