"""How many examples a second a private learner takes once it has learnt, beside river and scikit-learn; one core."""

import time
from typing import Any

import numpy as np
import scipy.sparse
from river import linear_model
from sklearn.linear_model import SGDClassifier

from bench.table import markdown
from dprules.learners.streams import DenseBlock, PackedBlock, PrivateLearner, SegmentPolicy, SparseBlock, examples

ROWS = 200_000


def run() -> list[dict[str, Any]]:
    return [*_dense(), _sparse()]


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


def table(results: list[dict[str, Any]]) -> str:
    rows = [
        [
            r["what"],
            f"{r['rate'] / 1e6:.1f} million",
            "; ".join(f"{who} {rate:,.0f} ({r['rate'] / rate:,.0f} x)" for who, rate in r["peers"].items()),
        ]
        for r in results
    ]
    return markdown(["examples a second", "dprules (private)", "beside"], rows)
