"""Scorecards learn what is there, and fall back to what can be said where there is too little."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dprules.accounting import Account, Gaussian, Neighbours, Unit
from dprules.errors import ParameterError, PrivacyError
from dprules.learners.scorecards import ScorecardSettings
from dprules.learners.scorecards.learn import Prices
from dprules.mechanisms import Bits, SeededBits, os_bits
from dprules.models import RiskTable, Scorecard
from dprules.schema import Boolean, Categorical, Column, Label, Numeric, Schema
from dprules.tables import ColumnsTable, read_records

LABEL = Label("y", ("no", "yes"), positive="yes")
COLUMNS: tuple[Column, ...] = (
    Numeric("age", cuts=(20.0, 40.0, 60.0)),
    Categorical("colour", ("red", "green", "blue")),
    Boolean("smokes"),
)


def cells(rows: int, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 80, rows)
    colour = rng.choice(["red", "green", "blue"], rows)
    smokes = rng.random(rows) < 0.3
    score = 0.06 * (age - 40) + 1.5 * smokes - 1.0 * (colour == "red")
    risk = rng.random(rows) < 1 / (1 + np.exp(-score))
    return {"age": age, "colour": colour, "smokes": smokes, "y": np.where(risk, "yes", "no")}


def learn(
    table: dict[str, Any],
    terms: int | str = 20,
    epsilon: float = 1.0,
    columns: tuple[Column, ...] = COLUMNS,
    label: Label = LABEL,
    account: Account | None = None,
    class_weight: Any = None,
    bits: Bits = os_bits,
) -> Scorecard:
    schema = Schema(label, columns)
    spent = Account(epsilon, 1e-6) if account is None else account
    records = read_records(ColumnsTable(table), schema, spent.unit, bits)
    settings = ScorecardSettings(terms, class_weight=class_weight)
    return settings.learn(records, schema, spent, bits, lambda step, done, total: None)


def rank(card: Scorecard, table: dict[str, Any]) -> float:
    """The share of pairs that the score ranks rightly."""
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    scores = np.asarray(card.decision_function(rows)).ravel()
    yes = np.array(table["y"]) == "yes"
    above = (scores[yes][:, None] > scores[~yes]) + 0.5 * (scores[yes][:, None] == scores[~yes])
    return float(above.mean())


@pytest.mark.parametrize("terms", [3, 20, "all"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"no": 1, "yes": 4}], ids=str)
def test_it_learns_what_is_there(terms, class_weight):
    card = learn(cells(20_000), terms, class_weight=class_weight)
    assert rank(card, cells(1500, seed=1)) > 0.75
    assert card.z is not None
    assert card.z > 5
    assert (card.weights is None) == (class_weight is None)


def test_risks_are_those_of_the_records():
    card = learn(cells(30_000), "all", epsilon=3.0)
    test = cells(4000, seed=2)
    rows = [dict(zip(test, row, strict=True)) for row in zip(*test.values(), strict=True)]
    risks = np.asarray(card.predict_proba(rows))[:, 1]
    yes = np.array(test["y"]) == "yes"
    for low, high in ((0, 0.3), (0.3, 0.7), (0.7, 1)):
        inside = (risks >= low) & (risks < high)
        assert yes[inside].mean() == pytest.approx(risks[inside].mean(), abs=0.06)


@pytest.mark.parametrize("epsilon", [0.5, 50.0])
@pytest.mark.parametrize("terms", [3, "all"])
def test_cells_count_the_scores_that_the_card_gives(terms, epsilon):
    """What was measured is what is run: the cells hold the records whose scores lie in them, up to noise."""
    table = cells(6000)
    hidden = np.random.default_rng(5).random(6000) < 0.01
    table["colour"] = np.where(hidden, "", table["colour"])
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    for _ in range(6):
        card = learn(table, terms, epsilon)
        assert card.cells is not None
        found = np.searchsorted(card.cells.starts, np.asarray(card.decision_function(rows)).ravel(), side="right")
        counted = np.array(card.cells.counts).sum(axis=1)
        missed = np.abs(np.bincount(found, minlength=len(counted)) - counted).max()
        assert missed <= 6 * float(card.cells.sigma) * 2**0.5 + 1


@pytest.mark.parametrize("terms", [1, 2, 5])
def test_there_are_no_more_terms_than_asked_for(terms):
    card = learn(cells(20_000), terms, epsilon=5.0)
    groups = [len({tuple(row) for row in points.table().tolist()}) for points in card.points]
    assert 0 < sum(size - 1 for size in groups) <= terms


def test_either_class_may_be_the_positive_one():
    turned = learn(cells(20_000), label=Label("y", ("no", "yes"), positive="no"))
    assert turned.positive == "no"
    assert rank(turned, cells(1500, seed=1)) < 0.25
    assert learn(cells(20_000), label=Label("y", ("yes", "no"))).positive == "no"  # the last declared


def test_many_classes_have_points_each():
    table = cells(20_000)
    table["y"] = np.where(table["age"] > 60, "old", table["y"])
    label = Label("y", ("no", "yes", "old"))
    card = learn(table, 5, label=label)
    row = {"age": 75, "colour": "red", "smokes": False}
    assert card.predict([row]).tolist() == ["old"]
    assert np.asarray(card.predict_proba([row])).sum() == pytest.approx(1)


@pytest.mark.parametrize("weak", [True, False])
def test_the_class_with_the_most_starts_from_nothing(weak):
    table = cells(3000)
    drawn = np.random.default_rng(4).choice(["no", "yes", "old"], 3000, p=[0.2, 0.5, 0.3])
    table["y"] = drawn if weak else np.where(table["age"] > 60, "old", table["y"])
    card = learn(table, label=Label("y", ("no", "yes", "old")))
    assert max(card.base) == 0


def test_one_cut_has_two_scores_and_two_risks():
    card = learn(cells(5000), columns=(Numeric("age", cuts=(40.0,)),), epsilon=5.0)
    assert isinstance(card.meaning, RiskTable)
    assert len(card.meaning.risks) == 2
    rows = [{"age": 30}, {"age": 50}]
    assert card.ranges() == [str(score) for score in card.decision_function(rows)]
    assert [risk.value for risk in card.meaning.risks] == card.predict_proba(rows)[:, 1].tolist()


def nothing(rows: int = 0) -> dict[str, Any]:
    return {name: values[:rows] for name, values in cells(max(rows, 1)).items()}


TOO_LITTLE: dict[str, tuple[dict[str, Any], float]] = {
    "no rows": (nothing(), 1.0),
    "three rows": (nothing(3), 1.0),
    "a tiny epsilon": (nothing(500), 0.001),
    "one class": (cells(500) | {"y": np.array(["no"] * 500)}, 0.01),
    "no declared label": (cells(500) | {"y": np.array(["perhaps"] * 500)}, 1.0),
}


@pytest.mark.parametrize("terms", [20, "all"])
@pytest.mark.parametrize(("table", "epsilon"), TOO_LITTLE.values(), ids=TOO_LITTLE)
def test_too_little_gives_the_shares_alone_or_nothing_worse(table, epsilon, terms):
    card = learn(table, terms, epsilon)
    risks = np.asarray(card.predict_proba([{"age": 30}, {}]))
    assert np.isfinite(risks).all()
    assert str(card)


@pytest.mark.parametrize("classes", [("no",), ("a", "b", "no")], ids=str)
def test_one_class_in_the_data(classes):
    label = Label("y", classes, inferred=True)
    card = learn(cells(5000) | {"y": np.array(["no"] * 5000)}, label=label)
    assert card.predict([{"age": 30}]).tolist() == ["no"]


def test_a_single_column_and_a_thousand():
    table = cells(3000)
    assert learn(table, columns=COLUMNS[:1]).columns == COLUMNS[:1]
    wide = tuple(Boolean(f"b{i}") for i in range(1000))
    many = {f"b{i}": np.array(table["smokes"]) for i in range(1000)} | {"y": table["y"]}
    assert learn(many, columns=wide, epsilon=10.0, terms=3).classes == ("no", "yes")


def test_a_thousand_values():
    values = tuple(f"v{i}" for i in range(1000))
    rng = np.random.default_rng(0)
    places = rng.integers(0, 1000, 20_000)
    table = {"c": np.array(values)[places], "y": np.where(places < 500, "yes", "no")}
    card = learn(table, "all", epsilon=10.0, columns=(Categorical("c", values),))
    rows = [{"c": value} for value in values]
    right = np.array(card.predict(rows)) == np.where(np.arange(1000) < 500, "yes", "no")
    assert right.mean() > 0.8


def test_columns_that_say_nothing_have_no_points():
    table = cells(20_000) | {"noise": np.arange(20_000) % 2 == 0}
    card = learn(table, 3, columns=(*COLUMNS, Boolean("noise")))
    assert "noise" not in {column.name for column in card.columns}


def test_a_seed_repeats_the_card():
    table = cells(3000)
    assert learn(table, bits=SeededBits(7)) == learn(table, bits=SeededBits(7))
    assert learn(table, bits=SeededBits(7)) != learn(table, bits=SeededBits(8))


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("neighbours", list(Neighbours)[:2])
@pytest.mark.parametrize("keeps_all", [True, False])
def test_the_whole_budget_is_spent_and_no_more(rows, neighbours, keeps_all):
    account = Account(Fraction(3, 2), 1e-6, neighbours, Unit("who", rows) if rows > 1 else Unit())
    prices = Prices.of(account, keeps_all=keeps_all)
    prices.charge(account)
    assert account.epsilon_left == 0
    (charge,) = account.charges
    assert len(charge.releases) == (4 if keeps_all else 5)
    # More of any of them would be refused.
    dearer = Account(Fraction(3, 2), 1e-6, neighbours, account.unit)
    more = Prices(
        Gaussian(Fraction(prices.classes.mu) * Fraction(101, 100), True),
        *(getattr(prices, n) for n in Prices.__slots__[1:]),
    )
    with pytest.raises(PrivacyError, match="would cost more than is left"):
        more.charge(dearer)


def test_an_epsilon_that_buys_only_noise_is_refused_before_anything_is_spent():
    account = Account(Fraction(1, 10**9), 1e-90)
    with pytest.raises(ParameterError, match="epsilon is too small for a scorecard"):
        learn(cells(100), account=account)
    assert account.charges == ()


def test_progress_tells_steps_alone():
    told = []
    schema = Schema(LABEL, COLUMNS)
    records = read_records(ColumnsTable(cells(5000)), schema, Unit(), os_bits)
    ScorecardSettings(2).learn(records, schema, Account(1, 1e-6), os_bits, lambda *step: told.append(step))
    assert {step for step, _, _ in told} == {"learning weights", "learning points"}
    assert all(0 <= done <= total <= 150 for _, done, total in told)
