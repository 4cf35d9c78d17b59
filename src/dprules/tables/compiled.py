"""Kernels: functions of arrays that Numba compiles, and keeps on disk where that is possible.

Compiled kernels stay on disk, so which ones are compiled must not depend on rows (`docs/proofs/door.md`). A kernel
therefore declares the types of its arguments. `prepare_kernels` compiles every kernel for its types before a row is
read; from then on none is compiled.
"""

import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import numba
from numba import njit, types
from numba.core.runtime import rtsys

from dprules.signals import hold_signals

F = TypeVar("F", bound=Callable[..., Any])
Types = tuple[Any, ...]
"""Of the arguments of a kernel."""

_KNOWN: Final = (0, 68)
"""The newest Numba whose kernels were seen to load without its library of functions (`load_overload`)."""
_OPTIONS: Final[dict[str, Any]] = {"error_model": "numpy", "boundscheck": False, "nogil": True}
_unprepared: list[tuple[Any, tuple[Types, ...]]] = []
"""Kernels that are not compiled yet, with the types that they are compiled for."""
_preparing = threading.Lock()


def reads(kind: Any, dimensions: int = 1) -> Any:
    """Return the type of an array that a kernel does not change: in C order, writable or not."""
    return types.Array(kind, dimensions, "C", readonly=True)


def writes(kind: Any, dimensions: int = 1) -> Any:
    """Return the type of an array that a kernel changes: in C order."""
    return types.Array(kind, dimensions, "C")


def compiled(*signatures: Types) -> Callable[[F], F]:
    """Compile a function for the types of its arguments, once `prepare_kernels` is called.

    Numba keeps compiled code beside the source or in the user's cache folder. Neither may be writable: a package
    installed by another user, an account without a home, a full disk. Then it is compiled anew in every process.
    """

    def define(function: F) -> F:
        try:
            kernel: Any = njit(cache=True, **_OPTIONS)(function)
            _forgive_disk(getattr(kernel, "_cache", None))
        except (RuntimeError, OSError):
            kernel = njit(**_OPTIONS)(function)
        _compile_whole(kernel)
        _unprepared.append((kernel, signatures))
        return kernel  # type: ignore[no-any-return]

    return define


def inlined(function: F) -> F:
    """Let kernels call a function: it is compiled with each of them."""
    return njit(**_OPTIONS)(function)  # type: ignore[no-any-return]


def prepare_kernels() -> None:
    """Compile every kernel that is defined, or load it from disk.

    Afterwards a kernel takes the declared types and no others, so that no cell and no number of rows can have another
    one compiled.
    """
    if not _unprepared:  # the last one is taken off when it is done
        return
    with _preparing:
        while _unprepared:
            kernel, signatures = _unprepared[-1]
            for signature in signatures:
                kernel.compile(signature)
            kernel.disable_compile()
            _unprepared.pop()


def _compile_whole(kernel: Any) -> None:
    """Let signals wait while a kernel is loaded or compiled: LLVM's lock would stay taken, and threads wait for it."""
    compile_: Callable[..., Any] = kernel.compile

    def compile_whole(*arguments: Any) -> Any:
        with hold_signals():
            return compile_(*arguments)

    kernel.compile = compile_whole


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
