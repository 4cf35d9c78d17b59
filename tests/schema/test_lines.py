from dprules.schema.lines import find_lines, line_of

TEXT = """\
decimal = "."

[label]
column = "y"
classes = [
  "no = 1",
  "yes",
]

[columns]
age = { kind = "numeric", lower = 0 }
"days in = hospital" = "?"

[columns.'odd "name"']
kind = "boolean"

[ columns . "a.b" ]
kind = "date"
"""


def test_tables_and_keys_have_lines() -> None:
    lines = find_lines(TEXT)
    assert lines[("label", "classes")] == 5
    assert lines[("columns", "age")] == 11
    assert lines[("columns", "days in = hospital")] == 12
    assert lines[("columns", 'odd "name"')] == 14
    assert lines[("columns", 'odd "name"', "kind")] == 15
    assert lines[("columns", "a.b")] == 17


def test_what_is_not_there_is_looked_for_around_it() -> None:
    lines = find_lines(TEXT)
    assert line_of(("columns", "age", "upper"), lines) == 11
    assert line_of(("columns", "a.b", "cuts"), lines) == 17
    assert line_of(("columns", "weight"), lines) == 10
    assert line_of(("values_are_public",), lines) == 1
