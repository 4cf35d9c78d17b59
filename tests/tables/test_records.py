import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dprules.accounting import Unit
from dprules.errors import PrivacyError
from dprules.mechanisms import SeededBits, os_bits
from dprules.schema import Boolean, Categorical, Label, Numeric, PrivateCuts, Schema, build_conditions
from dprules.schema.grids import cut_grid
from dprules.tables import open_table, read_matrix, read_public_values, read_records, read_text_columns
from dprules.tables.records import LocalRecords

FRAME = {
    "age": ["20", "31", "x", "60", None, "31"],
    "sex": ["f", "m", "f", "x", "m", "m"],
    "y": ["no", "yes", "no", "yes", "maybe", "yes"],
    "person": ["p", "p", "q", None, "r", "q"],
}
SCHEMA = Schema(Label("y", ("no", "yes")), (Numeric("age", (30.0,)), Categorical("sex", ("f", "m"))))


def read(
    schema: Schema = SCHEMA, unit: Unit | None = None, frame: object = None, seed: int | None = None
) -> LocalRecords:
    with open_table(FRAME if frame is None else frame) as table:
        return read_records(table, schema, unit or Unit(), os_bits if seed is None else SeededBits(seed))


def test_records_with_a_declared_label_are_kept_in_their_order() -> None:
    records = read()
    assert records.labels.tolist() == [0, 1, 0, 1, 1]
    assert records.codes(SCHEMA.columns[0]).tolist() == [0, 1, -1, 1, 1]
    assert records.codes(SCHEMA.columns[1]).tolist() == [0, 1, 0, -1, 1]


def test_records_become_a_sample() -> None:
    literals = SCHEMA.literals()
    sample = read().sample(literals, 2)
    assert sample.totals().tolist() == [2, 3]
    conditions = build_conditions(literals, 2)
    counted = dict(zip(map(tuple, conditions.tolist()), sample.counts(conditions).T.tolist(), strict=True))
    names = [str(literal) for literal in literals]
    assert counted[names.index("age >= 30"), names.index("sex = m"), -1] == [0, 2]
    assert counted[names.index("age < 30"), -1, -1] == [1, 0]


def test_places_on_the_grid_are_kept_until_cuts_are_bought() -> None:
    schema = Schema(SCHEMA.label, (PrivateCuts("age", 0, 100),))
    records = read(schema)
    counts = records.grid_counts(schema.private_cuts[0])
    places = {int(np.searchsorted(cut_grid(schema.private_cuts[0]), number, side="right")) for number in (20, 31, 60)}
    assert set(np.flatnonzero(counts).tolist()) == places
    assert counts.sum() == 4  # missing ones are left out
    assert records.codes(Numeric("age", (30, 60), bought=True)).tolist() == [0, 1, -1, 2, 1]


def test_at_most_so_many_rows_of_a_unit() -> None:
    assert len(read(unit=Unit("person")).labels) == 2  # p and q; r has no declared label, a row has no person
    assert len(read(unit=Unit("person", 2)).labels) == 4
    assert len(read(unit=Unit("person", 100)).labels) == 4


def test_the_unit_may_be_a_column_of_the_schema() -> None:
    assert len(read(unit=Unit("sex", 10)).labels) == 5


def test_every_row_of_a_unit_may_be_the_one_that_is_kept() -> None:
    frame = {"age": [str(i) for i in range(4)], "sex": ["f"] * 4, "y": ["no"] * 4, "person": ["p"] * 4}
    schema = Schema(SCHEMA.label, (Numeric("age", (1, 2, 3)), Categorical("sex", ("f", "m"))))
    kept = Counter(int(read(schema, Unit("person"), frame, seed).codes(schema.columns[0])[0]) for seed in range(200))
    assert set(kept) == {0, 1, 2, 3}
    assert min(kept.values()) > 20


def test_a_seed_repeats_the_choice() -> None:
    frame = {name: np.tile(np.array(cells, dtype=object), 20) for name, cells in FRAME.items()}
    codes = [read(unit=Unit("person", 3), frame=frame, seed=7).codes(SCHEMA.columns[0]).tolist() for _ in range(2)]
    assert codes[0] == codes[1]


def test_the_rows_of_a_unit_are_chosen_whatever_others_have() -> None:
    """Rows are chosen before labels are looked at: a unit's undeclared label may cost it a row, and no other unit."""
    size = 200
    frame = pd.DataFrame({"age": "20", "sex": "f", "y": ["maybe", "no"] * size, "person": np.repeat(range(size), 2)})
    kept = len(read(unit=Unit("person"), frame=frame, seed=1).labels)
    assert 60 < kept < 140


def test_the_order_of_rows_is_kept_for_predictions() -> None:
    with open_table(FRAME) as table:
        (codes,) = read_matrix(table, SCHEMA.columns)
        assert codes.tolist() == [[0, 0], [1, 1], [-1, 0], [1, -1], [-1, 1], [1, 1]]
        assert read_text_columns(table, ["sex", "age"]) == [FRAME["sex"], FRAME["age"]]


def test_public_values_come_most_frequent_first() -> None:
    with open_table(FRAME) as table:
        found = read_public_values(table, ["age", "sex"])
    assert found["sex"][0] == ["m", "f", "x"]
    assert found["age"][0] == ["31", "20", "60", "x"]
    assert sorted(found["age"][1].tolist()) == [20, 31, 31, 60]


def test_a_column_without_values_is_read_like_one_with_some() -> None:
    for make in (pd.DataFrame, pa.table, dict):
        frame = make(FRAME | {"age": [None] * 6, "y": [None] * 6})
        assert len(read(frame=frame).labels) == 0
        with open_table(frame) as table:
            (codes,) = read_matrix(table, SCHEMA.columns)
        assert (codes[:, 0] == -1).all()


def test_records_show_nothing() -> None:
    records = read()
    assert repr(records) == "<private LocalRecords>"
    with pytest.raises(PrivacyError):
        pickle.dumps(records)


@pytest.mark.slow
def test_ten_thousand_columns() -> None:
    random = np.random.default_rng(0)
    frame = pa.table({f"c{i}": random.random(20) < 0.5 for i in range(10_000)} | {"y": ["no", "yes"] * 10})
    columns = [Boolean(f"c{i}") for i in range(10_000)]
    records = read(Schema(SCHEMA.label, columns), frame=frame)
    assert records.codes(columns[17]).tolist() == [int(cell) for cell in frame["c17"].to_pylist()]


@pytest.mark.parametrize("missing", [np.nan, None])
@pytest.mark.parametrize("more", [[], ["m"]])
def test_missing_cells_of_numpy_s_own_texts_stay_missing(missing: object, more: list[str]) -> None:
    """One record more must not give them a value."""
    cells = np.array(["f"] * 3 + [missing] * 5 + more, dtype=np.dtypes.StringDType(na_object=missing))
    records = read(frame={"age": np.zeros(len(cells)), "sex": cells, "y": ["no"] * len(cells)})
    assert records.codes(SCHEMA.columns[1]).tolist()[:8] == [0] * 3 + [-1] * 5


def test_hidden_cells_of_masked_arrays_are_missing() -> None:
    cells = np.ma.array([20.0, 99.0, 31.0], mask=[False, True, False])
    records = read(frame={"age": cells, "sex": ["f"] * 3, "y": ["no"] * 3})
    assert records.codes(SCHEMA.columns[0]).tolist() == [0, -1, 1]


def test_runs_of_texts_that_are_coded() -> None:
    """Arrow does not decode them by itself."""
    coded = pa.array(["f", "m"]).dictionary_encode()
    cells = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), coded)
    table = pa.table({"age": [20, 20, 20], "sex": cells, "y": ["no"] * 3})
    assert read(frame=table).codes(SCHEMA.columns[1]).tolist() == [0, 0, 1]


def test_no_name_of_a_column_makes_it_weights() -> None:
    schema = Schema(SCHEMA.label, (Numeric("\0weights", (0.0,)), SCHEMA.columns[1]))
    data = {"\0weights": np.array([10**6, 1, 1]), "sex": ["f", "m", "m"], "y": ["no", "yes", "yes"]}
    assert read(schema, frame=data).sample(schema.literals(), 2).totals().tolist() == [1, 2]
