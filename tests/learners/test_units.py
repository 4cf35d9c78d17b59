"""One person, many rows: so many of them are kept, by keys of ours, and each unit for itself."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from conftest import Listed, assert_law
from dprules.accounting import Unit
from dprules.jobs import FitRequest, fit
from dprules.mechanisms import Bits, SeededBits, os_bits
from dprules.schema import Categorical, Label, Schema
from dprules.tables import open_table, read_records

SCHEMA = Schema(Label("y", ("a", "b")), (Categorical("x", tuple(map(str, range(10)))),))


def kept(cells: Any, rows: int = 1, bits: Bits = os_bits) -> list[int]:
    """The places (cells of x) of the rows that are kept."""
    with open_table(cells) as table:
        records = read_records(table, SCHEMA, Unit("who", rows), bits)
    return records.codes(SCHEMA.columns[0]).tolist()


def rows_of(owners: list[Any], labels: list[Any] | None = None) -> dict[str, Any]:
    size = len(owners)
    return {"who": owners, "x": [str(i) for i in range(size)], "y": labels or ["a"] * size}


@pytest.mark.parametrize("rows", [1, 2, 3, 10])
def test_at_most_so_many_rows_of_a_unit_are_kept(rows):
    owners = ["p", "q", "p", "p", "q", "r", "p"]
    counts = Counter(owners[place] for place in kept(rows_of(owners), rows))
    assert counts == {unit: min(rows, number) for unit, number in Counter(owners).items()}


def test_rows_without_a_unit_are_left_out():
    owners = ["p", None, "", float("nan"), b"\xff", object(), "q"]
    assert sorted(kept(rows_of(owners), 5)) == [0, 6]


ONE_UNIT = {
    "numbers and text": [1, 1.0, "1", "1.0", np.int64(1), np.float32(1), b"1"],
    "Booleans": [True, np.bool_(True), "true"],
}


@pytest.mark.parametrize("owners", ONE_UNIT.values(), ids=ONE_UNIT)
def test_forms_of_one_value_are_one_unit(owners):
    assert len(kept(rows_of(owners))) == 1


@pytest.mark.parametrize("owners", [["1", "01"], ["p", "P"], ["p", "p "], [1, True], ["1", "1e0"]])
def test_other_values_are_other_units(owners):
    assert len(kept(rows_of(owners))) == 2


@pytest.mark.parametrize(
    "owners",
    [np.array([7, 7, 8]), np.array([7.0, 7.0, 8.0]), np.array(["7", "7", "8"]), np.array(["7", 7.0, 8], dtype=object)],
    ids=lambda owners: str(owners.dtype),
)
def test_a_unit_is_the_same_in_every_type_of_column(owners):
    assert len(kept({"who": owners, "x": ["0", "1", "2"], "y": ["a"] * 3})) == 2


def test_the_choice_uses_our_bits_and_no_others(monkeypatch):
    monkeypatch.setattr("numpy.random.default_rng", lambda *_: 1 / 0)
    cells = rows_of(["p"] * 4 + ["q"] * 3)
    assert kept(cells, 2, Listed([1, 2, 3, 4])) == kept(cells, 2, Listed([1, 2, 3, 4]))
    assert len({tuple(kept(cells, 1, Listed([word, 2, 3, 4]))) for word in range(50)}) > 5


def test_the_order_of_rows_does_not_matter():
    """Whoever reads the rows again, in whatever order and however many at a time, keeps the same ones."""
    random = np.random.default_rng(3)
    owners = random.integers(0, 20, 200)
    cells = {"who": owners, "x": random.integers(0, 10, 200), "y": random.choice(["a", "b", "c"], 200)}
    bits = [Listed([5, 6, 7, 8]) for _ in range(3)]
    first = sorted(kept(cells, 3, bits[0]))
    shuffled = random.permutation(200)
    assert sorted(kept({name: column[shuffled] for name, column in cells.items()}, 3, bits[1])) == first
    parts = pa.Table.from_batches(
        [pa.record_batch({n: c[k : k + 7] for n, c in cells.items()}) for k in range(0, 200, 7)]
    )
    assert sorted(kept(parts, 3, bits[2])) == first


def test_what_others_have_moves_no_row_of_a_unit():
    """For every key: what is kept of one unit is a function of its own rows."""
    cells = rows_of(["p"] * 5)
    more = rows_of(["p"] * 5 + ["q"] * 5)
    for word in range(50):
        alone = kept(cells, 2, Listed([word] * 4))
        assert [place for place in kept(more, 2, Listed([word] * 4)) if place < 5] == alone


def test_every_row_of_a_unit_is_as_likely(bits):
    cells = rows_of(["p", "q", "p", "p", "q"])
    chosen = [tuple(kept(cells, 1, bits)) for _ in range(2000)]
    assert_law(chosen, {tuple(sorted((i, j))): 1 / 6 for i in (0, 2, 3) for j in (1, 4)})


def test_equal_rows_are_as_likely_as_others_each(bits):
    """Four equal rows and another: one of the four is kept in four of five cases."""
    cells = {"who": ["p"] * 5, "x": ["1"] * 4 + ["2"], "y": ["a"] * 5}
    assert_law([tuple(kept(cells, 1, bits)) for _ in range(2000)], {(1,): 4 / 5, (2,): 1 / 5})


def test_units_choose_for_themselves(bits):
    """Units with the same rows do not all keep the same one."""
    cells = {"who": ["p", "p", "q", "q"], "x": ["1", "2", "1", "2"], "y": ["a"] * 4}
    chosen = [tuple(kept(cells, 1, bits)) for _ in range(2000)]
    assert_law(chosen, dict.fromkeys([(1, 1), (1, 2), (2, 1), (2, 2)], 1 / 4))


def test_rows_are_chosen_before_labels_are_looked_at(bits):
    """Otherwise a row without a label would move which other row of its unit is kept."""
    cells = rows_of(["p", "p"], ["undeclared", "a"])
    assert_law([tuple(kept(cells, 1, bits)) for _ in range(1000)], {(): 1 / 2, (1,): 1 / 2})


def test_a_column_of_the_schema_may_be_the_unit():
    with open_table(rows_of(["p"] * 5)) as table:
        records = read_records(table, SCHEMA, Unit("x", 1), os_bits)
    assert len(records.labels) == 5


def test_a_seed_repeats_the_choice():
    cells = rows_of(["p"] * 5 + ["q"] * 5)
    runs = [kept(cells, 2, SeededBits(seed)) for seed in (1, 1, 2, 3)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2] or runs[0] != runs[3]


def test_the_certificate_names_the_unit_and_the_price_is_for_all_its_rows():
    random = np.random.default_rng(0)
    cells = {"who": random.integers(0, 50, 400), "x": random.integers(0, 10, 400), "y": random.choice(["a", "b"], 400)}
    released = fit(FitRequest(cells, SCHEMA, unit="who", unit_rows=3))
    assert released.certificate.unit == Unit("who", 3)
    assert "any one value of 'who' (at most 3 rows of each)" in str(released.certificate)
    assert "Of each who at most 3 rows took part." in str(released)
    assert released.verify()
