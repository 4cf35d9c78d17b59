"""Random lists over columns with awkward names, and rows to ask them about."""

import random
from typing import Any

from dprules.models import Rule, RuleList
from dprules.schema import Boolean, Categorical, Column, Numeric, Positive, literals_of

ODD = "odd \"name'"
COLUMNS: list[Column] = [
    Numeric("age", (30.0, 50.5), missing_literal=True),
    Categorical(ODD, ("it's", "b", "c d"), missing_literal=True),
    Categorical("level", (1, 2, 3)),
    Boolean("smoker", missing_literal=True),
    Positive("gain"),
]
CLASSES = ("no", "y'es", "may;be")
CELLS: dict[str, list[Any]] = {
    "age": [20.0, 30.0, 49.9, 50.5, 80.0, None],
    ODD: ["it's", "b", "c d", "undeclared", None],
    "level": [1, 2, 3, 9],
    "smoker": [True, False, None],
    "gain": [-1.5, 0.0, 2.0, None],
}


def random_list(seed: int, length: int = 8) -> RuleList:
    """Rules of one to three literals each."""
    chance = random.Random(seed)
    asked = [literal for column in COLUMNS for literal in literals_of(column)]
    rules = [Rule(tuple(chance.sample(asked, chance.choice((1, 2, 3)))), chance.choice(CLASSES)) for _ in range(length)]
    return RuleList(tuple(rules), chance.choice(CLASSES), CLASSES)


def random_rows(seed: int, size: int = 300) -> list[dict[str, Any]]:
    """Rows of typed cells, some of them missing or undeclared."""
    chance = random.Random(seed)
    return [{name: chance.choice(cells) for name, cells in CELLS.items()} for _ in range(size)]
