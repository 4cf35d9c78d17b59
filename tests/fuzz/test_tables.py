"""Tables in files: headers and footers that are broken, absurd or endless."""

import gzip
import os
import random
import struct
from pathlib import Path

import pytest
from hypothesis import given

from dprules.errors import DataError
from dprules.tables import open_table
from dprules.tables.lines import LONGEST
from fuzz import genuine
from fuzz.examples import MANY, QUICK, SEEDS
from fuzz.guard import READ, REFUSED, require_words
from fuzz.mutations import scramble

HEADER = b"a,b,n,y\n"


def test_the_longest_header(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a," + b"b" * (LONGEST - 3) + b"\n1,2\n")
    with open_table(path) as table:
        assert len(table.names[1]) == LONGEST - 3
    path.write_bytes(b"a," + b"b" * (LONGEST - 2) + b"\n1,2\n")
    for multiline in (False, True):
        with pytest.raises(DataError, match="the first line has more than"), open_table(path, multiline=multiline):
            pass


BOMBS: dict[str, bytes] = {
    "commas.csv": b"," * (LONGEST - 1) + b"\n",
    "quotes.csv": b'"' + b'""' * (LONGEST // 2 - 2) + b'"\n',
    "names.csv": b",".join(b"%x" % i for i in range(10**6)) + b"\n",
    "zeros.csv.gz": gzip.compress(bytes(10**9), 9),
    "line.csv.gz": gzip.compress(HEADER + b"1" * 10**9, 9),
    "lines.csv.gz": gzip.compress(HEADER + b"1,2,3,4\n" * 10**7, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end_within_the_limits_of_the_guard(name, guard, tmp_path):
    (tmp_path / name).write_bytes(BOMBS[name])
    outcome = require_words(guard.parse("table", tmp_path / name))
    assert outcome.kind == (READ if name.startswith("line") else REFUSED)


@pytest.mark.parametrize("claimed", [0, 1, 2**16, 2**31 - 1, 2**32 - 1])
def test_a_footer_that_claims_an_absurd_size(claimed, guard, tmp_path):
    whole = genuine.parquet_file(tmp_path)
    path = tmp_path / "t.parquet"
    path.write_bytes(whole[:-8] + struct.pack("<I", claimed) + b"PAR1")
    assert require_words(guard.parse("table", path)).kind == REFUSED


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
@pytest.mark.parametrize("kind", ["pipe", "zeros"])
def test_a_table_is_a_file(kind, name, guard, tmp_path):
    """A pipe would be waited for, and cannot be read twice."""
    if kind == "pipe":
        os.mkfifo(tmp_path / name)
    else:
        (tmp_path / name).symlink_to("/dev/zero")
    outcome = require_words(guard.parse("table", tmp_path / name))
    assert "Name a file" in outcome.sentence


def flip(data: bytes, seed: int) -> bytes:
    """Change a few bytes and no lengths: what a footer says stays within it."""
    choice = random.Random(seed)
    changed = bytearray(data)
    for _ in range(choice.randint(1, 4)):
        changed[choice.randrange(len(changed))] = choice.randrange(256)
    return bytes(changed)


def read_hostile(guard, folder: Path, seed: int) -> None:
    parquet = genuine.parquet_file(folder)
    csv = genuine.csv_lines()
    for name, text in {
        "scrambled.parquet": scramble(parquet, seed),
        "flipped.parquet": flip(parquet, seed),
        "scrambled.csv": scramble(csv, seed),
        "scrambled.csv.gz": scramble(genuine.zipped(csv), seed),
    }.items():
        (folder / name).write_bytes(text)
        require_words(guard.parse("table", folder / name))


@QUICK
@given(seed=SEEDS)
def test_hostile_tables(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)


@pytest.mark.slow
@MANY
@given(seed=SEEDS)
def test_very_many_hostile_tables(guard, tmp_path, seed):
    read_hostile(guard, tmp_path, seed)
