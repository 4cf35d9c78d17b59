import json
import random
import sqlite3

import duckdb
import pandas as pd
import pytest

from dprules.accounting import Certificate, Release
from dprules.data import Boolean, Categorical, Numeric, literals
from dprules.errors import ModelError, ParameterError
from dprules.lists import Model, Rule, RuleList
from dprules.lists.simplify import trimmed

COLUMNS = [
    Numeric("age", True, (30.0, 50.5)),
    Categorical("odd \"name'", True, ("it's", "b", "c d")),
    Categorical("level", False, (1, 2, 3)),
    Boolean("smoker", True),
]
CLASSES = ("no", "y'es", "may;be")


def random_list(seed, length=8):
    chance = random.Random(seed)
    asked = [literal for column in COLUMNS for literal in literals(column)]
    rules = [Rule(tuple(chance.sample(asked, chance.choice((1, 2, 3)))), chance.choice(CLASSES)) for _ in range(length)]
    return RuleList(tuple(rules), chance.choice(CLASSES), CLASSES)


def frame(seed, size=300):
    chance = random.Random(seed)
    return pd.DataFrame(
        {
            "age": [chance.choice([20.0, 30.0, 49.9, 50.5, 80.0, None]) for _ in range(size)],
            "odd \"name'": [chance.choice(["it's", "b", "c d", "undeclared", None]) for _ in range(size)],
            "level": [chance.choice([1, 2, 3, 9]) for _ in range(size)],
            "smoker": pd.array([chance.choice([True, False, None]) for _ in range(size)], dtype="boolean"),
        }
    )


def rows_of(data):
    return [{k: (None if pd.isna(v) else v) for k, v in row.items()} for row in data.to_dict("records")]


@pytest.mark.parametrize("seed", range(6))
def test_all_forms_give_the_same_answers(seed):
    """Rows one by one, a frame through the engine, SQL on DuckDB and SQLite, and exported Python."""
    rules, data = random_list(seed), frame(seed)
    rows = rows_of(data)
    expected = rules.predict(rows).tolist()
    assert rules.predict(data).tolist() == expected
    with duckdb.connect() as connection:
        connection.register("people", data)
        assert [row[-1] for row in connection.execute(rules.to_sql("people")).fetchall()] == expected
    with sqlite3.connect(":memory:") as lite:
        names = ", ".join('"' + c.name.replace('"', '""') + '"' for c in COLUMNS)
        lite.execute(f"CREATE TABLE people ({names})")
        lite.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", [tuple(row.values()) for row in rows])
        assert [row[-1] for row in lite.execute(rules.to_sql("people")).fetchall()] == expected
    lite.close()
    space = {}
    exec(rules.to_python(), space)
    assert [space["predict"](row) for row in rows] == expected
    assert RuleList.from_json(rules.to_json()) == rules


@pytest.mark.parametrize("seed", range(6))
def test_sql_gives_the_same_answers_on_postgresql(seed, database):
    rules, data = random_list(seed), frame(seed)
    rows = rows_of(data)
    database.execute('CREATE TABLE people (age float8, "odd ""name\'" text, level int, smoker boolean)')
    with database.cursor() as cursor:
        cursor.executemany("INSERT INTO people VALUES (%s, %s, %s, %s)", [tuple(row.values()) for row in rows])
    found = [row[-1] for row in database.execute(rules.to_sql("public.people").encode()).fetchall()]
    assert found == rules.predict(rows).tolist()
    assert set(found) <= set(CLASSES)


@pytest.mark.parametrize("seed", range(40))
def test_simplification_keeps_every_prediction(seed):
    rules = random_list(seed, length=14)
    simple = rules.simplified()
    rows = rows_of(frame(seed))
    assert simple.predict(rows).tolist() == rules.predict(rows).tolist()
    assert not simple.rules or simple.rules[-1].label != simple.default


def test_unreachable_rules_go():
    age = literals(COLUMNS[0])
    wide, narrow = age[1], age[0]  # age < 50.5, age < 30
    rules = RuleList((Rule((wide,), "no"), Rule((narrow,), "y'es"), Rule((age[3],), "y'es")), "no", CLASSES)
    assert [str(rule) for rule in rules.simplified().rules] == ["age < 50.5 then no", "age >= 50.5 then y'es"]


def test_trailing_rules_within_the_noise_fall_to_the_default():
    asked = literals(COLUMNS[0])
    rules = RuleList(tuple(Rule((a,), "no") for a in asked[:3]), "y'es", CLASSES)
    counted = rules.with_counts([[90, 5, 5], [80, 2, 0], [1, 0, -2], [3, 60, 7]])
    short = trimmed(counted, noise=2.0)
    assert len(short.rules) == 2
    assert short.counts == ((90, 5, 5), (80, 2, 0), (4, 60, 5))
    assert trimmed(rules, noise=2.0) == rules


def test_what_is_printed():
    rules = RuleList((Rule((literals(COLUMNS[0])[0], literals(COLUMNS[3])[0]), "no"),), "y'es", CLASSES)
    assert str(rules) == "if age < 30 and smoker is true then no\nelse y'es"
    counted = rules.with_counts([[90, 10, 0], [-3, 80, 20]])
    assert "about 50.0% of records, 90% right" in str(counted)
    assert counted.probabilities(counted.cells([{"age": 20, "smoker": True}])).round(2).tolist() == [[0.88, 0.11, 0.01]]
    with pytest.raises(ParameterError, match="shares="):
        rules.probabilities(rules.cells([{}]))
    assert rules.explain({"age": 20, "smoker": "yes"}) == "Rule 1 holds: age < 30 and smoker is true then no."
    assert rules.explain({}).endswith("No rule holds, so the default: y'es.")
    assert "| 1 | age < 30 and smoker is true | no |" in rules.to_markdown()
    assert str(RuleList((), "no", CLASSES)) == "always no"


CERTIFICATE = Certificate(
    1.0,
    1e-6,
    "add-remove",
    "row",
    "exact",
    (Release("rules", "draws of rules", 1.0, {"tilt": "1/20", "rounds": 4, "rewards": ["1"]}),),
    ("all",),
    "secure",
    "dprules 0",
)
MODEL = Model(random_list(1), CERTIFICATE)


def changed(**changes):
    document = json.loads(MODEL.to_json())
    for path, value in changes.items():
        *parents, last = path.split("__")
        at = document
        for parent in parents:
            at = at[int(parent) if parent.isdigit() else parent]
        at[int(last) if last.isdigit() else last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cut short"),
        ("[]", "not a JSON document"),
        (MODEL.to_json()[:-200], "cut short"),
        ("[" * 100_000, "cut short"),
        ('{"format": "other"}', "not a dprules-model file"),
        (changed(version=99), "this dprules reads up to 1"),
        (changed(version="1"), "has no version"),
        (changed(list=None), "has no list"),
        (changed(list__default="never"), "not one of its classes"),
        (changed(list__rules__0__then=0), "not one of its classes"),
        (changed(list__rules__0__if=[]), "no conditions"),
        (changed(list__rules__0__if__0__column="x"), "names no column"),
        (changed(list__rules__0__if__0__operator="eval"), "does not fit its column"),
        (changed(list__rules__0__if__0__value="'; DROP TABLE"), "does not fit its column"),
        (changed(list__columns__age={"kind": "numeric", "cuts": [2, 1]}), "columns of the file are not valid"),
        (changed(list__classes=[None]), "classes of the file"),
        (changed(list__counts=[[1]]), "counts of the file do not fit"),
        (changed(certificate=None), "certificate is not one"),
        (changed(certificate__noise="loud"), "certificate is not one"),
        (changed(list__default=float("nan")), "cut short"),
    ],
)
def test_hostile_and_broken_files_are_refused(text, sentence):
    with pytest.raises(ModelError, match=sentence):
        Model.from_json(text)


def test_a_list_without_rules_is_read_back():
    for empty in (RuleList((), "no", CLASSES), RuleList((), "only", ("only",)).with_counts([[7]])):
        model = Model(empty, CERTIFICATE)
        assert Model.from_json(model.to_json()) == model
        assert empty.predict([{}, {}]).tolist() == [empty.default] * 2


def test_a_model_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    MODEL.save(tmp_path / "m.json")
    assert Model.load(tmp_path / "m.json") == MODEL
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        Model(random_list(2), CERTIFICATE).save(tmp_path / "m.json")
    monkeypatch.undo()
    assert Model.load(tmp_path / "m.json") == MODEL
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]
