"""Cells in a block of bytes are read as the reader of cells reads them one by one."""

import math
import struct
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from door.odd import TEXTS
from dprules.schema import PrivateCuts, PrivateValues
from dprules.schema.cells import read_number
from dprules.schema.grids import cut_grid
from dprules.tables.cells import read_forms, read_numbers, read_places
from dprules.tables.texts import FACTOR, TextCells
from dprules.tables.tokens import tokenize
from tables.test_cells import check

ODD = [
    *["1e5", "1E-5", "1.e5", "1e+22", "1e23", "1e", "1e+", "1e1000", "1e0001", "e5", "1e5.0", "1e5e5", "1e99", "9e60"],
    *[" 1", "1 ", " 1 ", "  ", "1 2", "\t1", "+1", "-1", "+-1", "--1", "-0", "-0.0", "+", "-", ".", "+.", "-.5e1"],
    *["0x10", "1_000", "\u0661", "\uff11", ".5", "5.", "+.5", "-5.", "00.10", "0001", "1.0", "1..0", "1.0.0"],
    *["nan", "inf", "-inf", "NaN", "Infinity", "true", "1,5", ",5", "5,", "1,5.0", "1.5,0", "1,000,5", "-1,5e3"],
    *["9007199254740992", "9007199254740993", "9007199254740991.5", "123456789012345678", "1234567890123456789"],
    *["0.1234567890123456789", "+0.1234567890123456789", " 0.1234567890123456789", "0,1234567890123456789"],
    *["0.00000000000000000000001", "1" * 32, "1" * 33, "1" * 200, "1" * 201, "0" * 40 + "1", " " * 40 + "1", "", "a"],
    *['"', '""', 'a""b', 'a"b', '"a"', "1\r", "\r", "\x00", "1\x00", "\x001"],
]
"""Texts at the edges of what is a number, or a cell."""
NUMBERS = st.from_regex(r"\A[+-]?[0-9]{0,22}([.,][0-9]{0,22})?([eE][+-]?[0-9]{1,4})?\Z")
WORDS = st.binary(max_size=30) | st.text("ab\"' ,\r\n", max_size=12).map(str.encode)
ANY = st.lists(
    st.one_of(
        NUMBERS.map(str.encode),
        st.floats().map(lambda number: repr(number).encode()),
        st.sampled_from([*ODD, *(str(text) for text in ("yes", "2020-01-01", "2020-01-01 00:00:00", "TRUE"))]).map(
            str.encode
        ),
        WORDS,
    ),
    max_size=40,
)


def in_block(texts: Sequence[bytes]) -> TextCells:
    """Cells of one column of a file; those that need no quotes have none."""
    lines = []
    for text in texts:
        bare = text and not any(byte in b'",\r\n' for byte in text)
        lines.append(text if bare else b'"' + text.replace(b'"', b'""') + b'"')
    data = b"".join(line + b"\n" for line in lines)
    return tokenize(data, b",", [0], 1, multiline=True).column(0)


def listed(cells: TextCells) -> list[bytes]:
    places, texts = cells.coded()
    return [texts[place] for place in places]


@settings(max_examples=300, deadline=None)
@given(ANY)
def test_texts_in_a_block_are_read_one_by_one(texts: list[bytes]) -> None:
    cells = in_block(texts)
    assert listed(cells) == texts
    check(cells, texts)


def test_odd_texts_in_a_block() -> None:
    texts = [text.encode() for text in ODD]
    check(in_block(texts), texts)
    odd = [text.encode("utf-8", "surrogatepass") for text in TEXTS.values() if type(text) is str]
    check(in_block(odd), odd)


@pytest.mark.parametrize("decimal", [".", ","])
@settings(max_examples=500, deadline=None)
@given(texts=ANY)
def test_numbers_are_those_of_float_to_the_last_bit(decimal: str, texts: list[bytes]) -> None:
    check_numbers(texts, decimal)


@pytest.mark.parametrize("decimal", [".", ","])
def test_odd_numbers_to_the_last_bit(decimal: str) -> None:
    check_numbers([text.encode() for text in ODD], decimal)


def test_numbers_among_very_many_spaces() -> None:
    texts = [b" " * before + b"1" + b" " * after for before in (0, 99_998, 99_999, 100_000) for after in (0, 1, 2)]
    check_numbers(texts, ".")


def check_numbers(texts: list[bytes], decimal: str) -> None:
    column = PrivateCuts("c", 0, 1, decimal=decimal)
    expected = [math.nan if (number := read_number(text, decimal)) is None else number for text in texts]
    found = read_numbers(column, in_block(texts)).tolist()
    assert [struct.pack("d", number) for number in found] == [struct.pack("d", number) for number in expected]
    grid = np.array(cut_grid(column))
    places = [-1 if math.isnan(number) else np.searchsorted(grid, number, side="right") for number in expected]
    assert read_places(column, in_block(texts)).tolist() == places


def test_long_numbers_to_the_last_bit() -> None:
    """Decimals half way between two doubles, and next to it."""
    random = np.random.default_rng(1)
    texts = []
    for whole in random.integers(2**52, 2**53, 2000).tolist():
        texts += [f"{2 * whole + 1}", f"{2 * whole + 1}.0000001", f"{2 * whole}.9999999"]
        texts += [f"{whole}e{power}" for power in (-60, -23, -22, 22, 23, 60)]
    check_numbers([text.encode() for text in texts], ".")


def test_long_numbers_of_every_form_need_no_reader() -> None:
    """Otherwise one of them would cost as much as a thousand others."""
    texts = [b"0.1234567890123456789", b"-0,1234567890123456789", b" +1234567890123456789.5 ", b".12345678901234567e+5"]

    def refuse(cell: object) -> float:
        raise AssertionError("left to the reader")

    assert in_block(texts).numbers(refuse, ",").tolist() == [float(text.replace(b",", b".")) for text in texts]


@settings(max_examples=100, deadline=None)
@given(ANY)
def test_forms_of_texts_in_a_block(texts: list[bytes]) -> None:
    column = PrivateValues("c")
    known: dict[str, int] = {}
    found = read_forms(column, in_block(texts), known)
    forms = [*known, None]
    assert [forms[place] for place in found] == [column.form(text) for text in texts]


def test_texts_that_differ_in_any_byte_are_told_apart() -> None:
    texts = [bytes(size) for size in range(40)]
    for size in range(1, 40):
        for place in range(size):
            texts += [bytes(place) + bytes([byte]) + bytes(size - place - 1) for byte in (1, 128)]
    cells = in_block(texts * 2)
    assert listed(cells) == texts * 2
    assert len(cells.coded()[1]) == len(texts)


def test_cells_that_share_a_slot_are_read_all_the_same() -> None:
    """Texts made to meet in the table: some get places of their own, and none takes another's."""
    number = 300
    inverse = pow(FACTOR, -1, 2**64)
    states = [(product * inverse) % 2**64 for product in range(number)]
    texts = [((state ^ (state >> 32)) ^ 8).to_bytes(8, "little") for state in states]
    data = np.frombuffer(b"".join(texts * 2) + bytes(64), dtype=np.uint8)
    begins = np.arange(2 * number, dtype=np.int32) * 8
    cells = TextCells(data, begins, begins + np.int32(8))
    assert listed(cells) == texts * 2
    assert number < len(cells.coded()[1]) < 2 * number


def test_quotes_that_are_written_twice_are_told_from_two_quotes() -> None:
    cells = tokenize(b'a""b\n"a""b"\na""b\n"a""b"\n', b",", [0], 1, multiline=False).column(0)
    assert listed(cells) == [b'a""b', b'a"b'] * 2


def test_no_cells() -> None:
    assert listed(in_block([])) == []
    check(in_block([]), [])


def test_a_text_in_a_block_is_not_shown() -> None:
    assert repr(in_block([b"secret"])) == "<private TextCells>"
