import pytest

from dprules.data import Boolean, Categorical, Label, Numeric, PrivateCuts, Schema
from dprules.errors import SchemaError

GOOD = """
[label]
column = "y"
classes = ["no", "yes"]
positive = "yes"

[columns.age]
kind = "numeric"
cuts = [30, 50.5]

[columns."odd name"]
kind = "categorical"
values = ["a", "b"]
missing = "literal"

[columns.weight]
kind = "numeric"
private_cuts = { lower = 0, upper = 200, number = 4 }

[columns.smoker]
kind = "boolean"
"""


def test_a_schema_is_read_and_written_back():
    schema = Schema.from_toml(GOOD)
    assert schema.label == Label("y", ("no", "yes"), "yes")
    assert schema.columns == (
        Numeric("age", False, (30.0, 50.5)),
        Categorical("odd name", True, ("a", "b")),
        PrivateCuts("weight", False, 0.0, 200.0, 4),
        Boolean("smoker"),
    )
    assert Schema.from_toml(schema.to_toml()) == schema
    assert schema.with_cuts({"weight": [70.0]}).columns[2] == Numeric("weight", False, (70.0,))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("[label]", "[labels]"), r"schema, line 2: labels must be one of"),
        (('column = "y"', ""), r"schema, line 2: label.column must be the name"),
        (('["no", "yes"]', '["no"]'), r"schema, line 4: label.classes must be at least two"),
        (('positive = "yes"', 'positive = "maybe"'), r"schema, line 5: label.positive must be one of the classes"),
        (("cuts = [30, 50.5]", "cuts = [50, 30]"), r"schema, line 9: columns.age.cuts must be an increasing list"),
        (("cuts = [30, 50.5]", 'cuts = ["a"]'), r"line 9: columns.age.cuts"),
        (("cuts = [30, 50.5]", ""), r"line 7: columns.age.cuts must be given"),
        (('values = ["a", "b"]', 'values = ["a", 1]'), r"line 13: columns.odd name.values must be different values"),
        (('missing = "literal"', 'missing = "drop"'), r"line 14: columns.odd name.missing must be"),
        (("number = 4", "number = 0"), r"columns.weight.private_cuts must be a number of cuts"),
        (("lower = 0", "lower = 300"), r"columns.weight.private_cuts must be public bounds"),
        (
            ('kind = "boolean"', 'kind = "text"'),
            r"line 21: columns.smoker.kind must be categorical, numeric or boolean",
        ),
        (('kind = "boolean"', 'kind = "boolean"\ncolour = 1'), r"line 22: columns.smoker.colour must be one of"),
        (("[columns.smoker]", "[columns.y]"), r"columns.y must be no entry: it is the label"),
        (("[label]", "[label"), r"schema: not valid TOML"),
    ],
)
def test_an_error_names_source_line_and_key(change, sentence):
    with pytest.raises(SchemaError, match=sentence):
        Schema.from_toml(GOOD.replace(*change))


def test_a_schema_without_columns():
    with pytest.raises(SchemaError, match="columns must be a table with at least one column"):
        Schema.from_toml('[label]\ncolumn = "y"\nclasses = ["a", "b"]\n')


def test_files_that_are_not_text(tmp_path):
    (tmp_path / "s.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SchemaError, match="not UTF-8"):
        Schema.from_file(tmp_path / "s.toml")


def test_private_cuts_must_be_bought_first():
    with pytest.raises(SchemaError, match="not bought yet"):
        PrivateCuts("w").code(3)


@pytest.mark.parametrize("bounds", ["lower = -1e308, upper = 1e308", "lower = 1, upper = 1.0000000000000002"])
def test_bounds_leave_room_for_cuts(bounds):
    text = '[label]\ncolumn = "y"\nclasses = ["a", "b"]\n[columns.x]\nkind = "numeric"\n'
    with pytest.raises(SchemaError, match="not next to each other"):
        Schema.from_toml(text + f"private_cuts = {{ {bounds}, number = 3 }}\n")
