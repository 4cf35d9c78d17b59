"""Schema files: TOML that is large, deep, or takes its parser long, and names and values beyond all columns."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from dprules.errors import SchemaError
from dprules.files import DEEPEST
from dprules.jobs import check_schema
from dprules.schema import Schema
from dprules.schema.columns import MOST_VALUES
from dprules.schema.lines import MOST_PARTS
from dprules.schema.names import LONGEST_NAME
from dprules.schema.text_files import LARGEST_TEXT, read_text_file
from fuzz import genuine
from fuzz.examples import MANY, QUICK, SEEDS
from fuzz.guard import REFUSED, require_words
from fuzz.mutations import scramble

LABEL = '[label]\ncolumn = "y"\nclasses = ["no", "yes"]\n'
NUMBER = LABEL + '[columns.n]\nkind = "numeric"\ncuts = '
UNKNOWN = "left out"
"""What a file is told whose TOML was read, and that has a key which no schema has."""
LIMITS: dict[str, tuple[int, Callable[[int], str], str]] = {
    "name of a column": (LONGEST_NAME, lambda size: f'{LABEL}[columns]\n{"n" * size} = "boolean"\n', ""),
    "values": (MOST_VALUES, lambda size: f'{LABEL}[columns.n]\nkind = "categorical"\nvalues = {[*range(size)]}\n', ""),
    "cuts": (MOST_VALUES - 1, lambda size: f"{NUMBER}{[*range(size)]}\n", ""),
    "depth": (DEEPEST, lambda size: f"x = {'[' * (size - 1)}{']' * (size - 1)}\n{NUMBER}[1]\n", UNKNOWN),
    "joined words": (MOST_PARTS, lambda size: f"values_like = '{'.'.join(['x'] * size)}'\n{NUMBER}[1]\n", ""),
    "digits": (sys.get_int_max_str_digits(), lambda size: f"x = {'9' * size}\n{NUMBER}[1]\n", UNKNOWN),
}
"""The limit, a schema that is as large, and what it is told at the limit, if it is not read."""


def tell(text: str) -> str:
    """Return what a schema is refused with; nothing if it is read."""
    try:
        Schema.from_toml(text)
    except SchemaError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_schemas(name):
    limit, write, told = LIMITS[name]
    assert (told in tell(write(limit))) if told else tell(write(limit)) == ""
    beyond = tell(write(limit + 1))
    assert beyond != ""
    assert UNKNOWN not in beyond


def test_keys_of_many_parts_are_not_parsed():
    """TOML's parser takes time by the square of their number."""
    for write in ("{} = 1", "[{}]", "y = {{ {} = 1 }}"):
        for number, sentence in ((MOST_PARTS, "nested too deeply"), (MOST_PARTS + 1, f"more than {MOST_PARTS} parts")):
            key = ".".join(["x"] * number)
            assert sentence in tell(f"{NUMBER}[1]\n{write.format(key)}\n")


def test_the_largest_file(tmp_path):
    path = tmp_path / "s.toml"
    text = f"{NUMBER}[1]\n"
    path.write_text(text + "#" * (LARGEST_TEXT - len(text)))
    assert Schema.from_file(path).names == ("y", "n")
    assert len(read_text_file(path)) == LARGEST_TEXT
    path.write_text(text + "#" * (LARGEST_TEXT + 1 - len(text)))
    for read in (Schema.from_file, check_schema):
        with pytest.raises(SchemaError, match="Is it the right file"):
            read(path)


BOMBS: dict[str, Any] = {
    "deep lists": "x = " + "[" * 10**6,
    "deep tables": "x = " + "{a=" * 10**5,
    "many parts": ".".join(["x"] * 10**6) + " = 1",
    "many parts in a header": "[" + ".".join(["x"] * 10**6) + "]",
    "many spaces in a key": "x" + " " * 10**6 + "." + " " * 10**6,
    "points": "." * 10**6,
    "quotes": '"' * 10**6,
    "one word": "x" * 10**7,
    "unknown keys": "".join(f"k{i} = 1\n" for i in range(10**4)),
    "tables": "".join(f"[k.k{i}]\n" for i in range(10**4)),
    "values": f'{LABEL}[columns.n]\nkind = "categorical"\nvalues = {[*range(10**5)]}\n',
    "a long key": f"{LABEL}[columns.n]\nkind = 'boolean'\n{'k' * 10**6} = 1\n",
    "hexadecimal digits": f"{NUMBER}[0x{'f' * 10**6}]\n",
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_within_the_limits_of_the_guard(name, guard, tmp_path):
    (tmp_path / "bomb.toml").write_text(BOMBS[name])
    outcome = require_words(guard.parse("schema", tmp_path / "bomb.toml"))
    assert outcome.kind == REFUSED
    assert len(outcome.sentence) < 2000


def read_hostile(guard, folder: Path, seed: int) -> None:
    (folder / "hostile.toml").write_bytes(scramble(genuine.SCHEMA.encode(), seed))
    require_words(guard.parse("schema", folder / "hostile.toml"))


@QUICK
@given(seed=SEEDS)
def test_hostile_schemas(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)


@pytest.mark.slow
@MANY
@given(seed=SEEDS)
def test_very_many_hostile_schemas(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)
