"""One odd line of a CSV file: no other line is swallowed, split or read otherwise."""

import gzip
from pathlib import Path

import pytest

from .harness import RECORDS, Line, assert_neighbours, csv_line, header, read_lines
from .lines import BALANCED, TORN

LINES = [csv_line(record, b",") for record in RECORDS]


def read(lines: list[bytes], path: Path, end: bytes = b"\n", **options: object) -> list[Line]:
    data = b"".join(line + end for line in [header(b","), *lines])
    path.write_bytes(gzip.compress(data, 1) if path.suffix == ".gz" else data)
    return read_lines(path, **options)


@pytest.mark.parametrize("line", [*BALANCED.values(), *TORN.values()], ids=[*BALANCED, *TORN])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["feeds", "returns and feeds"])
@pytest.mark.parametrize("name", ["d.csv", "d.csv.gz"])
def test_one_odd_line_changes_no_other(name: str, end: bytes, line: bytes, tmp_path: Path) -> None:
    before = read(LINES, tmp_path / name, end)
    assert len(before) == len(LINES)
    for place in (0, 5, len(LINES)):
        after = read([*LINES[:place], line, *LINES[place:]], tmp_path / name, end)
        # Three physical lines are three records: each of them may count, and no other line changes.
        own = read([line], tmp_path / name, end)
        assert after == before[:place] + own + before[place:]
        if b"\n" not in line:
            assert_neighbours(before, after)


@pytest.mark.parametrize("line", [*BALANCED.values(), *TORN.values()], ids=[*BALANCED, *TORN])
def test_the_last_line_may_have_no_end(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    before = read(LINES, path)
    path.write_bytes(path.read_bytes() + line)
    assert read_lines(path)[: len(before)] == before


@pytest.mark.parametrize("line", BALANCED.values(), ids=BALANCED)
def test_with_line_ends_in_cells_quotes_must_balance(line: bytes, tmp_path: Path) -> None:
    before = read(LINES, tmp_path / "d.csv", multiline=True)
    after = read([*LINES[:5], line, *LINES[5:]], tmp_path / "d.csv", multiline=True)
    assert_neighbours(before, after)


def test_a_quote_that_does_not_balance_deletes_no_lines_after_it(tmp_path: Path) -> None:
    """One such line near the start used to swallow the rest of the file."""
    many = LINES * 50
    before = read(many, tmp_path / "d.csv")
    for torn in ('5" pipe', '"f'):
        odd = csv_line(RECORDS[0], b",").replace(b",f,", f",{torn},".encode())
        assert read([odd, *many], tmp_path / "d.csv") == before


def test_a_carriage_return_alone_splits_no_line(tmp_path: Path) -> None:
    odd = csv_line(RECORDS[0], b",").replace(b",f,", b",f\r" + LINES[0] + b"\r,")
    assert_neighbours(read(LINES, tmp_path / "d.csv"), read([*LINES, odd], tmp_path / "d.csv"))


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["feeds", "returns and feeds"])
@pytest.mark.parametrize("quoted", [False, True])
def test_lines_that_end_with_a_delimiter_are_read_as_others_are(end: bytes, quoted: bool, tmp_path: Path) -> None:
    lines = [b'"' + line.replace(b",", b'",', 1) for line in LINES] if quoted else LINES
    before = read(LINES, tmp_path / "d.csv", end)
    assert read([line + b"," for line in lines], tmp_path / "d.csv", end) == before
    for place in range(len(lines)):
        after = [*lines[:place], lines[place] + b",", *lines[place + 1 :]]
        assert read(after, tmp_path / "d.csv", end) == before


@pytest.mark.parametrize("last", [b"", b",", b",x"])
def test_an_empty_last_header_cell_is_not_a_column(last: bytes, tmp_path: Path) -> None:
    before = read(LINES, tmp_path / "d.csv")
    data = [header(b",") + b",", *(line + last for line in LINES)]
    (tmp_path / "e.csv").write_bytes(b"\n".join(data))
    assert read_lines(tmp_path / "e.csv") == before
