"""Documents of scorecards that are broken, hostile or not as dprules writes them are refused."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.errors import ModelError
from dprules.models import Scorecard
from models.cards import many_classes, small, without_points

Change = Callable[[dict[str, Any]], object]

BROKEN: dict[str, Change] = {
    "a word that nobody reads": lambda d: d.update(note="trust me"),
    "a word inside that nobody reads": lambda d: d["totals"].update(note="trust me"),
    "other records than counted": lambda d: d["records"].update(value=9_999_999),
    "one class": lambda d: d.update(classes=["no"]),
    "a class twice": lambda d: d.update(classes=["no", "no"]),
    "three classes": lambda d: d["classes"].append("maybe"),
    "a positive class that is none": lambda d: d.update(positive="maybe"),
    "no columns": lambda d: d.update(columns={}),
    "a column more": lambda d: d["columns"].update(more={"kind": "boolean"}),
    "columns that are none": lambda d: d.update(columns=[]),
    "no points": lambda d: d.pop("points"),
    "points of one column": lambda d: d["points"].pop(),
    "points of a column twice": lambda d: d["points"].append(d["points"][0]),
    "points in another order": lambda d: d["points"].reverse(),
    "no base": lambda d: d.update(base=[]),
    "a base for two": lambda d: d.update(base=[0, 0]),
    "a base that is text": lambda d: d.update(base=["0"]),
    "no risks": lambda d: d.pop("risks"),
    "odds": lambda d: d.update(odds={"doubling": "2"}),
    "a risk less": lambda d: d["risks"]["risks"].pop(),
    "a risk that is none": lambda d: d["risks"]["risks"].__setitem__(0, 0.5),
    "a risk that is whole": lambda d: d["risks"]["risks"][0].update(value=0),
    "a risk above 1": lambda d: d["risks"]["risks"][-1].update(value=1.1, high=1.2),
    "a risk outside its interval": lambda d: d["risks"]["risks"][-1].update(low=0.95),
    "a risk with more digits": lambda d: d["risks"]["risks"][-1].update(value=0.9001),
    "an interval with more digits": lambda d: d["risks"]["risks"][0].update(low=0.0214),
    "an interval that ends with more digits": lambda d: d["risks"]["risks"][0].update(high=0.0499),
    "risks that stay": lambda d: d["risks"]["risks"][2].update(value=0.25, low=0.2, high=0.3),
    "risks that fall": lambda d: d["risks"]["risks"].reverse(),
    "starts that fall": lambda d: d["risks"]["starts"].reverse(),
    "starts that are fractions": lambda d: d["risks"].update(starts=[0, 1.5, 12]),
    "starts that are huge": lambda d: d["risks"].update(starts=[0, 1, 2**31]),
    "starts that are none": lambda d: d["risks"].update(starts=None),
    "no totals": lambda d: d.update(totals=None),
    "totals of one class": lambda d: d["totals"].update(counts=[3]),
    "totals that are huge": lambda d: d["totals"].update(counts=[2**64, 1]),
    "no noise": lambda d: d["totals"].update(sigma="0"),
    "noise that is no number": lambda d: d["totals"].update(sigma=10),
    "noise that is not in lowest terms": lambda d: d["totals"].update(sigma="20/2"),
    "points without cells": lambda d: d.update(cells=None),
    "cells that are a list": lambda d: d.update(cells=[]),
    "a cell less": lambda d: d["cells"]["counts"].pop(),
    "cells of three classes": lambda d: d["cells"].update(counts=[[1, 2, 3], [1, 2, 3]]),
    "cells without noise": lambda d: d["cells"].pop("sigma"),
    "z that is text": lambda d: d.update(z="8"),
    "z that is true": lambda d: d.update(z=True),
    "z that is infinite": lambda d: d.update(z=float("inf")),
    "z that is huge": lambda d: d.update(z=1e300),
    "z with more digits": lambda d: d.update(z=8.12),
    "z that is none": lambda d: d.update(z=None),
    "no z": lambda d: d.pop("z"),
    "weights of one class": lambda d: d.update(weights=["1"]),
    "weights above 1": lambda d: d.update(weights=["1", "2"]),
    "weights that are numbers": lambda d: d.update(weights=[1, 1]),
}


@pytest.mark.parametrize("change", BROKEN)
def test_broken_cards_are_refused(change):
    document = copy.deepcopy(small().document())
    BROKEN[change](document)
    with pytest.raises(ModelError):
        Scorecard.from_document(document)


BROKEN_MANY: dict[str, Change] = {
    "no odds": lambda d: d.pop("odds"),
    "odds of nothing": lambda d: d.update(odds={"doubling": "0"}),
    "odds that are huge": lambda d: d.update(odds={"doubling": str(10**12)}),
    "odds with more digits": lambda d: d.update(odds={"doubling": "6501/1000"}),
    "odds in thirds": lambda d: d.update(odds={"doubling": "19/3"}),
    "a table of risks": lambda d: d.update(risks=small().document()["risks"]),
    "a positive class": lambda d: d.update(positive="y'es"),
    "a base for one": lambda d: d.update(base=[0]),
}


@pytest.mark.parametrize("change", BROKEN_MANY)
def test_broken_cards_of_many_classes_are_refused(change):
    document = copy.deepcopy(many_classes(1).document())
    BROKEN_MANY[change](document)
    with pytest.raises(ModelError):
        Scorecard.from_document(document)


def test_a_card_without_points_has_no_cells():
    document = without_points().document() | {"cells": small().document()["cells"]}
    with pytest.raises(ModelError, match="cells if it has points"):
        Scorecard.from_document(document)


def test_a_card_without_points_has_no_z():
    with pytest.raises(ModelError, match="if it has points"):
        Scorecard.from_document(without_points().document() | {"z": 8.1})


def test_sums_that_engines_cannot_hold_are_refused():
    document = without_points().document()
    names = [f"b{place}" for place in range(2200)]
    document["columns"] = {name: {"kind": "boolean"} for name in names}
    document["points"] = [{"column": name, "lines": [], "otherwise": [10**6]} for name in names]
    document |= {name: small().document()[name] for name in ("cells", "z")}
    with pytest.raises(ModelError, match="more than engines can hold"):
        Scorecard.from_document(document)


def places(document: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    if isinstance(document, dict | list):
        for key, value in document.items() if isinstance(document, dict) else enumerate(document):
            found += [(*place, key), *places(value, (*place, key))]
    return found


@pytest.mark.parametrize("make", [small, many_classes, without_points])
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_whatever_is_read_is_read_exactly(make, data):
    """Any one entry is replaced by something odd: the card is refused, or it says just what the document says."""
    document = copy.deepcopy(make().document())
    *place, key = data.draw(st.sampled_from(places(document)))
    odd = data.draw(st.sampled_from([None, True, 0, -1, 3, 1.5, 0.25, "", "x", "1/2", [], {}, [1], [[1, 2]], {"a": 1}]))
    table: Any = document
    for step in place:
        table = table[step]
    table[key] = odd
    try:
        read = Scorecard.from_document(document)
    except ModelError:
        return
    assert read.document() == document
    assert str(read)
    assert read.predict([{}]).shape == (1,)
