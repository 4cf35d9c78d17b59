"""Halfspaces: lists as such, with the best margin; and what stream learners release."""

import json
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from dprules.errors import ModelError, ParameterError
from dprules.jobs import predict
from dprules.models import Halfspace, Rule, RuleList, Term, halfspace
from dprules.schema import Boolean, Categorical, Clipped, Numeric, literals_of

A, B, C = (literals_of(Boolean(name))[:1] for name in "abc")
FOUND = Halfspace.ranked([Term(C, 0.5), Term(B, -2.0)], 1.0, ("no", "yes"), 3)


@pytest.mark.parametrize("length", range(1, 8))
def test_lists_are_halfspaces_with_the_best_margin(length):
    """Against a linear program over all corners of the cube; from length 6 on a sample of the lists."""
    corners = np.array(list(product((-1, 1), repeat=length)))
    every = list(product((-1, 1), repeat=length + 1))
    for *labels, default in every if length < 6 else every[:: 2 ** (length - 3)]:
        answers = np.array(
            [next((b for z, b in zip(corner, labels, strict=True) if z > 0), default) for corner in corners]
        )
        weights, bias, margin = halfspace.from_labels(labels, default)
        reached = (answers * (corners @ weights + bias)).min() / (np.abs(weights).sum() + abs(bias))
        assert reached == pytest.approx(margin)
        signed = answers[:, None] * np.hstack([corners, np.ones((len(corners), 1))])
        limits = np.hstack([-signed, signed, np.ones((len(corners), 1))])
        best = linprog(
            np.append(np.zeros(2 * (length + 1)), -1),
            A_ub=np.vstack([limits, np.append(np.ones(2 * (length + 1)), 0)]),
            b_ub=np.append(np.zeros(len(corners)), 1),
        )
        assert -best.fun == pytest.approx(margin, rel=1e-6)


def test_a_list_and_its_halfspace_agree():
    a = literals_of(Boolean("a"))
    n = literals_of(Numeric("n", (1.0, 2.0)))
    c = literals_of(Categorical("c", ("x", "y")))
    rules = RuleList((Rule((a[0], n[0]), "yes"), Rule((a[1],), "no"), Rule((c[0],), "yes")), "no", ("no", "yes"))
    found = halfspace.from_list(rules)
    for truth, number, value in product((True, False), (0, 1, 2), "xy"):
        row = {"a": truth, "n": number, "c": value}
        z = np.array([1 if rule.holds(row) else -1 for rule in rules.rules])
        assert ("yes" if found.weights @ z + found.bias > 0 else "no") == rules.predict([row])[0]
    with pytest.raises(ParameterError, match="two classes"):
        halfspace.from_list(RuleList((), "a", ("a", "b", "c")))


def test_the_doubling_map():
    assert halfspace.double(np.array([[1.0, -1.0]])).tolist() == [[1, -1, -1, 1]]


def test_terms_are_ranked_and_printed():
    assert FOUND.terms == (Term(B, -2.0), Term(C, 0.5))
    assert str(FOUND).splitlines()[1:] == ["  b is true  -2.000", "  c is true  +0.500", "  always     +1.000"]
    assert str(Halfspace((), 0.0, ("no", "yes"))) == "always no (nothing has been released yet)"


def test_what_is_explained_adds_up():
    row = {"b": True, "c": True}
    assert FOUND.explain(row) == "b is true: -2.000\nc is true: +0.500\nalways: +1.000\nsum -0.500: no"
    assert FOUND.predict([row, {"c": True}, {}]).tolist() == ["no", "yes", "yes"]


def test_a_tie_is_the_first_class():
    assert Halfspace((Term(A, 1.0),), 1.0, ("no", "yes")).predict([{}]).tolist() == ["no"]


@pytest.mark.parametrize("seed", range(5))
def test_rows_and_tables_are_weighed_in_one_order(seed):
    """Weights such as 0.1, 0.2 and -0.3 sum to 0 or not, by the order in which they are added."""
    random = np.random.default_rng(seed)
    terms = [Term(literals_of(Boolean(f"x{i}"))[:1], round(float(w), 1)) for i, w in enumerate(random.normal(size=6))]
    model = Halfspace.ranked(terms, round(float(random.normal()), 1), ("no", "yes"), 1)
    rows = [{f"x{i}": bool(b) for i, b in enumerate(bits)} for bits in product((0, 1), repeat=6)]
    columns = {f"x{i}": np.array([row[f"x{i}"] for row in rows]) for i in range(6)}
    assert predict(model, columns).tolist() == model.predict(rows).tolist()


def test_numbers_are_weighed_as_they_were_learnt():
    model = Halfspace((Term(Clipped("x"), 2.0),), -1.0, ("no", "yes"), 1)
    cells = [0.5, 0.52, 9, -9, None, "0.75", True, "yes", "text", 1e300, float("inf")]
    rows = [{"x": cell} for cell in cells]
    sums = [0, 2 * 33 / 64 - 1, 1, -3, -1, 0.5, 1, 1, -1, -1, -1]
    assert [model.weigh(row) for row in rows] == sums
    assert predict(model, {"x": cells}).tolist() == model.predict(rows).tolist()
    assert "weight times feature" in str(model)
    assert Halfspace.from_json(model.to_json()) == model


def changed(**changes):
    return json.dumps(json.loads(FOUND.to_json()) | changes)


HOSTILE = {
    "nothing": ("", "cut short"),
    "no format": ("{}", "not a dprules-halfspace file"),
    "cut short": (FOUND.to_json()[:40], "cut short"),
    "another version": (changed(version=2), "this dprules reads version 1"),
    "three classes": (changed(classes=["a", "b", "c"]), "two classes"),
    "no terms": (changed(terms=None), "has no terms"),
    "a term that is none": (changed(terms=[3]), "a term of the file"),
    "an endless weight": (changed(terms=[{"if": [], "weight": 1e999}]), "cut short"),
    "a weight of text": (changed(bias="1"), "a weight of the file"),
    "a weight that is true": (changed(bias=True), "a weight of the file"),
    "a number of no column": (changed(terms=[{"number": "b", "weight": 1.0}]), "names no number"),
    "no releases": (changed(releases=None), "has no releases"),
    "releases that are true": (changed(releases=True), "has no releases"),
    "fewer than no releases": (changed(releases=-1), "releases"),
}


@pytest.mark.parametrize(("text", "sentence"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_and_broken_documents_are_refused(text, sentence):
    with pytest.raises(ModelError, match=sentence):
        Halfspace.from_json(text)


def test_a_halfspace_is_read_back():
    assert Halfspace.from_json(FOUND.to_json()) == FOUND
