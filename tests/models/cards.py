"""Made-up scorecards over columns of every kind with awkward names, and rows to ask them about."""

import random
from fractions import Fraction
from typing import Any

import numpy as np

from dprules.models import Cells, Estimate, Odds, Points, RiskTable, Scorecard, Totals
from dprules.schema import Boolean, Categorical, Column, Date, Numeric, Positive

ODD = "odd \"name'"
COLUMNS: list[Column] = [
    Numeric("age", (30.0, 45.0, 50.5)),
    Categorical(ODD, ("it's", "b", "c d")),
    Categorical("level", (1, 2, 3), bought=True),
    Boolean("smoker"),
    Positive("gain"),
    Date("since", ("2020-02-29", "2024-01-01"), bought=True),
    Numeric("dose", (-1.5, 0.25), decimal=","),
]
NAMES = [column.name for column in COLUMNS]
TWO = ("no", "y'es")
MANY = ("no", "y'es", "may;be")
CELLS: dict[str, list[Any]] = {
    "age": [20.0, 30.0, 44.9, 50.5, 80.0, None],
    ODD: ["it's", "b", "c d", "undeclared", None],
    "level": [1, 2, 3, 9],
    "smoker": [True, False, None],
    "gain": [-1.5, 0.0, 2.0, None],
    "since": ["2020-02-28", "2020-02-29", "2023-02-29", "2024-01-01 10:00", None],
    "dose": ["-1,6", "0,25", "0.2", "1,2,3", None],
}


def random_points(chance: random.Random, column: Column, places: int) -> Points:
    """Points from few values, so that neighbours often have the same."""
    table = [[chance.choice((-20, -3, 0, 0, 7, 12)) for _ in range(places)] for _ in range(column.size + 1)]
    if places > 1 and chance.random() < 0.3:
        table[1] = table[0]
    return Points.of(column, np.array(table))


def two_classes(seed: int = 0, *, weights: bool = False, columns: int | None = None) -> Scorecard:
    """A card with a table of risks."""
    chance = random.Random(seed)
    chosen = COLUMNS if columns is None else chance.sample(COLUMNS, columns)
    starts = tuple(sorted(chance.sample(range(-30, 40), 7)))
    values = sorted(thousandths / 1000 for thousandths in chance.sample(range(1001), 8))
    risks = tuple(Estimate(value, round(value * 0.8, 3), round(min(1.0, value * 1.1 + 0.01), 3)) for value in values)
    cells = Cells((-10, 4), ((500, 30), (300, 200), (-4, 500)), Fraction(21, 2))
    return Scorecard(
        tuple(random_points(chance, column, 1) for column in chosen),
        (0,),
        TWO,
        chance.choice(TWO),
        RiskTable(starts, risks),
        Totals((820, 730), Fraction(13, 3)),
        cells,
        8.1,
        (Fraction(21, 64), Fraction(1)) if weights else None,
    )


def many_classes(seed: int = 0, *, weights: bool = False, doubling: Fraction = Fraction(13, 2)) -> Scorecard:
    """A card with points for each of three classes."""
    chance = random.Random(seed)
    return Scorecard(
        tuple(random_points(chance, column, 3) for column in COLUMNS),
        (chance.randrange(-20, 20), 0, 5),
        MANY,
        MANY[0],
        Odds(doubling),
        Totals((820, 730, 12), Fraction(13, 3)),
        Cells((5,), ((500, 300), (700, 10)), Fraction(21, 2)),
        1.5,
        (Fraction(21, 64), Fraction(1), Fraction(45, 64)) if weights else None,
    )


def without_points(classes: int = 2) -> Scorecard:
    """A card that learnt the shares of the classes alone."""
    if classes == 2:
        table = RiskTable((), (Estimate(0.471, 0.4, 0.55),))
        return Scorecard((), (0,), TWO, TWO[1], table, Totals((820, 730), Fraction(13, 3)))
    counts = tuple(range(100, 100 * classes + 1, 100))
    labels = tuple(f"class {place}" for place in range(classes))
    base = tuple(range(classes))
    return Scorecard((), base, labels, labels[0], Odds(Fraction(2)), Totals(counts, Fraction(13, 3)))


def small() -> Scorecard:
    """Two columns, as a card would have them."""
    age = Points.of(Numeric("age", (30.0, 45.0)), np.array([[-6], [0], [4], [0]]))
    school = Categorical("school", ("none", "high", "college", "doctor"))
    degree = Points.of(school, np.array([[0], [0], [12], [20], [0]]))
    risks = ((0.032, 0.021, 0.05), (0.25, 0.2, 0.3), (0.5, 0.4, 0.6), (0.9, 0.851, 1.0))
    table = RiskTable((0, 1, 12), tuple(Estimate(*risk) for risk in risks))
    cells = Cells((1,), ((600, 30), (100, 270)), Fraction(10))
    return Scorecard((age, degree), (0,), ("no", "yes"), "yes", table, Totals((700, 300), Fraction(10)), cells, 8.1)


def random_rows(seed: int, size: int = 200) -> list[dict[str, Any]]:
    """Rows of typed cells, some of them missing or undeclared."""
    chance = random.Random(seed)
    return [{name: chance.choice(cells) for name, cells in CELLS.items()} for _ in range(size)]


CARDS: dict[str, Scorecard] = {
    "two classes": two_classes(1),
    "two classes with weights": two_classes(2, weights=True),
    "two classes, three columns": two_classes(3, columns=3),
    "many classes": many_classes(1),
    "many classes with weights": many_classes(2, weights=True),
    "odds that change quickly": many_classes(3, doubling=Fraction(33, 100)),
    "two classes without points": without_points(2),
    "many classes without points": without_points(4),
    "one class": without_points(1),
}
