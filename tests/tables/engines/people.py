"""People with several rows each, for fits that must not depend on where rows lie."""

import numpy as np
import pyarrow as pa

from dprules.jobs import FitRequest, choose_settings, fit
from dprules.schema import Boolean, Categorical, Label, Numeric, PrivateCuts, PrivateValues, Schema

SCHEMA = Schema(
    Label("y", ["no", "yes"]),
    (Boolean("smoker"), Categorical("sex", ["f", "m"]), Numeric("age", [30, 50, 70])),
)
THREE = Schema(Label("level", [1, 2, 3]), SCHEMA.columns)
BOUGHT = Schema(SCHEMA.label, (Boolean("smoker"), PrivateCuts("age", 0, 100), PrivateValues("ward")))


def make_people(size: int = 600) -> pa.Table:
    chance = np.random.default_rng(1)
    smoker = chance.random(size) < 0.4
    age = chance.integers(18, 95, size)
    noisy = chance.random(size) < 0.1
    return pa.table(
        {
            "smoker": pa.array(smoker, mask=chance.random(size) < 0.05),
            "sex": chance.choice(["f", "m", "other"], size),
            "age": age,
            "ward": chance.choice(["north", "south", "east"], size),
            "level": 1 + chance.integers(0, 3, size),
            "person": pa.array(chance.integers(0, size // 5, size), mask=chance.random(size) < 0.02),
            "y": np.where((smoker & (age > 50)) ^ noisy, "yes", "no"),
        }
    )


def learn(data, schema=SCHEMA, model="list", options=None, **request):
    """What a fit with seeded bits learns, as its document."""
    settings = choose_settings(model, options or {}, {})
    return fit(FitRequest(data, schema, settings, 4, 1e-6, seed=11, **request)).model.document()
