import json
from pathlib import Path

import numpy as np
import pytest

from dprules.errors import FileError, SchemaError
from dprules.schema import (
    Boolean,
    Categorical,
    Clipped,
    Label,
    Numeric,
    Positive,
    PrivateCuts,
    Schema,
    read_schema,
)

LABEL = Label("y", ("no", "yes"), "yes")
COLUMNS = (
    Numeric("age", (30.0, 50.5)),
    Categorical("odd name", ("a", "b"), missing_literal=True),
    Categorical("grade", (1, 2.5)),
    PrivateCuts("weight", 0.0, 200.0, 3, 0.5),
    Boolean("smoker", missing_literal=True),
    Positive("dose"),
    Clipped("trend"),
)
SCHEMA = Schema(LABEL, COLUMNS)


def test_a_schema_is_read_and_written_back() -> None:
    assert Schema.from_toml(SCHEMA.to_toml()) == SCHEMA
    assert Schema.from_document(json.loads(json.dumps(SCHEMA.document()))) == SCHEMA
    assert SCHEMA.names == ("y", "age", "odd name", "grade", "weight", "smoker", "dose", "trend")


def test_a_schema_is_taken_in_any_form(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(SCHEMA.to_toml())
    assert read_schema(SCHEMA) is SCHEMA
    assert read_schema(path) == read_schema(str(path)) == read_schema(SCHEMA.document()) == SCHEMA


def test_that_values_were_read_off_the_data_is_kept() -> None:
    public = Schema(LABEL, COLUMNS, values_are_public=True)
    assert "values_are_public = true" in public.to_toml()
    assert Schema.from_toml(public.to_toml()).values_are_public


def test_the_public_table_that_values_were_taken_from_is_kept() -> None:
    taken = Schema(LABEL, COLUMNS, values_like="census.csv", ignored=["id"])
    assert Schema.from_toml(taken.to_toml()) == taken
    with pytest.raises(SchemaError, match="values_like must be the name of a public table, on one line"):
        Schema(LABEL, COLUMNS, values_like="a\nb")


def test_a_column_is_used_or_ignored() -> None:
    """Written to a file, one entry would hide the other."""
    for name in ("age", "y"):
        with pytest.raises(SchemaError, match=f"column '{name}' is declared twice"):
            Schema(LABEL, COLUMNS, ignored=[name])


def test_cuts_are_bought_later() -> None:
    assert SCHEMA.private_cuts == (COLUMNS[3],)
    bought = SCHEMA.with_cuts({"weight": [70.0]})
    assert bought.columns[3] == Numeric("weight", (70.0,), bought=True)
    assert bought.private_cuts == ()
    assert Schema.from_toml(bought.to_toml()) == bought


def test_literals_stand_column_by_column() -> None:
    assert [str(literal) for literal in Schema(LABEL, COLUMNS[:2]).literals()] == [
        "age < 30",
        "age < 50.5",
        "age >= 30",
        "age >= 50.5",
        "odd name = a",
        "odd name = b",
        "odd name is missing",
        "odd name is present",
    ]


def test_a_schema_of_numpy_values_can_be_written() -> None:
    """NumPy's scalars broke the file of a model."""
    schema = Schema(Label("y", np.array([0, 1])), [Categorical("c", np.array([1, 2])), Numeric("n", np.arange(3.0))])
    assert Schema.from_document(json.loads(json.dumps(schema.document()))) == schema
    assert Schema.from_toml(schema.to_toml()) == schema


@pytest.mark.parametrize(
    ("label", "columns", "sentence"),
    [
        (LABEL, (), "needs at least one column"),
        (LABEL, (Boolean("a"), Numeric("a", [1])), "column 'a' is declared twice"),
        (LABEL, (Boolean("y"),), "column 'y' is the label"),
        (LABEL, ("a",), "a schema has a Label and columns"),
        ("y", (Boolean("a"),), "a schema has a Label and columns"),
    ],
)
def test_a_schema_made_in_python_is_checked(label: object, columns: object, sentence: str) -> None:
    """As one in a file is."""
    with pytest.raises(SchemaError, match=sentence):
        Schema(label, columns)  # type: ignore[arg-type]


def test_documents_that_are_none() -> None:
    with pytest.raises(SchemaError, match="must be a dictionary"):
        read_schema([1])  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match="columns must be at least one column"):
        Schema.from_toml('[label]\ncolumn = "y"\nclasses = ["a", "b"]\n')


def test_files_that_are_not_text(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SchemaError, match="not UTF-8"):
        Schema.from_file(tmp_path / "s.toml")


@pytest.mark.parametrize("name", ["", "."])
def test_a_folder_is_no_schema(name: str) -> None:
    with pytest.raises(FileError, match=r"is a folder\. Name a file"):
        Schema.from_file(name)
