import pytest

from dprules.schema import Boolean, Draft, GapsError, Label, Schema, empty_entry, empty_label

KINDS = ("boolean", "numeric", "date", "categorical", "unknown")
EMPTY = Draft(empty_label("y"), {kind: empty_entry(kind) for kind in KINDS}, {})


def test_a_draft_is_one_line_a_column_and_every_gap_has_its_line() -> None:
    lines = EMPTY.to_toml().splitlines()
    assert 'unknown = "?"  # categorical, numeric, boolean, date, or ignore' in lines
    assert 'numeric = { kind = "numeric", lower = "?", upper = "?", step = "?" }' in lines
    named = {(gap.where, lines[(gap.line or 0) - 1].split(" = ")[0]) for gap in EMPTY.gaps}
    assert named == {
        ("label.classes", "classes"),
        ("columns.numeric.lower", "numeric"),
        ("columns.numeric.upper", "numeric"),
        ("columns.numeric.step", "numeric"),
        ("columns.date.lower", "date"),
        ("columns.date.upper", "date"),
        ("columns.categorical.values", "categorical"),
        ("columns.unknown", "unknown"),
    }


def test_an_unedited_draft_is_never_a_schema() -> None:
    with pytest.raises(GapsError, match="the draft has 8 gaps"):
        EMPTY.schema()
    with pytest.raises(GapsError, match="8 gaps"):
        Schema.from_toml(EMPTY.to_toml())


@pytest.mark.parametrize("place", range(8))
def test_a_single_gap_is_enough_to_refuse_a_draft(place: int) -> None:
    filled = ['["a", "b"]', "0", "9", "1", '"2024-01-01"', '"2025-01-01"', '["u", "v"]', '"ignore"']
    text = EMPTY.to_toml()
    for k, value in enumerate(filled):
        head, _, rest = text.partition('= "?"')
        text = f"{head}= {'@' if k == place else value}{rest}"
    with pytest.raises(GapsError, match="must be filled in") as caught:
        Schema.from_toml(text.replace("@", '"?"'))
    assert len(caught.value.gaps) == 1
    assert Schema.from_toml(text.replace("@", filled[place])).label == Label("y", ["a", "b"])


def test_a_complete_draft_is_a_schema() -> None:
    draft = Draft({"column": "y", "classes": ["a", "?"]}, {"odd name": {"kind": "boolean"}}, {"values_like": "p.csv"})
    assert draft.gaps == ()
    assert draft.schema() == Schema(Label("y", ["a", "?"]), [Boolean("odd name")], values_like="p.csv")


def test_what_a_draft_says_of_itself() -> None:
    label = {"column": "y", "classes": ["a", "b"]}
    complete = Draft(label, {"x": {"kind": "boolean"}}, {})
    assert "?" not in complete.to_toml()
    for entry in ("?", {"kind": "categorical", "values": "?"}):
        assert 'Replace every "?"' in Draft(label, {"x": entry}, {}).to_toml()
    assert 'Replace every "?"' in Draft({"column": "y", "classes": "?"}, {"x": {"kind": "boolean"}}, {}).to_toml()
    assert "first line" not in complete.to_toml()
    from_a_file = Draft(label, {"x": {"kind": "boolean"}}, {}, named_by_first_line=True)
    assert "If that line is a record" in from_a_file.to_toml()
    assert from_a_file.schema() == complete.schema()
