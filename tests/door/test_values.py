"""Values that nobody declared, in every source: one odd record moves one count of a column by one."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dprules.accounting import Unit
from dprules.mechanisms import SeededBits
from dprules.schema import PrivateValues, Schema
from dprules.tables import open_table, read_records

from .harness import FEATURES, LABEL, LABELS, RECORDS, SOURCES, RefusedError, Source
from .odd import CELLS

ASKED = Schema(LABELS, tuple(PrivateValues(name) for name in FEATURES))
SLOW = {"ibis on pandas", *list(SOURCES)[1::2]}
"""Every other source: all of them are in the quick tests of records."""
EVERY = [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in SOURCES]
Counts = dict[str, dict[str, int]]


def count(source: Source, odd: dict[str, object] | None, folder: Path) -> Counts:
    with open_table(source.make(RECORDS, odd, folder), **source.options) as table:
        records = read_records(table, ASKED, Unit(), SeededBits(0))
    return {name: records.counts_of_values(name) for name in FEATURES}


def moved(before: Counts, after: Counts) -> dict[str, int]:
    """By how much the counts of each column differ, all values together."""
    return {
        name: sum(abs(before[name].get(v, 0) - after[name].get(v, 0)) for v in {*before[name], *after[name]})
        for name in FEATURES
    }


def neighbours(source: Source, cell: object, folder: Path) -> Iterator[Counts]:
    """Add a record with an odd cell in every column, or in as many as the library takes; then an odd label."""
    try:
        yield count(source, RECORDS[0] | dict.fromkeys(FEATURES, cell), folder)
        names = [LABEL]
    except RefusedError:
        names = [*FEATURES, LABEL]
    for name in names:
        with suppress(RefusedError):
            yield count(source, RECORDS[0] | {name: cell}, folder)


@pytest.mark.parametrize("name", EVERY)
def test_one_odd_record_moves_one_count_by_one(name: str, tmp_path: Path) -> None:
    source = SOURCES[name]
    before = count(source, None, tmp_path)
    dates = {"since", "born", "seen"}  # which are no values
    assert {name: sum(counts.values()) for name, counts in before.items()} == {
        name: 0 if name in dates else len(RECORDS) for name in FEATURES
    }
    wrong: dict[str, object] = {}
    made = 0
    for odd, cell in CELLS.items():
        for after in neighbours(source, cell, tmp_path):
            made += 1
            if max(moved(before, after).values()) > 1:
                wrong[odd] = moved(before, after)
    assert not wrong
    assert made >= 30
