"""Kernels are compiled wherever the package runs: a disk that cannot be written or read only costs time."""

from typing import Any

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
