import pytest

from dprules.errors import SchemaError
from dprules.schema import (
    Boolean,
    Categorical,
    Date,
    DocumentReader,
    GapsError,
    Label,
    Numeric,
    PrivateCuts,
    Schema,
)

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
lower = 0
upper = 200
number = 3

[columns.smoker]
kind = "boolean"
"""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            ("[label]", "[labels]"),
            r"schema has 2 gaps: line 1: label must be a table.*line 2: labels must be left out.*did you mean label",
        ),
        (('column = "y"', ""), r"schema, line 2: label.column must be the name"),
        (('column = "y"', "column = 3"), r"schema, line 3: label.column must be the name"),
        (('classes = ["no", "yes"]', ""), r"schema, line 2: label.classes must be a list"),
        (('["no", "yes"]', '["no"]'), r"schema, line 4: label.classes must be at least two"),
        (('positive = "yes"', 'positive = "maybe"'), r"schema, line 5: label.positive must be one of the classes"),
        (('positive = "yes"', 'positive = ["yes"]'), r"schema, line 5: label.positive must be one of the classes"),
        (("cuts = [30, 50.5]", "cuts = [50, 30]"), r"schema, line 9: columns.age.cuts must be an increasing list"),
        (("cuts = [30, 50.5]", 'cuts = ["a"]'), r"line 9: columns.age.cuts"),
        (("cuts = [30, 50.5]", ""), r"line 7: columns.age.lower must be given"),
        (
            ("cuts = [30, 50.5]", "cuts = [1]\nlower = 0\nupper = 1"),
            r"line 9: columns.age.cuts must be left out.*not both",
        ),
        (('values = ["a", "b"]', 'values = ["a", 1]'), r'line 13: columns."odd name".values must be different values'),
        (('values = ["a", "b"]', 'values = ["1", "1.0"]'), r'line 13: columns."odd name".values must be different'),
        (('missing = "literal"', 'missing = "drop"'), r'line 14: columns."odd name".missing must be'),
        (("number = 3", "number = 0"), r"line 20: columns.weight.number must be a number of cuts"),
        (
            ("number = 3", "colour = 0"),
            r"line 20: columns.weight.colour must be left out: a numeric column has only cuts, decimal, ",
        ),
        (("lower = 0", "lower = 300"), r"line 19: columns.weight.upper must be above lower"),
        (("number = 3", "step = -1"), r"line 20: columns.weight.step must be a number above 0"),
        (("number = 3", "step = 1000"), r"line 20: columns.weight.step must be smaller: it leaves no place for a cut"),
        (("number = 3", "step = 200"), r"line 20: columns.weight.step must be smaller"),
        (("number = 3", "step = 1e-9"), r"line 20: columns.weight.step must be a number that leaves at most"),
        (("number = 3", "lowwer = 1"), r"columns.weight.lowwer must be left out.* \(did you mean lower\?\)"),
        (("lower = 0", "lower = -1e308"), r"line 18: columns.weight.lower must be a number below"),
        (
            ('kind = "boolean"', 'kind = "text"'),
            r"line 23: columns.smoker.kind must be categorical, numeric, boolean or date; or ignore = true",
        ),
        (
            ('kind = "boolean"', 'kind = "boolean"\ncolour = 1'),
            r"line 24: columns.smoker.colour must be left out: a boolean column has only ",
        ),
        (
            ('[columns.smoker]\nkind = "boolean"', "[columns]\nsmoker = 1"),
            r"columns.smoker must be a table with a kind",
        ),
        (("[columns.smoker]", "[columns.y]"), r"line 22: columns.y must be left out: it is the label"),
        (("[label]", "[label"), r"schema, line 2: the file must be valid TOML"),
        (("[label]", "values_are_public = 1\n[label]"), r"line 2: values_are_public must be true or false"),
        (("[label]", "values_like = 'a\tb'\n[label]"), r"line 2: values_like must be the name of a public table"),
        (("[label]", "decimal = ';'\n[label]"), r'line 2: decimal must be "\." or ","'),
        (
            ("[label]", "x = { y = 1 }\n[label]"),
            r"line 2: x must be left out: a schema has only columns, decimal, label",
        ),
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


DRAFTED = """
decimal = ","
[label]
column = "y"
classes = "?"

[columns]
id = "ignore"
age = { kind = "numeric", lower = "?", upper = 120, step = "?" }
ward = "?"
smoker = "boolean"
since = "date"
dose = { kind = "numeric", cuts = [2, 1] }

[columns.remarks]
kind = "poetry"
ignore = true
"""


def test_every_gap_at_once_in_the_order_of_lines() -> None:
    with pytest.raises(GapsError) as caught:
        Schema.from_toml(DRAFTED, "s.toml")
    assert [(gap.line, gap.where) for gap in caught.value.gaps] == [
        (5, "label.classes"),
        (9, "columns.age.lower"),
        (9, "columns.age.step"),
        (10, "columns.ward"),
        (12, "columns.since.lower"),
        (12, "columns.since.upper"),
        (13, "columns.dose.cuts"),
    ]


def test_short_forms_ignored_columns_and_the_decimal_of_all_numbers() -> None:
    text = DRAFTED.replace("[2, 1]", "[1, 2]").replace('"date"', '{ kind = "date", cuts = ["2024-01-01"] }')
    text = text.replace('ward = "?"', 'ward = { kind = "categorical", values = ["a", "?"] }').replace(
        'classes = "?"', 'classes = ["no", "?"]\npositive = "?"'
    )
    text = text.replace('lower = "?"', 'decimal = ".", lower = 0').replace(', step = "?"', "")
    schema = Schema.from_toml(text)
    assert schema.ignored == ("id", "remarks")
    assert schema.label == Label("y", ["no", "?"], "?")
    assert schema.columns == (
        PrivateCuts("age", 0, 120),
        Categorical("ward", ["a", "?"]),
        Boolean("smoker"),
        Date("since", ["2024-01-01"]),
        Numeric("dose", [1, 2], decimal=","),
    )
    assert Schema.from_toml(schema.to_toml()) == schema


@pytest.mark.parametrize("entry", ['"?"', '["?"]'])
def test_a_mark_of_the_draft_is_no_value(entry: str) -> None:
    with pytest.raises(GapsError, match=r'line 13: columns."odd name".values must be filled in'):
        Schema.from_toml(GOOD.replace('["a", "b"]', entry))


def test_names_are_found_in_a_document_that_is_wrong() -> None:
    document = {"label": {"column": "y"}, "columns": {"a": "?", "b": {"ignore": True}, "c": 3}}
    assert DocumentReader.names_in(document) == {"y": True, "a": True, "b": False, "c": True}
    assert DocumentReader.names_in({"label": 3, "columns": []}) == {}


ALL_WRONG = """
decimal = ";"
[label]
classes = ["no", "yes"]
positive = "maybe"
colour = 1
[columns]
both = { kind = "numeric", lower = "a", upper = "b", step = -1, number = 2, decimal = ";" }
days = { kind = "date", lower = "31.12.2020", upper = 7, step = 0.5 }
half = { kind = "numeric", upper = "?", step = 0, missing = "drop" }
cut = { kind = "numeric", cuts = [2, 1], decimal = "!" }
"""


def gaps_of(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(GapsError) as caught:
        Schema.from_toml(text, "s.toml")
    return [(gap.line, gap.where) for gap in caught.value.gaps]


def test_nothing_is_found_only_after_something_else_was_mended() -> None:
    expected = {
        2: ["decimal"],
        3: ["label.column"],
        5: ["label.positive"],
        6: ["label.colour"],
        8: [f"columns.both.{key}" for key in ("lower", "upper", "number", "step", "decimal")],
        9: [f"columns.days.{key}" for key in ("lower", "upper", "step")],
        10: [f"columns.half.{key}" for key in ("lower", "upper", "missing", "step")],
        11: [f"columns.cut.{key}" for key in ("cuts", "decimal")],
    }
    found = gaps_of(ALL_WRONG)
    assert [line for line, _ in found] == sorted(line for line, names in expected.items() for _ in names)
    assert set(found) == {(line, name) for line, names in expected.items() for name in names}


@pytest.mark.parametrize(
    ("label", "where"),
    [
        ('column = "y"\nclasses = ["a", "b"]\npositive = "?"', ["label.positive"]),
        ('column = "y"\nclasses = "?"\npositive = "?"', ["label.classes", "label.positive"]),
        ('column = "?"\nclasses = ["a", "b"]\npositive = "c"', ["label.column", "label.positive"]),
        ('column = "x"\nclasses = "?"', ["label.classes", "columns.x"]),
        ('classes = ["a"]\npositive = "c"', ["label.column", "label.classes"]),
    ],
)
def test_everything_that_is_wrong_with_a_label(label: str, where: list[str]) -> None:
    found = gaps_of(f'[label]\n{label}\n[columns]\nx = "boolean"\n')
    assert sorted(name for _, name in found) == sorted(where)


def test_a_question_mark_may_be_the_positive_class() -> None:
    text = '[label]\ncolumn = "y"\nclasses = ["a", "?"]\npositive = "?"\n[columns]\nx = "boolean"\n'
    assert Schema.from_toml(text).label.positive == "?"


def test_columns_that_are_all_ignored_are_a_gap_beside_others() -> None:
    text = '[label]\ncolumn = "y"\nclasses = "?"\n[columns]\nx = "ignore"\n'
    assert gaps_of(text) == [(3, "label.classes"), (4, "columns")]


def test_an_empty_file_has_a_first_line() -> None:
    assert gaps_of("") == [(1, "label"), (1, "columns")]


def test_keys_of_model_files_are_read_and_not_offered() -> None:
    entry = {"kind": "categorical", "values": ["a", "b"]}
    (column,) = DocumentReader("", "model").columns({"c": entry | {"bought": True}})
    assert column == Categorical("c", ("a", "b"), bought=True)
    with pytest.raises(GapsError, match="bought must be left out"):
        DocumentReader("", "model").columns({"c": {"kind": "boolean", "bought": True}})
    with pytest.raises(GapsError) as caught:
        DocumentReader("", "model").columns({"c": entry | {"colour": True}})
    assert "bought" not in str(caught.value)


def test_what_is_right_is_read_beside_what_is_wrong() -> None:
    text = '[label]\ncolumn = "y"\nclasses = "?"\n[columns]\na = "boolean"\nb = "?"\nc = "ignore"\n'
    reader = DocumentReader(text, "s")
    found = reader.survey(reader.parse(text))
    assert found.label is None
    assert found.columns == (Boolean("a"),)
    assert found.ignored == ("c",)
    assert [gap.line for gap in found.gaps] == [3, 6]
