"""Every kind of model keeps the same promises, and nobody outside asks which kind it is."""

import ast
from pathlib import Path

import numpy as np
import pytest

import dprules
from dprules.errors import ParameterError
from dprules.models import Halfspace, Model, RuleList, Scorecard, Term
from dprules.models.model import FORMS
from dprules.schema import Boolean, Categorical, Clipped, literals_of
from models import cards, random_lists

COUNTS = [(5 * i, 900, 30) for i in range(9)]
HALFSPACE = Halfspace.ranked(
    [Term(literals_of(Boolean("smoker"))[:1], 0.5), Term(literals_of(Categorical("level", (1, 2, 3)))[:1], -0.75)],
    0.1,
    ("no", "yes"),
    2,
)
WEIGHED = Halfspace.ranked([Term(Clipped("gain"), 1.0), *HALFSPACE.terms], 0.0, ("no", "yes"), 2)
MODELS: dict[str, Model] = {
    "list": random_lists.random_list(3),
    "list with counts": random_lists.random_list(4).with_counts(COUNTS, 0.1),
    "halfspace": HALFSPACE,
    "halfspace with a number": WEIGHED,
    **cards.CARDS,
}
ROWS = [dict(row) | dict(other) for row, other in zip(random_lists.random_rows(1), cards.random_rows(2), strict=False)]

each = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@each
def test_answers_are_what_rows_get(model):
    answers = model.answers()
    assert tuple(answer.label for answer in answers) == model.labels
    assert set(model.labels) <= set(model.classes)
    assert len({answer.name for answer in answers}) == len(answers)
    places = model.decide(model.read_rows(ROWS), len(ROWS))
    assert places.shape == (len(ROWS),)
    assert set(places.tolist()) <= set(range(len(answers)))
    assert model.labels_at(places).tolist() == model.predict(ROWS).tolist()
    assert [model.predict([row])[0] for row in ROWS[:20]] == model.predict(ROWS[:20]).tolist()


@each
def test_probabilities_are_of_the_answers_or_refused(model):
    read = model.read_rows(ROWS)
    if not model.has_probabilities:
        with pytest.raises(ParameterError, match="probabilities"):
            model.probabilities(read, len(ROWS))
        return
    shares = model.probabilities(read, len(ROWS))
    assert shares.shape == (len(ROWS), len(model.classes))
    assert shares.sum(axis=1) == pytest.approx(1)
    said = [answer.probabilities for answer in model.answers()]
    if None not in said:
        assert np.array(said)[model.decide(read, len(ROWS))].tolist() == shares.tolist()


@each
def test_scores_are_sums_or_refused(model):
    read = model.read_rows(ROWS)
    if not model.has_scores:
        with pytest.raises(ParameterError, match="has no scores"):
            model.scores(read, len(ROWS))
        return
    scores = model.scores(read, len(ROWS))
    assert scores.shape == ((len(ROWS),) if len(model.classes) == 2 else (len(ROWS), len(model.classes)))


@each
def test_no_rows_are_no_answers(model):
    nothing = model.read_rows([])
    assert len(model.decide(nothing, 0)) == len(model.predict([])) == 0
    if model.has_probabilities:
        assert model.probabilities(nothing, 0).shape == (0, len(model.classes))
    if model.has_scores:
        assert len(model.scores(nothing, 0)) == 0


@each
@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_written_or_refused_in_a_sentence(model, form):
    write = {"sql": lambda: model.to_sql("t"), "python": model.to_python, "markdown": model.to_markdown}
    if form in model.forms:
        assert write[form]()
    else:
        with pytest.raises(ParameterError, match=r"\. Export "):
            write[form]()


@each
def test_json_gives_it_back(model):
    assert type(model).from_json(model.to_json()) == model
    assert "<" in model._repr_html_()
    assert model.explain(ROWS[0])


@each
def test_only_what_was_counted_warns_that_noise_made_it_up(model):
    warned = [sentence for sentence in model.cautions("age") if "Noise alone could have made up" in sentence]
    assert bool(warned) == (model.is_counted and model.records() is None)


def test_too_few_records_are_a_caution_that_names_the_column():
    few = random_lists.random_list(3).with_counts([(1, 0, -1)] * 9, 0.1)
    (sentence,) = few.cautions("the\nlabel")
    assert "this list" in sentence
    assert "\n" not in sentence


OUTSIDE = ("audit", "cli", "estimators", "jobs", "report")
KINDS = {kind.__name__ for kind in (RuleList, Scorecard, Halfspace)} | {"ListSettings", "ScorecardSettings"}


def find_questions(tree: ast.AST) -> list[int]:
    """Lines that ask what kind a model or its settings are: isinstance, match, or a comparison of its kind."""
    found = []
    for node in ast.walk(tree):
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            found += [node.lineno] if names & KINDS else []
        if isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name) and node.cls.id in KINDS:
            found.append(node.cls.lineno)
        if isinstance(node, ast.Compare) and any(
            isinstance(part, ast.Attribute) and part.attr == "kind" and "model" in ast.unparse(part.value)
            for part in (node.left, *node.comparators)
        ):
            found.append(node.lineno)
    return found


@pytest.mark.parametrize("room", OUTSIDE)
def test_nobody_outside_asks_what_kind_a_model_is(room):
    files = sorted((Path(dprules.__file__).parent / room).rglob("*.py"))
    assert files
    asked = {file.name: find_questions(ast.parse(file.read_text())) for file in files}
    assert {name: lines for name, lines in asked.items() if lines} == {}


@pytest.mark.parametrize(
    "question",
    [
        "isinstance(model, RuleList)",
        "isinstance(model, models.Halfspace | Scorecard)",
        "released.model.kind == 'list'",
        "match model:\n    case Scorecard(): pass",
    ],
)
def test_a_question_would_be_found(question):
    assert find_questions(ast.parse(question))
