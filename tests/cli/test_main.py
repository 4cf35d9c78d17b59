"""The command as a whole: errors become one sentence and a named exit code."""

import errno
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from cli.helpers import assert_one_sentence, keep_handlers, run_process
from dprules import __version__, errors
from dprules.cli.exits import Exit, StoppedError
from dprules.cli.main import main
from dprules.errors import DprulesError

PLAN = ("plan", "list", "--features", "30")


def raising(monkeypatch, error):
    def fail(*_arguments, **_options):
        raise error

    monkeypatch.setattr("dprules.jobs.planning.plan_list", fail)


def test_version_and_help():
    assert run_process("--version").stdout.strip() == f"dprules {__version__}"
    shown = run_process("-h").stdout
    names = "demo schema plan fit show verify export predict evaluate report stream audit"
    assert all(f" {name} " in shown for name in names.split())


def test_flags_have_no_type_in_the_help(shell):
    for command in ((), ("fit",), ("stream", "learn"), ("schema", "draft"), ("plan", "list")):
        shown = shell(*command, "--help").out
        assert "--help" in shown
        assert "<bool>" not in shown
    assert "<float>" in shell("fit", "--help").out


def test_a_missing_input_is_not_told_to_be_elsewhere(shell, monkeypatch):
    raising(monkeypatch, OSError(errno.ENOENT, "No such file or directory", "some.toml"))
    assert shell(*PLAN).err == "dprules: some.toml: no such file. Check the name.\n"
    raising(monkeypatch, OSError(errno.EISDIR, "Is a directory", "some"))
    assert shell(*PLAN).err == "dprules: some is a folder. Name a file in it.\n"


def test_unknown_options_and_commands_are_usage_errors(shell):
    assert shell(*PLAN, "--colour").code == Exit.USAGE
    assert shell("paint").code == Exit.USAGE


CODES = {
    errors.ParameterError("no."): Exit.PARAMETER,
    errors.SchemaError("no."): Exit.INPUT,
    errors.DataError("no."): Exit.INPUT,
    errors.FileError("no."): Exit.FILE,
    errors.ModelError("no."): Exit.INPUT,
    errors.UnverifiedError("no."): Exit.UNVERIFIED,
    errors.RemovedError("no."): Exit.INPUT,
    errors.ResourceError("no."): Exit.RESOURCE,
    errors.PrivacyError("no."): Exit.PRIVACY,
    errors.SpentError("no."): Exit.PARAMETER,
    OSError(errno.EACCES, "Permission denied", "/some/file"): Exit.FILE,
    OSError(errno.EIO, None): Exit.FILE,
    OSError("in words"): Exit.FILE,
    OSError(errno.ENOSPC, "No space left on device", "/some/file"): Exit.RESOURCE,
    OSError(errno.ENOMEM, "Cannot allocate memory"): Exit.RESOURCE,
    MemoryError("Unable to allocate 7. GiB for an array with shape (4711,)"): Exit.RESOURCE,
    ZeroDivisionError("cell 4711"): Exit.INTERNAL,
    RecursionError("4711"): Exit.INTERNAL,
}


@pytest.mark.parametrize("error", CODES, ids=repr)
def test_every_error_is_one_sentence_with_its_code(shell, monkeypatch, error):
    raising(monkeypatch, error)
    code, out, err = shell(*PLAN)
    assert_one_sentence(code, err, CODES[error])
    assert "4711" not in out + err


def test_every_error_of_ours_has_a_code():
    known = {type(error) for error in CODES}
    kinds = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, DprulesError)]
    assert set(kinds) - {DprulesError} <= known


def test_exit_codes_do_not_collide():
    values = [code.value for code in Exit]
    assert len(set(values)) == len(values)
    assert Exit.TERMINATED == 128 + signal.SIGTERM
    assert Exit.INTERRUPTED == 128 + signal.SIGINT


def test_the_whole_story_is_shown_only_if_it_is_asked_for(shell, monkeypatch):
    raising(monkeypatch, ZeroDivisionError("cell 4711"))
    assert "ZeroDivisionError in test_main.py" in shell(*PLAN).err
    monkeypatch.setenv("DPRULES_TRACEBACK", "1")
    monkeypatch.setattr(sys, "argv", ["dprules", *PLAN])
    with keep_handlers(), pytest.raises(ZeroDivisionError, match="cell 4711"):
        main()


def test_a_command_may_say_what_an_interruption_leaves(shell, monkeypatch):
    raising(monkeypatch, StoppedError("half of it is kept."))
    assert shell(*PLAN) == (Exit.INTERRUPTED, "", "dprules: interrupted; half of it is kept.\n")


def test_interrupts_are_quiet(shell, monkeypatch):
    raising(monkeypatch, KeyboardInterrupt)
    code, out, err = shell(*PLAN)
    assert (code, out) == (Exit.INTERRUPTED, "")
    assert err == "dprules: interrupted; nothing is left half done.\n"


def test_core_dumps_are_switched_off(shell):
    resource = pytest.importorskip("resource")
    shell("--version")
    assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)


def test_a_reader_that_goes_away_is_no_error(stays):
    command = [sys.executable, "-m", "dprules", "predict", str(stays / "model.json"), str(stays / "stays.csv")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) in (Exit.OK, Exit.CLOSED)
    assert b"Traceback" not in err
    assert b"dprules:" not in err


def test_names_that_a_terminal_cannot_show_stop_nothing(tmp_path):
    (tmp_path / "d.csv").write_text("größe,y\n1,a\n0,b\n")
    schema = '[label]\ncolumn = "y"\nclasses = ["a", "b"]\n[columns."größe"]\nkind = "boolean"\n'
    (tmp_path / "s.toml").write_text(schema)
    fitted = ("fit", tmp_path / "d.csv", "--schema", tmp_path / "s.toml", "-o", tmp_path / "m.json", "--max-rules", "1")
    ran = run_process(*fitted, environment={"PYTHONIOENCODING": "ascii"})
    assert ran.returncode == Exit.OK, ran.stderr
    code = "import sys; sys.argv[1:] = ['show', 'größe.json']; from dprules.cli import main; main()"
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    lost = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert_one_sentence(lost.returncode, lost.stderr, Exit.FILE)


def test_sizes_of_numpys_arrays_are_never_told(shell, monkeypatch):
    def fail(*_arguments, **_options):
        np.zeros((2**40, 4711))

    monkeypatch.setattr("dprules.jobs.planning.plan_list", fail)
    code, out, err = shell(*PLAN)
    assert_one_sentence(code, err, Exit.RESOURCE)
    assert "4711" not in out + err


@pytest.mark.parametrize(
    ("error", "expected"),
    [("KeyboardInterrupt", Exit.INTERRUPTED), ("ImportError", Exit.RESOURCE), ("MemoryError", Exit.RESOURCE)],
)
def test_what_goes_wrong_while_loading_is_one_sentence_too(error, expected):
    code = f"""
import sys
class Finder:
    def find_spec(self, name, *_):
        if name == "typer":
            raise {error}
sys.meta_path.insert(0, Finder())
from dprules.cli import main
main()
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert_one_sentence(ran.returncode, ran.stderr, expected)


IN_TEXT = "exec('os.kill(os.getpid(), signal.SIGINT); time.sleep(5)')"
SWALLOWED = """
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    except KeyboardInterrupt:
        pass
    progress(1, 2)
    print("went on")
"""


@pytest.mark.parametrize("work", [IN_TEXT, SWALLOWED], ids=["in text that is run", "swallowed by a library"])
def test_an_interruption_ends_a_command_wherever_it_falls(work, tmp_path):
    module = f"""
import os, signal, sys, time
import dprules.jobs
def audit(seed, only, mutate, progress):
    {work}
dprules.jobs.audit = audit
sys.argv[1:] = ["audit", "--output", "findings"]
from dprules.cli import main
main()
"""
    (tmp_path / "ended.py").write_text(module)
    command = [sys.executable, "-B", "-m", "ended"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert_one_sentence(ran.returncode, ran.stderr, Exit.INTERRUPTED)
    assert not ran.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["ended.py"]


def test_a_signal_while_kernels_are_loaded_leaves_no_lock_behind(stays, tmp_path):
    """Threads of the process would wait for it, and the process for them, for ever."""
    module = f"""
import os, signal, sys, threading
import llvmlite.binding.ffi as ffi
enter = ffi._LLVMLock.__enter__
locks = []
def enter_and_be_told_to_end(lock):
    enter(lock)
    locks.append(lock._lock)
    ffi._LLVMLock.__enter__ = enter
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(1000):
        pass
from dprules.cli import main
from dprules.tables import packed, fields
ffi._LLVMLock.__enter__ = enter_and_be_told_to_end
sys.argv[1:] = ["fit", {str(stays / "stays.csv")!r}, "--schema", {str(stays / "schema.toml")!r}, "-o", "m.json"]
try:
    main()
finally:
    free = []
    other = threading.Thread(target=lambda: free.append(locks[0].acquire(timeout=5)))
    other.start()
    other.join()
    print(free)
"""
    (tmp_path / "ended.py").write_text(module)
    command = [sys.executable, "-B", "-m", "ended"]
    # Threads that compile are waited for: without a cache, on a busy machine, that takes minutes.
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=400)
    assert_one_sentence(ran.returncode, ran.stderr, Exit.TERMINATED)
    assert ran.stdout == "[True]\n"
