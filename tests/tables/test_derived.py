"""Counts of literals from counts of bases, against counts of every condition over the rows themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprules.accounting import Unit
from dprules.mechanisms import os_bits
from dprules.schema import Boolean, Categorical, Label, Numeric, Schema, build_conditions
from dprules.schema.bases import Bases
from dprules.tables import open_table, read_records, unpack
from dprules.tables.packed_blocks import PackedBlock
from dprules.tables.sample import PackedSample

COLUMNS = (
    Categorical("city", ["a", "b", "c"], missing_literal=True),
    Numeric("age", [1, 2, 4]),
    Boolean("smoker", missing_literal=True),
    Categorical("one", ["only", "other"]),
)
SCHEMA = Schema(Label("y", ["no", "yes", "maybe"]), COLUMNS)
LITERALS = SCHEMA.literals()
CELLS = st.fixed_dictionaries(
    {
        "city": st.sampled_from(["a", "b", "c", "z", None]),
        "age": st.sampled_from([0.0, 1.0, 2.0, 3.0, 9.0, None]),
        "smoker": st.sampled_from([True, False, None]),
        "one": st.sampled_from(["only", None]),
        "y": st.sampled_from(["no", "yes", "maybe", "odd"]),
    }
)


def make_sample(rows, width) -> PackedSample:
    cells = {name: [row[name] for row in rows] for name in (*SCHEMA.names,)}
    with open_table(cells) as table:
        return read_records(table, SCHEMA, Unit(), os_bits).sample(LITERALS, 3, width)


def count_by_hand(rows, conditions, left=lambda row: True):
    """Each condition by the truth of its literals in each row."""
    found = np.zeros((3, len(conditions)), dtype=np.int64)
    for row in rows:
        if row["y"] == "odd" or not left(row):
            continue
        truth = [bool(literal.truth()[literal.column.code(row[literal.column.name])]) for literal in LITERALS]
        for place, condition in enumerate(conditions.tolist()):
            found[("no", "yes", "maybe").index(row["y"]), place] += all(truth[i] for i in condition if i >= 0)
    return found


@pytest.mark.parametrize("width", [1, 2, 3])
@settings(max_examples=25, deadline=None)
@given(st.lists(CELLS, max_size=25), st.integers(0, 10**6))
def test_counts_are_those_of_the_rows(width, rows, pick):
    conditions = build_conditions(LITERALS, width)
    sample = make_sample(rows, width)
    assert sample.counts(conditions).tolist() == count_by_hand(rows, conditions).tolist()
    condition = conditions[pick % len(conditions)]
    covered, others = sample.cover(condition)

    def holds(row):
        members = [LITERALS[i] for i in condition if i >= 0]
        return all(bool(literal.truth()[literal.column.code(row[literal.column.name])]) for literal in members)

    assert covered.counts(conditions).tolist() == count_by_hand(rows, conditions, holds).tolist()
    assert others.counts(conditions).tolist() == count_by_hand(rows, conditions, lambda row: not holds(row)).tolist()


def test_repeated_rows_are_counted_with_their_number():
    rows = [{"city": "a", "age": 3.0, "smoker": True, "one": "only", "y": "yes"}] * 70_000
    rows += [{"city": "b", "age": None, "smoker": False, "one": None, "y": "no"}]
    conditions = build_conditions(LITERALS, 2)
    found = make_sample(rows, 2).counts(conditions)
    expected = count_by_hand(rows[:1], conditions) * 70_000 + count_by_hand(rows[-1:], conditions)
    assert found.tolist() == expected.tolist()


def test_every_literal_is_a_sum_of_bases():
    bases = Bases.of(LITERALS)
    assert bases.size < len(LITERALS)  # complements are not kept
    for literal, combination in zip(LITERALS, bases.combinations, strict=True):
        for code in range(literal.column.size + 1):
            total = sum(
                times * (1 if base == bases.size else int(bases.members[base].truth[code]))
                for base, times in combination.items()
                if base == bases.size or bases.members[base].column is literal.column
            )
            assert total == int(literal.truth()[code])


def test_masks_follow_a_list_of_conditions():
    """What Spark works out again in every round is what a sample keeps."""
    rows = [{"city": c, "age": a, "smoker": True, "one": None, "y": "no"} for c in "abc" for a in (0.0, 1.5, 3.0)]
    with open_table({name: [row[name] for row in rows] for name in SCHEMA.names}) as table:
        sample = read_records(table, SCHEMA, Unit(), os_bits).sample(LITERALS, 3)
    block: PackedBlock = sample._blocks[0]
    names = [str(literal) for literal in LITERALS]
    is_a, below = names.index("city = a"), names.index("age < 2")
    bases = Bases.of(LITERALS)
    left = block.following(bases, [((is_a, -1, -1), False), ((below, -1, -1), True)])
    expected = [row["city"] != "a" and row["age"] < 2 for row in rows]
    assert unpack(left, len(rows)).tolist() == expected
