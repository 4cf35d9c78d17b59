"""Exported Python gives the scores, probabilities and labels of the card itself, and needs nothing but Python."""

import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.models import Odds, Points, RiskTable, Scorecard
from dprules.models.export.header import Header
from dprules.schema import Categorical, Numeric
from models.cards import CARDS, many_classes, random_rows, two_classes, without_points
from models.export.test_card_sql import ODD_CELLS


def run(module: str) -> Any:
    """The functions of an exported module."""
    space: dict[str, Any] = {"__name__": "exported"}
    exec(module, space)
    return SimpleNamespace(**space)


def agree(card: Scorecard, rows: list[dict[str, Any]]) -> None:
    exported = run(card.to_python())
    assert [exported.predict(row) for row in rows] == card.predict(rows).tolist()
    scores, shares = card.decision_function(rows).tolist(), card.predict_proba(rows).tolist()
    if isinstance(card.meaning, RiskTable):
        place = card.classes.index(card.positive)
        assert [exported.score(row) for row in rows] == scores
        assert [exported.probability(row) for row in rows] == [share[place] for share in shares]
    else:
        assert [list(exported.score(row).values()) for row in rows] == scores
        assert [list(exported.probability(row).values()) for row in rows] == shares
        assert all(tuple(exported.probability(row)) == card.classes for row in rows)


@pytest.mark.parametrize("name", CARDS)
def test_rows_get_the_same_answers(name):
    rows = random_rows(1)
    agree(CARDS[name], rows)
    agree(CARDS[name], [{key: None if cell is None else str(cell) for key, cell in row.items()} for row in rows])
    agree(CARDS[name], [{}])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), many=st.booleans(), cells=st.lists(ODD_CELLS, min_size=7, max_size=7))
def test_any_card_on_any_row(seed, many, cells):
    card = many_classes(seed, weights=True) if many else two_classes(seed, weights=True)
    names = [column.name for column in card.columns]
    agree(card, [dict(zip(names, cells, strict=True))])


def test_it_needs_nothing_but_python(tmp_path):
    (tmp_path / "exported.py").write_text(CARDS["two classes"].to_python())
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import exported as e; "
        "print(e.score({}), e.probability({}), e.predict({}))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=True)
    card = CARDS["two classes"]
    share = card.predict_proba([{}])[0, card.classes.index(card.positive)]
    assert done.stdout.split() == [str(card.decision_function([{}])[0]), str(share), card.predict([{}])[0]]


def test_what_there_is_to_say_stands_first():
    lines = CARDS["many classes"].to_python(Header(("one", "two"))).splitlines()
    assert lines[:4] == ["# one", "# two", "# The probability is that of each class.", "#"]


def test_names_cannot_become_code():
    hostile = 'x"""\n): import os\n#'
    columns = [Numeric(hostile, (1.0,)), Categorical(f"{hostile}2", (hostile, "b"))]
    points = tuple(Points.of(column, np.array([[5], [0], [1]])) for column in columns)
    base = without_points()
    card = Scorecard(points, (0,), (hostile, "yes"), hostile, two_classes(1).meaning, base.totals)
    agree(card, [{hostile: 0, f"{hostile}2": hostile}, {}])
    many = tuple(Points.of(column, np.array([[5, 0, 1], [0, 0, 0], [1, 2, 3]])) for column in columns)
    agree(
        Scorecard(many, (0, 0, 0), (hostile, "yes", "no"), hostile, Odds(Fraction(2)), base.totals), [{hostile: 0}, {}]
    )
