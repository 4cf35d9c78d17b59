"""The page on limits against the code: every value is the constant's, and no limit is left out."""

import importlib
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text()
ROWS = re.findall(r"^\|[^|]*\|[^|]*\| ([0-9,]+) \| `([\w.]+)` \|", PAGE, re.MULTILINE)
NAMES = {name for _, name in ROWS}


def find(name: str) -> object:
    """Return what a dotted name stands for: a constant of a module, or a default of a class."""
    *module, owner, attribute = name.split(".")
    if owner[0].isupper():
        return getattr(getattr(importlib.import_module(".".join(module)), owner)(), attribute)
    return getattr(importlib.import_module(".".join([*module, owner])), attribute)


@pytest.mark.parametrize(("value", "name"), ROWS)
def test_the_page_says_what_the_code_has(value, name):
    assert find(name) == int(value.replace(",", ""))


def test_every_row_is_read():
    rows = [line for line in PAGE.splitlines() if line.startswith("|")]
    assert len(ROWS) == len(rows) - 2


LISTED = ["files", "schema.text_files", "schema.lines", "schema.names", "learners.streams.database"]
LISTED += [
    "ledger.body",
    "ledger.charges",
    "ledger.grants",
    "ledger.chain",
    "ledger.budgets",
    "ledger.sqlite",
    "accounting.reference",
    "accounting.slots",
]
LISTED += ["learners.streams.state", "learners.streams.attempt", "models.points"]


@pytest.mark.parametrize("module", LISTED)
def test_no_limit_is_left_out(module):
    """Constants that begin like limits."""
    names = [
        name
        for name in vars(importlib.import_module(f"dprules.{module}"))
        if re.match("MOST_|LARGEST|LONGEST|DEEP", name)
    ]
    assert names
    assert {name for name in names if not any(one.endswith(f".{name}") for one in NAMES)} == set()
