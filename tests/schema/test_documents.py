import pytest

from dprules.errors import SchemaError
from dprules.schema import DocumentReader, Schema

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
private_cuts = { lower = 0, upper = 200, number = 3 }

[columns.smoker]
kind = "boolean"
"""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("[label]", "[labels]"), r"schema, line 2: labels must be one of"),
        (('column = "y"', ""), r"schema, line 2: label.column must be the name"),
        (('column = "y"', "column = 3"), r"schema, line 3: label.column must be the name"),
        (('classes = ["no", "yes"]', ""), r"schema, line 2: label.classes must be a list"),
        (('["no", "yes"]', '["no"]'), r"schema, line 4: label.classes must be at least two"),
        (('positive = "yes"', 'positive = "maybe"'), r"schema, line 5: label.positive must be one of the classes"),
        (('positive = "yes"', 'positive = ["yes"]'), r"schema, line 5: label.positive must be one of the classes"),
        (("cuts = [30, 50.5]", "cuts = [50, 30]"), r"schema, line 9: columns.age.cuts must be an increasing list"),
        (("cuts = [30, 50.5]", 'cuts = ["a"]'), r"line 9: columns.age.cuts"),
        (("cuts = [30, 50.5]", ""), r"line 7: columns.age.cuts must be given"),
        (
            ("cuts = [30, 50.5]", "cuts = [1]\nprivate_cuts = {lower = 0, upper = 1}"),
            r"line 9: columns.age.cuts must be given.*not both",
        ),
        (('values = ["a", "b"]', 'values = ["a", 1]'), r"line 13: columns.odd name.values must be different values"),
        (('values = ["a", "b"]', 'values = ["1", "1.0"]'), r"line 13: columns.odd name.values must be different"),
        (('missing = "literal"', 'missing = "drop"'), r"line 14: columns.odd name.missing must be"),
        (("number = 3", "number = 0"), r"columns.weight.private_cuts must be a number of cuts"),
        (("number = 3", "colour = 0"), r"columns.weight.private_cuts must be \{ lower"),
        (("lower = 0", "lower = 300"), r"columns.weight.private_cuts must be public bounds"),
        (("lower = 0", "lower = -1e308"), r"columns.weight.private_cuts must be public bounds"),
        (
            ('kind = "boolean"', 'kind = "text"'),
            r"line 21: columns.smoker.kind must be categorical, numeric or boolean",
        ),
        (('kind = "boolean"', 'kind = "boolean"\ncolour = 1'), r"line 22: columns.smoker.colour must be one of"),
        (
            ('[columns.smoker]\nkind = "boolean"', "[columns]\nsmoker = 1"),
            r"columns.smoker must be a table with a kind",
        ),
        (("[columns.smoker]", "[columns.y]"), r"column 'y' is the label"),
        (("[label]", "[label"), r"schema: not valid TOML"),
        (("[label]", "values_are_public = 1\n[label]"), r"values_are_public must be true or false"),
    ],
)
def test_an_error_names_source_line_and_key(change: tuple[str, str], sentence: str) -> None:
    with pytest.raises(SchemaError, match=sentence):
        Schema.from_toml(GOOD.replace(*change))


def test_a_document_without_text_has_no_lines() -> None:
    with pytest.raises(SchemaError, match=r"^model: columns.a.kind must be") as caught:
        DocumentReader("", "model").columns({"a": {"kind": "odd"}})
    assert "line" not in str(caught.value)


@pytest.mark.parametrize("label", [None, [], "y"])
def test_a_label_must_be_a_table(label: object) -> None:
    with pytest.raises(SchemaError, match="label must be a table"):
        DocumentReader("", "model").label(label)


def test_columns_must_be_a_table() -> None:
    with pytest.raises(SchemaError, match="columns must be a table"):
        DocumentReader("", "model").columns([])
