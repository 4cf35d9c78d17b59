"""Compile kernels, and keep the result on disk where that is possible."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function of arrays; without a folder that can be written, it is compiled anew in every process.

    Numba keeps compiled code beside the source or in the user's cache folder. Neither may be writable: a package
    installed by another user, an account without a home.
    """
    options: dict[str, Any] = {"error_model": "numpy", "boundscheck": False, "nogil": True}
    try:
        made: F = njit(cache=True, **options)(function)
    except (RuntimeError, OSError):
        made = njit(**options)(function)
    return made
