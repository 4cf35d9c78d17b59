"""Exported Python gives the answers of `predict` and needs nothing but Python."""

import subprocess
import sys
from typing import Any

import pytest

from dprules.models import Rule, RuleList
from dprules.models.export.header import Header
from dprules.schema import Date, Numeric, literals_of
from models.random_lists import random_list, random_rows


def run(module: str) -> Any:
    """The `predict` of an exported module."""
    space: dict[str, Any] = {"__name__": "exported"}
    exec(module, space)
    return space["predict"]


@pytest.mark.parametrize("seed", range(6))
def test_rows_get_the_same_answers(seed):
    rules = random_list(seed)
    predict = run(rules.to_python())
    rows = random_rows(seed)
    assert [predict(row) for row in rows] == rules.predict(rows).tolist()
    as_text = [{name: None if cell is None else str(cell) for name, cell in row.items()} for row in rows]
    assert [predict(row) for row in as_text] == rules.predict(as_text).tolist()


def test_it_needs_nothing_but_python(tmp_path):
    (tmp_path / "exported.py").write_text(random_list(1).to_python())
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import exported; print(exported.predict({{}}))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == random_list(1).predict([{}])[0]


def test_what_there_is_to_say_stands_first():
    lines = random_list(1).to_python(Header(("one", "two"))).splitlines()
    assert lines[:3] == ["# one", "# two", "#"]


def test_dates_and_decimal_commas():
    columns = [Date("since", ["2024-01-01"]), Numeric("dose", (1.5,), decimal=",")]
    rules = RuleList(
        tuple(Rule(literals_of(column)[:1], column.name) for column in columns), "no", ("since", "dose", "no")
    )
    rows = [{"since": "2023-12-31"}, {"since": "2024-01-01"}, {"since": "x", "dose": "1,4"}, {"dose": "1,5"}]
    predict = run(rules.to_python())
    assert [predict(row) for row in rows] == rules.predict(rows).tolist() == ["since", "no", "dose", "no"]


def test_names_cannot_become_code():
    hostile = Numeric('x"): import os\n#', (1.0,))
    rules = RuleList((Rule((literals_of(hostile)[0],), "no\n'"),), "yes", ("no\n'", "yes"))
    assert run(rules.to_python())({hostile.name: 0}) == "no\n'"
