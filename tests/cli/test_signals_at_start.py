"""A signal that falls into the start of a command, or into its end, gives an exit code and never a traceback."""

import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dprules
from cli.helpers import assert_one_sentence
from dprules.cli.exits import Exit

PLAN = ["plan", "list", "--features", "20", "--rows", "5000"]
PACKAGE = str(Path(dprules.__file__).parent)
WITH_SIGNAL = """
import os, sys
ended, number, at = os.getpid(), int(sys.argv[1]), int(sys.argv[2])
imports = 0
def count(event, arguments):
    global imports
    if event == "import" and "dprules.cli" in sys.modules:
        imports += 1
        if imports == at:
            os.kill(ended, number)
sys.addaudithook(count)
sys.argv[1:] = sys.argv[3:]
from dprules.cli import main
try:
    main()
finally:
    if at == 0:
        print(imports)
"""
"""A program that sends itself a signal when the command imports its n-th module; 0: it prints how many there were."""


def run_with_signal(number: int, at: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITH_SIGNAL, str(int(number)), str(at), *PLAN]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def imports() -> int:
    """How many imports a command makes, from its first line on."""
    ran = run_with_signal(0, 0)
    assert ran.returncode == Exit.OK, ran.stderr
    return int(ran.stdout.splitlines()[-1])


def check_instants(instants) -> None:
    for place, at in enumerate(instants):
        number, code = [(signal.SIGINT, Exit.INTERRUPTED), (signal.SIGTERM, Exit.TERMINATED)][place % 2]
        ran = run_with_signal(number, at)
        if ran.returncode == -signal.SIGTERM:  # before any handler was set: the system's own answer, as a shell sees it
            assert at < 40
            assert ran.stderr == ""
        else:
            assert_one_sentence(ran.returncode, ran.stderr, code)
            assert ran.stdout == ""


def test_a_signal_while_libraries_are_loaded_is_one_sentence(imports):
    assert imports > 300
    check_instants([1, imports // 8, imports // 4, imports // 2, imports - 20, 2])


@pytest.mark.slow
def test_a_signal_at_any_import_is_one_sentence(imports):
    check_instants([*range(1, 21), *range(21, imports - 10, imports // 60)])


def test_a_signal_after_the_command_does_not_fall_into_the_end_of_python():
    """Its exit code stands, and what Python does at its end is not interrupted."""
    program = "import atexit, os, signal\natexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
    program += "from dprules.cli import main\nmain()\n"
    command = [sys.executable, "-c", program, "--version"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stderr) == (Exit.OK, "")


COMMANDS = {"module": [sys.executable, "-m", "dprules"], "script": [str(Path(sys.executable).with_name("dprules"))]}


@pytest.mark.slow
@pytest.mark.parametrize("start", COMMANDS)
def test_a_signal_at_any_time_is_one_sentence(start):
    """Python itself answers Ctrl-C with a traceback before the first line of `main`; nothing else may."""
    if shutil.which(COMMANDS[start][0]) is None:
        pytest.skip("dprules is not installed as a script")
    command, tries = [*COMMANDS[start], *PLAN], 80
    began = time.monotonic()
    subprocess.run(command, capture_output=True, check=True)
    span = 1.2 * (time.monotonic() - began)
    for place in range(tries):
        number = (signal.SIGINT, signal.SIGTERM)[place % 2]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(span * place / tries)
            process.send_signal(number)
            _, err = process.communicate(timeout=120)
        if "Traceback" in err:
            assert not re.search(rf'File "{re.escape(PACKAGE)}.*in (?!<module>)', err), err
        elif process.returncode == 128 + number:
            assert_one_sentence(process.returncode, err, 128 + number)
        else:
            assert (process.returncode in (Exit.OK, -number), err) == (True, "")
