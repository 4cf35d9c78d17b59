"""The JSON Schema of the model file: what dprules writes fits it, and what it would not write does not."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from dprules.errors import ModelError
from dprules.models import Halfspace, Model, Released, Rule, RuleList, Scorecard, Term
from dprules.schema import (
    Boolean,
    Categorical,
    Clipped,
    Column,
    Date,
    Label,
    Numeric,
    Positive,
    Scaled,
    literals_of,
)
from models.cards import CARDS, small
from models.random_lists import random_list
from models.test_card_faults import certify
from models.test_released import released_list, released_stream

SCHEMA = json.loads(files("dprules.models").joinpath("model.schema.json").read_text())
VALID = Draft202012Validator(SCHEMA)
COLUMNS: list[Column] = [
    Categorical("city", ["a", "b", "c"], bought=True),
    Categorical("grade", [1, 2.5], missing_literal=True),
    Numeric("dose", [0.5, 1.5], decimal=","),
    Numeric("age", [30], bought=True),
    Date("since", ["2024-01-01"]),
    Boolean("smoker"),
    Positive("gain", missing_literal=True),
]


def with_model(released: Released, model: Model) -> dict[str, Any]:
    """The document of another model in the same envelope."""
    return released.document() | {"kind": model.kind, "model": model.document()}


def every_column() -> RuleList:
    rules = tuple(Rule((literal,), "no") for column in COLUMNS for literal in literals_of(column))
    return RuleList(rules, "yes", ("no", "yes"))


def weighed() -> Halfspace:
    return Halfspace((Term(Clipped("x"), 0.5), Term(literals_of(COLUMNS[5])[:1], -1.0)), 0.25, ("no", "yes"), 3)


def between_bounds() -> Halfspace:
    terms = (Term(Scaled("x", -1.5, 2), 0.5), Term(Scaled("z", 0, 1e6, decimal=","), -1.0))
    return Halfspace(terms, 0.25, ("no", "yes"), 3)


def many_weighed() -> Scorecard:
    card = CARDS["many classes with weights"]
    return replace(card, points=card.points[:1])


def released_card() -> Released:
    return Released.of(small(), Label("y", ("no", "yes"), positive="yes"), certify())


DOCUMENTS: dict[str, Callable[[], dict[str, Any]]] = {
    "a fit": lambda: released_list().document(),
    "classes that are Booleans": lambda: (
        released_list().document() | {"label": Label("y", [False, True], positive=True).entry()}
    ),
    "a stream": lambda: released_stream().document(),
    "a list of every column": lambda: with_model(released_list(), every_column()),
    "a list with counts": lambda: with_model(released_list(), random_list(1).with_counts([[900, 5, 0]] * 9, 0.5)),
    "a list with counts of nothing": lambda: with_model(
        released_list(), random_list(2).with_counts([[0, 1, -3]] * 9, 0.1)
    ),
    "an empty list": lambda: with_model(released_list(), RuleList((), 1, (0, 1))),
    "a scorecard": lambda: released_card().document(),
    "a scorecard of many classes": lambda: with_model(released_card(), many_weighed()),
    "a scorecard without points": lambda: with_model(released_card(), CARDS["two classes without points"]),
    "a scorecard of one class": lambda: with_model(released_card(), CARDS["one class"]),
    "numbers that are weighed": lambda: with_model(released_stream(), weighed()),
    "numbers between bounds": lambda: with_model(released_stream(), between_bounds()),
    "inferred classes": lambda: released_list().document() | {"label": Label("y", ["a"], inferred=True).entry()},
}


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_what_dprules_writes_fits(kind):
    document = json.loads(json.dumps(DOCUMENTS[kind]()))
    assert [error.message for error in VALID.iter_errors(document)] == []


def entries(document: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all entries of tables, but of those that are free: settings, and the fields of events."""
    found: list[tuple[Any, ...]] = []
    if place[-1:] in (("settings",), ("event",)):
        return found
    for key, value in document.items() if isinstance(document, dict) else enumerate(document):
        found += [(*place, key)] if isinstance(document, dict) else []
        found += entries(value, (*place, key)) if isinstance(value, dict | list) else []
    return found


def changed(
    document: dict[str, Any], place: tuple[Any, ...], change: Callable[[dict[Any, Any]], object]
) -> dict[str, Any]:
    made = copy.deepcopy(document)
    table: Any = made
    for key in place:
        table = table[key]
    change(table)
    return made


OPTIONAL = {"positive", "missing", "bought", "inferred", "decimal", "weights"}


LONG = ("a list of every column", "a list with counts", "a list with counts of nothing")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] if kind in LONG else []) for kind in DOCUMENTS]
)
def test_nothing_may_be_left_out_and_nothing_added(kind):
    document = DOCUMENTS[kind]()
    for *place, key in entries(document):
        named = place[-1:] == ["columns"]  # a column more or less is a question for `from_document`
        if not named and key not in OPTIONAL:
            assert not VALID.is_valid(changed(document, tuple(place), lambda table: table.pop(key))), (*place, key)  # noqa: B023
        if not named:
            assert not VALID.is_valid(changed(document, tuple(place), lambda table: table.update(odd=1))), place
    assert not VALID.is_valid(document | {"odd": 1})


@pytest.mark.parametrize("kind", ["a fit", "a stream", "a list of every column", "a list with counts", "a scorecard"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_does_not_fit_is_not_read(kind, data):
    """A file that dprules accepts fits the schema: nobody who trusts the schema refuses a good file."""
    document = DOCUMENTS[kind]()
    *place, key = data.draw(st.sampled_from(entries(document)))
    odd = data.draw(st.sampled_from([None, True, 0, -1, 1.5, "", "x", "1/2", [], {}, [1], {"kind": "boolean"}]))
    made = changed(document, tuple(place), lambda table: table.__setitem__(key, odd))
    if not VALID.is_valid(made):
        with pytest.raises(ModelError):
            Released.from_document(made).require_verified()


def test_kinds_do_not_mix():
    assert not VALID.is_valid(released_list().document() | {"kind": "halfspace"})
    assert not VALID.is_valid(released_list().document() | {"model": released_stream().model.document()})
    assert not VALID.is_valid(released_card().document() | {"model": released_list().model.document()})
    assert not VALID.is_valid(released_list().document() | {"kind": "scorecard"})
    assert not VALID.is_valid([])
