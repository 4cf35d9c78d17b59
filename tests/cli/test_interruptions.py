"""Whatever ends a command: one sentence, its own exit code, a terminal as it was, and nothing private left."""

import signal
import time
from collections.abc import Callable

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest

from cli.helpers import run_process, write_lines
from cli.terminal import CTRL_C, HIDDEN, Terminal
from cli.test_stream import SCHEMA as STREAM_SCHEMA
from cli.test_stream import events
from dprules.cli.exits import Exit
from dprules.jobs.example import SCHEMA, hospital_stays

pytestmark = pytest.mark.slow

SOON = 0.3
"""Seconds of work before it is ended."""


@pytest.fixture(scope="module")
def large(tmp_path_factory, stays):
    """A folder with more rows than any command is done with at once."""
    folder = tmp_path_factory.mktemp("large")
    rows = hospital_stays(20_000, 1)
    rows = rows.append_column("person", pa.array([f"p{place % 7_000}" for place in range(len(rows))]))
    pyarrow.parquet.write_table(pa.concat_tables([rows] * 300), folder / "stays.parquet")
    with duckdb.connect(str(folder / "stays.db")) as connection:
        connection.execute(f"CREATE TABLE stays AS SELECT * FROM read_parquet('{folder / 'stays.parquet'}')")
    (folder / "schema.toml").write_text(SCHEMA.to_toml())
    (folder / "model.json").write_bytes((stays / "model.json").read_bytes())
    (folder / "stream.toml").write_text(STREAM_SCHEMA)
    made = run_process("stream", "init", folder / "clicks", "--features", folder / "stream.toml", "--epsilon", "5")
    assert made.returncode == Exit.OK, made.stderr
    write_lines(folder / "events.jsonl", events(200) * 2_000)
    return folder


FIT = ["fit", "LARGE/stays.parquet", "--schema", "LARGE/schema.toml", "--report", "report.html"]
COMMANDS = {
    "fit": FIT,
    "fit of units": [*FIT, "--unit", "person"],
    "fit with little memory": [*FIT, "--unit", "person", "--memory", "256MB"],
    "fit of a database": ["fit", "duckdb:///LARGE/stays.db", "--table", "stays", "--schema", "LARGE/schema.toml"],
    "fit of a scorecard": [*FIT, "--model", "scorecard"],
    "evaluate": ["evaluate", "LARGE/model.json", "LARGE/stays.parquet", "--epsilon", "1"],
    "predict": ["predict", "LARGE/model.json", "LARGE/stays.parquet", "-o", "labels.csv"],
    "draft": ["schema", "draft", "LARGE/stays.parquet", "--label", "readmitted", "--values-are-public", "-o", "s.toml"],
    "plan": ["plan", "list", "--schema", "LARGE/schema.toml", "--rows", "20000"],
    "audit": ["audit"],
    "demo": ["demo", "-o", "demo"],
    "learn": ["stream", "learn", "LARGE/clicks", "LARGE/events.jsonl", "--batch", "100"],
    "stream predict": ["stream", "predict", "LARGE/clicks", "LARGE/events.jsonl", "-o", "labels.csv"],
    "serve": ["serve", "LARGE/model.json", "--port", "0"],
    "stream serve": ["stream", "serve", "LARGE/clicks", "--port", "0"],
}
PUBLIC = {"demo", "demo/stays.csv", "demo/schema.toml"}
"""What a demo makes up before it learns."""


def press_twice(terminal: Terminal) -> None:
    terminal.press(CTRL_C)
    terminal.press(CTRL_C)


def send(ending: signal.Signals) -> Callable[[Terminal], None]:
    return lambda terminal: terminal.send(ending)


ENDINGS = {
    "Ctrl-C": (lambda terminal: terminal.press(CTRL_C), Exit.INTERRUPTED),
    "SIGTERM": (send(signal.SIGTERM), Exit.TERMINATED),
    "Ctrl-C twice": (press_twice, Exit.INTERRUPTED),
    "SIGHUP": (send(signal.SIGHUP), Exit.TERMINATED),
    "stopped, then ended": (Terminal.stop_and_end, Exit.TERMINATED),
    "a closed window": (Terminal.close, Exit.TERMINATED),
}
THOROUGHLY = {"fit with little memory", "predict", "learn", "serve"}
CASES = [
    (command, ending)
    for command in COMMANDS
    for place, ending in enumerate(ENDINGS)
    if place < 2 or command in THOROUGHLY or ending == "a closed window"
]


def start(words, large, folder, temporary) -> Terminal:
    """Start a command in an empty folder, and wait until it works: until its bar or its address is there."""
    words = [word.replace("LARGE", str(large)) for word in words]
    terminal = Terminal(*words, environment={"TMPDIR": str(temporary)}, folder=folder)
    assert terminal.wait_for(b"http://" if "serve" in words else HIDDEN), terminal.screen
    time.sleep(SOON)
    return terminal


def check_ending(words, ending, large, tmp_path) -> None:
    """Start a command, end it, and look at what it says, how it ends, and what is left."""
    folder, temporary = tmp_path / "work", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    end, code = ENDINGS[ending]
    terminal = start(words, large, folder, temporary)
    end(terminal)
    ended = terminal.end()
    assert ended.code == code, ended.screen
    assert not list(temporary.iterdir())
    assert {str(path.relative_to(folder)) for path in folder.rglob("*")} <= PUBLIC
    if ending != "a closed window":
        said = [line for line in ended.lines if line.startswith("dprules: ")]
        quiet = "serve" in words and code == Exit.TERMINATED
        assert said == ([] if quiet else ended.lines[-1:]), ended.lines
        assert "Traceback" not in str(ended.screen)
        assert ended.cursor_is_shown


@pytest.mark.parametrize(("command", "ending"), CASES)
def test_whatever_ends_a_command_leaves_nothing(command, ending, large, tmp_path):
    check_ending(COMMANDS[command], ending, large, tmp_path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_fit_of_a_postgresql_table_leaves_nothing(ending, large, server, database, tmp_path):
    rows = hospital_stays(20_000, 1)
    names = ", ".join(f'"{name}"' for name in rows.column_names)
    texts = names.replace(",", " text,")
    database.execute(f"CREATE TABLE few ({texts} text)")
    with database.cursor() as cursor, cursor.copy(f"COPY few ({names}) FROM STDIN") as copy:
        for row in rows.to_pylist():
            copy.write_row(list(row.values()))
    database.execute("CREATE TABLE stays AS SELECT few.* FROM few, generate_series(1, 50)")
    words = ["fit", server, "--table", "stays", "--schema", "LARGE/schema.toml"]
    check_ending(words, ending, large, tmp_path)


def test_a_stream_goes_on_where_it_was_ended(large, tmp_path):
    terminal = start(COMMANDS["learn"], large, tmp_path, tmp_path)
    terminal.press(CTRL_C)
    assert "Repeat the command" in terminal.end().lines[-1]
    words = [word.replace("LARGE", str(large)) for word in COMMANDS["learn"][:4]]
    ran = run_process(*words)
    assert ran.returncode == Exit.OK, ran.stderr
    assert f"Rounds: {200 * 2_000:,}." in ran.stdout
