"""Compile kernels, and keep the result on disk where that is possible."""

import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function of arrays; without a folder that can be written, it is compiled anew in every process.

    Numba keeps compiled code beside the source or in the user's cache folder. Neither may be writable: a package
    installed by another user, an account without a home, a full disk.
    """
    options: dict[str, Any] = {"error_model": "numpy", "boundscheck": False, "nogil": True}
    try:
        made: F = njit(cache=True, **options)(function)
        _forgive_disk(getattr(made, "_cache", None))
    except (RuntimeError, OSError):
        made = njit(**options)(function)
    return made


def _forgive_disk(cache: Any) -> None:
    """Go on without the copy on disk where it cannot be written or read; Numba would stop."""
    save: Callable[..., None] | None = getattr(cache, "save_overload", None)
    load: Callable[..., Any] | None = getattr(cache, "load_overload", None)
    if save is None or load is None:
        return

    def save_if_possible(*arguments: Any) -> None:
        with suppress(OSError):
            save(*arguments)

    def load_if_possible(*arguments: Any) -> Any:
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            return load(*arguments)
        return None

    cache.save_overload = save_if_possible
    cache.load_overload = load_if_possible
