"""Every job can be had by its name; and what public rooms do not load."""

import subprocess
import sys

import pytest

from dprules import jobs

HEAVY = ("duckdb", "ibis", "numba", "pandas", "polars", "pyarrow", "scipy", "sklearn", "matplotlib")


def test_every_name_is_there():
    assert sorted(jobs.__all__) == sorted(dir(jobs))
    for name in jobs.__all__:
        assert getattr(jobs, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        jobs.nothing  # type: ignore[attr-defined] # noqa: B018


@pytest.mark.parametrize(
    "room",
    ["dprules", "dprules.models", "dprules.schema", "dprules.accounting", "dprules.jobs", "dprules.jobs.verification"],
)
def test_public_rooms_load_no_engine_and_no_kernels(room):
    code = f"import sys, {room}; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
