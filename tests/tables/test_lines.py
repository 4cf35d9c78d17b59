"""One physical line is one record: fast and slow splitting agree, wherever blocks are cut."""

from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.tables.lines import find_last_end, split_header, split_line, split_record, strip_line_end
from dprules.tables.tokens import tokenize

NASTY = st.lists(
    st.sampled_from(
        [b",", b'"', b"\n", b"\r", b"\r\n", b"a", b"bc", b'""', b"\x00", b"\xff", b";", b'a,"b",c\n', b",,\n"]
    ),
    max_size=40,
).map(b"".join)


def slow(data: bytes, delimiter: bytes, width: int, spare: bool = False) -> list[list[bytes]]:
    """Split lines one by one."""
    records = [split_record(strip_line_end(line), delimiter, width, spare) for line in data.split(b"\n")]
    return [cells for cells in records if cells is not None]


def fast(
    data: bytes, delimiter: bytes, wanted: list[int], width: int, multiline: bool = False, spare: bool = False
) -> list[list[bytes]]:
    lines = tokenize(data, delimiter, wanted, width, multiline, spare=spare)
    columns = []
    for slot in range(len(wanted)):
        places, texts = lines.column(slot).coded()
        columns.append([texts[place] for place in places])
    return [list(cells) for cells in zip(*columns, strict=True)]


@settings(max_examples=400, deadline=None)
@given(NASTY, st.sampled_from([b",", b";", b"\t", b"\r", b'"', b"\n", b"\x00"]), st.integers(1, 4), st.booleans())
def test_many_lines_are_split_like_one(data: bytes, delimiter: bytes, width: int, spare: bool) -> None:
    expected = slow(data, delimiter, width, spare)
    assert fast(data, delimiter, list(range(width)), width, spare=spare) == expected


@pytest.mark.parametrize("delimiter", [b"\r", b'"', b"\n", b"\x00", b"a", b"\xff"])
def test_odd_delimiters(delimiter: bytes) -> None:
    cells = [b"x", b"", b"yz", b'"', b'""', b"\r", b'"q"']
    lines = [delimiter.join(three) + end for three in product(cells, repeat=3) for end in (b"\n", b"\r\n")]
    data = b"".join(lines)
    for width, spare in product((1, 2, 3, 4), (False, True)):
        expected = slow(data, delimiter, width, spare)
        assert fast(data, delimiter, list(range(width)), width, spare=spare) == expected


@settings(max_examples=200, deadline=None)
@given(NASTY, st.lists(st.integers(0, 60), max_size=4), st.integers(1, 3))
def test_blocks_are_cut_anywhere(data: bytes, cuts: list[int], width: int) -> None:
    places = sorted({0, *cuts, len(data)})
    wanted = list(range(width))
    for multiline in (False, True):
        found: list[list[bytes]] = []
        rest = b""
        for start, stop in pairwise(places):
            block = rest + data[start:stop]
            end = find_last_end(block, multiline)
            found += fast(block[:end], b",", wanted, width, multiline)
            rest = block[end:]
        found += fast(rest, b",", wanted, width, multiline)
        assert found == fast(data, b",", wanted, width, multiline)


@settings(max_examples=200, deadline=None)
@given(NASTY, st.permutations([0, 1, 2]), st.integers(0, 3))
def test_wanted_cells_come_in_the_order_asked(data: bytes, order: list[int], number: int) -> None:
    wanted = order[:number]
    rows = slow(data, b",", 3)
    if not wanted:
        assert len(tokenize(data, b",", [], 3, multiline=False)) == len(rows)
        return
    assert fast(data, b",", wanted, 3) == [[cells[i] for i in wanted] for cells in rows]


@settings(max_examples=200, deadline=None)
@given(st.lists(NASTY, max_size=6), NASTY, st.integers(0, 6), st.integers(1, 3))
def test_a_line_cannot_swallow_or_split_others(lines: list[bytes], odd: bytes, place: int, width: int) -> None:
    """Adding any bytes that end with a line feed adds their own records and touches no others."""
    before = [line.replace(b"\n", b"") + b"\n" for line in lines]
    added = odd + b"\n"
    at = min(place, len(before))
    both = b"".join([*before[:at], added, *before[at:]])
    wanted = list(range(width))
    first = fast(b"".join(before[:at]), b",", wanted, width)
    second = fast(b"".join(before[at:]), b",", wanted, width)
    assert fast(both, b",", wanted, width) == first + fast(added, b",", wanted, width) + second


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        (b"a,b", [b"a", b"b"]),
        (b",", [b"", b""]),
        (b'"a,b",c', [b"a,b", b"c"]),
        (b'"a ""b""",c', [b'a "b"', b"c"]),
        (b'"",x', [b"", b"x"]),
        (b'5" by 6",c', [b'5" by 6"', b"c"]),
        (b"a\rb,c", [b"a\rb", b"c"]),
        (b"\xff,\x00", [b"\xff", b"\x00"]),
        (b"", None),
        (b'5",c', None),
        (b'"a"b,c', None),
        (b'"a,"b,c"', None),
        (b'"""",c', [b'"', b"c"]),
    ],
)
def test_cells_of_a_line(line: bytes, cells: list[bytes] | None) -> None:
    assert split_line(line) == cells


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        (b"1,2", [b"1", b"2"]),
        (b"1,2,", [b"1", b"2"]),
        (b'"1",2,""', [b"1", b"2"]),
        (b",,", [b"", b""]),
        (b"1,", [b"1", b""]),
        (b"1,2,,", None),
        (b"1,2, ", None),
        (b'"1",2,3', None),
        (b"1", None),
    ],
)
def test_an_empty_cell_after_the_last_column_is_not_a_cell(line: bytes, cells: list[bytes] | None) -> None:
    assert split_record(line, b",", 2, spare=False) == cells
    assert fast(line + b"\n", b",", [0, 1], 2) == ([] if cells is None else [cells])


@pytest.mark.parametrize("line", [b"1,2", b"1,2,", b"1,2,3", b'"1",2,"3,4"'])
def test_an_empty_last_header_cell_is_not_a_column(line: bytes) -> None:
    header = split_header(b"a,b,", b",")
    assert header == ([b"a", b"b"], True)
    assert fast(line + b"\n", b",", [0, 1], 2, spare=True) == [[b"1", b"2"]]


@pytest.mark.parametrize(
    ("line", "stripped"),
    [(b"a\r\n", b"a"), (b"a\n", b"a"), (b"a\r", b"a"), (b"a\r\r\n", b"a\r"), (b"a", b"a"), (b"", b"")],
)
def test_line_ends(line: bytes, stripped: bytes) -> None:
    assert strip_line_end(line) == stripped


def test_line_ends_inside_quotes_are_an_option() -> None:
    data = b'"a\nb",c\nd,e\n'
    assert fast(data, b",", [0, 1], 2) == [[b"d", b"e"]]
    assert fast(data, b",", [0, 1], 2, multiline=True) == [[b"a\nb", b"c"], [b"d", b"e"]]


def test_lines_that_are_too_long_are_left_out() -> None:
    data = b"a,bcd\na,bc\r\na,bc"
    lines = tokenize(data, b",", [0], 2, multiline=False, longest=4)
    assert len(lines) == 1  # the last one: a carriage return before the feed counts
