"""A small table, its schema, and a model of it."""

import numpy as np
import pyarrow as pa
import pytest

from dprules.jobs import FitRequest, ScorecardSettings, fit
from dprules.models import Released
from dprules.schema import Boolean, Categorical, Label, Numeric, Schema

RANDOM = np.random.default_rng(3)


@pytest.fixture(scope="session")
def schema() -> Schema:
    label = Label("y", ("no", "yes"), positive="yes")
    return Schema(label, (Boolean("a"), Categorical("b", ("u", "v", "w")), Numeric("n", (10.0, 20.0))))


@pytest.fixture(scope="session")
def table() -> pa.Table:
    """The label follows a and b; the ids are in the order of the rows."""
    a = RANDOM.random(2000) < 0.5
    b = RANDOM.choice(["u", "v", "w"], 2000)
    y = np.where(a, "yes", np.where(b == "u", "yes", "no"))
    return pa.table({"a": a, "b": b, "n": RANDOM.integers(0, 30, 2000), "id": np.arange(2000), "y": y})


@pytest.fixture(scope="session")
def released(table, schema) -> Released:
    return fit(FitRequest(table, schema, epsilon=5.0))


@pytest.fixture(scope="session")
def card(table, schema) -> Released:
    return fit(FitRequest(table, schema, ScorecardSettings(), epsilon=5.0))
