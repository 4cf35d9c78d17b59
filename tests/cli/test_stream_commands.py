import json
import os
import signal
import stat
import subprocess
import sys
import time

import duckdb
import pytest
from test_commands import run

from dprules.cli.exits import Exit
from dprules.online.state import opened

SCHEMA = """
[label]
column = "y"
classes = ["no", "yes"]
[columns.a]
kind = "boolean"
[columns.n]
kind = "numeric"
cuts = [1, 2]
"""


def lines(size, start=0):
    return [
        json.dumps({"id": i, "a": i % 2 == 0, "n": i % 4, "y": "yes" if i % 2 == 0 else "no"})
        for i in range(start, size)
    ]


@pytest.fixture
def stream(tmp_path, monkeypatch, capsys):
    (tmp_path / "schema.toml").write_text(SCHEMA)
    command = ("stream", "init", str(tmp_path / "s"), "--features", str(tmp_path / "schema.toml"), "--epsilon", "8")
    code, out, err = run(monkeypatch, capsys, *command)
    assert code == Exit.OK, err
    assert "(8, 0)-differentially private, replace neighbours" in out
    return tmp_path / "s"


def write(tmp_path, rows, name="e.jsonl"):
    (tmp_path / name).write_text("\n".join(rows) + "\n")
    return str(tmp_path / name)


def rounds(stream):
    with opened(stream) as state:
        return state._rounds


def test_learn_show_predict_export(stream, tmp_path, monkeypatch, capsys):
    path = write(tmp_path, lines(2000))
    code, out, err = run(monkeypatch, capsys, "stream", "learn", str(stream), path)
    assert code == Exit.OK, err
    assert "a is true" in out
    assert run(monkeypatch, capsys, "stream", "learn", str(stream), path)[0] == Exit.OK  # recognised
    assert rounds(stream) == 2000
    code, out, _ = run(monkeypatch, capsys, "stream", "show", str(stream))
    assert "Checked" in out
    shown = json.loads(run(monkeypatch, capsys, "stream", "show", str(stream), "--json")[1])
    assert set(shown) == {"hypothesis", "certificate"}
    code, out, _ = run(monkeypatch, capsys, "stream", "predict", str(stream), path)
    assert out.splitlines()[:3] == ["prediction", "yes", "no"]
    target = tmp_path / "p.csv"
    run(monkeypatch, capsys, "stream", "predict", str(stream), path, "-o", str(target))
    assert stat.S_IMODE(os.stat(target).st_mode) == 0o600
    sql = run(monkeypatch, capsys, "stream", "export", str(stream), "--to", "sql", "--table", "e")[1]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE e AS SELECT i % 2 = 0 AS a, i % 4 AS n FROM range(100) t(i)")
        found = [row[-1] for row in connection.execute(sql).fetchall()]
    assert found == out.splitlines()[1:101]
    assert json.loads(run(monkeypatch, capsys, "stream", "export", str(stream))[1])["format"] == "dprules-hypothesis"
    code, _, _ = run(monkeypatch, capsys, "stream", "export", str(stream), "-o", str(tmp_path / "h.json"))
    assert (tmp_path / "h.json").exists()


def test_acknowledgements_count_lines(stream, tmp_path, monkeypatch, capsys):
    path = write(tmp_path, lines(100))
    out = run(monkeypatch, capsys, "stream", "learn", str(stream), path, "--batch", "30", "--json")[1]
    assert [json.loads(line)["acknowledged"] for line in out.splitlines()] == [30, 60, 90, 100]


def test_csv_and_standard_input(stream, tmp_path, monkeypatch, capsys):
    cells = (f"{i % 2 == 0},{i % 4},{'yes' if i % 2 == 0 else 'no'}" for i in range(50))
    path = write(tmp_path, ["a,n,y", *cells], "e.csv")
    assert run(monkeypatch, capsys, "stream", "learn", str(stream), path)[0] == Exit.OK

    command = [sys.executable, "-m", "dprules", "stream", "learn", str(stream), "-"]

    def piped(offset, rows):
        text = "\n".join(rows) + "\n"
        return subprocess.run(
            [*command, "--offset", str(offset)], input=text, text=True, capture_output=True, check=False
        )

    assert piped(0, lines(70)).returncode == 0
    assert piped(0, lines(70)).returncode == 0  # recognised
    assert rounds(stream) == 120
    assert piped(60, lines(100, start=60)).returncode == 0  # overlaps
    assert rounds(stream) == 150
    gap = piped(120, lines(130, start=120))
    assert gap.returncode == Exit.INPUT
    assert "lines 100 to 119 of the source were never learnt" in gap.stderr
    assert piped(-5, lines(1)).returncode == Exit.PARAMETER
    torn = subprocess.run([*command, "--offset", "100"], input='{"a": tr', text=True, capture_output=True, check=False)
    assert "left out" in torn.stderr
    assert rounds(stream) == 150
    code, _, err = run(monkeypatch, capsys, "stream", "learn", str(stream), write(tmp_path, lines(9)), "--source", "-")
    assert (code, "was read from standard input" in err) == (Exit.INPUT, True)
    done = subprocess.run(
        [*command, "--offset", "0", "--source", "e.csv"], input="", text=True, capture_output=True, check=False
    )
    assert "was read from a file" in done.stderr


@pytest.mark.slow
def test_a_growing_file_is_followed(stream, tmp_path):
    path = write(tmp_path, lines(100))
    command = [sys.executable, "-m", "dprules", "stream", "learn", str(stream), path, "--follow", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert json.loads(process.stdout.readline())["acknowledged"] == 100
    with open(path, "a") as file:
        file.write("\n".join(lines(150, start=100)))  # the last line has no end yet
    time.sleep(1.5)
    with open(path, "a") as file:
        file.write("\n")
    while json.loads(process.stdout.readline())["acknowledged"] < 150:
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert "everything that was acknowledged is kept" in err
    assert "Traceback" not in err
    assert rounds(stream) == 150


FAULTS = {
    "no such stream": (lambda s, t: ("learn", str(t / "none"), write(t, lines(3))), "not a stream", Exit.INPUT),
    "no such events": (lambda s, t: ("learn", str(s), str(t / "none.jsonl")), "no such file", Exit.INPUT),
    "predict without events": (lambda s, t: ("predict", str(s), str(t / "none.jsonl")), "no such file", Exit.INPUT),
    "there already": (
        lambda s, t: ("init", str(s), "--features", str(t / "schema.toml")),
        "there already",
        Exit.INPUT,
    ),
    "no folder": (
        lambda s, t: ("init", str(t / "x" / "y"), "--features", str(t / "schema.toml")),
        "no such folder",
        Exit.INPUT,
    ),
    "algorithm": (
        lambda s, t: ("init", str(t / "z"), "--features", str(t / "schema.toml"), "--algorithm", "batched"),
        "needs delta, horizon, margin",
        Exit.PARAMETER,
    ),
    "batch": (lambda s, t: ("learn", str(s), write(t, lines(3)), "--batch", "0"), "batch must be", Exit.PARAMETER),
    "follow": (lambda s, t: ("learn", str(s), "-", "--follow"), "followed anyway", Exit.PARAMETER),
    "no offset": (lambda s, t: ("learn", str(s), "-"), "needs --offset", Exit.PARAMETER),
    "form": (lambda s, t: ("export", str(s), "--to", "cobol"), "to must be", Exit.PARAMETER),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_get_one_sentence(case, stream, tmp_path, monkeypatch, capsys):
    make, sentence, exit_code = FAULTS[case]
    code, _, err = run(monkeypatch, capsys, "stream", *make(stream, tmp_path))
    assert code == exit_code
    assert sentence in err
    assert err.count("\n") == 1


def test_another_file_with_the_same_name_is_refused(stream, tmp_path, monkeypatch, capsys):
    path = write(tmp_path, lines(50))
    run(monkeypatch, capsys, "stream", "learn", str(stream), path)
    write(tmp_path, lines(200, start=60))
    code, _, err = run(monkeypatch, capsys, "stream", "learn", str(stream), path)
    assert (code, "not the file that was read before" in err) == (Exit.INPUT, True)
    assert run(monkeypatch, capsys, "stream", "learn", str(stream), path, "--source", "new")[0] == Exit.OK
    assert rounds(stream) == 190


def test_cells_of_events_never_reach_the_screen(stream, tmp_path, monkeypatch, capsys):
    canary = "canary-0xC0FFEE"
    rows = [json.dumps({"a": canary, "n": canary, "y": canary, canary: 1}), "{" + canary, *lines(10)]
    path = write(tmp_path, rows)
    seen = ""
    for command in (("learn", str(stream), path), ("show", str(stream)), ("predict", str(stream), path)):
        code, out, err = run(monkeypatch, capsys, "stream", *command)
        assert code == Exit.OK
        seen += out + err
    assert canary not in seen + (stream / "hypothesis.json").read_text()
    assert canary.encode() not in (stream / "private" / "state.db").read_bytes()
