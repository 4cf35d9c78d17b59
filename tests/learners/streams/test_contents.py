"""Which content a file holds: told by what is in it, against an obvious twin that keeps all of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprules.errors import ModelError
from dprules.learners.streams import Position
from dprules.learners.streams.contents import APART, Fingerprint, Verdict, next_mark, recognise


def lines_of(text: str) -> list[bytes]:
    return [letter.encode() + b"\n" for letter in text]


def learnt(text: str, content: int = 1, header: bytes = b"") -> Position:
    fingerprint = Fingerprint(header)
    fingerprint.add(lines_of(text), 2 * len(text))
    return fingerprint.reached(content, "1:1")


def judge(text: str, *known: Position, header: bytes = b"") -> tuple[Verdict, int, int]:
    lines = lines_of(text)

    def read(size: int) -> tuple[list[bytes], int]:
        found, lines[:] = lines[:size], lines[size:]
        return found, 2 * len(found)

    found = recognise(read, known, header)
    return found.verdict, found.content, found.fingerprint.line


def test_a_file_goes_on_where_its_content_was_left():
    assert judge("abcdef", learnt("abc")) == (Verdict.GOES_ON, 1, 3)
    assert judge("abc", learnt("abc")) == (Verdict.GOES_ON, 1, 3)
    assert judge("abcdef", learnt("abc", 1), learnt("abcd", 2), learnt("x", 3)) == (Verdict.GOES_ON, 2, 4)


def test_a_beginning_of_what_was_learnt_is_learnt():
    assert judge("ab", learnt("abc"))[0] is Verdict.LEARNT
    assert judge("a" * 104, learnt("a" * 1000))[0] is Verdict.LEARNT
    assert judge("", learnt("abc"))[0] is Verdict.NEW


def test_new_lines_after_a_beginning_are_never_called_learnt():
    """Between two marks nobody can tell: such a file is refused, and no line is lost in silence."""
    known = learnt("a" * 1000)
    for text in ("a" * 100, "a" * 96 + "xyz", "a" * 40 + "b", "a" * 512 + "b" * 60):
        assert judge(text, known)[0] is Verdict.CUT_SHORT
    assert judge("a" * 16 + "b", known)[0] is Verdict.CUT_SHORT
    assert judge("a" * 15 + "b", known) == (Verdict.NEW, 0, 0)


def test_another_beginning_is_another_content():
    assert judge("xbcdef", learnt("abc")) == (Verdict.NEW, 0, 0)
    assert judge("ab", learnt("ax")) == (Verdict.NEW, 0, 0)
    assert judge("abc", learnt("abc", header=b"h\n"), header=b"k\n") == (Verdict.NEW, 0, 0)
    assert judge("abc", learnt("abc", header=b"h\n"), header=b"h\n")[0] is Verdict.GOES_ON


def test_a_content_that_was_changed_is_no_new_one():
    """Learning it from its start would count its first lines twice."""
    long = "a" * 2 * APART
    assert judge(long + "xy" + long, learnt(long + "yx" + long))[0] is Verdict.CHANGED
    assert judge("ax" + long, learnt("ay" + long))[0] is Verdict.NEW  # by chance: a few equal lines
    # It may go on after 10 lines, but shares many more with what was learnt from a copy.
    assert judge(long + "x" + long, learnt("a" * 10, 1), learnt(long + "y" + long, 2))[0] is Verdict.CHANGED


def test_a_torn_trail_is_refused():
    whole = learnt("abc")
    for broken in (
        Position(3, content=1, byte=6, digest=whole.digest, trail=whole.trail[:-1]),
        Position(3, content=1, byte=6, digest=whole.digest[:-1], trail=whole.trail),
        Position(3, content=1, byte=6),
    ):
        with pytest.raises(ModelError, match="torn"):
            judge("abc", broken)


@given(st.text("ab", max_size=40), st.text("ab", max_size=40))
def test_the_verdict_is_that_of_an_obvious_twin(text, known):
    """Up to 16 lines a trail is exact; the twin keeps the lines themselves."""
    known = known[:16]
    if not known:
        expected = Verdict.NEW
    elif text.startswith(known):
        expected = Verdict.GOES_ON
    elif text and known.startswith(text):
        expected = Verdict.LEARNT
    else:
        expected = Verdict.NEW
    assert judge(text, *([learnt(known)] if known else []))[0] is expected


@given(st.lists(st.integers(0, 300), max_size=5))
def test_a_fingerprint_does_not_depend_on_batches(sizes):
    lines = lines_of("abcdefghij" * 200)
    parts = Fingerprint()
    whole = Fingerprint()
    for size in sizes:
        part = lines[parts.line : parts.line + size]
        parts.add(part, 2 * len(part))
    whole.add(lines[: parts.line], 2 * parts.line)
    ends = [one.reached(1, "") for one in (parts, whole)]
    assert ends[0].digest == ends[1].digest
    assert ends[0].trail == ends[1].trail
    assert ends[0].byte == ends[1].byte == 2 * parts.line


def test_marks_are_few():
    marks = [1]
    while marks[-1] < 5_000_000:
        marks.append(next_mark(marks[-1]))
    assert marks[:20] == [*range(1, 17), 18, 20, 22, 24]
    assert len(marks) < 180


def test_positions_show_lines_only():
    assert repr(learnt("abc")) == "<position after line 3>"
    assert repr(Fingerprint()) == "<private Fingerprint>"
