"""What the exit codes of `dprules` mean, and how a signal ends it."""

import os
import signal
from contextlib import suppress
from enum import IntEnum
from types import FrameType
from typing import NoReturn

from dprules.signals import ENDINGS


class Exit(IntEnum):
    """Exit codes; scripts may rely on them."""

    OK = 0
    CLOSED = 1
    """Whoever read the output went away (typer's own)."""
    USAGE = 2
    """Unknown command or option (typer's own)."""
    PARAMETER = 3
    """A parameter breaks its rule."""
    PRIVACY = 4
    """What was asked would not be private, or cannot be priced."""
    FILE = 5
    """A file or folder is not there, cannot be read or written, or would be overwritten."""
    INPUT = 6
    """A schema, a table or a model file is not what it should be."""
    BROKEN = 7
    """An audit found a value above its claim."""
    UNVERIFIED = 8
    """A model file does not verify."""
    RESOURCE = 9
    """Not enough memory or room on the disk, a port that is in use, or a ledger whose database does not answer."""
    NOT_PRIVATE = 10
    """`verify`: a model verifies, and its noise was seeded."""
    INTERNAL = 70
    """Something that nobody foresaw; please report it."""
    INTERRUPTED = 130
    TERMINATED = 143


class StoppedError(Exception):
    """A signal ended a command that has something to say about what is left, in one sentence; empty: nothing at all."""


NOTHING_LEFT = "nothing is left half done."
"""What is said of the other commands: files are written whole or not at all."""
WORDS = {Exit.INTERRUPTED: "interrupted", Exit.TERMINATED: "told to end"}
"""How a sentence about a signal begins."""


def end_at_signals() -> None:
    """Let signals end the process at once, while libraries are loaded: one might take an exception for its own."""
    for ending in ENDINGS:
        if signal.getsignal(ending) != signal.SIG_IGN:  # nohup
            signal.signal(ending, _end_at_signal)


def choose_exit(number: int) -> Exit:
    """Return the exit code for a signal."""
    return Exit.INTERRUPTED if number == signal.SIGINT else Exit.TERMINATED


def _end_at_signal(number: int, frame: FrameType | None) -> NoReturn:
    end_at_once(choose_exit(number))


def end_at_once(code: Exit) -> NoReturn:
    """Say how a signal has ended the command, and end: nothing has begun that would have to be undone."""
    with suppress(OSError):  # the terminal is closed
        os.write(2, f"dprules: {WORDS[code]}; {NOTHING_LEFT}\n".encode())
    os._exit(code)
