import tomllib

from hypothesis import given
from hypothesis import strategies as st

from dprules.schema.inline import write_assignment

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = TEXTS | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = PLAIN | st.lists(PLAIN, max_size=4) | st.dictionaries(TEXTS, PLAIN | st.lists(PLAIN, max_size=3), max_size=4)


@given(key=TEXTS, value=VALUES)
def test_toml_reads_back_what_was_written_on_one_line(key: str, value: object) -> None:
    line = write_assignment(key, value)
    assert "\n" not in line
    assert tomllib.loads(line) == {key: value}


def test_numbers_are_written_as_people_do() -> None:
    assert write_assignment("a", [1.0, 0.5, -2, 1e16]) == "a = [1, 0.5, -2, 1e+16]"
