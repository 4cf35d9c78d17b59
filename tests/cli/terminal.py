"""Run a command in a terminal of its own, and end it as a person, a system or a lost connection would."""

import contextlib
import os
import pty
import re
import select
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

HIDDEN, SHOWN = b"\x1b[?25l", b"\x1b[?25h"
"""How a terminal is told to hide its cursor, and to show it again."""
CTRL_C = b"\x03"
LONG = 90.0
"""Seconds after which nothing is waited for any longer."""


class Ended(NamedTuple):
    """How a command ended, and what the terminal showed."""

    code: int
    screen: bytes

    @property
    def lines(self) -> list[str]:
        """The lines of the screen, without control sequences and the echo of keys."""
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\^C", "", self.screen.decode(errors="replace"))
        return [line for part in text.splitlines() if (line := part.strip())]

    @property
    def cursor_is_shown(self) -> bool:
        """Whether the terminal was told to show its cursor after it was last told to hide it."""
        return self.screen.rfind(SHOWN) >= self.screen.rfind(HIDDEN)


class Terminal:
    """A terminal in which `dprules` runs."""

    def __init__(self, *words: object, environment: Mapping[str, str], folder: Path) -> None:
        self.screen = b""
        command = [sys.executable, "-m", "dprules", *map(str, words)]
        self.process, self._master = pty.fork()
        if self.process == 0:  # in the terminal
            os.chdir(folder)
            os.execve(sys.executable, command, {**os.environ, "TERM": "xterm", "COLUMNS": "120", **environment})

    def wait_for(self, what: bytes, seconds: float = LONG) -> bool:
        """Read the screen until it holds something; False: the command ended first, or time is over."""
        until = time.monotonic() + seconds
        while what not in self.screen and time.monotonic() < until:
            if not self._read(until):
                break
        return what in self.screen

    def _read(self, until: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return False
        try:
            part = os.read(self._master, 65_536)
        except OSError:  # the other side is closed
            return False
        self.screen += part
        return bool(part)

    def press(self, key: bytes) -> None:
        """Type a key."""
        os.write(self._master, key)

    def send(self, ending: signal.Signals) -> None:
        """Send a signal to the command."""
        os.kill(self.process, ending)

    def stop_and_end(self) -> None:
        """Stop the command, as Ctrl-Z does in a shell, and end it while it stands still."""
        self.send(signal.SIGSTOP)
        os.waitpid(self.process, os.WUNTRACED)
        self.send(signal.SIGTERM)
        self.send(signal.SIGCONT)

    def close(self) -> None:
        """Close the window: the system sends SIGHUP, and there is nothing to write to any more."""
        os.close(self._master)
        self._master = -1

    def end(self) -> Ended:
        """Read what is left, wait for the end, and say how it was."""
        until = time.monotonic() + LONG
        while self._master >= 0 and self._read(until):
            pass
        while True:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                break
            if time.monotonic() > until:
                os.kill(self.process, signal.SIGKILL)
            time.sleep(0.01)
        if self._master >= 0:
            with contextlib.suppress(OSError):
                os.close(self._master)
        return Ended(os.waitstatus_to_exitcode(status), self.screen)
