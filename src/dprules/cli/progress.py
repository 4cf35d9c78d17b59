"""A bar on the terminal while something works: of public things only."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


class Update(Protocol):
    """Shows how far a step has come."""

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Move the bar."""
        ...


@contextmanager
def progress_bar() -> Iterator[Update]:
    """Show a bar on standard error, gone when the work is done; nothing if that is not a terminal."""
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
        task = shown.add_task("", total=None)

        def update(step: str, done: int, total: int | None) -> None:
            shown.update(task, description=step, completed=done, total=total)

        yield update
