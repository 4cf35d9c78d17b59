import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dprules.errors import DataError, ParameterError
from dprules.tables import csv_files, open_table, read_text_columns
from dprules.tables.csv_files import CsvFile


def rows(path: Path, names: Sequence[str], **options: object) -> list[tuple[bytes, ...]]:
    file = CsvFile(path, **options)  # type: ignore[arg-type]
    found: list[tuple[bytes, ...]] = []
    for part in file.parts(names):
        lines = part()
        columns = [lines.column(slot).coded() for slot in range(len(names))]
        records = list(zip(*([texts[place] for place in places] for places, texts in columns), strict=True))
        assert len(records) == len(lines)
        found += records
    return found


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_header_tells_the_delimiter(delimiter: str, tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", f"a{delimiter}b{delimiter}c\n1{delimiter}2{delimiter}3\n".encode())
    assert rows(path, ["c", "a"]) == [(b"3", b"1")]


def test_the_delimiter_is_counted_outside_quotes(tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", b'"a,b,c";d\n1;2\n')
    assert CsvFile(path).names == ("a,b,c", "d")
    assert rows(path, ["d"]) == [(b"2",)]


def test_a_delimiter_may_be_given(tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", b"a,b:c\n1,2:3\n")
    assert rows(path, ["c"], delimiter=":") == [(b"3",)]
    for odd in ("||", "", "\u00e9"):
        with pytest.raises(ParameterError, match="one ASCII character"):
            CsvFile(path, delimiter=odd)


def test_line_ends_a_mark_and_no_last_feed(tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", b"\xef\xbb\xbfa,b\r\n1,2\r\n3,4\n5,6")
    assert rows(path, ["a", "b"]) == [(b"1", b"2"), (b"3", b"4"), (b"5", b"6")]


def test_compressed_files(tmp_path: Path) -> None:
    (tmp_path / "d.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert rows(tmp_path / "d.csv.gz", ["b"]) == [(b"2",)]
    torn = write(tmp_path / "t.csv.gz", gzip.compress(b"a,b\n" + b"secret,2\n" * 100)[:-20])
    with pytest.raises(DataError, match="not a whole gzip file") as caught:
        rows(torn, ["b"])
    assert "secret" not in f"{caught.value} {caught.value.__context__}"
    with pytest.raises(DataError, match="not a whole gzip file"):
        CsvFile(write(tmp_path / "n.csv.gz", b"not gzip"))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "no header line"),
        (b"\na,b\n", "no header line"),
        (b"  \n", "no header line"),
        (b"a,\xff\n1,2\n", "header is not UTF-8"),
        (b'a,"b\n1,2\n', "quotes that do not balance"),
        (b"a,a\n1,2\n", "two columns have one name.* or add a header line if there is none"),
        (b"a,A\n1,2\n", r"two columns have one name \(A and a are one here\)"),
        (b"a,b\r1,2\r3,4\r", "lone carriage return"),
        (b"a,b\r1,\xff\r3,4\r", "lone carriage return"),
        (b'a,b\r1,"\r3,3\r', "lone carriage return"),
    ],
)
def test_headers_that_cannot_be_read(data: bytes, sentence: str, tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", data)
    for multiline in (False, True) if sentence != "quotes that do not balance" else (False,):
        with pytest.raises(DataError, match=sentence):
            CsvFile(path, multiline=multiline)


def test_header_cells_with_line_ends_need_the_option(tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", b'a,"b\r\nc",d\n1,"x\ny",3\n')
    assert CsvFile(path, multiline=True).names == ("a", "b\r\nc", "d")
    assert rows(path, ["b\r\nc"], multiline=True) == [(b"x\ny",)]
    with pytest.raises(DataError, match="quotes that do not balance"):
        CsvFile(path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.text('1,"ab\r', max_size=12), max_size=12),
    block=st.integers(1, 30),
    longest=st.integers(4, 20),
    odd=st.text('1,"ab\r\n', max_size=40),
)
def test_how_the_file_is_cut_into_blocks_changes_nothing(
    lines: list[str], block: int, longest: int, odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither blocks nor the bound on a line's length let one line change how others are read."""
    whole = "".join(f"{line}\n" for line in lines).encode()
    monkeypatch.setattr(csv_files, "LONGEST", longest)
    monkeypatch.setattr(csv_files, "BLOCK", 1 << 20)
    once = rows(write(tmp_path / "d.csv", b"a,b\n" + whole), ["a", "b"])
    monkeypatch.setattr(csv_files, "BLOCK", block)
    assert rows(tmp_path / "d.csv", ["a", "b"]) == once
    own = rows(write(tmp_path / "d.csv", b"a,b\n" + odd.encode() + b"\n"), ["a", "b"])
    assert rows(write(tmp_path / "d.csv", b"a,b\n" + odd.encode() + b"\n" + whole), ["a", "b"]) == own + once


def test_a_very_long_line_is_left_out_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_files, "BLOCK", 64)
    monkeypatch.setattr(csv_files, "LONGEST", 100)
    lines = [b"1,2", b"x" * 500 + b",2", b"3,4", b"y" * 98 + b",5", b"z" * 99 + b",6", b"7,8"]
    path = write(tmp_path / "d.csv", b"a,b\n" + b"\n".join(lines))
    assert [b for (b,) in rows(path, ["b"])] == [b"2", b"4", b"5", b"8"]
    file = CsvFile(path)
    assert sum(len(part()) for part in file.parts(["b"])) == 4
    assert file.left_out == 2


def test_rows_that_do_not_fit_the_header_are_left_out(tmp_path: Path) -> None:
    data = b'a,b\n1\n1,2,3\n\n5",6\n"7"x,8\n9,10\n'
    assert rows(write(tmp_path / "d.csv", data), ["a", "b"]) == [(b"9", b"10")]


@pytest.mark.parametrize("header", [b"a,b", b"a,b,"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines_may_end_with_a_delimiter(header: bytes, end: bytes, tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", end.join([header, b"1,2,", b"3,4", b'"5",6,', b""]))
    assert CsvFile(path).names == ("a", "b")
    assert rows(path, ["b", "a"]) == [(b"2", b"1"), (b"4", b"3"), (b"6", b"5")]


def test_no_columns_are_rows_still(tmp_path: Path) -> None:
    file = CsvFile(write(tmp_path / "d.csv", b"a,b\n1,2\n3,4\n"))
    assert sum(len(part()) for part in file.parts([])) == 2


def test_what_follows_a_line_does_not_change_it(tmp_path):
    """Also a last line that lacks its line feed."""
    path = tmp_path / "t.csv"
    found = []
    for body in (b"f,a\r\nm,b\r", b"f,a\r\nm,b\r\n", b"f,a\r\nm,b\r\nf,b\r\n"):
        path.write_bytes(b"s,y\r\n" + body)
        with open_table(str(path)) as table:
            found.append(read_text_columns(table, ["s", "y"]))
    assert found[0] == found[1] == [["f", "m"], ["a", "b"]]
    assert [column[:2] for column in found[2]] == found[0]


def test_a_spreadsheet_is_known_by_its_first_bytes(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"PK\x03\x04" + bytes(range(256)) * 10)
    with pytest.raises(DataError, match="spreadsheet"):
        CsvFile(tmp_path / "t.csv", None)
