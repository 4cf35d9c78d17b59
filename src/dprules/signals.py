"""Signals that wait: some steps must not be left half done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDINGS = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
"""What ends a command: Ctrl-C, a kill that asks, a terminal that is closed."""


_heard: list[int] = []


def note_ending(number: int) -> None:
    """Remember that a signal has ended the command, whatever becomes of the exception that says so."""
    _heard.append(number)


def require_going_on() -> None:
    """Raise KeyboardInterrupt again if a signal has ended the command: a library may have swallowed the first.

    Arrow looks for pandas at its first column, and takes whatever goes wrong in between for a missing library.
    """
    if _heard and threading.current_thread() is threading.main_thread():
        raise KeyboardInterrupt


@contextmanager
def hold_signals() -> Iterator[None]:
    """Let signals that end a command wait until the block is done.

    Python runs handlers in the main thread alone, so that other threads have nothing to hold.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[signal.Signals] = []

    def hold(number: int, frame: FrameType | None) -> None:
        held.append(signal.Signals(number))

    handlers = {number: signal.getsignal(number) for number in ENDINGS}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    try:
        for number in handlers:
            signal.signal(number, hold)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in held:
            signal.raise_signal(number)
