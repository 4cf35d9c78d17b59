"""River's verbs: single examples as dictionaries, frames of them, hashed names, and river's wrappers around them."""

import copy
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import base, compose, drift, ensemble, evaluate, metrics, multiclass, preprocessing
from sklearn.base import clone

from dprules import PrivateWinnowClassifier, WinnowClassifier
from dprules.accounting import Assumption
from dprules.errors import DataError, ParameterError, PrivacyError
from dprules.jobs import HASHED, hash_name

RANDOM = np.random.default_rng(0)
X = RANDOM.random((3000, 12)) < 0.4
Y = np.where(X[:, 2] | X[:, 5], "yes", "no")
NAMES = [f"x{i}" for i in range(12)]
SURE = 400.0
"""An epsilon at which noise hardly matters: both ways of learning lead to the same hypothesis."""


def frame(rows):
    return pd.DataFrame(rows, columns=NAMES[: rows.shape[1]])


def test_single_examples_with_names():
    model = PrivateWinnowClassifier(epsilon=20.0, features=["a", "b"], classes=["no", "yes"])
    assert model.predict_one({"a": True}) is None
    assert model.predict_proba_one({"a": True}) == {"no": 0.5, "yes": 0.5}
    for row, label in zip(X[:, :2].tolist(), np.where(X[:, 0], "yes", "no"), strict=True):
        model.learn_one({"a": row[0], "b": row[1], "new": "unknown"}, label)
    assert model.predict_one({"a": True, "b": False}) == "yes"
    assert model.predict_one({"a": False}) == "no"
    assert model.predict_proba_one({"a": True})["yes"] > 0.5 > model.predict_proba_one({"a": False})["yes"]
    assert model.hypothesis_.predict([{"a": True}]) == ["yes"]
    assert Assumption.CLIPPED_NUMBERS in model.certificate_.assumptions
    assert (model.predict(pd.DataFrame({"a": [True, False], "b": [False, False]})) == ["yes", "no"]).all()


def test_classes_of_single_examples_are_declared_or_boolean():
    model = WinnowClassifier()
    model.learn_one({"a": 1}, "yes")  # not a class: nothing is learned
    model.learn_one({"a": 1}, True)
    assert model.predict_one({"a": 1}) is True
    model = WinnowClassifier(classes=["no", "yes"])
    model.learn_one({"a": 1}, "yes")
    assert model.predict_one({"a": 1}) == "yes"


@pytest.mark.parametrize("classes", [[False, True], [0, 1], ["0", "1"], [0.0, 1.0]], ids=str)
def test_labels_are_read_alike_one_by_one_and_together(classes):
    """A label of the usual type is looked up, any other is read as a cell is."""
    labels: list[Any] = [True, 1, 0, 1.0, "1", "1.0", "true", "yes", None, np.True_, np.int64(1), float("nan"), [1], 2]
    for label in labels:
        one, many = (WinnowClassifier(features=["a"], classes=classes) for _ in range(2))
        for model in (one, many):
            model.learn_one({"a": True}, classes[0])
        one.learn_one({"a": True}, label)
        column = np.empty(1, dtype=object)  # [[1]] would be a column of labels
        column[0] = label
        many.partial_fit(pd.DataFrame({"a": [True]}), column)
        assert one.hypothesis_ == many.hypothesis_, label


# The same as blocks.


def learn_singly(model, rows, labels):
    for row, label in zip(rows, labels, strict=True):
        model.learn_one(row, label)
    return model


ALIKE = [
    dict(),
    dict(values="real"),
    dict(values="positive"),
    dict(values="boolean"),
    dict(values="positive", width=2),
    dict(algorithm="dense"),
    pytest.param(dict(algorithm="epochs", values="positive"), marks=pytest.mark.slow),
]
CELLS = {
    "Booleans": lambda rows: rows,
    "floats": lambda rows: np.where(rows, 0.8, -0.3),
    "mixed": lambda rows: np.where(rows, np.array([True, 1, 0.8, "yes"] * 3, dtype=object), False),
}


@pytest.mark.parametrize("setting", ALIKE, ids=str)
@pytest.mark.parametrize("cells", CELLS)
def test_single_examples_lead_to_the_hypothesis_of_blocks(setting, cells):
    rows = pd.DataFrame(CELLS[cells](X).astype(object), columns=NAMES)
    examples = rows.to_dict("records")
    model = PrivateWinnowClassifier(**{"epsilon": SURE, "features": NAMES, "classes": ["no", "yes"]} | setting)
    single, many, mixed = clone(model), clone(model), clone(model)
    learn_singly(single, examples, Y)
    many.learn_many(rows, Y)
    learn_singly(mixed, examples[:700], Y[:700]).learn_many(rows[700:2000], Y[700:2000])
    learn_singly(mixed, examples[2000:], Y[2000:])
    said = [model.hypothesis_.predict(examples[:200]).tolist() for model in (single, many, mixed)]
    assert said[0] == said[1] == said[2]
    assert [single.predict_one(example) for example in examples[:200]] == said[0]


@pytest.mark.parametrize("make", [frame, lambda rows: pl.DataFrame(frame(rows)), lambda rows: pa.table(frame(rows))])
@pytest.mark.parametrize("features", [None, NAMES])
def test_many_examples_are_learnt_as_one_after_the_other(make, features):
    single = WinnowClassifier(features=features, classes=["no", "yes"])
    many = clone(single)
    learn_singly(single, frame(X[:300]).to_dict("records"), Y[:300])
    many.learn_many(make(X[:100]), Y[:100])
    many.learn_many(make(X[100:300]), Y[100:300])
    assert many.hypothesis_ == single.hypothesis_
    examples = frame(X[:50]).to_dict("records")
    assert list(many.predict_many(make(X[:50]))) == [single.predict_one(row) for row in examples]
    shares = many.predict_proba_many(make(X[:50]))
    assert type(shares) is type(make(X[:1]))
    assert list(np.asarray(shares["yes"])) == [single.predict_proba_one(row)["yes"] for row in examples]


def test_many_examples_need_a_frame_and_a_label_each():
    with pytest.raises(DataError, match="must be a data frame"):
        WinnowClassifier(classes=[0, 1]).learn_many(X, Y)
    with pytest.raises(DataError, match="different numbers of rows"):
        WinnowClassifier(classes=[0, 1]).learn_many(frame(X[:3]), [0, 1])


def test_an_example_may_be_changed_after_it_was_learnt():
    setting = dict(epsilon=20.0, features=NAMES, classes=["no", "yes"], random_state=0)
    models = [PrivateWinnowClassifier(**setting) for _ in range(2)]
    for row, label in zip(frame(X).to_dict("records"), Y, strict=True):
        cell = np.array(0.5)  # a cell that can change
        for model, example in zip(models, (row | {"x0": 0.5}, row | {"x0": cell}), strict=True):
            model.learn_one(example, label)
            example.clear()
        cell[...] = -1.0
    assert models[0].hypothesis_ == models[1].hypothesis_


# Hashed names.


@pytest.mark.parametrize("values", ["auto", "positive", "boolean", "real"])
def test_without_names_features_are_hashed(values):
    """Names that are read off an example would publish that example."""
    model = PrivateWinnowClassifier(epsilon=20.0, values=values)
    for truth in X[:, 0].tolist():
        model.learn_one({"secret name": truth}, truth)
    assert model.n_features_in_ == HASHED
    assert "secret" not in str(model.hypothesis_) + str(model.certificate_) + str(vars(model)) + model._html_repr()
    assert [model.predict_one({"secret name": value}) for value in (True, False)] == [True, False]


WORDS = [f"word{i}" for i in range(2000)]


def documents(size, seed=1):
    """Bags of words, rare ones among them; the label is whether one of two words occurs."""
    random = np.random.default_rng(seed)
    shares = 1 / np.arange(3, 2003)
    for bag in random.choice(2000, (size, 12), p=shares / shares.sum()):
        counts: dict[str, int] = {}
        for word in bag:
            counts[WORDS[word]] = counts.get(WORDS[word], 0) + 1
        yield counts, WORDS[1] in counts or WORDS[4] in counts


@pytest.mark.parametrize("setting", [dict(), dict(values="positive")], ids=str)
def test_text(setting):
    """A bag of words of an open vocabulary; the words that matter are printed, since the vocabulary is public."""
    model = PrivateWinnowClassifier(epsilon=8.0, features=2**16, vocabulary=WORDS, random_state=0, **setting)
    for words, label in documents(8000):
        model.learn_one(words, label)
    assert model.n_features_in_ == 2**16
    assert np.mean([model.predict_one(words) == label for words, label in documents(500, seed=2)]) > 0.9
    printed = " ".join(term.name for term in model.hypothesis_.terms)
    assert {"word1", "word4"} <= set(printed.replace(" > 0", "").split())
    for words, _ in documents(100, seed=3):
        named = model.name_features(words)
        assert model.hypothesis_.predict([named])[0] == str(model.predict_one(words))


def test_names_that_meet_are_printed_together():
    size = 8
    first = "a"
    second = next(name for name in WORDS if hash_name(name, size) == hash_name(first, size))
    model = PrivateWinnowClassifier(epsilon=50.0, features=size, vocabulary=[first, second])
    for truth in X[:, 0].tolist():
        model.learn_one({first: 0.75 if truth else -0.75, second: 0.75 if truth else -0.75}, truth)
    assert f"{first} | {second}" in str(model.hypothesis_)
    named = model.name_features({first: 0.75, second: 0.75, "other": 0})
    assert named[f"{first} | {second}"] == 1.0  # clipped


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (dict(features=0), "from 1 to"),
        (dict(features=True), "from 1 to|must be a list"),
        (dict(features=2**40), "from 1 to"),
        (dict(features=["a"], vocabulary=["a"]), "a vocabulary names hashed features"),
        (dict(features=16, vocabulary=["hash 3"]), "must not look like"),
        (dict(features=16, vocabulary="ab"), "vocabulary must be a list"),
        (dict(features=16, width=2), "conditions are made of Boolean"),
        (dict(features=16, values="complex"), "values must be one of"),
    ],
    ids=str,
)
def test_bad_vocabularies_get_a_sentence(setting, sentence):
    with pytest.raises(ParameterError, match=sentence):
        PrivateWinnowClassifier(**setting).learn_one({"a": 1}, True)


class Odd:
    """A name that cannot be written."""

    def __str__(self) -> str:
        raise RuntimeError


def test_no_name_and_no_cell_stops_a_hashed_stream():
    odd: dict[Any, Any] = {Odd(): 1, 3: None, "\ud800": 1, ("a", 1): [1], None: "text", "b": 10**400, "c": np.nan}
    for setting in (dict(), dict(values="positive"), dict(values="positive", width=2, features=8)):
        model = PrivateWinnowClassifier(**setting)
        for _ in range(3):
            model.learn_one(odd, True)
        assert model.predict_one(odd) in (False, True)


# River's own tools.


def stream(size=400):
    for row in X[:size].tolist():
        yield dict(zip(NAMES, row, strict=True)), row[2] or row[5]


def test_in_a_pipeline_of_river():
    pipeline = preprocessing.MinMaxScaler() | WinnowClassifier()
    assert isinstance(WinnowClassifier(), base.MiniBatchClassifier)
    rows = [({"a": i % 2, "b": 1}, i % 2 == 1) for i in range(50)]
    assert evaluate.progressive_val_score(rows, pipeline, metrics.Accuracy()).get() > 0.8


@pytest.mark.parametrize("algorithm", ["segment", "dense"])
def test_ranks_are_right(algorithm):
    """ROCAUC asks for probabilities; a public link leaves ranks as they are."""
    model = PrivateWinnowClassifier(epsilon=20.0, algorithm=algorithm, features=NAMES)
    assert evaluate.progressive_val_score(stream(3000), model, metrics.ROCAUC()).get() > 0.9


WRAPPERS = {
    "bagging": lambda model: ensemble.BaggingClassifier(model, n_models=3, seed=1),
    "ADWIN bagging": lambda model: ensemble.ADWINBaggingClassifier(model, n_models=3, seed=1),
    "leveraging bagging": lambda model: ensemble.LeveragingBaggingClassifier(model, n_models=3, seed=1),
    "one against the rest": multiclass.OneVsRestClassifier,
    "retraining": lambda model: drift.DriftRetrainingClassifier(model, drift_detector=drift.binary.DDM()),
    "retraining at once": lambda model: drift.DriftRetrainingClassifier(
        model, drift_detector=drift.binary.DDM(), train_in_background=False
    ),
    "AdaBoost": lambda model: ensemble.AdaBoostClassifier(model, n_models=3, seed=1),
    "a pipeline": lambda model: compose.Select(*NAMES) | model,
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("algorithm", ["segment", "dense"])
def test_wrappers_of_river_run(wrapper, algorithm):
    model = WRAPPERS[wrapper](PrivateWinnowClassifier(epsilon=20.0, algorithm=algorithm, features=NAMES))
    assert evaluate.progressive_val_score(stream(), model, metrics.ROCAUC()).get() >= 0.3


def test_one_against_the_rest_of_river():
    model = multiclass.OneVsRestClassifier(PrivateWinnowClassifier(epsilon=20.0, features=NAMES))
    labels = np.where(X[:, 2], "a", np.where(X[:, 5], "b", "c"))
    examples = frame(X).to_dict("records")
    for label in "abc":  # a class that begins with its first example would publish when that was
        model.learn_one({}, label)
    learn_singly(model, examples, labels)
    assert np.mean([model.predict_one(row) == label for row, label in zip(examples, labels, strict=True)]) > 0.8
    other = multiclass.OneVsRestClassifier(PrivateWinnowClassifier(epsilon=20.0, features=NAMES))
    other.learn_many(frame(X), pd.Series(labels))
    assert (other.predict_many(frame(X)) == labels).mean() > 0.8


def test_a_clone_is_fresh_and_a_copy_refused():
    model = learn_singly(
        PrivateWinnowClassifier(epsilon=20.0, features=NAMES, classes=["no", "yes"]), frame(X).to_dict("records"), Y
    )
    assert model.hypothesis_.releases > 0
    assert model.clone().predict_one({}) is None
    for attempt in (copy.deepcopy, lambda one: one.clone(include_attributes=True)):
        with pytest.raises(PrivacyError):
            attempt(model)


@pytest.mark.parametrize("features", [None, NAMES])
def test_a_row_of_a_frame_is_an_example(features):
    rows = frame(X[:200].astype(float))
    dictionaries, series = (WinnowClassifier(features=features, classes=["no", "yes"]) for _ in range(2))
    learn_singly(dictionaries, rows.to_dict("records"), Y[:200])
    learn_singly(series, [row for _, row in rows.iterrows()], Y[:200])
    assert series.hypothesis_ == dictionaries.hypothesis_
    assert series.predict_one(rows.iloc[0]) == dictionaries.predict_one(rows.iloc[0].to_dict())
