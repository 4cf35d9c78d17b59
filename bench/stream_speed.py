"""How many examples a second a private learner takes once it has learnt, beside river and scikit-learn; one core."""

import time
from typing import Any

import numpy as np
import scipy.sparse
from river import linear_model
from sklearn.linear_model import SGDClassifier

from bench import stream_examples as examples
from bench.table import markdown
from dprules import PrivateWinnowClassifier
from dprules.learners.streams import DenseBlock, PackedBlock, PrivateLearner, SegmentPolicy, SparseBlock

ROWS = 200_000


def run() -> list[dict[str, Any]]:
    return [*_dense(), _sparse(), *single_examples()]


def _rate(call: Any, rows: int, repeats: int = 5) -> float:
    """Examples a second, the best of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return rows / min(times)


def _dense(features: int = 1000) -> list[dict[str, Any]]:
    blocks = list(examples.disjunction(features, 3, ROWS).blocks(0))
    words, labels = np.vstack([b._words for b, _ in blocks]), np.concatenate([y for _, y in blocks])
    matrix = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little", count=features).view(np.int8)
    learner = PrivateLearner(SegmentPolicy.start(features + 1, 1.0))
    learner.learn(PackedBlock(words, features), labels)
    few, small = 2000, matrix[:2000].astype(float)
    sgd, river = SGDClassifier(loss="perceptron"), linear_model.Perceptron()
    rows = [(dict(enumerate(x)), bool(y > 0)) for x, y in zip(small[:300], labels, strict=False)]

    def by_river() -> None:
        for x, y in rows:
            river.learn_one(x, y)

    peers = {
        "river's Perceptron": _rate(by_river, len(rows), 3),
        "SGDClassifier.partial_fit": _rate(lambda: sgd.partial_fit(small, labels[:few], classes=[-1, 1]), few),
    }
    ours = {"dense int8": DenseBlock(matrix), "packed bits": PackedBlock(words, features)}
    return [
        {
            "what": f"{features:,} features, {kind}",
            "rate": _rate(lambda block=block: learner.learn(block, labels), ROWS),
            "peers": peers,
        }
        for kind, block in ours.items()
    ]


def _sparse(features: int = 100_000, stored: int = 20) -> dict[str, Any]:
    """Most features are rare; three of them are frequent, and their disjunction is the label."""
    random = np.random.default_rng(0)
    rows = np.repeat(np.arange(ROWS), stored)
    rare = scipy.sparse.coo_array(
        (np.ones(len(rows)), (rows, random.integers(3, features, len(rows)))), (ROWS, features)
    )
    frequent = random.random((ROWS, 3)) < 1 - 2 ** (-1 / 3)
    matrix = (rare + scipy.sparse.coo_array((np.ones(frequent.sum()), np.nonzero(frequent)), (ROWS, features))).tocsr()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    labels = np.where(frequent.any(axis=1), 1, -1).astype(np.int8)
    block, learner = SparseBlock(matrix), PrivateLearner(SegmentPolicy.start(features + 1, 1.0))
    learner.learn(block, labels)
    sgd, small = SGDClassifier(loss="perceptron"), matrix[:20_000].astype(float)
    peer = _rate(lambda: sgd.partial_fit(small, labels[:20_000], classes=[-1, 1]), 20_000)
    return {
        "what": f"{features:,} features, CSR, {stored} stored a row",
        "rate": _rate(lambda: learner.learn(block, labels), ROWS),
        "peers": {"SGDClassifier.partial_fit": peer},
    }


EVENTS = 20_000
"""Single examples of one run."""
WORDS = 5000
"""Of the vocabulary of bags of words; frequent ones come first."""


def single_examples() -> list[dict[str, Any]]:
    """Measure `predict_one` and then `learn_one`, beside river's logistic regression on the same dictionaries."""
    return [_one_by_one(what, dictionaries, settings) for what, dictionaries, settings in _kinds_of_examples()]


def _kinds_of_examples(features: int = 20) -> list[tuple[str, list[tuple[dict[str, Any], bool]], dict[str, Any]]]:
    random = np.random.default_rng(0)
    truths = random.random((EVENTS, features)) < 0.4
    numbers = np.where(truths, 1.0, -1.0) * random.random(truths.shape)
    labels = (truths[:, 1] | truths[:, 3]).tolist()
    names = [f"x{i}" for i in range(features)]
    shares = 1 / np.arange(3, WORDS + 3)
    bags = random.choice(WORDS, (EVENTS, 12), p=shares / shares.sum())

    def pair(rows: Any) -> list[tuple[dict[str, Any], bool]]:
        return [(dict(zip(names, row, strict=True)), label) for row, label in zip(rows.tolist(), labels, strict=True)]

    documents = [({f"word{word}": 1.0 for word in bag}, 1 in bag or 4 in bag) for bag in bags.tolist()]
    lists = {"algorithm": "epochs", "delta": 1e-6, "values": "positive", "features": names}
    return [
        (f"{features} Booleans, segment", pair(truths), {"features": names}),
        (f"{features} numbers, segment", pair(numbers), {"features": names}),
        (f"{features} numbers, dense", pair(numbers), {"features": names, "algorithm": "dense"}),
        (f"{features} numbers, epochs", pair(numbers), lists),
        ("bags of 12 words, hashed, segment", documents, {"features": 2**16}),
    ]


def _one_by_one(what: str, pairs: list[tuple[dict[str, Any], bool]], settings: dict[str, Any]) -> dict[str, Any]:
    def pass_over(model: Any) -> None:
        for x, y in pairs:
            model.predict_one(x)
            model.learn_one(x, y)

    ours = PrivateWinnowClassifier(**settings)
    pass_over(ours)  # once it has learnt, as above
    peer = linear_model.LogisticRegression()
    return {
        "what": f"one at a time: {what}",
        "rate": _rate(lambda: pass_over(ours), len(pairs)),
        "peers": {"river's LogisticRegression": _rate(lambda: pass_over(peer), len(pairs))},
    }


def table(results: list[dict[str, Any]]) -> str:
    rows = [
        [
            r["what"],
            f"{r['rate'] / 1e6:.1f} million" if r["rate"] >= 1e6 else f"{r['rate']:,.0f}",
            "; ".join(f"{who} {rate:,.0f} ({_ratio(r['rate'] / rate)} x)" for who, rate in r["peers"].items()),
        ]
        for r in results
    ]
    return markdown(["examples a second", "dprules (private)", "beside"], rows)


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
