"""Events of a made-up stream, and what is asked of them."""

from typing import Any

import numpy as np

from dprules.learners.streams import StreamFeatures
from dprules.schema import Schema

SCHEMA = """
[label]
column = "y"
classes = ["no", "yes"]
[columns.a]
kind = "boolean"
[columns.b]
kind = "boolean"
[columns.n]
kind = "numeric"
cuts = [1, 2]
"""
FEATURES = StreamFeatures(Schema.from_toml(SCHEMA))


def make_events(size: int, seed: int = 0) -> list[dict[str, Any]]:
    """The label is a."""
    random = np.random.default_rng(seed)
    rows = zip(random.random(size) < 0.5, random.random(size) < 0.5, random.integers(0, 4, size), strict=True)
    return [{"a": bool(a), "b": bool(b), "n": int(n), "y": "yes" if a else "no"} for a, b, n in rows]
