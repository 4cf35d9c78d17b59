"""One odd record, in every source: the sample differs in at most that record, and nothing raises."""

from pathlib import Path

import pytest

from .harness import (
    DATABASES,
    FEATURES,
    LABEL,
    RECORDS,
    SOURCES,
    assert_neighbours,
    read_lines,
    write_duckdb,
)
from .odd import CELLS

SLOW = {"ibis on pandas"}
EVERY = [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in SOURCES]


@pytest.mark.parametrize("name", EVERY)
def test_every_source_reads_the_same_records(name: str, tmp_path: Path) -> None:
    lines = SOURCES[name].lines(None, tmp_path)
    assert len(lines) == len(RECORDS)
    assert all(min(line) >= 0 and len(line) == len(FEATURES) + 1 for line in lines)
    if not SOURCES[name].narrow:
        assert lines == read_lines({key: [record[key] for record in RECORDS] for key in RECORDS[0]})


@pytest.mark.parametrize("name", EVERY)
def test_one_odd_record_changes_no_other(name: str, tmp_path: Path) -> None:
    before = SOURCES[name].lines(None, tmp_path)
    wrong: dict[str, str] = {}
    made = 0
    for odd, cell in CELLS.items():
        try:
            for after in SOURCES[name].neighbours(cell, tmp_path):
                made += 1
                assert_neighbours(before, after)
        except Exception as error:
            wrong[odd] = f"{type(error).__name__}: {error}"
    assert not wrong
    assert made >= 30  # most odd cells exist in every source


@pytest.mark.parametrize("kinds", DATABASES.values(), ids=DATABASES)
def test_odd_records_of_a_database_change_no_others(kinds: str, tmp_path: Path) -> None:
    odd = [RECORDS[0] | dict.fromkeys(FEATURES, cell) for cell in CELLS.values()]
    odd += [RECORDS[0] | {LABEL: cell} for cell in CELLS.values()]
    before = read_lines(write_duckdb(kinds, RECORDS, [], tmp_path), table="t")
    after = read_lines(write_duckdb(kinds, RECORDS, odd, tmp_path), table="t")
    assert len(before) == len(RECORDS)
    assert after[: len(before)] == before
    assert len(before) + len(CELLS) <= len(after) <= len(before) + len(odd)
