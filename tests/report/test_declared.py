from dataclasses import replace

import pytest

from dprules.models import Rule, RuleList
from dprules.report.declared import list_declared
from dprules.schema import Boolean, Categorical, Label, Numeric, literals_of
from report.examples import fit_example, make_halfspace

COLUMNS = (
    Categorical("ward", [f"w{i}" for i in range(250)]),
    Numeric("age", (30.0, 50.5), bought=True),
    Boolean("alone", missing_literal=True),
)


@pytest.fixture(scope="module")
def released():
    return fit_example(rows=100)


def test_columns_are_listed_with_what_is_known_of_them(released):
    rules = tuple(Rule(literals_of(column)[:1], "no") for column in COLUMNS)
    model = RuleList(rules, "yes", ("no", "yes"))
    label, ward, age, alone = list_declared(replace(released, model=model, label=Label("ill", ("no", "yes"))))
    assert (label.name, label.title, label.values) == ("ill", "classes", ("no", "yes"))
    assert (ward.title, len(ward.values), ward.more, ward.bought) == ("values", 200, 50, False)
    assert (age.title, age.values, age.bought) == ("cuts", ("30", "50.5"), True)
    assert (alone.kind, alone.values) == ("boolean; rules may ask whether it is missing", ())


def test_numbers_that_are_weighed(released):
    kinds = {column.name: column.kind for column in list_declared(make_halfspace(released))}
    assert kinds["temperature"] == "a number, clipped to [-1, 1]"
