"""`dprules stream`: make, learn, show, predict, export; from files, from standard input, and while they grow."""

import gzip
import json
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from cli.helpers import assert_one_sentence, assert_refused, run_process, write_lines
from dprules.cli.exits import Exit
from dprules.cli.options import CHECKED
from dprules.models import Released

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


def events(size, start=0):
    return [
        json.dumps({"id": i, "a": i % 2 == 0, "n": i % 4, "y": "yes" if i % 2 == 0 else "no"})
        for i in range(start, size)
    ]


@pytest.fixture
def stream(shell, tmp_path) -> Path:
    (tmp_path / "schema.toml").write_text(SCHEMA)
    ran = shell("stream", "init", tmp_path / "s", "--features", tmp_path / "schema.toml", "--epsilon", "8")
    assert ran.code == Exit.OK, ran.err
    assert "(8, 0)-differentially private, replace neighbours" in ran.out
    return Path(tmp_path / "s")


def rounds(stream):
    mark = Released.load(stream / "hypothesis.json").stream
    assert mark is not None
    return mark.rounds


def test_learn_show_predict_export(shell, stream, tmp_path):
    path = write_lines(tmp_path / "e.jsonl", events(2000))
    ran = shell("stream", "learn", stream, path)
    assert ran.code == Exit.OK, ran.err
    assert "a is true" in ran.out
    assert shell("stream", "learn", stream, path).code == Exit.OK  # recognised
    assert rounds(stream) == 2000
    shown = shell("stream", "show", stream)
    assert shown.out.endswith(CHECKED + "\n")
    assert json.loads(shell("stream", "show", stream, "--json").out)["format"] == "dprules-model"
    predicted = shell("stream", "predict", stream, path).out.splitlines()
    assert predicted[:3] == ["predicted_y", "yes", "no"]
    shell("stream", "predict", stream, path, "-o", tmp_path / "p.csv")
    assert stat.S_IMODE((tmp_path / "p.csv").stat().st_mode) == 0o600
    sql = shell("stream", "export", stream, "--to", "sql", "--table", "e").out
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE e AS SELECT i % 2 = 0 AS a, i % 4 AS n FROM range(100) t(i)")
        found = [row[-1] for row in connection.execute(sql).fetchall()]
    assert found == predicted[1:101]
    assert shell("stream", "export", stream, "-o", tmp_path / "h.sql").code == Exit.OK
    assert (tmp_path / "h.sql").exists()


def test_the_published_file_is_a_model_for_every_command(shell, stream, tmp_path):
    shell("stream", "learn", stream, write_lines(tmp_path / "e.jsonl", events(2000)))
    model = stream / "hypothesis.json"
    rows = [f"{i % 2 == 0},{i % 4},{'yes' if i % 2 == 0 else 'no'}" for i in range(100)]
    table = write_lines(tmp_path / "t.csv", ["a,n,y", *rows])
    assert shell("verify", model).code == Exit.OK
    figures = json.loads(shell("evaluate", model, table, "--public", "--json").out)
    assert (figures["accuracy"]["value"], figures["rows"]["value"]) == (1, 100)
    assert shell("predict", model, table).out.splitlines()[1:3] == ["yes", "no"]
    assert shell("report", model, "-o", tmp_path / "r.html").code == Exit.OK
    assert shell("export", model, "--to", "sql", "--dialect", "sqlite").code == Exit.OK
    assert_refused(shell("export", model, "--to", "python"), Exit.PARAMETER)


def test_acknowledgements_count_lines(shell, stream, tmp_path):
    path = write_lines(tmp_path / "e.jsonl", events(100))
    out = shell("stream", "learn", stream, path, "--batch", "30", "--json").out
    assert [json.loads(line)["acknowledged"] for line in out.splitlines()] == [30, 60, 90, 100]


def test_a_line_without_an_end_is_left_for_later(shell, stream, tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_text("\n".join(events(10)))
    ran = shell("stream", "learn", stream, path)
    assert "has no line end yet" in ran.err
    assert rounds(stream) == 9


def test_lines_that_cannot_be_read_are_rounds_all_the_same(shell, stream, tmp_path):
    """Leaving one out would shift every later round."""
    odd = ["", "{", "[1]", '{"y": 1e999}', '{"a": "\\ud800", "y": "yes"}', "\xff", '"', "null", "[" * 5000]
    path = tmp_path / "e.jsonl"
    path.write_bytes("\n".join([*odd, *events(10)]).encode("latin-1") + b"\n")
    assert shell("stream", "learn", stream, path).code == Exit.OK
    assert rounds(stream) == len(odd) + 10
    rows = write_lines(tmp_path / "e.csv", ["a,n,y", "true,1,yes", '"true,1,yes', "true,1,yes,3", "", "\0"])
    assert shell("stream", "learn", stream, rows).code == Exit.OK
    assert rounds(stream) == len(odd) + 15


@pytest.mark.slow
def test_csv_and_standard_input(shell, stream, tmp_path):
    cells = (f"{i % 2 == 0},{i % 4},{'yes' if i % 2 == 0 else 'no'}" for i in range(50))
    assert shell("stream", "learn", stream, write_lines(tmp_path / "e.csv", ["a,n,y", *cells])).code == Exit.OK

    def piped(offset, rows, *more):
        return run_process("stream", "learn", stream, "-", "--offset", offset, *more, input="\n".join(rows) + "\n")

    assert piped(0, events(70)).returncode == 0
    assert piped(0, events(70)).returncode == 0  # recognised
    assert rounds(stream) == 120
    assert piped(60, events(100, start=60)).returncode == 0  # overlaps
    assert rounds(stream) == 150
    gap = piped(120, events(130, start=120))
    assert_one_sentence(gap.returncode, gap.stderr, Exit.INPUT)
    assert "lines 100 to 119 of the source were never learnt" in gap.stderr
    assert piped(-5, events(1)).returncode == Exit.PARAMETER
    torn = run_process("stream", "learn", stream, "-", "--offset", "100", input='{"a": tr')
    assert "left out" in torn.stderr
    assert rounds(stream) == 150
    ran = shell("stream", "learn", stream, write_lines(tmp_path / "e.jsonl", events(9)), "--source", "-")
    assert (ran.code, "was read from standard input" in ran.err) == (Exit.INPUT, True)
    assert "was read from a file" in piped(0, [], "--source", tmp_path / "e.csv").stderr
    assert run_process("stream", "predict", stream, "-", input="\n".join(events(4))).stdout.count("\n") == 5


@pytest.mark.slow
def test_a_growing_file_is_followed(stream, tmp_path):
    path = write_lines(tmp_path / "e.jsonl", events(100))
    command = [sys.executable, "-m", "dprules", "stream", "learn", str(stream), str(path), "--follow", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["acknowledged"] == 100
    with path.open("a") as file:
        file.write("\n".join(events(150, start=100)))  # the last line has no end yet
    time.sleep(1.5)
    with path.open("a") as file:
        file.write("\n")
    while json.loads(process.stdout.readline())["acknowledged"] < 150:
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == Exit.INTERRUPTED
    assert "everything that was acknowledged is kept" in err
    assert "half done" not in err
    assert "Traceback" not in err
    assert rounds(stream) == 150


FAULTS = {
    "no such stream": (lambda s, t: ("learn", t / "none", t / "e.jsonl"), "not a stream", Exit.FILE),
    "no such events": (lambda s, t: ("learn", s, t / "none.jsonl"), "no such file", Exit.FILE),
    "events of another kind": (lambda s, t: ("learn", s, t / "schema.toml"), "not .jsonl", Exit.INPUT),
    "predict without events": (lambda s, t: ("predict", s, t / "none.jsonl"), "no such file", Exit.FILE),
    "show nothing": (lambda s, t: ("show", t / "none"), "not a stream", Exit.FILE),
    "there already": (lambda s, t: ("init", s, "--features", t / "schema.toml"), "already exists", Exit.FILE),
    "no folder": (lambda s, t: ("init", t / "x" / "y", "--features", t / "schema.toml"), "no such folder", Exit.FILE),
    "algorithm": (
        lambda s, t: ("init", t / "z", "--features", t / "schema.toml", "--algorithm", "batched"),
        "needs delta, horizon, margin",
        Exit.PARAMETER,
    ),
    "placeholder": (
        lambda s, t: ("init", t / "z", "--features", t / "draft.toml"),
        "label.classes must be filled in",
        Exit.INPUT,
    ),
    "private values": (lambda s, t: ("init", t / "z", "--features", t / "private.toml"), "public values", Exit.INPUT),
    "batch": (lambda s, t: ("learn", s, t / "e.jsonl", "--batch", "0"), "batch must be", Exit.PARAMETER),
    "follow": (lambda s, t: ("learn", s, "-", "--follow"), "followed anyway", Exit.PARAMETER),
    "every": (lambda s, t: ("learn", s, t / "e.jsonl", "--every", "often"), "--every must be", Exit.PARAMETER),
    "never": (lambda s, t: ("learn", s, t / "e.jsonl", "--every", "0s"), "every must be", Exit.PARAMETER),
    "a folder": (lambda s, t: ("learn", s, t), "is not a file", Exit.INPUT),
    "follow an archive": (lambda s, t: ("learn", s, t / "e.csv.gz", "--follow"), "does not grow", Exit.INPUT),
    "memory": (
        lambda s, t: ("init", t / "z", "--features", t / "schema.toml", "--memory", "0"),
        "memory must be",
        Exit.PARAMETER,
    ),
    "new and a copy": (
        lambda s, t: ("learn", s, t / "e.jsonl", "--new", "--copy"),
        "cannot be combined",
        Exit.PARAMETER,
    ),
    "no offset": (lambda s, t: ("learn", s, "-"), "needs --offset", Exit.PARAMETER),
    "form": (lambda s, t: ("export", s, "--to", "cobol"), "to must be", Exit.PARAMETER),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_get_one_sentence(case, shell, stream, tmp_path):
    write_lines(tmp_path / "e.jsonl", events(3))
    (tmp_path / "draft.toml").write_text(SCHEMA.replace('["no", "yes"]', '"?"'))
    private = SCHEMA + '[columns.c]\nkind = "categorical"\nvalues = { private = 0.05, delta = 0.1 }\n'
    (tmp_path / "private.toml").write_text(private)
    (tmp_path / "e.csv.gz").write_bytes(gzip.compress(b"a,n,y\n"))
    make, sentence, expected = FAULTS[case]
    code, _, err = shell("stream", *make(stream, tmp_path))
    assert_one_sentence(code, err, expected)
    assert sentence in err


def test_a_file_that_replaced_another_needs_a_word(shell, stream, tmp_path):
    path = write_lines(tmp_path / "e.jsonl", events(50))
    shell("stream", "learn", stream, path)
    write_lines(tmp_path / "f.jsonl", events(60)).replace(path)
    ran = shell("stream", "learn", stream, path)
    assert_one_sentence(ran.code, ran.err, Exit.INPUT)
    assert "Pass --new" in ran.err
    assert shell("stream", "learn", stream, path, "--copy").code == Exit.OK
    assert rounds(stream) == 60
    write_lines(tmp_path / "f.jsonl", events(60)).replace(path)
    for _ in range(2):
        assert shell("stream", "learn", stream, path, "--new").code == Exit.OK
    assert rounds(stream) == 120


def test_a_copy_without_new_lines_is_known_when_it_comes_again(shell, stream, tmp_path):
    """The commands of a script that is run twice: a log that was compressed, and the file that came after it."""
    path = write_lines(tmp_path / "e.jsonl", events(100))
    shell("stream", "learn", stream, path, "--source", "log")
    first, second = tmp_path / "e.jsonl.2.gz", tmp_path / "e.jsonl.1.gz"
    first.write_bytes(gzip.compress(path.read_bytes()))
    second.write_bytes(gzip.compress(write_lines(path, events(40)).read_bytes()))
    for _ in range(2):
        assert shell("stream", "learn", stream, first, "--source", "log", "--copy").code == Exit.OK
        assert shell("stream", "learn", stream, second, "--source", "log", "--new").code == Exit.OK
    assert rounds(stream) == 140


def test_a_file_that_was_cut_is_refused(shell, stream, tmp_path):
    path = write_lines(tmp_path / "e.jsonl", events(200))
    shell("stream", "learn", stream, path)
    write_lines(path, events(150))
    ran = shell("stream", "learn", stream, path)
    assert_one_sentence(ran.code, ran.err, Exit.INPUT)
    assert "has fewer lines than were learned of it" in ran.err
    assert shell("stream", "learn", stream, path, "--source", "new").code == Exit.OK
    assert rounds(stream) == 350


def test_a_compressed_copy_is_a_source_of_its_own_unless_it_is_called_a_copy(shell, stream, tmp_path):
    path = write_lines(tmp_path / "e.jsonl", events(100))
    shell("stream", "learn", stream, path)
    zipped = tmp_path / "e.jsonl.2.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    ran = shell("stream", "learn", stream, zipped, "--source", path, "--copy")
    assert (ran.code, "the first 100 lines were learned before" in ran.err) == (Exit.OK, True)
    assert rounds(stream) == 100
    assert shell("stream", "predict", stream, zipped).out.count("\n") == 101


def test_a_recommendation_and_new_columns(shell, stream, tmp_path):
    made = shell("stream", "init", tmp_path / "t", "--features", tmp_path / "schema.toml", "--json")
    said = json.loads(made.out)
    assert said["features"] == 3
    assert said["recommended"] in shell("stream", "init", tmp_path / "u", "--features", tmp_path / "schema.toml").out
    write_lines(tmp_path / "wider.toml", [SCHEMA, '[columns.new]\nkind = "boolean"'])
    ran = shell("stream", "extend", stream, "--features", tmp_path / "wider.toml", "--json")
    assert json.loads(ran.out) == {"stream": str(stream), "features": 4}
    assert "no column that is new" in shell("stream", "extend", stream, "--features", tmp_path / "wider.toml").err
    assert shell("stream", "learn", stream, write_lines(tmp_path / "e.jsonl", events(10))).code == Exit.OK


def test_a_state_without_its_public_file_needs_a_word(shell, stream, tmp_path):
    path = write_lines(tmp_path / "e.jsonl", events(10))
    shell("stream", "learn", stream, path)
    (stream / "hypothesis.json").unlink()
    ran = shell("stream", "learn", stream, path)
    assert (ran.code == Exit.OK, "--restore" in ran.err) == (False, True)
    assert shell("stream", "learn", stream, path, "--restore").code == Exit.OK


def start(*arguments) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "dprules", "stream", *map(str, arguments)]
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return subprocess.Popen(command, text=True, **pipes)  # type: ignore[call-overload, no-any-return]


@pytest.mark.slow
def test_standard_input_is_acknowledged_by_time(stream):
    process = start("learn", stream, "-", "--offset", "0", "--every", "200ms", "--json")
    for known in (3, 5):
        process.stdin.write("\n".join(events(known, start=max(0, known - 2 if known > 3 else 0))) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["acknowledged"] == known  # though it goes on
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert rounds(stream) == 5


@pytest.mark.slow
def test_lines_are_answered_one_by_one(shell, stream, tmp_path):
    shell("stream", "learn", stream, write_lines(tmp_path / "e.jsonl", events(2000)))
    process = start("predict", stream, "-")
    assert process.stdout.readline() == "predicted_y\n"
    for line, answer in zip(events(4), ["yes", "no", "yes", "no"], strict=True):
        process.stdin.write(line + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == answer + "\n"
    process.stdin.write(events(1)[0])  # a last line without an end
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("yes\n", "", 0)


@pytest.mark.slow
def test_a_file_that_is_rotated_is_followed(stream, tmp_path):
    path = write_lines(tmp_path / "e.jsonl", events(100))
    process = start("learn", stream, path, "--follow", "--every", "100ms", "--json")

    def acknowledged() -> int:
        return json.loads(process.stdout.readline())["acknowledged"]

    assert acknowledged() == 100
    path.rename(tmp_path / "e.jsonl.1")
    write_lines(path, events(150, start=100))
    assert acknowledged() == 50
    write_lines(path, events(130, start=100))
    _, err = process.communicate(timeout=60)
    assert process.returncode == Exit.INPUT
    assert "was rotated" in err
    assert "was cut while it was followed" in err
    assert rounds(stream) == 150
