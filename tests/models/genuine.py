"""Requests for small scorecards of all kinds: what is learnt from them must always verify."""

import random
from typing import Any

from dprules.jobs.fitting import FitRequest
from dprules.learners.scorecards import ScorecardSettings
from dprules.schema import Boolean, Categorical, Label, Numeric, PrivateCuts, PrivateValues, Schema


def random_request(seed: int) -> FitRequest:
    """Draw the table, the schema, the settings and the budget."""
    chance = random.Random(seed)
    rows = chance.choice((0, 7, 500, 3000, 3000))
    classes = [f"c{place}" for place in range(chance.choice((1, 2, 2, 2, 3, 30)))]
    private = chance.random() < 0.3
    columns = (
        Boolean("b"),
        PrivateCuts("x", 0.0, 4.0) if private else Numeric("x", (1.0, 2.0, 3.0)),
        PrivateValues("c") if private else Categorical("c", ("u", "v", "w")),
    )
    label = Label("y", classes, chance.choice((None, *classes)), inferred=len(classes) == 1)
    by_person = chance.random() < 0.3
    return FitRequest(
        _table(chance, rows, classes),
        Schema(label, columns),
        ScorecardSettings(chance.choice((1, 2, 5, 20, "all")), class_weight=_weights(chance, classes)),
        epsilon=chance.choice((0.05, 0.5, 2, 5, 20)),
        neighbours=chance.choice(("add-remove", "replace")),
        unit="who" if by_person else None,
        unit_rows=chance.choice((1, 3)) if by_person else 1,
        seed=seed,
    )


def _weights(chance: random.Random, classes: list[str]) -> Any:
    kind = chance.choice((None, "balanced", "given"))
    return (
        {name: chance.choice((0.3, 0.75, 1, 2, 10.1)) for name in classes[1:] or classes} if kind == "given" else kind
    )


def _table(chance: random.Random, rows: int, classes: list[str]) -> dict[str, list[Any]]:
    """Rows whose class follows the columns more or less; at 0 not at all."""
    strength = chance.choice((0.0, 0.5, 0.95))
    table: dict[str, list[Any]] = {"b": [], "x": [], "c": [], "who": [], "y": []}
    for row in range(rows):
        b, x, c = chance.random() < 0.5, chance.choice((None, 4 * chance.random())), chance.choice("uvw")
        told = (2 * b + (x or 0) + "uvw".index(c)) / 8
        follows = chance.random() < strength
        place = told * len(classes) if follows else chance.random() ** 3 * len(classes)
        cells = {"b": b, "x": x, "c": c, "who": f"p{row % 100}", "y": classes[min(int(place), len(classes) - 1)]}
        for name, value in cells.items():
            table[name].append(value)
    return table
