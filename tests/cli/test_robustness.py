"""No traceback, whatever the machine is like: no home, no cache, full disks, closed streams, signals, no memory."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import dprules
from cli.helpers import assert_one_sentence, run_process, write_lines
from cli.test_stream import SCHEMA as STREAM_SCHEMA
from cli.test_stream import events
from dprules.cli.exits import Exit
from dprules.jobs.example import SCHEMA, hospital_stays
from dprules.models import Released

pytestmark = pytest.mark.slow

HOMELESS = {"HOME": None, "XDG_CACHE_HOME": None, "NUMBA_CACHE_DIR": None, "MPLCONFIGDIR": None}


@pytest.fixture
def folder(stays, tmp_path):
    """A folder of one's own with everything that a command may need."""
    for name in ("stays.csv", "schema.toml", "model.json"):
        shutil.copy(stays / name, tmp_path / name)
    (tmp_path / "stream.toml").write_text(STREAM_SCHEMA)
    write_lines(tmp_path / "events.jsonl", events(50))
    with duckdb.connect(str(tmp_path / "stays.db")) as connection:
        connection.execute(f"CREATE TABLE stays AS SELECT * FROM read_csv('{stays / 'stays.csv'}', all_varchar = true)")
    return tmp_path


def every_command(folder):
    """Each command once, in an order in which each can work."""
    table, schema, model, state = (folder / name for name in ("stays.csv", "schema.toml", "model.json", "state"))
    database = (f"duckdb:///{folder / 'stays.db'}", "--table", "stays")
    return [
        ("--version",),
        ("plan", "list", "--features", "10"),
        ("plan", "stream", "--features", "10", "--margin", "0.2", "--horizon", "1000"),
        ("schema", "draft", table, "--label", "readmitted", "-o", folder / "draft.toml"),
        ("fit", table, "--schema", schema, "-o", folder / "a.json", "--dry-run"),
        ("fit", table, "--schema", schema, "-o", folder / "b.json", "--report", folder / "b.html"),
        ("fit", *database, "--schema", schema, "-o", folder / "c.json"),
        ("show", model),
        ("verify", model),
        ("export", model, "--to", "python"),
        ("predict", model, *database),
        ("evaluate", model, table, "--public"),
        ("report", model, "-o", folder / "d.html"),
        ("stream", "init", state, "--features", folder / "stream.toml"),
        ("stream", "learn", state, folder / "events.jsonl"),
        ("stream", "show", state),
        ("stream", "predict", state, folder / "events.jsonl"),
        ("stream", "export", state, "--to", "sql"),
        ("audit", "--only", "list, replace", "--output", folder / "audit"),
    ]


def check_all(commands, folder, environment, **options):
    """Every command works, and says nothing that it does not say elsewhere."""
    for command in commands:
        ran = run_process(*command, environment=environment, cwd=folder, **options)
        assert ran.returncode == Exit.OK, (command, ran.stderr)
        assert "Traceback" not in (ran.stderr or ""), command
        assert "dprules:" not in (ran.stderr or ""), command


def test_without_a_home(folder):
    check_all(every_command(folder), folder, HOMELESS)


def test_with_standard_input_closed(folder):
    """File descriptor 0 is free, so that the next file that is opened gets it."""
    check_all(every_command(folder), folder, {}, preexec_fn=lambda: os.close(0))


def test_with_standard_output_closed(folder):
    for command in every_command(folder):
        words = [sys.executable, "-m", "dprules", *map(str, command)]
        ran = subprocess.run(
            words, preexec_fn=lambda: os.close(1), stderr=subprocess.PIPE, text=True, check=False, cwd=folder
        )
        assert ran.returncode in (Exit.OK, Exit.CLOSED, Exit.FILE), (command, ran.stderr)
        assert "Traceback" not in ran.stderr, command
    assert json.loads((folder / "b.json").read_text())["format"] == "dprules-model"


def test_with_all_streams_closed(folder):
    for command in every_command(folder):
        words = [sys.executable, "-m", "dprules", *map(str, command)]
        ran = subprocess.run(words, preexec_fn=lambda: os.closerange(0, 3), check=False, cwd=folder)
        assert ran.returncode in (Exit.OK, Exit.CLOSED, Exit.FILE), command


def test_on_a_full_device(folder):
    """Standard output has no room."""
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with open("/dev/full", "w") as full:
        for command in (("show", folder / "model.json"), ("predict", folder / "model.json", folder / "stays.csv")):
            words = [sys.executable, "-m", "dprules", *map(str, command)]
            ran = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            assert ran.returncode != Exit.OK
            assert "Traceback" not in ran.stderr


# As a user whose permissions are those of the files: root may write anywhere, unless its capabilities are taken away.


def without_capabilities() -> list[str]:
    """Words before a command that take away what root may do beyond the permissions of files."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root needs setpriv (util-linux) to give its capabilities up")
    words = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("setpriv may not take capabilities away here")
    return words


@contextmanager
def read_only_package(folder: Path) -> Iterator[Path]:
    """A copy of the package that cannot be written, as one that another user installed."""
    package = folder / "site-packages" / "dprules"
    source = Path(dprules.__file__).parent
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc"))
    paths = [package, *package.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield package.parent
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)


def run_as_stranger(site, command, environment):
    kept = {name: value for name, value in os.environ.items() if name not in HOMELESS}
    words = [*without_capabilities(), sys.executable, "-m", "dprules", *map(str, command)]
    environment = kept | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=180)


ODD_PLACES = ["missing", "a file", "read-only"]


@pytest.mark.parametrize("place", ODD_PLACES)
def test_with_an_odd_folder_for_temporary_files(place, folder):
    where = folder / "tmp"
    if place == "a file":
        where.write_text("")
    if place == "read-only":
        where.mkdir(mode=0o500)
    site = Path(dprules.__file__).parents[1]
    for command in every_command(folder):
        if command[0] in ("fit", "predict", "stream", "audit"):
            ran = run_as_stranger(site, command, {"TMPDIR": str(where), "HOME": str(folder)})
            assert (ran.returncode, ran.stderr) == (Exit.OK, ""), command
    assert place != "read-only" or not list(where.iterdir())


def test_without_a_place_for_compiled_code(folder):
    """Neither the package nor the home can be written: kernels are compiled for this process alone."""
    (folder / "home").mkdir(mode=0o500)
    with read_only_package(folder) as site:
        probe = [*without_capabilities(), sys.executable, "-c", f"open({str(site / 'dprules' / 'x')!r}, 'w')"]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            pytest.skip("permissions of files do not bind this user")
        for command in every_command(folder):
            ran = run_as_stranger(site, command, {"HOME": str(folder / "home")})
            assert ran.returncode == Exit.OK, (command, ran.stderr)
            assert "Traceback" not in ran.stderr
        assert not list(site.rglob("*.nbi"))


@contextmanager
def tiny_disk(folder: Path) -> Iterator[Path]:
    """A file system with no room, where that can be made."""
    place = folder / "tiny"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("needs root and mount to make a small file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def fill(place: Path) -> None:
    with (place / "filling").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 512)


@pytest.mark.parametrize("filled", [False, True], ids=["nearly full", "full"])
def test_a_full_disk_for_compiled_code_and_temporary_files(filled, folder):
    with tiny_disk(folder) as place, read_only_package(folder) as site:
        if filled:
            fill(place)
        variables = {"NUMBA_CACHE_DIR": str(place), "HOME": str(place), "TMPDIR": str(place)}
        for attempt in range(2):  # the second time, the cache holds what had room
            words = ("fit", folder / "stays.csv", "--schema", folder / "schema.toml", "-o", folder / f"{attempt}.json")
            ran = run_as_stranger(site, words, variables)
            assert ran.returncode == Exit.OK, ran.stderr


def test_a_full_disk_for_outputs(folder):
    with tiny_disk(folder) as place:
        (place / "schema.toml").write_text(STREAM_SCHEMA)
        fill(place)
        data = (folder / "stays.csv", "--schema", folder / "schema.toml")
        ran = run_process("fit", *data, "-o", place / "model.json")
        assert_one_sentence(ran.returncode, ran.stderr, [Exit.RESOURCE, Exit.INPUT])
        for command in (
            ("predict", folder / "model.json", folder / "stays.csv", "-o", place / "p.csv"),
            ("report", folder / "model.json", "-o", place / "r.html"),
            ("export", folder / "model.json", "--to", "sql", "-o", place / "q.sql"),
            ("schema", "draft", folder / "stays.csv", "--label", "readmitted", "-o", place / "s.toml"),
            ("stream", "init", place / "state", "--features", folder / "stream.toml"),
            ("audit", "--only", "list, replace", "--output", place / "audit"),
            ("demo", "--output", place / "demo"),
        ):
            ran = run_process(*command)
            assert_one_sentence(ran.returncode, ran.stderr, [Exit.RESOURCE, Exit.INPUT, Exit.FILE])
        assert {path.name for path in place.iterdir()} <= {"schema.toml", "filling", "demo", "audit"}


# Signals.


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A database whose reading takes a few seconds."""
    folder: Path = tmp_path_factory.mktemp("large")
    pyarrow.csv.write_csv(hospital_stays(5000, 1), folder / "stays.csv")
    (folder / "schema.toml").write_text(SCHEMA.to_toml())
    with duckdb.connect(str(folder / "stays.db")) as connection:
        rows = f"read_csv('{folder / 'stays.csv'}', all_varchar = true)"
        connection.execute(f"CREATE TABLE stays AS SELECT s.* FROM {rows} s, range(200) r ORDER BY hash(s, r)")
    return folder


def start_fit(large, tmp_path):
    """Start a fit from the database, and wait until its scratch folder is there."""
    return start(tmp_path, f"duckdb:///{large / 'stays.db'}", "--table", "stays", "--schema", large / "schema.toml")


def start(tmp_path, *words):
    """Start a fit in a process of its own, and wait until its scratch folder is there."""
    command = [sys.executable, "-m", "dprules", "fit", *map(str, words), "-o", str(tmp_path / "model.json")]
    process = subprocess.Popen(
        command, env=os.environ | {"TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while not list(tmp_path.glob("dprules-scratch-*")) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert process.poll() is None, process.communicate()
    return process


def end_before_it_is_done(process, ending, model) -> bool:
    """Send a signal to a fit that stands still; False: it has written its model already, and was let go on."""
    process.send_signal(signal.SIGSTOP)
    in_time = process.poll() is None and not model.exists()
    if in_time:
        process.send_signal(ending)
    process.send_signal(signal.SIGCONT)
    return in_time


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda s: s.name)
@pytest.mark.parametrize("after", [0.0, 0.5])
def test_a_fit_that_is_ended_leaves_nothing(ending, after, large, tmp_path):
    model = tmp_path / "model.json"
    process = start_fit(large, tmp_path)
    scratch = next(tmp_path.glob("dprules-scratch-*"))
    assert scratch.stat().st_mode & 0o777 == 0o700
    time.sleep(after)
    while not end_before_it_is_done(process, ending, model):  # a fast machine: sooner next time
        process.communicate(timeout=60)
        model.unlink()
        after /= 2
        process = start_fit(large, tmp_path)
        time.sleep(after)
    out, err = process.communicate(timeout=60)
    assert process.returncode in (Exit.TERMINATED, Exit.INTERRUPTED), err
    assert "Traceback" not in err
    assert out == ""
    assert not list(tmp_path.iterdir())


def test_what_a_killed_fit_leaves_is_removed_at_the_next_start(large, tmp_path):
    process = start_fit(large, tmp_path)
    process.kill()
    process.communicate(timeout=60)
    (left,) = tmp_path.glob("dprules-scratch-*")
    (left / "spilled").write_text("private")
    other = tmp_path / f"dprules-scratch-{os.getpid()}-running"
    other.mkdir()
    for name in ("dprules-scratch-", "dprules-scratch-²-x", "dprules-scratch-99999999999999999999-x"):
        (tmp_path / name).mkdir()
    assert run_process("--version", environment={"TMPDIR": str(tmp_path)}).returncode == Exit.OK
    assert not left.exists()
    assert other.exists()  # its process is there


def test_nohup_is_heeded(folder):
    """A signal that was ignored before stays so."""
    code = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\nfrom dprules.cli.main import main\nmain()"
    command = [sys.executable, "-c", code, "plan", "list", "--rows", "1000", "--schema", str(folder / "schema.toml")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=120)
    assert process.returncode == Exit.OK, err


@pytest.mark.parametrize(
    "address", ["mysql://root:geheim@localhost/x", "postgresql+psycopg://u:geheim@h/d", "s3://b/k"]
)
def test_addresses_that_nothing_opens_are_not_repeated(address, folder):
    ran = run_process("fit", address, "--table", "t", "--schema", str(folder / "schema.toml"))
    assert_one_sentence(ran.returncode, ran.stderr, Exit.PARAMETER)
    assert "geheim" not in ran.stderr
    assert "--engine spark" in ran.stderr


def test_rows_that_are_public_are_refused_if_a_line_is_odd(folder):
    with (folder / "stays.csv").open("a") as file:
        file.write("too,few\n")
    words = [
        "fit",
        folder / "stays.csv",
        "--schema",
        folder / "schema.toml",
        "--rows-are-public",
        "-o",
        folder / "n.json",
    ]
    ran = run_process(*map(str, words))
    assert_one_sentence(ran.returncode, ran.stderr, Exit.INPUT)
    assert "1 line cannot be read" in ran.stderr


@pytest.fixture(scope="module")
def more_than_memory(tmp_path_factory):
    """Six million rows: their words alone are more than a fit with 256 MB keeps in memory."""
    folder = tmp_path_factory.mktemp("large")
    stays = hospital_stays(20_000, 1)
    pyarrow.parquet.write_table(pa.concat_tables([stays] * 300), folder / "stays.parquet")
    (folder / "schema.toml").write_text(SCHEMA.to_toml())
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL], ids=lambda s: s.name)
def test_a_fit_with_little_memory_that_is_ended_leaves_nothing(ending, more_than_memory, tmp_path):
    """Files of blocks have no names, so that a kill leaves an empty folder, and the next start none."""
    words = [more_than_memory / "stays.parquet", "--schema", more_than_memory / "schema.toml", "--memory", "256MB"]
    process = start(tmp_path, *words)
    (scratch,) = tmp_path.glob("dprules-scratch-*")
    assert scratch.stat().st_mode & 0o777 == 0o700
    time.sleep(0.3)
    process.send_signal(ending)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert out == ""
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert run_process("--version", environment={"TMPDIR": str(tmp_path)}).returncode == Exit.OK
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_fit_with_little_memory_learns_the_same(more_than_memory, tmp_path):
    words = ["fit", more_than_memory / "stays.parquet", "--schema", more_than_memory / "schema.toml", "--seed", "1"]
    for name, memory in (("a", []), ("b", ["--memory", "256MB"])):
        ran = run_process(*map(str, [*words, "-o", tmp_path / f"{name}.json", *memory]))
        assert ran.returncode == Exit.OK, ran.stderr
    first, second = (Released.load(tmp_path / f"{name}.json").model for name in "ab")
    assert first.to_json() == second.to_json()


@pytest.mark.parametrize("memory", ["lots", "-1GB", "1", "10MB", "1e9", ""])
def test_an_amount_of_memory_that_makes_no_sense(memory, folder):
    ran = run_process(*map(str, ["fit", folder / "stays.csv", "--schema", folder / "schema.toml", "--memory", memory]))
    assert_one_sentence(ran.returncode, ran.stderr, Exit.PARAMETER)
    assert "memory must be" in ran.stderr


def test_a_full_disk_is_one_sentence(folder):
    """Where blocks are put aside: a disk of no size."""
    words = ["fit", folder / "stays.csv", "--schema", folder / "schema.toml", "--memory", "256MB", "--force"]
    ran = subprocess.run(
        [sys.executable, "-c", FULL, *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert_one_sentence(ran.returncode, ran.stderr, Exit.RESOURCE)


FULL = """
from dprules.tables import storage
storage._allowance = lambda memory: -1
def full(*_):
    raise OSError(28, "No space left on device")
storage.Storage._written = full
from dprules.cli.main import main
main()
"""


# Memory.

STARVED = """
import resource, sys
import dprules.report
from dprules.cli.main import main
from dprules.jobs import FitRequest, fit, predict
from dprules.jobs.example import SCHEMA
small, room, *sys.argv[1:] = sys.argv[1:]
predict(fit(FitRequest(small, SCHEMA)).model, small)  # everything is loaded and compiled
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + int(room), taken + int(room)))
main()
"""


@pytest.mark.parametrize("room", [3, 6, 12, 20], ids=lambda room: f"{room} MB")
@pytest.mark.parametrize("command", ["fit", "predict"])
def test_out_of_memory_is_one_sentence(room, command, folder):
    """In whichever place it runs out."""
    if not Path("/proc/self/statm").exists() or not hasattr(resource, "RLIMIT_AS"):
        pytest.skip("needs limits of the address space")
    header, *lines = (folder / "stays.csv").read_text().splitlines()
    with (folder / "many.csv").open("w") as file:
        file.write(header + "\n")
        for _ in range(200):
            file.write("\n".join(lines) + "\n")
    words = {
        "fit": ["fit", folder / "many.csv", "--schema", folder / "schema.toml", "-o", folder / "m.json"],
        "predict": ["predict", folder / "model.json", folder / "many.csv", "-o", folder / "p.csv"],
    }[command]
    starved = [sys.executable, "-c", STARVED, folder / "stays.csv", room * 1_000_000, *words]
    ran = subprocess.run([str(word) for word in starved], capture_output=True, text=True, check=False, timeout=120)
    assert_one_sentence(ran.returncode, ran.stderr, Exit.RESOURCE)
    assert ran.stdout == ""
    assert "000" not in ran.stderr
    assert not (folder / "m.json").exists()
    assert not (folder / "p.csv").exists()
