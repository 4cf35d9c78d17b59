"""A card that chance made of the records it was learnt from does not look like knowledge."""

import numpy as np
import pytest

from dprules.accounting import Account, Gaussian, Unit
from dprules.jobs.example import SCHEMA, hospital_stays
from dprules.learners.scorecards import ScorecardSettings
from dprules.learners.scorecards.groups import Grouped
from dprules.learners.scorecards.optimism import Freedom
from dprules.mechanisms import SeededBits
from dprules.schema import Boolean, Categorical, Label, Numeric, Schema
from dprules.tables import ColumnsTable, read_records

COIN = Grouped(Boolean("b"), np.array([0, 1, 1]), np.array([0.5, 0.5]))


def test_without_noise_chance_moves_every_weight():
    free = Freedom.of([COIN] * 10, [0.5, 0.5], 10**6, Gaussian(50))
    assert free.weights == 10
    assert free.moved == pytest.approx(10, rel=1e-3)


def test_where_noise_is_large_chance_moves_nothing():
    assert Freedom.of([COIN] * 10, [0.5, 0.5], 100, Gaussian(0.001)).moved < 1e-3


def test_terms_that_keep_the_variance_keep_what_chance_did():
    before, after = Freedom(100, 80.0), Freedom(20, 10.0)
    assert after.chosen(before, 1.0) > after.chosen(before, 0.5) > after.chosen(before, 0.0) > 0
    # Without noise the first descent has seen all that there is: the second adds nothing.
    assert Freedom(20, 20.0).chosen(Freedom(100, 100.0), 0.9) == pytest.approx(90)
    # And no card is moved more often than there are weights.
    assert Freedom(100, 99.0).chosen(before, 1.0) < 100


def test_the_square_of_z_is_at_most_what_is_expected():
    """The formula against a simulation of sums, noise, a choice by noisy sums, and fresh noise."""
    rng = np.random.default_rng(3)
    squares = []
    for _ in range(400):
        sums = rng.normal(size=200)
        first = sums + rng.normal(size=200)  # a = 1/2
        order = np.argsort(first)
        segments = np.array_split(order, 8)
        weights = np.empty(200)
        for members in segments:  # a second look with as much noise, weighed alike
            weights[members] = first[members].mean() + 0.2 * rng.normal(0, 2 / len(members) ** 0.5)
        squares.append(float(weights @ sums) / float(np.linalg.norm(weights)))
    expected = Freedom(7, 3.5).chosen(Freedom(200, 100.0), 0.95)
    assert np.mean(squares) < expected**0.5 < 1.2 * np.mean(squares)


def learn(table, schema, terms, epsilon, seed=1):
    bits = SeededBits(seed)
    records = read_records(ColumnsTable(table), schema, Unit(), bits)
    return ScorecardSettings(terms).learn(records, schema, Account(epsilon, 1e-6), bits, lambda step, done, total: None)


def random_card(rng, kind, rows, columns, bins, classes, epsilon, terms, shares=None):
    """A card for classes that have nothing to do with the columns."""
    names = ("a", "b", "c", "d")[:classes]
    values = tuple(f"v{k}" for k in range(bins))
    made = [
        Categorical(f"x{i}", values)
        if kind is Categorical
        else Numeric(f"x{i}", cuts=tuple(map(float, range(1, bins))))
        for i in range(columns)
    ]
    drawn = {column.name: rng.integers(0, bins, rows) for column in made}
    if kind is Categorical:
        drawn = {name: np.array(values)[places] for name, places in drawn.items()}
    schema = Schema(Label("y", names), tuple(made))
    return learn(drawn | {"y": rng.choice(names, rows, p=shares)}, schema, terms, epsilon, int(rng.integers(2**32)))


BY_CHANCE = {
    "a thousand values": (Categorical, 20_000, 1, 1000, 2, 3.0, 20),
    "300 values, little noise": (Categorical, 3000, 1, 300, 2, 10.0, 20),
    "300 values": (Categorical, 3000, 1, 300, 2, 3.0, 20),
    "columns of 50 values": (Categorical, 5000, 5, 50, 2, 10.0, 20),
    "columns of 50 values, four classes": (Categorical, 5000, 5, 50, 4, 10.0, 20),
    "numbers": (Numeric, 2000, 10, 5, 2, 1.0, 20),
    "numbers, little noise": (Numeric, 2000, 10, 5, 2, 10.0, 20),
    "all terms": (Numeric, 2000, 40, 5, 2, 10.0, "all"),
    "a rare class": (Categorical, 5000, 10, 10, 2, 10.0, 20, (0.9, 0.1)),
    "three classes, few terms": (Numeric, 2000, 10, 5, 3, 10.0, 20),
    "three classes, all terms": (Numeric, 3000, 15, 9, 3, 10.0, "all"),
    "four classes, all terms": (Numeric, 5000, 30, 9, 4, 10.0, "all"),
    "unequal classes": (Numeric, 3000, 15, 9, 3, 10.0, "all", (0.6, 0.3, 0.1)),
}


@pytest.mark.slow
@pytest.mark.parametrize("setting", BY_CHANCE.values(), ids=BY_CHANCE)
def test_random_classes_are_not_taken_for_knowledge(setting):
    rng = np.random.default_rng(7)
    found = np.array([random_card(rng, *setting).z or 0.0 for _ in range(12)])
    assert found.mean() < 0.5
    assert (found >= 2).mean() <= 0.1


def test_risks_of_random_classes_are_those_of_the_classes():
    rng = np.random.default_rng(8)
    for setting in ("300 values, little noise", "columns of 50 values"):
        card = random_card(rng, *BY_CHANCE[setting])
        assert card.z < 3.5
        rows = [{column.name: f"v{k}" for column in card.columns} for k in range(50)]
        places = card.meaning.rows_of(card.decision_function(rows))
        risks = [card.meaning.risks[place] for place in places]
        assert np.mean([risk.low <= 0.5 <= risk.high for risk in risks]) > 0.5
        assert min(risk.value for risk in risks) > 0.3
        assert max(risk.value for risk in risks) < 0.7


def test_what_is_known_stays_known():
    stays = hospital_stays(8000, 1).to_pydict()
    known = learn({name: np.array(cells, dtype=object) for name, cells in stays.items()}, SCHEMA, 20, 1.0)
    assert known.z > 20
    rng = np.random.default_rng(9)
    values = tuple(f"v{k}" for k in range(300))
    places = rng.integers(0, 300, 3000)
    table = {"x": np.array(values)[places], "y": np.where(places < 150, "a", "b")}
    decided = learn(table, Schema(Label("y", ("a", "b")), (Categorical("x", values),)), 20, 10.0)
    assert decided.z > 20
    thirds = table | {"y": np.array(["a", "b", "c"])[places // 100]}
    assert learn(thirds, Schema(Label("y", ("a", "b", "c")), (Categorical("x", values),)), 20, 10.0).z > 20
