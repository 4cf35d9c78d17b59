"""A bar on the terminal while something works: of public things only."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Protocol

from dprules.signals import require_going_on


class Update(Protocol):
    """Shows how far a step has come."""

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Move the bar."""
        ...


@contextmanager
def progress_bar() -> Iterator[Update]:
    """Show a bar on standard error, gone when the work is done; nothing if that is not a terminal.

    Each step, and the end, notices a signal that a library has swallowed.
    """
    seen = sys.stderr is not None and sys.stderr.isatty()
    with _shown_bar() if seen else nullcontext(_show_nothing) as show:

        def update(step: str, done: int, total: int | None) -> None:
            require_going_on()
            show(step, done, total)

        yield update
        require_going_on()


@contextmanager
def show_work(step: str) -> Iterator[None]:
    """Show that something works, and for how long: for steps whose length would tell how many rows there are."""
    with progress_bar() as update:
        update(step, 0, None)
        yield


def _show_nothing(step: str, done: int, total: int | None) -> None:
    """Show no progress."""


@contextmanager
def _shown_bar() -> Iterator[Update]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
        task = shown.add_task("", total=None, count="")

        def update(step: str, done: int, total: int | None) -> None:
            count = "" if total is None else f"{done}/{total}"
            shown.update(task, description=step, completed=done, total=total, count=count)

        yield update
