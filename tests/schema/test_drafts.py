import numpy as np
import pytest

from dprules.errors import SchemaError
from dprules.schema import (
    Boolean,
    Categorical,
    Label,
    Numeric,
    PrivateCuts,
    Schema,
    draft_column,
    draft_from_kinds,
    quantile_cuts,
    refuse_placeholders,
)
from dprules.schema.drafts import declarable_values


def test_a_draft_from_kinds_has_placeholders_only() -> None:
    draft = draft_from_kinds("y", {"n": "numeric", "b": "boolean", "t": "categorical"})
    assert [type(column) for column in draft.columns] == [PrivateCuts, Boolean, Categorical]
    assert Schema.from_toml(draft.to_toml()) == draft
    with pytest.raises(
        SchemaError, match=r"the classes of y, the bounds of n, the values of t are still the placeholder"
    ):
        refuse_placeholders(draft)


def test_a_schema_that_is_filled_in_passes() -> None:
    refuse_placeholders(Schema(Label("y", ["?", "!"]), [Categorical("c", ["?", "a"])]))


def test_columns_by_their_public_values() -> None:
    numbers = np.arange(100.0)
    assert draft_column("b", ["True", "false"], numbers[:0]) == Boolean("b")
    assert draft_column("c", ["u", "v"], numbers[:0]) == Categorical("c", ["u", "v"])
    assert draft_column("c", ["1", "2"], numbers[:2]) == Categorical("c", ["1", "2"])
    assert isinstance(draft_column("n", [str(i) for i in range(100)], numbers), Numeric)
    assert draft_column("n", [], numbers[:0]) == Categorical("n", ["?"])
    assert draft_column("c", [f"v{i}" for i in range(100)], numbers[:0]).size == 60


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


def test_bounds_of_a_draft_are_placeholders_too():
    drafted = draft_from_kinds("y", {"age": "numeric"})
    filled = Schema(Label("y", ("no", "yes")), drafted.columns)
    with pytest.raises(SchemaError, match="the bounds of age are still the placeholders"):
        refuse_placeholders(filled)
    refuse_placeholders(Schema(filled.label, (PrivateCuts("age", 0, 1),)))
