from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.errors import ParameterError
from dprules.schema import (
    Boolean,
    Categorical,
    Column,
    Literal,
    Numeric,
    Operator,
    Positive,
    build_conditions,
    count_conditions,
    literals_of,
)


def columns(kinds: list[tuple[str, int]]) -> list[Column]:
    made: list[Column] = []
    for i, (kind, size) in enumerate(kinds):
        missing = size % 2 == 0
        if kind == "values":
            made.append(Categorical(f"c{i}", [f"v{k}" for k in range(size)], missing_literal=missing))
        elif kind == "cuts":
            made.append(Numeric(f"c{i}", range(size), missing_literal=missing))
        else:
            made.append((Boolean if kind == "boolean" else Positive)(f"c{i}", missing_literal=missing))
    return made


KINDS = st.tuples(st.sampled_from(["values", "cuts", "boolean", "positive"]), st.integers(1, 5))


def may_join(one: Literal, other: Literal) -> bool:
    """Two literals of one column: an interval, or two excluded values of at least four."""
    if {one.operator, other.operator} == {Operator.BELOW, Operator.AT_LEAST}:
        below, least = (one, other) if one.operator is Operator.BELOW else (other, one)
        return float(least.value or 0) < float(below.value or 0)
    excludes = one.operator is other.operator is Operator.DIFFERS
    return excludes and one.column.size >= 4


def twin(literals: list[Literal], width: int) -> list[tuple[int, ...]]:
    """Every set of literals of which no two of one column are redundant, and no three are of one column."""
    found = []
    for size in range(1, width + 1):
        for chosen in combinations(range(len(literals)), size):
            names = [literals[i].column.name for i in chosen]
            same = [(i, j) for i, j in combinations(chosen, 2) if literals[i].column.name == literals[j].column.name]
            if all(may_join(literals[i], literals[j]) for i, j in same) and max(map(names.count, names)) <= 2:
                found.append((*chosen, *[-1] * (3 - size)))
    return sorted(found)


@settings(max_examples=60, deadline=None)
@given(st.lists(KINDS, min_size=1, max_size=4), st.integers(1, 3))
def test_conditions_are_those_of_the_obvious_twin(kinds: list[tuple[str, int]], width: int) -> None:
    literals = [literal for column in columns(kinds) for literal in literals_of(column)]
    if not literals:
        return
    built = build_conditions(literals, width)
    assert [tuple(row) for row in built.tolist()] == twin(literals, width)
    assert count_conditions(literals, width) == len(built)
    assert built.dtype == np.int32


def test_conditions_drop_what_is_redundant() -> None:
    asked = [
        *literals_of(Numeric("n", [1, 2])),
        *literals_of(Boolean("b")),
        *literals_of(Categorical("c", ["u", "v", "w"])),
        *literals_of(Categorical("d", ["u", "v", "w", "x"])),
    ]
    pairs = {" & ".join(str(asked[i]) for i in row if i >= 0) for row in build_conditions(asked, 2)}
    assert "n < 2 & n >= 1" in pairs  # an interval
    assert "n < 1 & n < 2" not in pairs  # the first alone
    assert "n < 1 & n >= 2" not in pairs  # empty
    assert "b is true & b is false" not in pairs
    assert "c != u & c != v" not in pairs  # that is c = w
    assert "d != u & d != v" in pairs
    assert "n < 1 & b is true" in pairs


@pytest.mark.parametrize("width", [0, 4, True, 2.5, "2", None])
def test_width_is_one_two_or_three(width: object) -> None:
    with pytest.raises(ParameterError, match="width must be 1, 2 or 3"):
        count_conditions(literals_of(Boolean("b")), width)  # type: ignore[arg-type]


def test_candidates_are_counted_before_they_are_built() -> None:
    """Width 3 over 1,000 columns, 4,000 columns at width 2, and thousands of cuts ran out of memory."""
    thousand = [literal for i in range(1_000) for literal in literals_of(Boolean(f"b{i}"))]
    assert count_conditions(thousand, 3) == 2_000 + 4 * comb(1_000, 2) + 8 * comb(1_000, 3)
    many = [literal for i in range(4_000) for literal in literals_of(Boolean(f"b{i}"))]
    assert count_conditions(many, 2) == 8_000 + 4 * comb(4_000, 2)
    cuts = literals_of(Numeric("n", range(29_000)))
    assert count_conditions(cuts, 2) == 58_000 + comb(29_000, 2)
    for literals, width in ((thousand, 3), (many, 2), (cuts, 2)):
        with pytest.raises(ParameterError, match="conditions are too many"):
            build_conditions(literals, width)


def test_no_cubic_work_in_the_number_of_values() -> None:
    """5,000 values work; 400 used to take seconds."""
    literals = literals_of(Categorical("c", [f"v{i}" for i in range(5_000)]))
    assert len(build_conditions(literals, 2)) == count_conditions(literals, 3) == 10_000
