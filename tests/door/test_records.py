"""One odd record, in every source: the sample differs in at most that record, and nothing raises."""

from pathlib import Path

import pytest

from .harness import (
    DATABASES,
    FEATURES,
    LABEL,
    RECORDS,
    SOURCES,
    Line,
    assert_neighbours,
    read_lines,
    write_duckdb,
)
from .odd import CELLS

BEFORE: dict[str, list[Line]] = {}


def before(name: str, folder: Path) -> list[Line]:
    """The records of a source without the odd one, read once."""
    if name not in BEFORE:
        BEFORE[name] = SOURCES[name].lines(None, folder)
    return BEFORE[name]


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_reads_the_same_records(name: str, tmp_path: Path) -> None:
    lines = before(name, tmp_path)
    if not SOURCES[name].narrow:
        assert lines == before("lists", tmp_path)
    assert len(lines) == len(RECORDS)
    assert all(min(line) >= 0 and len(line) == len(FEATURES) + 1 for line in lines)


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("name", SOURCES)
def test_one_odd_record_changes_no_other(name: str, cell: object, tmp_path: Path) -> None:
    expected = before(name, tmp_path)
    for after in SOURCES[name].neighbours(cell, tmp_path):
        assert_neighbours(expected, after)


@pytest.mark.parametrize("kinds", DATABASES.values(), ids=DATABASES)
def test_odd_records_of_a_database_change_no_others(kinds: str, tmp_path: Path) -> None:
    odd = [RECORDS[0] | dict.fromkeys(FEATURES, cell) for cell in CELLS.values()]
    odd += [RECORDS[0] | {LABEL: cell} for cell in CELLS.values()]
    expected = read_lines(write_duckdb(kinds, RECORDS, [], tmp_path), table="t")
    after = read_lines(write_duckdb(kinds, RECORDS, odd, tmp_path), table="t")
    assert len(expected) == len(RECORDS)
    assert after[: len(expected)] == expected
    assert len(expected) + len(CELLS) <= len(after) <= len(expected) + len(odd)
