"""Models whose reports are hard to get right."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from dprules.jobs import FitRequest, fit
from dprules.jobs.example import SCHEMA, hospital_stays
from dprules.models import (
    Cells,
    Estimate,
    Group,
    Halfspace,
    Odds,
    Points,
    Released,
    RiskTable,
    Rule,
    RuleList,
    Scorecard,
    StreamMark,
    Term,
    Totals,
)
from dprules.schema import Boolean, Categorical, Clipped, Label, Numeric, literals_of

HOSTILE = '<script>alert("x")</script><img src=x onerror=alert(1)>\'"&amp; \u202e \n'
CLASSES = (*(f"class number {i} with a long name" for i in range(10)), "W" * 60, HOSTILE)
COLUMNS = (
    Categorical("c" * 120, [f"value {i}" for i in range(300)]),
    Numeric("income of the household in the year before the stay", (1e-7, 3.5, 1234567.25)),
    Categorical("ward", ("a" * 80, HOSTILE, "x")),
    Boolean(HOSTILE, missing_literal=True),
)


def fit_example(rows=2000, **options) -> Released:
    return fit(FitRequest(hospital_stays(rows, 1), SCHEMA, **options))


def make_long_list(released: Released) -> Released:
    """Put a list of 20 rules and 12 classes with long and hostile names into the envelope of another."""
    literals = [literals_of(column) for column in COLUMNS]
    rules = []
    for i in range(20):
        asked = [literals[(i + j) % len(literals)] for j in range(1 + i % 3)]
        rules.append(Rule(tuple(found[3 * i % len(found)] for found in asked), CLASSES[i % 12]))
    tilts = (Fraction(123456789012345678901234567890123456789, 2**128),)
    groups = [Group(tuple(10 ** (7 - i % 8) * (9 if j == i % 12 else 1) for j in range(12)), tilts) for i in range(21)]
    weights = tuple(Fraction(1, i + 1) for i in range(12))
    model = RuleList(tuple(rules), CLASSES[0], CLASSES, tuple(groups), weights)
    return replace(released, model=model, label=Label("l" * 90, CLASSES), table="t" * 150)


def make_card(released: Released) -> Released:
    """Put a scorecard with long and hostile names into the envelope of another model."""
    classes = (HOSTILE, "y" * 60)
    points = [
        Points.of(column, np.array([[(7 * i) % 41 - 20] for i in range(column.size + 1)]))
        for column in (*COLUMNS, Numeric("n" * 90, tuple(map(float, range(1234567, 1234607)))))
    ]
    risks = tuple(Estimate(i / 100, max(0.0, i / 100 - 0.1), min(1.0, i / 100 + 0.1)) for i in range(100))
    table = RiskTable(tuple(range(-50, 49)), risks)
    cells = Cells((-20, 0, 20), ((900, 30), (3, -4), (500, 480), (20, 700)), Fraction(21, 2))
    model = Scorecard(
        tuple(points),
        (0,),
        classes,
        classes[1],
        table,
        Totals((1500, 1200), Fraction(9)),
        cells,
        1.2,
        (Fraction(1, 3), Fraction(1)),
    )
    return replace(released, model=model, label=Label("l" * 90, classes))


def make_card_of_many_classes(released: Released) -> Released:
    """Put a scorecard for 12 classes with long and hostile names into the envelope of another model."""
    points = [
        Points.of(column, np.array([[(7 * i * j) % 41 - 20 for j in range(12)] for i in range(column.size + 1)]))
        for column in COLUMNS[1:]
    ]
    totals = Totals(tuple(range(100, 1300, 100)), Fraction(9))
    weights = tuple(Fraction(1, i + 1) for i in range(12))
    base = tuple(range(-300, 900, 100))
    model = Scorecard(tuple(points), base, CLASSES, CLASSES[0], Odds(Fraction(13, 2)), totals, None, None, weights)
    return replace(released, model=model, label=Label("l" * 90, CLASSES))


def make_halfspace(released: Released, name: str = "x") -> Released:
    """Put a weighted sum into the envelope of a list: its certificate is for another model."""
    numbers = [Term(Clipped("temperature"), 0.25)]
    terms = [Term(literals_of(column)[:1], weight) for column, weight in ((Boolean(name), 0.5), (COLUMNS[1], -1.0))]
    model = Halfspace.ranked([*terms, *numbers], -0.4, ("no", "yes"), 3)
    return replace(released, model=model, label=Label("y", ("no", "yes")), stream=StreamMark("events", 1000, 3))
