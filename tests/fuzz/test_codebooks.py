"""Codebooks: cells and files beyond what anybody writes."""

import csv
from pathlib import Path

import pytest
from hypothesis import given

from dprules.errors import SchemaError
from dprules.schema import read_codebook
from dprules.schema.codebooks import LONGEST_CELL
from dprules.schema.text_files import LARGEST_TEXT
from fuzz import genuine
from fuzz.examples import MANY, QUICK, SEEDS
from fuzz.guard import REFUSED, require_words
from fuzz.mutations import scramble


def test_the_longest_cell(tmp_path):
    path = tmp_path / "c.csv"
    assert csv.field_size_limit() == LONGEST_CELL
    path.write_text(f"column,values\na,{'v' * LONGEST_CELL}\n")
    assert read_codebook(path).columns["a"]["values"] == ["v" * LONGEST_CELL]
    path.write_text(f"column,values\na,{'v' * (LONGEST_CELL + 1)}\n")
    with pytest.raises(SchemaError, match="line 2: a cell has more than"):
        read_codebook(path)
    path.write_text(f"column,{'v' * (LONGEST_CELL + 1)}\na,b\n")
    with pytest.raises(SchemaError, match="the first line of a codebook"):
        read_codebook(path)


def test_the_largest_file(tmp_path):
    path = tmp_path / "c.csv"
    text = "column,values\na,b\n"
    path.write_text(text + "\n" * (LARGEST_TEXT - len(text)))
    assert list(read_codebook(path).columns) == ["a"]
    path.write_text(text + "\n" * (LARGEST_TEXT + 1 - len(text)))
    with pytest.raises(SchemaError, match="Is it the right file"):
        read_codebook(path)


BOMBS = {
    "quotes that never end": 'column,values\n"' + "a,b\n" * 10**5,
    "fields": "column" + ",values" * 10**6,
    "separators": f"column,values\na,{'|' * 10**7}\n",
    "zeros": "\0" * 10**6,
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_within_the_limits_of_the_guard(name, guard, tmp_path):
    (tmp_path / "bomb.csv").write_text(BOMBS[name])
    assert require_words(guard.parse("codebook", tmp_path / "bomb.csv")).kind == REFUSED


def read_hostile(guard, folder: Path, seed: int) -> None:
    (folder / "hostile.csv").write_bytes(scramble(genuine.CODEBOOK.encode(), seed))
    require_words(guard.parse("codebook", folder / "hostile.csv"))


@QUICK
@given(seed=SEEDS)
def test_hostile_codebooks(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)


@pytest.mark.slow
@MANY
@given(seed=SEEDS)
def test_very_many_hostile_codebooks(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)
