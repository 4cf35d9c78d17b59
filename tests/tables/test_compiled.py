"""Kernels are compiled wherever the package runs: a disk that cannot be written or read only costs time."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba import types
from numba.core import caching

import dprules
from dprules.tables import compiled, prepare_kernels, reads

INTEGERS = reads(types.int64)


def double(values: Any) -> Any:
    return values * 2


def test_a_function_is_compiled() -> None:
    kernel = compiled((INTEGERS,))(double)
    prepare_kernels()
    assert kernel(np.arange(3)).tolist() == [0, 2, 4]


def test_without_a_folder_for_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba refuses at once where it finds no folder."""

    def refuse(*_: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(caching.FunctionCache, "__init__", refuse)
    kernel = compiled((INTEGERS,))(double)
    prepare_kernels()
    assert kernel(np.arange(3)).tolist() == [0, 2, 4]


@pytest.mark.parametrize("method", ["_save_overload", "_load_overload"])
def test_a_disk_that_fails_later(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder may be there, and full."""

    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(caching.FunctionCache, method, fail)
    kernel = compiled((INTEGERS,))(double)
    prepare_kernels()
    assert kernel(np.arange(3)).tolist() == [0, 2, 4]


KERNEL = """
import sys
import numpy as np
from numba import types
from dprules.tables import compiled as kernel, prepare_kernels, reads

@kernel((reads(types.int64),))
def totals(values):
    found = np.empty(2, dtype=np.int64)
    found[0] = len(values)
    found[1] = 0
    for value in values:
        found[1] += value
    return found

prepare_kernels()
print(totals(np.arange(4)).tolist(), "numba.np.arraymath" in sys.modules)
"""


def test_what_was_compiled_loads_without_numbas_library(tmp_path: Path) -> None:
    """A fit would wait for it, and for SciPy. If a new Numba fails here, read `compiled.py` again."""
    (tmp_path / "kernel.py").write_text(KERNEL)
    command = [sys.executable, str(tmp_path / "kernel.py")]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    shown = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()
        for _ in range(2)
    ]
    assert shown == ["[4, 6] True", "[4, 6] False"]


def test_an_unknown_numba_loads_as_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba, "version_info", numba.version_info._replace(short=(99, 0)))
    kernel = compiled((INTEGERS,))(double)
    prepare_kernels()
    assert kernel(np.arange(3)).tolist() == [0, 2, 4]


def test_a_prepared_kernel_takes_the_declared_types_and_no_others() -> None:
    kernel = compiled((INTEGERS,))(double)
    prepare_kernels()
    fixed = np.arange(3)
    fixed.flags.writeable = False
    assert kernel(fixed).tolist() == [0, 2, 4]
    for other in (np.arange(6)[::2], np.arange(3.0), np.arange(3, dtype=np.int32)):
        with pytest.raises(TypeError):
            kernel(other)


def test_every_kernel_declares_its_types() -> None:
    """A kernel that is made with Numba alone would be compiled when a row first needs it."""
    sources = [path for path in Path(dprules.__file__).parent.rglob("*.py") if path.name != "compiled.py"]
    assert [path.name for path in sources if "njit" in path.read_text() or "vectorize" in path.read_text()] == []
