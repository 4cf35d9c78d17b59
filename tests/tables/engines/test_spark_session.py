import gzip
import os
import socket
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import servers
from dprules.cli.exits import Exit
from dprules.errors import DataError, FileError, ParameterError
from dprules.tables import open_table, read_text_columns
from dprules.tables.engines import spark_session as module

from .people import SCHEMA, learn, make_people

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),  # py4j's
]
PEOPLE = make_people(200)
MASTER = "local[2]"
LINES = [
    b"1,a",
    b'2,"a,b"',
    b'3,"a ""quoted"" b"',
    b"4,a\r",
    b"5,lone\rreturn",
    b"6,\xff",
    b'7,"torn',
    b'8,odd"quote',
    b"9",
    b"10,a,b",
    b"",
    b"x,y",  # a record like the header
    b" 11 , a ",
]
BODY = b"\n".join(LINES)
FILES = {
    "plain": {"a.csv": b"x,y\n" + BODY},
    "one line": {"a.csv": b"x,y\n1,a"},
    "no records": {"a.csv": b"x,y\n"},
    "of another system": {"a.csv": b"x,y\r\n" + b"\r\n".join(LINES) + b"\r\n"},
    "with a mark": {"a.csv": b"\xef\xbb\xbfx,y\n" + BODY},
    "several, headers quoted": {"a.csv": b"x,y\n" + BODY, "b.csv": b'"x",y\n' + BODY + b"\n"},
    "compressed": {"a.csv.gz": gzip.compress(b"x,y\n" + BODY)},
    "odd name": {"a b[1]{c}%20ü.csv": b"x,y\n" + BODY},
    "semicolons": {"a.csv": b"x;y\n" + BODY.replace(b",", b";")},
}


@pytest.mark.parametrize("name", FILES)
def test_csv_files_are_read_as_on_one_machine(spark, tmp_path, name):
    for file, data in FILES[name].items():
        (tmp_path / file).write_bytes(data)
    with open_table(tmp_path) as table:
        wanted = sorted(zip(*read_text_columns(table, ["y", "x"]), strict=True), key=str)
    with open_table(tmp_path, master=MASTER) as table:
        assert table.names == ("x", "y")
        assert set(table.kinds().values()) == {"unknown"}
        found = sorted(zip(*read_text_columns(table, ["y", "x"]), strict=True), key=str)
    assert found == wanted


def test_files_that_are_cut_into_pieces(spark, tmp_path):
    (tmp_path / "a.csv").write_bytes(b"x,y\n" + b"".join(b"%d,b\n" % i for i in range(5000)))
    before = spark.conf.get("spark.sql.files.maxPartitionBytes")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "4096")
    try:
        with open_table(tmp_path / "a.csv", master=MASTER) as table:
            (found,) = read_text_columns(table, ["x"])
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", before)
    assert sorted(map(int, found)) == list(range(5000))


def test_fits_of_files_and_tables(spark, tmp_path):
    pa.csv.write_csv(PEOPLE, tmp_path / "people.csv")
    (tmp_path / "folder").mkdir()
    pa.parquet.write_table(PEOPLE.slice(0, 90), tmp_path / "folder" / "a 1.parquet")
    pa.parquet.write_table(PEOPLE.slice(90), tmp_path / "folder" / "b.parquet")
    spark.createDataFrame(PEOPLE).createOrReplaceTempView("people")
    options = {"max_rules": 2}
    wanted = learn(PEOPLE, options=options, unit="person")
    for source in (tmp_path / "people.csv", tmp_path / "folder", "people"):
        assert learn(str(source), options=options, unit="person", master=MASTER) == wanted


def test_old_dates_of_files(spark, tmp_path):
    days = pa.array([-400_000, -141_428, 0, None], pa.int32()).cast(pa.date32())
    pa.parquet.write_table(pa.table({"d": days}), tmp_path / "d.parquet")
    with open_table(tmp_path / "d.parquet") as local, open_table(tmp_path / "d.parquet", master=MASTER) as table:
        assert read_text_columns(table, ["d"]) == read_text_columns(local, ["d"])


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("none.csv", FileError, "no such file"),
        ("/nowhere/none.parquet", FileError, "no such file"),
        ("none", DataError, "Spark has no file or table 'none' that can be read. Check the name."),
        ("some.none", DataError, "Spark has no file or table 'some.none' that can be read"),
        ("file:///nowhere/none", DataError, "cannot be read by Spark"),
    ],
)
def test_what_is_not_there(spark, source, error, words):
    with pytest.raises(error, match=words) as caught, open_table(source, master=MASTER):
        pass
    assert caught.value.__context__ is None


def test_files_that_spark_would_read_otherwise_are_refused(spark, tmp_path):
    (tmp_path / "_a.csv").write_bytes(b"x\n1\n")
    (tmp_path / "a.csv").write_bytes(b"x,y\n1,2\n")
    (tmp_path / "b.csv").write_bytes(b"x;y\n1;2\n")
    (tmp_path / "c.csv.GZ").write_bytes(gzip.compress(b"x,y\n1,2\n"))
    pa.parquet.write_table(pa.table({"x": [1]}), tmp_path / "a.parquet")
    pa.parquet.write_table(pa.table({"x": [1.5]}), tmp_path / "b.parquet")
    for pattern, words in {
        "_a.csv": "passes over",
        "[ab].csv": "header differs",
        "c.csv.GZ": "small letters",
        "*.parquet": "names and types",
    }.items():
        with pytest.raises(DataError, match=words), open_table(str(tmp_path / pattern), master=MASTER):
            pass
    with pytest.raises(ParameterError, match="line by line"):
        open_table(str(tmp_path / "a.csv"), master=MASTER, multiline=True).__enter__()
    with pytest.raises(ParameterError, match="Leave out the engine"):
        open_table(PEOPLE, master=MASTER).__enter__()


def test_a_session_that_runs_is_left_alone(spark, tmp_path):
    with module.spark_session("spark://nowhere:1", str(tmp_path)) as session:
        assert session is spark
    assert spark.range(2).count() == 2


@pytest.mark.parametrize(
    "master", ["spark://127.0.0.1:1", "spark://127.0.0.1:1,[::1]:2", "spark://nowhere.invalid:7077", "spark://x"]
)
def test_a_cluster_that_does_not_answer_is_told_within_seconds(master):
    started = time.monotonic()
    with pytest.raises(DataError, match=r"Spark does not answer at .* Check the address"):
        module.require_reachable(master)
    assert time.monotonic() - started < 8


def test_a_cluster_that_answers_is_used():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        module.require_reachable(f"spark://127.0.0.1:1,127.0.0.1:{listener.getsockname()[1]}")
    module.require_reachable("local[2]")
    module.require_reachable("yarn")


def test_a_wrong_master_ends_the_command_within_seconds(tmp_path):
    servers.require_spark()
    (tmp_path / "tmp").mkdir()
    (tmp_path / "schema.toml").write_text(SCHEMA.to_toml())
    pa.csv.write_csv(PEOPLE, tmp_path / "people.csv")
    done = run_command(tmp_path, "people.csv", "-o", "model.json", master="spark://127.0.0.1:1")
    assert done.returncode == Exit.INPUT
    assert "Spark does not answer at spark://127.0.0.1:1." in " ".join(done.stderr.split())
    assert not (tmp_path / "model.json").exists()


def test_without_java_it_is_said_what_to_install(monkeypatch, tmp_path):
    pyspark = pytest.importorskip("pyspark", reason="needs Spark: install the extra spark")
    monkeypatch.setattr(pyspark.SparkContext, "_active_spark_context", None)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(ParameterError, match="openjdk-17-jre-headless"):
        module.spark_session(MASTER, str(tmp_path)).__enter__()
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(ParameterError, match=r"pip install 'dprules\[spark\]'"):
        module.spark_session(MASTER, str(tmp_path)).__enter__()


WATCHER = """
import os, stat, sys
from dprules.tables.engines import spark_session
real = spark_session.open_on_spark
def watch(session, *rest):
    folder = session.conf.get("spark.local.dir")
    print("mode", oct(stat.S_IMODE(os.stat(folder).st_mode)), session.conf.get("spark.io.encryption.enabled"))
    return real(session, *rest)
spark_session.open_on_spark = watch
from dprules.cli import main
main()
"""


LOSER = """
import os, signal
from pyspark import SparkContext
from dprules.tables.engines.spark_blocks import SparkBlocks
real = getattr(SparkBlocks, "{step}")
def lose(*arguments):
    os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)
    return real(*arguments)
setattr(SparkBlocks, "{step}", lose)
from dprules.cli import main
main()
"""
"""Kills Spark's Java process before a step of the fit."""


def run_command(folder, *words, master="local[1]", program=WATCHER):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TMPDIR": str(folder / "tmp")}
    options = ["--schema", "schema.toml", "--engine", "spark", "--master", master, "--seed", "1", "--json"]
    command = [sys.executable, "-c", program, "fit", *words, "--max-rules", "1", *options]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("step", ["__init__", "map", "add_up"])
def test_a_session_that_is_lost_is_told_in_a_sentence_that_names_spark(tmp_path, step):
    servers.require_spark()
    (tmp_path / "tmp").mkdir()
    (tmp_path / "schema.toml").write_text(SCHEMA.to_toml())
    pa.csv.write_csv(PEOPLE, tmp_path / "people.csv")
    done = run_command(tmp_path, "people.csv", "-o", "model.json", program=LOSER.format(step=step))
    assert done.returncode == Exit.INPUT
    assert "Spark could not finish a job. Check that it still runs" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "model.json").exists()


def test_the_command_leaves_nothing_behind(tmp_path):
    servers.require_spark()
    (tmp_path / "tmp").mkdir()
    (tmp_path / "schema.toml").write_text(SCHEMA.to_toml())
    pa.csv.write_csv(PEOPLE, tmp_path / "people.csv")
    done = run_command(tmp_path, "people.csv", "-o", "model.json")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("mode 0o700 true")
    assert not list((tmp_path / "tmp").glob("dprules-scratch-*"))
    assert "WARN " not in done.stderr
    missing = run_command(tmp_path, "nothing.csv", "-o", "other.json")
    assert missing.returncode != 0
    assert "no such file" in missing.stderr
    assert "Traceback" not in missing.stderr
