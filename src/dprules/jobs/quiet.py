"""Say that memory ran out without saying how much was asked for: sizes of arrays are numbers of rows."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from dprules.errors import ResourceError

P = ParamSpec("P")
T = TypeVar("T")


def without_sizes(job: Callable[P, T]) -> Callable[P, T]:
    """Let a job end in one sentence where NumPy would print the shape of an array.

    The sentence is raised outside the handler, so that the first error is not chained to it.
    """

    @wraps(job)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return job(*args, **kwargs)
        except MemoryError as error:
            notes = getattr(error, "__notes__", [])
        raised = ResourceError("there is not enough memory. Use fewer columns or a smaller width, or a larger machine.")
        for note in notes:
            raised.add_note(note)
        raise raised

    return run
