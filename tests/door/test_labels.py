"""Labels given apart: one odd label leaves its own record out, and no other."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprules.accounting import Unit
from dprules.errors import DataError, ParameterError
from dprules.jobs import FitRequest
from dprules.mechanisms import SeededBits
from dprules.schema import Label, Numeric, Schema
from dprules.tables import read_records

from .harness import RefusedError, assert_neighbours, quiet_libraries
from .odd import CELLS

SIZE = 12
AGE = Numeric("age", range(1, SIZE + 1))
Y: dict[str, tuple[list[Any], list[object]]] = {
    "integers": ([0, 1], [0, 1] * 6),
    "integers declared as text": (["0", "1"], [0, 1] * 6),
    "integers declared as floats": ([0.0, 1.0], [0, 1] * 6),
    "three integers": ([1, 2, 3], [1, 2, 3] * 4),
    "floats": ([0, 1], [0.0, 1.0] * 6),
    "fractions": ([0.5, 1.5], [0.5, 1.5] * 6),
    "Booleans": ([False, True], [False, True] * 6),
    "Booleans declared as words": (["false", "true"], [False, True] * 6),
    "Booleans declared as other words": (["False", "True"], [False, True] * 6),
    "Booleans declared as numbers": ([0, 1], [False, True] * 6),
    "integers declared as Booleans": ([False, True], [0, 1] * 6),
    "texts": (["no", "yes"], ["no", "yes"] * 6),
    "texts of numbers": ([0, 1], ["0", "1.0"] * 6),
}
Make = Callable[[Sequence[object], object], Any]
NOTHING = object()


def every(labels: Sequence[object], odd: object) -> list[object]:
    return list(labels) if odd is NOTHING else [*labels, odd]


def joined(labels: Sequence[object], odd: object, **options: Any) -> pd.Series:
    typed = pd.Series(list(labels), **options)
    return typed if odd is NOTHING else pd.concat([typed, pd.Series([odd])], ignore_index=True)


MAKERS: dict[str, Make] = {
    "list": every,
    "tuple": lambda labels, odd: tuple(every(labels, odd)),
    "array": lambda labels, odd: np.array(every(labels, odd)),
    "array of one column": lambda labels, odd: np.array(every(labels, odd)).reshape(-1, 1),
    "array of objects": lambda labels, odd: np.array([*every(labels, odd), None], dtype=object)[:-1],
    "series": lambda labels, odd: pd.Series(every(labels, odd)),
    "series joined": joined,
    "series of categories": lambda labels, odd: joined(labels, odd, dtype="category"),
    "nullable series": lambda labels, odd: joined(labels, odd).convert_dtypes(),
    "frame of one column": lambda labels, odd: pd.DataFrame({"y": every(labels, odd)}),
    "polars": lambda labels, odd: pl.Series(every(labels, odd), strict=False),
    "polars of objects": lambda labels, odd: pl.Series(every(labels, odd), dtype=pl.Object),
    "arrow": lambda labels, odd: pa.array(every(labels, odd)),
    "arrow in chunks": lambda labels, odd: pa.chunked_array([pa.array(every(labels, odd))]),
}


def read(classes: list[Any], labels: Any) -> list[tuple[int, int]]:
    """The records that have a label, by their age, as a learner gets them."""
    schema = Schema(Label("y", classes), [AGE])
    request = FitRequest({"age": list(range(len(labels)))}, schema, labels=labels)
    with request.opened() as table:
        records = read_records(table, schema, Unit(), SeededBits(0))
    return list(zip(records.codes(AGE).tolist(), records.labels.tolist(), strict=True))


def make(maker: Make, labels: Sequence[object], odd: object) -> Any:
    with quiet_libraries():
        try:
            made = maker(labels, odd)
            if len(made) != len(labels) + (odd is not NOTHING) or getattr(made, "ndim", 1) > 2:
                raise RefusedError
            if isinstance(made, pl.Series) and made.dtype.is_nested():
                raise RefusedError
            return made
        except KeyboardInterrupt:
            raise
        except BaseException:
            pass
    raise RefusedError


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize(("classes", "labels"), Y.values(), ids=Y)
def test_labels_of_every_type(classes: list[Any], labels: list[object], maker: Make) -> None:
    """Boolean labels, (n, 1) shapes and numbers as text are read, not ignored."""
    column = Label("y", classes).column()
    assert read(classes, make(maker, labels, NOTHING)) == [(i, column.code(label)) for i, label in enumerate(labels)]


FEW = ("integers", "integers declared as text", "Booleans", "Booleans declared as words", "texts")


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize(("classes", "labels"), [Y[name] for name in FEW], ids=FEW)
def test_one_odd_label_changes_no_other(classes: list[Any], labels: list[object], maker: Make) -> None:
    before = read(classes, make(maker, labels, NOTHING))
    wrong: dict[str, str] = {}
    for name, odd in CELLS.items():
        try:
            assert_neighbours(before, read(classes, make(maker, labels, odd)))
        except RefusedError:
            continue
        except Exception as error:
            wrong[name] = f"{type(error).__name__}: {error}"
    assert not wrong


@pytest.mark.parametrize("shape", [(SIZE, 2), (SIZE // 2, 2, 1), ()])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    schema = Schema(Label("y", [0, 1]), [AGE])
    with (
        pytest.raises(ParameterError, match="one label for each row"),
        FitRequest({"age": [1] * SIZE}, schema, labels=np.zeros(shape, dtype=int)).opened(),
    ):
        pass


@pytest.mark.parametrize("number", [SIZE - 1, SIZE + 1])
def test_there_is_one_label_for_each_row(number: int) -> None:
    schema = Schema(Label("y", [0, 1]), [AGE])
    request = FitRequest({"age": [1] * SIZE}, schema, labels=[0] * number)
    with pytest.raises(DataError, match="different numbers of rows"), request.opened() as table:
        read_records(table, schema, Unit(), SeededBits(0))


@pytest.mark.parametrize("labels", [np.zeros(3, dtype=int), np.zeros(3, dtype=bool), pd.Series([0.0, 1.0, 1.0])])
def test_labels_that_can_match_no_class_are_refused(labels: Any) -> None:
    """A fit that learns from nothing is no fit."""
    request = FitRequest({"age": [1] * 3}, Schema(Label("y", ["no", "yes"]), [AGE]), labels=labels)
    with pytest.raises(ParameterError, match="match none of the declared classes"), request.opened():
        pass
