"""Run commands as a shell would, in this process or in one of their own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dprules.cli.main import main
from dprules.signals import ENDINGS


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@contextmanager
def keep_handlers() -> Iterator[None]:
    """Put handlers of signals back: a command has a process of its own, tests have not."""
    handlers = {ending: signal.getsignal(ending) for ending in ENDINGS}
    try:
        yield
    finally:
        for ending, handler in handlers.items():
            signal.signal(ending, handler)


class Shell:
    """Calls `dprules` in this process: faster than a process, and what it prints is caught."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        monkeypatch.setenv("COLUMNS", "200")

    def __call__(self, *arguments: object) -> Ran:
        self._monkeypatch.setattr(sys, "argv", ["dprules", *map(str, arguments)])
        with keep_handlers(), pytest.raises(SystemExit) as stopped:
            main()
        out, err = self._capsys.readouterr()
        code = stopped.value.code
        return Ran(code if isinstance(code, int) else 0, out, err)


def run_process(
    *arguments: object, environment: Mapping[str, str | None] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run `dprules` in a process of its own; variables that are None are taken out of its environment."""
    changed = {name: value for name, value in (environment or {}).items() if value is not None}
    kept = {name: value for name, value in os.environ.items() if name not in (environment or {})}
    command = [sys.executable, "-m", "dprules", *map(str, arguments)]
    usual: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 120, "check": False}
    return subprocess.run(command, env=kept | changed, **usual | options)


def assert_one_sentence(code: int, err: str, expected: int | Sequence[int]) -> None:
    """Standard error is one sentence of ours, and the exit code is one of those."""
    assert code in ([expected] if isinstance(expected, int) else expected), err
    assert err.startswith("dprules: "), err
    assert err.count("\n") == 1, err
    assert "Traceback" not in err


def assert_refused(ran: Ran, expected: int | Sequence[int]) -> None:
    """The command said one sentence, printed nothing else, and ended with that code."""
    assert_one_sentence(ran.code, ran.err, expected)
    assert ran.out == ""


def write_lines(path: Path, lines: Sequence[str]) -> Path:
    """Write lines to a file."""
    path.write_text("\n".join(lines) + "\n")
    return path
