"""One row at a time says what many rows at a time say, to the last bit."""

import random

import pytest

from dprules.models import Halfspace, Model, Term
from dprules.models.one_row import by_arrays, reader_of
from dprules.schema import Clipped, Scaled, literals_of
from models import cards, random_lists

ODD = [None, "", "01", "1.0", True, float("nan"), float("inf"), 10**400, "\ud800", [], {}, b"\xff", "it's"]


def random_halfspace(seed: int) -> Halfspace:
    chance = random.Random(seed)
    asked = [literal for column in random_lists.COLUMNS for literal in literals_of(column)]
    terms = [Term(tuple(chance.sample(asked, chance.choice((1, 1, 2, 3)))), chance.gauss(0, 1)) for _ in range(30)]
    terms += [Term(Clipped("dose"), chance.gauss(0, 1)), Term(Clipped("age's"), 0.1)]
    terms += [Term(Scaled("height", 0.5, 2.5), chance.gauss(0, 1))]
    chance.shuffle(terms)
    return Halfspace(tuple(terms), chance.choice((0.0, 0.3)), ("no", "yes"), 7)


def odd_rows(model: Model, seed: int) -> list[dict[str, object]]:
    chance = random.Random(seed)
    known = {
        **random_lists.CELLS,
        **cards.CELLS,
        "dose": [-2, 0.3, 1, "0.5"],
        "age's": [0.1, None],
        "height": [1.7, "1.9", 3],
    }
    names = [column.name for column in model.columns]
    return [{name: chance.choice([*known[name], *ODD]) for name in names if chance.random() < 0.9} for _ in range(150)]


MODELS: dict[str, Model] = {
    **cards.CARDS,
    **{f"list {seed}": random_lists.random_list(seed) for seed in range(4)},
    "list with counts": random_lists.random_list(9, 3).with_counts([[3, 1, 0], [0, 9, 2], [5, 5, 5], [1, 0, 7]], 1),
    "list without rules": random_lists.random_list(1, 0),
    **{f"halfspace {seed}": random_halfspace(seed) for seed in range(4)},
    "halfspace of nothing": Halfspace((), 0.0, ("no", "yes")),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_prepared_model_says_what_arrays_say(name):
    model = MODELS[name]
    fast, slow = model.prepare(), by_arrays(model)
    readers = [(column.name, reader_of(column)) for column in model.columns]
    rows = odd_rows(model, 5)
    cells = [[read(row.get(column)) for column, read in readers] for row in rows]
    said = [fast(one) for one in cells]
    assert said == [slow(one) for one in cells]
    assert [label for label, _, _ in said] == model.predict(rows).tolist()
    assert all((shares is not None) == model.has_probabilities for _, shares, _ in said)
    assert all((score is not None) == model.has_scores for _, _, score in said)


def test_terms_are_added_in_their_order():
    """0.1 + 0.2 - 0.3 is positive in this order, and 0 in another."""
    column = random_lists.COLUMNS[3]
    on = literals_of(column)[:1]
    model = Halfspace((Term(on, 0.1), Term(on, 0.2), Term(on, -0.3)), 0.0, ("no", "yes"))
    assert model.prepare()([1])[0] == "yes"
    turned = Halfspace(model.terms[::-1], 0.0, ("no", "yes"))
    assert turned.prepare()([1])[0] == turned.predict([{column.name: True}])[0]
