"""Kernels are compiled wherever the package runs: a disk that cannot be written or read only costs time."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import caching

from dprules.tables import compiled


def double(values: Any) -> Any:
    return values * 2


def test_a_function_is_compiled() -> None:
    assert compiled(double)(np.arange(3)).tolist() == [0, 2, 4]


def test_without_a_folder_for_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba refuses at once where it finds no folder."""

    def refuse(*_: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(caching.FunctionCache, "__init__", refuse)
    assert compiled(double)(np.arange(3)).tolist() == [0, 2, 4]


@pytest.mark.parametrize("method", ["_save_overload", "_load_overload"])
def test_a_disk_that_fails_later(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder may be there, and full."""

    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(caching.FunctionCache, method, fail)
    assert compiled(double)(np.arange(3)).tolist() == [0, 2, 4]


KERNEL = """
import sys
import numpy as np
from dprules.tables import compiled

@compiled
def totals(values):
    found = np.empty(2, dtype=np.int64)
    found[0] = len(values)
    found[1] = 0
    for value in values:
        found[1] += value
    return found

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
    assert compiled(double)(np.arange(3)).tolist() == [0, 2, 4]
