"""Compile kernels, and keep the result on disk where that is possible."""

import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import numba
from numba import njit
from numba.core.runtime import rtsys

from dprules.signals import hold_signals

F = TypeVar("F", bound=Callable[..., Any])

_KNOWN: Final = (0, 68)
"""The newest Numba whose kernels were seen to load without its library of functions (`load_overload`)."""


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
    _compile_whole(made)
    return made


def _compile_whole(made: Any) -> None:
    """Let signals wait while a kernel is loaded or compiled: LLVM's lock would stay taken, and threads wait for it."""
    compile_: Callable[..., Any] = made.compile

    def compile_whole(*arguments: Any) -> Any:
        with hold_signals():
            return compile_(*arguments)

    made.compile = compile_whole


def _forgive_disk(cache: Any) -> None:
    """Go on without the copy on disk where it cannot be written or read; Numba would stop."""
    save: Callable[..., None] | None = getattr(cache, "save_overload", None)
    load = _choose_loader(cache)
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


def _choose_loader(cache: Any) -> Callable[..., Any] | None:
    """Return what reads a compiled kernel: quickly if this Numba is known, otherwise as Numba does it.

    Before it reads, Numba loads all functions that a kernel could be compiled from, SciPy's among them: that takes
    longer than a small fit. Code that is compiled needs the symbols that it is linked to, and no more: the C helpers,
    which an import of Numba defines, and the runtime, which is started here. (Only hashes of text and parallel loops
    have others; no kernel of ours has these.) If there is nothing to read, Numba loads the functions and compiles.
    """
    load: Callable[..., Any] | None = getattr(cache, "load_overload", None)
    read: Callable[..., Any] | None = getattr(cache, "_load_overload", None)
    if load is None or read is None or numba.version_info.short > _KNOWN:
        return load

    def load_overload(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)
        return read(signature, context)

    return load_overload
