import numpy as np
import pytest

from dprules.errors import SchemaError
from dprules.schema import Label


def test_a_label_is_a_column_of_classes() -> None:
    label = Label("y", ["no", "yes"], positive="yes")
    assert [label.column().code(cell) for cell in ("no", "yes", "maybe", None)] == [0, 1, -1, -1]
    assert label.entry() == {"column": "y", "classes": ["no", "yes"], "positive": "yes"}


def test_the_positive_class_in_any_form() -> None:
    assert Label("y", [0, 1], positive=1.0).positive == 1
    assert Label("y", ["0", "1"], positive=1).positive == "1"
    assert Label("y", ["False", "True"], positive=True).positive == "True"
    assert Label("y", [0, 1], positive=True).positive == 1
    assert Label("y", [False, True]).classes == ("false", "true")


def test_classes_may_be_numpy_values() -> None:
    label = Label("y", np.array([0, 1]))
    assert label.classes == (0, 1)
    assert [type(value) for value in label.classes] == [int, int]


def test_classes_read_off_labels_may_be_one() -> None:
    label = Label("y", ["only"], inferred=True)
    assert label.entry() == {"column": "y", "classes": ["only"], "inferred": True}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("", ["a", "b"]), r"label.column must be the name"),
        ((3, ["a", "b"]), r"label.column must be the name"),
        (("y", ["a"]), r"label.classes must be at least two"),
        (("y", "ab"), r"label.classes must be a list"),
        (("y", []), r"label.classes must be a list of 1"),
        (("y", ["a", 1]), r"label.classes must be different values, all text"),
        (("y", ["1", "1.0"]), r"label.classes must be different values, numbers below"),
        (("y", ["a", "b"], "c"), r"label.positive must be one of the classes"),
    ],
)
def test_a_label_made_in_python_is_checked(arguments: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(SchemaError, match=sentence):
        Label(*arguments)  # type: ignore[arg-type]
