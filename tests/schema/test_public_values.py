import datetime

import numpy as np

from dprules.schema import Boolean, Categorical, Date, Numeric, declarable_values, draft_column, quantile_cuts
from dprules.schema.public_values import rank_values


def test_columns_by_their_public_values() -> None:
    numbers = np.arange(100.0)
    assert draft_column("b", ["True", "false"], numbers[:0]) == Boolean("b")
    assert draft_column("c", ["u", "v"], numbers[:0]) == Categorical("c", ["u", "v"])
    assert draft_column("c", ["1", "2"], numbers[:2]) == Categorical("c", ["1", "2"])
    assert isinstance(draft_column("n", [str(i) for i in range(100)], numbers), Numeric)
    assert draft_column("n", [], numbers[:0]) is None
    many = draft_column("c", [f"v{i}" for i in range(100)], numbers[:0])
    assert many is not None
    assert many.size == 60


def test_days_become_a_column_of_dates() -> None:
    days = [str(datetime.date(2024, 1, 1) + datetime.timedelta(days=9 * i)) for i in range(20)]
    column = draft_column("d", days, np.array([]))
    assert isinstance(column, Date)
    assert len(column.cuts) == 8
    assert set(column.cuts) <= set(days)
    assert isinstance(draft_column("d", days[:8], np.array([])), Categorical)


def test_a_decimal_comma_is_kept() -> None:
    values = [f"{i},5" for i in range(20)]
    numbers = np.arange(20) + 0.5
    assert draft_column("n", values, numbers, ",") == Numeric("n", quantile_cuts(numbers, 8), decimal=",")
    assert isinstance(draft_column("n", values, numbers[:0]), Categorical)


def test_a_column_of_one_number_in_many_forms_is_no_numeric_one() -> None:
    forms = [f"1.{'0' * i}" for i in range(1, 12)]
    assert isinstance(draft_column("n", forms, np.ones(11)), Categorical)


def test_quantile_cuts_look_past_a_common_value() -> None:
    values = np.concatenate([np.zeros(900), np.arange(1, 101)]).astype(float)
    cuts = quantile_cuts(values, 4)
    assert len(cuts) == 4
    assert min(cuts) >= 20
    assert list(cuts) == sorted(set(cuts))
    assert quantile_cuts(np.array([]), 4) == ()
    assert quantile_cuts(np.zeros(5), 4) == ()


def test_values_that_cannot_be_declared_together_are_left_out() -> None:
    assert declarable_values(["1", "b", "1.0", str(2**60), "2"]) == ("1", "b", "2")
    assert len(declarable_values([f"v{i}" for i in range(100)])) == 60


def test_values_are_ranked_by_how_often_they_occur() -> None:
    values, numbers = rank_values(["b", 2, None, "b", "a", 2, "2", object()])
    assert values == ["2", "b", "a"]
    assert numbers.tolist() == [2, 2, 2]
