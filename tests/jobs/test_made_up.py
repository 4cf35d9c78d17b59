"""Made-up tables have the shape of the schema, and labels that can be learnt so well and no better."""

import numpy as np
import pytest

from dprules.jobs.made_up import DIFFICULTIES, Difficulty, make_up
from dprules.schema import (
    MISSING,
    Boolean,
    Categorical,
    Date,
    Label,
    Numeric,
    Positive,
    PrivateCuts,
    PrivateDates,
    PrivateValues,
    Schema,
)

KINDS = Schema(
    Label("y", ("a", "b", "c")),
    (
        Boolean("boolean"),
        Categorical("words", ("u", "v", "w")),
        Categorical("grades", (1, 2.5, 3)),
        Numeric("numeric", (0.0, 10.0, 1e9)),
        Numeric("commas", (0.5, 1.5), decimal=",", missing_literal=True),
        Date("date", ("2020-02-29", "2021-01-01")),
        Positive("positive"),
        PrivateCuts("bounded", lower=-5, upper=5, step=1),
        PrivateDates("days", lower="2020-01-01", upper="2020-12-31"),
        PrivateValues("city"),
    ),
)


@pytest.fixture(scope="module")
def made():
    return make_up(KINDS, 4000, DIFFICULTIES[1], 1)


def test_every_column_has_its_declared_values(made):
    rows = made.table.to_pylist()
    for column in KINDS.columns:
        if column.size:
            codes = {column.code(row[column.name]) for row in rows}
            assert codes - {MISSING} == set(range(column.size)), column.name
            assert (MISSING in codes) is column.missing_literal, column.name
    bounded = {row["bounded"] for row in rows}
    assert bounded <= set(range(-5, 6))
    assert all("2020-01-01" <= row["days"] <= "2020-12-31" for row in rows)
    assert len({row["city"] for row in rows}) == 12
    assert {row["y"] for row in rows} == {"a", "b", "c"}


def test_a_seed_repeats_a_table_and_another_makes_another(made):
    assert make_up(KINDS, 4000, DIFFICULTIES[1], 1).table.equals(made.table)
    assert not make_up(KINDS, 4000, DIFFICULTIES[1], 2).table.equals(made.table)


def test_the_last_column_alone_does_not_decide(made):
    """Columns are independent: cells of two of them are hardly related."""
    first = np.array([row["boolean"] == "true" for row in made.table.to_pylist()])
    second = np.array([row["positive"] for row in made.table.to_pylist()])
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.1


SIMPLE = Schema(Label("y", ("no", "yes")), tuple(Boolean(f"x{i}") for i in range(4)))


@pytest.mark.parametrize("difficulty", [*DIFFICULTIES, Difficulty("none", 3, 0.0)], ids=lambda one: one.name)
@pytest.mark.parametrize("seed", range(3))
def test_the_best_model_is_as_good_as_is_said(difficulty, seed):
    """Sixteen different rows: the majority of each is the best answer to it."""
    made = make_up(SIMPLE, 20_000, difficulty, seed)
    frame = made.table.to_pandas().astype(str)
    groups = frame.groupby([f"x{i}" for i in range(4)])["y"]
    right = groups.apply(lambda labels: labels.value_counts().max()).sum() / len(frame)
    assert right == pytest.approx(made.chances.max(axis=1).mean(), abs=0.015)


@pytest.mark.parametrize("difficulty", DIFFICULTIES, ids=lambda one: one.name)
def test_no_class_has_nearly_all_rows(difficulty):
    for seed in range(5):
        labels = make_up(KINDS, 2000, difficulty, seed).table["y"].to_pandas()
        assert labels.value_counts(normalize=True).max() <= 0.85


@pytest.mark.parametrize("difficulty", DIFFICULTIES, ids=lambda one: one.name)
def test_chances_are_those_that_labels_were_drawn_with(difficulty):
    made = make_up(KINDS, 20_000, difficulty, 3)
    labels = np.array(made.table["y"].to_pylist())
    assert np.allclose(made.chances.sum(axis=1), 1)
    for place, name in enumerate(KINDS.label.classes):
        assert (labels == name).mean() == pytest.approx(made.chances[:, place].mean(), abs=0.015)


def test_the_schema_of_a_table_has_nothing_left_to_buy(made):
    assert not made.schema.private_cuts
    assert not made.schema.private_values
    assert made.schema.names == KINDS.names
