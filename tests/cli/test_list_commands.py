import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pyarrow.csv
import pytest
from test_commands import run

from dprules.cli.exits import Exit
from dprules.data.example import SCHEMA, hospital_stays
from dprules.lists import Model


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("stays")
    pyarrow.csv.write_csv(hospital_stays(3000, 1), made / "stays.csv")
    (made / "schema.toml").write_text(SCHEMA.to_toml())
    return made


@pytest.fixture
def model(folder, monkeypatch, capsys):
    if not (folder / "model.json").exists():
        code, _, err = run(monkeypatch, capsys, *fit(folder))
        assert code == Exit.OK, err
    return folder / "model.json"


def fit(folder, *more, output="model.json"):
    return (
        "fit",
        str(folder / "stays.csv"),
        "--schema",
        str(folder / "schema.toml"),
        "-o",
        str(folder / output),
        *more,
    )


def test_fit_prints_the_list_and_its_statement(folder, monkeypatch, capsys):
    code, out, _ = run(monkeypatch, capsys, *fit(folder, "--report", str(folder / "report.html")))
    assert code == Exit.OK
    assert out.startswith(("if ", "always "))
    assert "(1, 1e-06)-differentially private, add-remove neighbours" in out
    assert Model.load(folder / "model.json").certificate.verify()
    page = (folder / "report.html").read_text()
    assert "<svg" in page
    assert "http" not in page.replace("http-equiv", "")


def test_show_export_predict_evaluate(model, folder, monkeypatch, capsys):
    code, out, _ = run(monkeypatch, capsys, "show", str(model))
    assert (code, "Checked" in out) == (Exit.OK, True)
    assert json.loads(run(monkeypatch, capsys, "show", str(model), "--json")[1])["format"] == "dprules-model"
    for form, sign in (
        ("sql", 'FROM "stays"'),
        ("python", "def predict"),
        ("markdown", "| --- |"),
        ("json", '"rules"'),
    ):
        code, out, _ = run(monkeypatch, capsys, "export", str(model), "--to", form, "--table", "stays")
        assert (code, sign in out) == (Exit.OK, True)
    code, out, _ = run(monkeypatch, capsys, "predict", str(model), str(folder / "stays.csv"), "--keep", "age")
    assert out.splitlines()[0] == "age,prediction"
    assert len(out.splitlines()) == 3001
    code, _, _ = run(monkeypatch, capsys, "predict", str(model), str(folder / "stays.csv"), "-o", str(folder / "p.csv"))
    assert stat.S_IMODE(os.stat(folder / "p.csv").st_mode) == 0o600
    evaluate = ("evaluate", str(model), str(folder / "stays.csv"), "--label", "readmitted")
    assert "on public rows" in run(monkeypatch, capsys, *evaluate, "--public")[1]
    bought = json.loads(run(monkeypatch, capsys, *evaluate, "--epsilon", "1", "--json")[1])
    assert 0.5 < bought["accuracy"] <= 1
    assert run(monkeypatch, capsys, *evaluate)[0] == Exit.PRIVACY


def test_a_drafted_schema_can_be_fitted(folder, monkeypatch, capsys):
    draft = ("schema", "draft", str(folder / "stays.csv"), "--label", "readmitted", "-o", str(folder / "drafted.toml"))
    assert run(monkeypatch, capsys, *draft)[0] == Exit.OK
    assert "maternity" not in (folder / "drafted.toml").read_text()
    assert run(monkeypatch, capsys, *draft, "--values-are-public")[0] == Exit.OK
    code, out, _ = run(monkeypatch, capsys, *fit(folder, "--schema", str(folder / "drafted.toml"), output="m2.json"))
    assert code == Exit.OK
    assert "values and cuts, read off the data and declared public" in out


def test_a_seed_is_marked(folder, monkeypatch, capsys):
    outs = [run(monkeypatch, capsys, *fit(folder, "--seed", "3", output="seeded.json"))[1] for _ in range(2)]
    assert outs[0] == outs[1]
    assert "NOT PRIVATE" in outs[0]


def test_a_dry_run_writes_nothing(folder, monkeypatch, capsys):
    code, out, _ = run(monkeypatch, capsys, *fit(folder, "--dry-run", output="dry.json"))
    assert (code, "nothing was spent" in out) == (Exit.OK, True)
    assert not (folder / "dry.json").exists()


def edited(folder, old, new):
    path = folder / "edited.toml"
    path.write_text((folder / "schema.toml").read_text().replace(old, new))
    return ("--schema", str(path))


STRUCTURAL = {
    "no such file": (
        lambda f: ("fit", str(f / "none.csv"), "--schema", str(f / "schema.toml")),
        "no such file",
        Exit.INPUT,
    ),
    "no such schema": (lambda f: (*fit(f), "--schema", str(f / "none.toml")), "cannot read or write", Exit.FILE),
    "wrong delimiter": (lambda f: fit(f, "--delimiter", ";"), "has no column", Exit.INPUT),
    "unknown column": (
        lambda f: fit(f, *edited(f, "[columns.age]", "[columns.size]")),
        "has no column 'size'",
        Exit.INPUT,
    ),
    "no label": (lambda f: fit(f, *edited(f, "[label]", "[labels]")), "labels must be one of", Exit.INPUT),
    "epsilon": (lambda f: fit(f, "--epsilon", "-1"), "epsilon must be positive", Exit.PARAMETER),
    "delta": (lambda f: fit(f, "--delta", "2"), "delta must lie", Exit.PARAMETER),
    "width": (lambda f: fit(f, "--width", "9"), "width must be 1, 2 or 3", Exit.PARAMETER),
    "accounting": (lambda f: fit(f, "--accounting", "no"), "accounting must be", Exit.PARAMETER),
    "unit rows": (lambda f: fit(f, "--unit", "age", "--unit-rows", "0"), "unit-rows must be", Exit.PARAMETER),
    "unit column": (lambda f: fit(f, "--unit", "nobody"), "has no column 'nobody'", Exit.INPUT),
    "no output folder": (lambda f: fit(f, output="none/model.json"), "no such folder", Exit.INPUT),
    "output is a folder": (lambda f: fit(f, output="."), "is a folder", Exit.INPUT),
    "export": (lambda f: ("export", str(f / "model.json"), "--to", "cobol"), "to must be one of", Exit.PARAMETER),
}


@pytest.mark.parametrize("case", STRUCTURAL)
def test_structural_faults_get_one_sentence(case, folder, model, monkeypatch, capsys):
    make, sentence, exit_code = STRUCTURAL[case]
    code, out, err = run(monkeypatch, capsys, *make(folder))
    assert (code, out) == (exit_code, "")
    assert err.startswith("dprules: ")
    assert sentence in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("damage", ["truncated", "future", "binary"])
def test_model_files_that_cannot_be_read(damage, model, folder, monkeypatch, capsys):
    text = model.read_text()
    path = folder / "damaged.json"
    if damage == "binary":
        path.write_bytes(b"\xff\x00\x01")
    else:
        path.write_text(
            text[: len(text) // 2] if damage == "truncated" else text.replace('"version": 1', '"version": 9', 1)
        )
    code, _, err = run(monkeypatch, capsys, "show", str(path))
    assert code == Exit.INPUT
    assert err.count("\n") == 1


ROWS = {
    "empty table": lambda lines: lines[:1],
    "one row": lambda lines: lines[:2],
    "one class": lambda lines: [lines[0], *(line for line in lines[1:] if line.rstrip().endswith('"no"'))],
    "undeclared labels": lambda lines: [line.replace('"yes"', '"perhaps"') for line in lines],
    "an all-missing column": lambda lines: [lines[0], *("," + line.split(",", 1)[1] for line in lines[1:])],
    "out of range": lambda lines: [lines[0], *("1e300," + line.split(",", 1)[1] for line in lines[1:])],
}


@pytest.mark.parametrize("case", ROWS)
def test_facts_about_rows_never_stop_a_fit(case, folder, monkeypatch, capsys):
    changed = folder / "rows.csv"
    changed.write_text("".join(ROWS[case]((folder / "stays.csv").read_text().splitlines(keepends=True))))
    code, out, err = run(monkeypatch, capsys, *("fit", str(changed), *fit(folder, output="rows.json")[2:]))
    assert code == Exit.OK, err
    assert "differentially private" in out


def test_cells_never_reach_the_screen(folder, monkeypatch, capsys):
    """A canary in every cell of a broken table: no error, list or file may quote it."""
    header, *lines = (folder / "stays.csv").read_text().splitlines()
    canary = "canary-0xC0FFEE"
    (folder / "canary.csv").write_text("\n".join([header, *(f'{canary},"{canary}' + line for line in lines[:50])]))
    code, out, err = run(
        monkeypatch, capsys, *("fit", str(folder / "canary.csv"), *fit(folder, output="canary.json")[2:])
    )
    written = (folder / "canary.json").read_text() if (folder / "canary.json").exists() else ""
    assert code in (Exit.OK, Exit.INPUT)
    assert canary not in out + err + written


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.3, 1.5, 3.0])
def test_an_interrupted_fit_leaves_nothing_half_written(folder, after):
    target = folder / "interrupted.json"
    command = [sys.executable, "-m", "dprules", *fit(folder, "--width", "3", output=target.name)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    if target.exists():
        Model.load(target)  # the interruption came too late: the file is whole
        target.unlink()
    assert not list(Path(folder).glob(".interrupted*"))


@pytest.mark.slow
def test_the_demo_end_to_end(tmp_path, monkeypatch, capsys):
    code, out, err = run(monkeypatch, capsys, "demo", "--output", str(tmp_path / "demo"))
    assert code == Exit.OK, err
    assert "without privacy" in out
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {
        "certificate.json",
        "model.json",
        "report.html",
        "schema.toml",
        "stays.csv",
    }


ODD = {"empty table": "has no rows", "one class": "all rows are of class no", "undeclared labels": "undeclared label"}


@pytest.mark.parametrize("case", ODD)
def test_rows_that_are_public_can_be_checked(case, folder, monkeypatch, capsys):
    changed = folder / "odd.csv"
    changed.write_text("".join(ROWS[case]((folder / "stays.csv").read_text().splitlines(keepends=True))))
    asked = ("fit", str(changed), *fit(folder, "--rows-are-public", output="odd.json")[2:])
    code, _, err = run(monkeypatch, capsys, *asked)
    assert code == Exit.INPUT
    assert ODD[case] in err
    assert not (folder / "odd.json").exists()


def test_the_certificate_says_that_rows_were_looked_at(folder, monkeypatch, capsys):
    code, out, _ = run(monkeypatch, capsys, *fit(folder, "--rows-are-public", output="checked.json"))
    assert code == Exit.OK
    assert "the rows themselves, which were checked before the fit" in out
    changed = folder / "odd.csv"
    lines = (folder / "stays.csv").read_text().splitlines(keepends=True)
    changed.write_text("".join(ROWS["an all-missing column"](lines)))
    asked = ("fit", str(changed), *fit(folder, "--rows-are-public", output="odd.json")[2:])
    assert "has no declared value in any row" in run(monkeypatch, capsys, *asked)[2]


def test_outputs_never_overwrite_inputs_or_each_other(folder, model, monkeypatch, capsys):
    before = (folder / "stays.csv").read_text()
    for more in (("--report", str(folder / "model.json")), ("-o", str(folder / "stays.csv"))):
        code, _, err = run(monkeypatch, capsys, *fit(folder, *more))
        assert (code, "already used" in err) == (Exit.INPUT, True)
    table, kept = str(folder / "stays.csv"), str(folder / "model.json")
    for command in (
        ("predict", kept, table, "-o", table),
        ("schema", "draft", table, "--label", "readmitted", "-o", table),
        ("export", kept, "--to", "json", "-o", kept),
        ("fit", str(folder), *fit(folder)[2:]),
    ):
        code, _, err = run(monkeypatch, capsys, *command)
        assert (code, "already used" in err) == (Exit.INPUT, True)
    assert (folder / "stays.csv").read_text() == before
    assert run(monkeypatch, capsys, *fit(folder, "--unit-rows", "5"))[0] == Exit.PARAMETER


def test_links_pipes_and_modes_are_respected(folder, model, monkeypatch, capsys):
    (folder / "link.json").symlink_to(folder / "target.json")
    run(monkeypatch, capsys, "export", str(model), "--to", "json", "-o", str(folder / "link.json"))
    assert (folder / "link.json").is_symlink()
    assert (folder / "target.json").exists()
    (folder / "open.csv").write_text("")
    (folder / "open.csv").chmod(0o644)
    run(monkeypatch, capsys, "predict", str(model), str(folder / "stays.csv"), "-o", str(folder / "open.csv"))
    assert stat.S_IMODE(os.stat(folder / "open.csv").st_mode) == 0o600
    os.mkfifo(folder / "pipe")
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    run(monkeypatch, capsys, "export", str(model), "--to", "sql", "--table", "t", "-o", str(folder / "pipe"))
    assert stat.S_ISFIFO(os.stat(folder / "pipe").st_mode)
    os.close(reader)
    (folder / "pipe").unlink()


def test_labels_stay_beside_their_ids(folder, model, monkeypatch, capsys):
    """A view has no order of its own: ids and labels must come from one reading."""
    with duckdb.connect(str(folder / "views.db")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT *, row_number() OVER () AS id FROM '{folder / 'stays.csv'}'")
        connection.execute("CREATE VIEW v AS SELECT * FROM t UNION SELECT * FROM t")
    source = ("predict", str(model), f"duckdb:///{folder / 'views.db'}", "--keep", "id", "--table")
    straight, shuffled = (run(monkeypatch, capsys, *source, name)[1].splitlines()[1:] for name in ("t", "v"))
    assert sorted(straight) == sorted(shuffled)
