"""Mistakes on numeric streams, epsilon 1, 50,000 rounds: dense beside segment and DP-FTRL, and where dense loses.

Streams of river's generators, and twonorm. Bounds of features are public. dense (delta 0) weighs numbers as they are;
segment (delta 0) sees what a schema with bounds gives it, 7 equally spaced cuts a number, and, for comparison, the
numbers. DP-FTRL (delta 1e-6) weighs them; its link, rate and batch are tuned, stream by stream, on seeds of their own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np
from river.datasets import synth

from bench.stream_baselines import FollowTheLeader
from bench.streams import DELTA, EPSILON, plain_mistakes, private_mistakes
from bench.table import markdown
from dprules.learners.streams import ClippedBlock, DenseBlock, PrivateLearner, SegmentPolicy
from dprules.learners.streams.dense import DenseLearner, DensePolicy
from dprules.mechanisms import os_bits
from dprules.schema import GRID

HORIZON = 50_000
SEEDS = range(5)
TUNING = (1000, 1001)
BLOCK = 1000
CUTS = 7
Made = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class NumericStream:
    """A generator of rounds.

    Parameters
    ----------
    make : callable
        Takes a seed and returns numbers, a row for each round, and labels -1 or 1.
    lower, upper : float
        Public bounds of all numbers.
    kind : str
        "near-linear", "near-linear, held out" or "rules": what its target is like.
    """

    make: Callable[[int], Made]
    lower: float
    upper: float
    kind: str = "near-linear"

    def scaled(self, seed: int) -> Made:
        """Return numbers in [-1, 1], and labels."""
        X, y = self.make(seed)
        return np.clip(2 * (X - self.lower) / (self.upper - self.lower) - 1, -1, 1), y


def _read(stream: Any, rounds: int = HORIZON, scales: dict[str, tuple[float, float]] | None = None) -> Made:
    """Take rounds of a generator of river; numbers with bounds of their own are brought to [-1, 1]."""
    rows, labels = [], []
    for x, y in stream.take(rounds):
        if scales is not None:
            x = {name: 2 * (x[name] - low) / (high - low) - 1 for name, (low, high) in scales.items()}
        rows.append(list(x.values()))
        labels.append(1 if y else -1)
    return np.array(rows, dtype=np.float64), np.array(labels, dtype=np.int8)


def _sea_drift(seed: int) -> Made:
    """Four concepts one after the other, a tenth of the labels turned."""
    parts = [_read(synth.SEA(variant, noise=0.1, seed=10 * seed + variant), HORIZON // 4) for variant in range(4)]
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def _twonorm(seed: int) -> Made:
    """Breiman's: twenty normals of variance 1 around (a, ..., a) or (-a, ..., -a), a = 2 / sqrt(20)."""
    random = np.random.default_rng(seed)
    y = np.where(random.random(HORIZON) < 0.5, 1, -1).astype(np.int8)
    return random.normal(size=(HORIZON, 20)) + 2 / np.sqrt(20) * y[:, None], y


def _hyperplane(features: int) -> Callable[[int], Made]:
    """A plane that turns in all its directions, with 5% noise."""

    def make(seed: int) -> Made:
        return _read(synth.Hyperplane(seed, features, n_drift_features=features, mag_change=0.001))

    return make


_AGRAWAL = {
    "salary": (20_000.0, 150_000.0),
    "commission": (0.0, 75_000.0),
    "age": (20.0, 80.0),
    "elevel": (0.0, 4.0),
    "car": (1.0, 20.0),
    "zipcode": (0.0, 8.0),
    "hvalue": (0.0, 1_350_000.0),
    "hyears": (1.0, 30.0),
    "loan": (0.0, 500_000.0),
}

STREAMS = {
    "SEA with drift": NumericStream(_sea_drift, 0, 10),
    "rotating hyperplane": NumericStream(_hyperplane(10), 0, 1),
    "twonorm": NumericStream(_twonorm, -3, 3),
    "hyperplane, 30 numbers": NumericStream(_hyperplane(30), 0, 1, "near-linear, held out"),
    "SEA, one concept, no noise": NumericStream(lambda s: _read(synth.SEA(3, seed=s)), 0, 10, "near-linear, held out"),
    "sine": NumericStream(lambda s: _read(synth.Sine(0, seed=s)), 0, 1, "near-linear, held out"),
    "Agrawal, first function": NumericStream(
        lambda s: _read(synth.Agrawal(0, seed=s), scales=_AGRAWAL), -1, 1, "rules"
    ),
    "random tree": NumericStream(
        lambda s: _read(synth.RandomTree(s, s, n_num_features=5, n_cat_features=0)), 0, 1, "rules"
    ),
    "mixed": NumericStream(lambda s: _read(synth.Mixed(0, seed=s)), 0, 1, "rules"),
}
LEADERS = [
    {"link": link, "batch": batch, "rate": rate}
    for batch in (250, 1000)
    for link, rates in (("l2", (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3)), ("entropic", (3e-5, 1e-4, 3e-4, 1e-3, 3e-3)))
    for rate in rates
]


def _blocks(made: Made, size: int, kind: type = ClippedBlock) -> Iterator[tuple[Any, np.ndarray]]:
    X, y = made
    for start in range(0, len(y), size):
        yield kind(X[start : start + size]), y[start : start + size]


def dense_mistakes(made: Made) -> int:
    """How many rounds the hypothesis in force got wrong, each before it was learnt."""
    X, _ = made
    policy = DensePolicy.start(X.shape[1] + 1, GRID, EPSILON)
    learner = DenseLearner(policy, EPSILON, os_bits)
    wrong = 0
    for block, labels in _blocks(made, policy.length):
        wrong += int(((block.weigh(learner.hypothesis) > 0) != (labels > 0)).sum())
        learner.take(block, (labels > 0).astype(np.int16))
    return wrong


def segment_mistakes(made: Made, real: bool) -> int:
    X, y = made
    if real:
        learner = PrivateLearner(SegmentPolicy.start(X.shape[1] + 1, EPSILON), GRID)
        return int(private_mistakes(learner, _blocks(made, BLOCK)).sum())
    cuts = np.linspace(-1, 1, CUTS + 2)[1:-1]
    asked = (X[:, :, None] >= cuts).reshape(len(X), -1)
    learner = PrivateLearner(SegmentPolicy.start(asked.shape[1] + 1, EPSILON))
    return int(private_mistakes(learner, _blocks((asked, y), BLOCK, DenseBlock)).sum())


def leader_mistakes(made: Made, options: dict[str, Any], seed: int) -> int:
    learner = FollowTheLeader(made[0].shape[1] + 1, HORIZON, EPSILON, DELTA, seed=seed, **options)
    return plain_mistakes(learner, _blocks(made, options["batch"]))


def run() -> list[dict[str, Any]]:
    results = []
    for name, stream in STREAMS.items():
        tuning = [stream.scaled(seed) for seed in TUNING]
        best = min(LEADERS, key=lambda o: sum(leader_mistakes(made, o, 1000 + i) for i, made in enumerate(tuning)))
        found: dict[str, list[int]] = {"dense": [], "segment": [], "segment, numbers": [], "DP-FTRL": []}
        for seed in SEEDS:
            made = stream.scaled(seed)
            found["dense"].append(dense_mistakes(made))
            found["segment"].append(segment_mistakes(made, real=False))
            found["segment, numbers"].append(segment_mistakes(made, real=True))
            found["DP-FTRL"].append(leader_mistakes(made, best, seed))
        print(name, best, {k: round(mean(v)) for k, v in found.items()}, flush=True)
        results.append({"stream": name, "kind": stream.kind, "mistakes": found, "leader": best})
    return results


def table(results: list[dict[str, Any]]) -> str:
    order = ("dense", "segment", "segment, numbers", "DP-FTRL")
    rows = [[r["stream"], r["kind"], *(f"{mean(r['mistakes'][who]):,.0f}" for who in order)] for r in results]
    header = ["mistakes in 50,000 rounds", "", "dense (delta 0)", "segment (delta 0), 7 cuts", "segment, numbers"]
    return markdown([*header, "DP-FTRL (delta 1e-6), tuned"], rows)
