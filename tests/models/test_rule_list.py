"""Lists: what is printed is what is run, and documents are read with suspicion."""

import json

import pandas as pd
import pytest

from dprules.errors import ModelError, ParameterError
from dprules.jobs import predict, predict_places
from dprules.models import Rule, RuleList
from dprules.schema import Boolean, Literal, Numeric, Operator, literals_of
from models.random_lists import CLASSES, COLUMNS, ODD, random_list, random_rows

AGE = literals_of(COLUMNS[0])
SMOKER = literals_of(COLUMNS[3])
SHORT = RuleList((Rule((AGE[0], SMOKER[0]), "no"),), "y'es", CLASSES)


@pytest.mark.parametrize("seed", range(6))
def test_a_frame_and_its_rows_get_the_same_answers(seed):
    rules = random_list(seed)
    rows = random_rows(seed)
    frame = pd.DataFrame(rows).astype({"smoker": "boolean"})
    assert predict(rules, frame).tolist() == rules.predict(rows).tolist()
    assert predict_places(rules, frame).tolist() == [rules.decide_row(row) for row in rows]


@pytest.mark.parametrize("seed", range(6))
def test_a_list_is_read_back(seed):
    rules = random_list(seed)
    assert RuleList.from_json(rules.to_json()) == rules
    counted = rules.with_counts([[seed, -1, 2]] * (len(rules.rules) + 1), 0.5)
    assert RuleList.from_json(counted.to_json()) == counted


@pytest.mark.parametrize("empty", [RuleList((), "no", CLASSES), RuleList((), "only", ("only",)).with_counts([[7]], 1)])
def test_a_list_without_rules_is_read_back(empty):
    assert RuleList.from_json(empty.to_json()) == empty
    assert empty.predict([{}, {}]).tolist() == [empty.default] * 2


def test_what_is_printed():
    assert str(SHORT) == "if age < 30 and smoker is true then no\nelse y'es"
    assert str(SHORT.with_counts([[900, 90, 3], [-3, 800, 200]], 1)).splitlines() == [
        "Learnt from about 1,990 records (1,981 to 1,999).",
        "if age < 30 and smoker is true then no   about 993 of 1,990 records, 91% right (90 to 92)",
        "else y'es                                about 997 of 1,990 records, 80% right (79 to 81)",
    ]
    assert str(SHORT.with_counts([[0, -2, 0], [1, 1, 1]], 1)).splitlines() == [
        "Learnt from too few records to tell how many.",
        "if age < 30 and smoker is true then no   too few to tell (at most 7)",
        "else y'es                                too few to tell (at most 10)",
    ]
    assert str(RuleList((), "no", CLASSES)) == "always no"


def test_what_is_explained():
    assert SHORT.explain({"age": 20, "smoker": "yes"}) == "Rule 1 holds: age < 30 and smoker is true then no."
    assert SHORT.explain({}) == (
        "Rule 1 does not hold: not (age < 30 and smoker is true).\nNo rule holds, so the default: y'es."
    )


def test_probabilities_need_counts():
    counted = SHORT.with_counts([[90, 10, 0], [-3, 80, 20]], 1)
    place = counted.decide_row({"age": 20, "smoker": True})
    shares = counted.probabilities_at([place])
    assert shares.sum() == pytest.approx(1)
    assert shares.argmax() == 0
    with pytest.raises(ParameterError, match="shares="):
        SHORT.probabilities_at([0])


def test_a_trailing_rule_with_the_label_of_the_default_stays_if_its_count_tells_something():
    same = RuleList((*SHORT.rules, Rule((SMOKER[1],), "y'es")), "y'es", CLASSES)
    told = same.with_counts([[90, 10, 0], [3, 700, 20], [5, 5, 5]], 1)
    assert told.simplified() == told
    few = same.with_counts([[90, 10, 0], [-3, 2, 1], [5, 50, 5]], 1).simplified()
    assert len(few.rules) == 1
    assert few.counts == ((90, 10, 0), (2, 52, 6))
    assert [group.tilts for group in few.groups] == [(1,), (1, 1)]


def test_numbers_are_compared_as_they_are_printed():
    exact = Numeric("x", (0.1, 1 / 3, 1e15))
    rules = RuleList((Rule((Literal(exact, Operator.BELOW, 1 / 3),), "no"),), "y'es", CLASSES)
    assert str(rules).startswith("if x < 0.3333333333333333 then")
    assert rules.predict([{"x": 0.3333333333333333}, {"x": 0.33333333333333326}]).tolist() == ["y'es", "no"]


def changed(**changes):
    """A document of a list with entries changed; a__0__b is document["a"][0]["b"]."""
    document = json.loads(random_list(1).to_json())
    for path, value in changes.items():
        *parents, last = path.split("__")
        at = document
        for parent in parents:
            at = at[int(parent) if parent.isdigit() else parent]
        at[int(last) if last.isdigit() else last] = value
    return json.dumps(document)


def counted(counts, tilts=("1/2",)):
    return {"counts": counts, "tilts": list(tilts), "records": None, "right": None}


HOSTILE = {
    "nothing": ("", "cut short"),
    "a list": ("[]", "not a JSON document"),
    "cut short": (random_list(1).to_json()[:-200], "cut short"),
    "too deep": ("[" * 100_000, "cut short"),
    "another format": ('{"format": "other"}', "not a dprules-list file"),
    "a later version": (changed(version=99), "this dprules reads version 1"),
    "a version of another type": (changed(version="1"), "has no version"),
    "an unknown default": (changed(default="never"), "not one of its classes"),
    "an unknown label": (changed(rules__0__then=0), "not one of its classes"),
    "no conditions": (changed(rules__0__if=[]), "no conditions"),
    "a rule that is none": (changed(rules__0="all"), "no conditions"),
    "an unknown column": (changed(rules__0__if__0__column="x"), "names no column"),
    "a column that is no text": (changed(rules__0__if__0__column=["age"]), "names no column"),
    "an unknown operator": (changed(rules__0__if__0__operator="eval"), "does not fit its column"),
    "an undeclared value": (changed(rules__0__if__0__value="'; DROP TABLE"), "does not fit its column"),
    "decreasing cuts": (changed(columns__age={"kind": "numeric", "cuts": [2, 1]}), "columns of the file are not valid"),
    "no columns": (changed(columns=None), "has no columns"),
    "no classes": (changed(classes=[None]), "classes of the file"),
    "counts that do not fit": (changed(counted=[counted([1, 2, 3])]), "counts of the file do not fit"),
    "counts that are no integers": (changed(counted=[counted([1.5] * 3)] * 9), "counts of the file do not fit"),
    "counts of too few classes": (changed(counted=[counted([1])] * 9), "counts of the file do not fit"),
    "counts without noise": (changed(counted=[counted([1, 2, 3], tilts=[])] * 9), "how much noise they carry"),
    "noise that is none": (changed(counted=[counted([1, 2, 3], tilts=["0"])] * 9), "noise that no release has"),
    "noise that is no number": (changed(counted=[counted([1, 2, 3], tilts=[0.5])] * 9), "must be an exact number"),
    "weights of too few classes": (changed(weights=["1"]), "class weights of the file do not fit"),
    "weights above 1": (changed(weights=["1", "2", "1"]), "must lie in"),
    "not a number": (changed(default=float("nan")), "cut short"),
}


@pytest.mark.parametrize(("text", "sentence"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_and_broken_documents_are_refused(text, sentence):
    with pytest.raises(ModelError, match=sentence):
        RuleList.from_json(text)


@pytest.mark.parametrize(
    "column",
    [
        {"kind": "numeric", "lower": 0, "upper": 1},
        {"kind": "clipped"},
    ],
    ids=["private cuts", "clipped"],
)
def test_a_rule_cannot_ask_about_a_column_without_codes(column):
    """Such a list could be read, and then no row could be decided."""
    document = json.loads(RuleList((Rule((SMOKER[2],), "no"),), "y'es", CLASSES).to_json())
    document["columns"] = {"smoker": column | {"missing": "literal"}}
    with pytest.raises(ModelError, match="does not fit its column"):
        RuleList.from_json(json.dumps(document))


def test_awkward_names_are_kept():
    rules = RuleList((Rule((literals_of(COLUMNS[1])[0],), "no"),), "y'es", CLASSES)
    assert RuleList.from_json(rules.to_json()).columns[0].name == ODD
    assert [column.name for column in rules.columns] == [ODD]


def test_a_boolean_column_is_printed_as_it_is_run():
    truth = literals_of(Boolean("a"))
    assert [str(literal) for literal in truth] == ["a is true", "a is false"]


def test_what_missing_values_mean_is_said_where_it_matters():
    ward = next(one for column in COLUMNS for one in literals_of(column) if one.operator is Operator.DIFFERS)
    asked = RuleList((Rule((ward,), "no"),), "y'es", CLASSES)
    assert str(asked).endswith('("!=" and "is present" do not hold of values that are missing or not declared.)')
    assert "missing" not in str(SHORT)
