"""Lists on streams (`epochs`) beside `segment` in one run: made-up targets, real data, switches, and where lists fail.

epsilon 1, replace neighbours, 5 seeds; segment has delta 0, epochs 1e-6 (and 0 where it says so). Made-up streams have
200,000 rounds and single literals, real ones 100,000 rounds and conditions of up to two literals.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import stream_examples as examples
from bench.data import FOLDER, load, load_many
from bench.stream_examples import ExampleStream
from bench.streams import DELTA, EPSILON, private_mistakes
from bench.table import markdown
from dprules.learners.streams import (
    ConditionBlock,
    DenseBlock,
    EpochLearner,
    LiteralBlock,
    PrivateLearner,
    SegmentPolicy,
    StreamFeatures,
    StreamSettings,
)
from dprules.mechanisms import os_bits
from dprules.schema import Boolean, Conditions, Literal, Schema, Value, literals_of
from dprules.tables import Words, open_table, read_matrix

HORIZON, REAL_HORIZON = 200_000, 100_000
SEEDS = range(5)
WIDTH = 2
BLOCK = 500
MADE_UP: dict[str, ExampleStream] = {
    "list, 5 rules, 2 alternations, of 1,000 fair bits": examples.decision_list(1000, 5, 2, HORIZON, chance=0.5),
    "list, 5 rules, 2 alternations, of 1,000": examples.decision_list(1000, 5, 2, HORIZON),
    "disjunction, 10 of 1,000": examples.disjunction(1000, 10, HORIZON),
    "the same, 10% noise": examples.with_noise(examples.disjunction(1000, 10, HORIZON), 0.1),
    "fair list of 1,000, 5 switches": examples.with_drift(
        examples.decision_list(1000, 5, 2, HORIZON, chance=0.5), HORIZON // 6
    ),
    "runs of 1,000 equal examples, of 1,000": examples.equal_blocks(1000, HORIZON, repeat=1000),
    "list of 5 rules of 1,000, only 2,000 rounds": examples.decision_list(1000, 5, 2, 2000, chance=0.5),
}
SETS = ("nursery", "car", "compas", "adult", "bank", "mushroom")
MANY = ("nursery", "car", "penbased")
EPOCHS = {
    "epochs": StreamSettings(EPSILON, DELTA, "epochs"),
    "no watch": StreamSettings(EPSILON, DELTA, "epochs", watch=0),
    "pure": StreamSettings(EPSILON, 0, "epochs"),
}


@dataclass(frozen=True)
class PlainQuestions:
    """Both signs of Boolean features, one at a time."""

    literals: tuple[Literal, ...]
    classes: tuple[Value, ...] = ("no", "yes")
    conditions: Conditions | None = None
    unit: int = 1

    @property
    def dimension(self) -> int:
        """Coordinates, the bias included."""
        return 1 + len(self.literals)


def list_mistakes(learner: EpochLearner, held: NDArray[np.bool_], codes: NDArray[np.int16]) -> int:
    """Mistakes of the lists in force: known here since the stream is no secret, and never told by the learner."""
    wrong, start = 0, 0
    while start < len(codes):
        stop = start + learner.settled + 1  # the list in force stays so long
        rules = learner.hypothesis
        wrong += int((answer(rules, learner.literals, held[start:stop]) != codes[start:stop]).sum())
        learner.take(LiteralBlock.of(held[start:stop]), codes[start:stop])
        start = stop
    return wrong


def answer(rules: Any, literals: tuple[Literal, ...], held: NDArray[np.bool_]) -> NDArray[np.int16]:
    place = {literal: i for i, literal in enumerate(literals)}
    said = np.full(len(held), rules.classes.index(rules.default), dtype=np.int16)
    for rule in reversed(rules.rules):
        holds = held[:, [place[literal] for literal in rule.conditions]].all(axis=1)
        said[holds] = rules.classes.index(rule.label)
    return said


def run() -> list[dict[str, Any]]:
    results = [_made_up(name, stream) for name, stream in MADE_UP.items()]
    if not FOLDER.is_dir():
        print(f"no data in {FOLDER}; set DPRULES_DATA to a folder with the CSV files")
        return results
    results += [_real(name) for name in SETS]
    return results + [_many(name) for name in MANY]


def _made_up(name: str, stream: ExampleStream) -> dict[str, Any]:
    literals = tuple(one for j in range(stream.features) for one in literals_of(Boolean(f"x{j}")))
    found: dict[str, list[int]] = {who: [] for who in ("segment", *EPOCHS)}
    alarms = []
    for seed in SEEDS:
        segment = PrivateLearner(SegmentPolicy.start(stream.features + 1, EPSILON))
        found["segment"].append(int(private_mistakes(segment, stream.blocks(seed)).sum()))
        held, codes = _both_signs(stream, seed)
        for who, settings in EPOCHS.items():
            learner = EpochLearner.start(settings, PlainQuestions(literals), os_bits)
            found[who].append(list_mistakes(learner, held, codes))
            alarms += [learner.alarms] if who == "epochs" else []
    print(name, {who: round(mean(values)) for who, values in found.items()}, alarms, flush=True)
    return {"stream": name, "rounds": stream.length, "mistakes": found, "alarms": alarms}


def _both_signs(stream: ExampleStream, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.int16]]:
    held = np.empty((stream.length, 2 * stream.features), dtype=np.bool_)
    codes = np.empty(stream.length, dtype=np.int16)
    start = 0
    for block, labels in stream.blocks(seed):
        stop = start + len(labels)
        held[start:stop, ::2] = _unpack(block._words, stream.features)
        held[start:stop, 1::2] = ~held[start:stop, ::2]
        codes[start:stop] = labels > 0
        start = stop
    return held, codes


def _unpack(words: Words, features: int) -> NDArray[np.bool_]:
    return np.unpackbits(words.view(np.uint8), axis=1, count=features, bitorder="little").astype(np.bool_)


def _real(name: str) -> dict[str, Any]:
    table, schema = load(name)
    codes = _codes(table, schema)
    found: dict[str, list[int]] = {who: [] for who in ("segment, width 1", "segment, width 2", "epochs", "no watch")}
    for seed in SEEDS:
        order = _order(len(codes), seed)
        for width in (1, 2):
            features = StreamFeatures(schema, width)
            segment = PrivateLearner(SegmentPolicy.start(features.dimension, EPSILON))
            blocks = _sums(features, codes, order)
            found[f"segment, width {width}"].append(int(private_mistakes(segment, blocks).sum()))
        for who in ("epochs", "no watch"):
            found[who].append(_lists(StreamFeatures(schema, WIDTH, lists=True), codes, order, EPOCHS[who]))
    print(name, {who: round(mean(values)) for who, values in found.items()}, flush=True)
    return {"set": name, "mistakes": found}


def _many(name: str) -> dict[str, Any]:
    """All classes of a set: the lists, and the largest class alone."""
    table, schema = load_many(name)
    codes = _codes(table, schema)
    features = StreamFeatures(schema, WIDTH, lists=True)
    found = [_lists(features, codes, _order(len(codes), seed), EPOCHS["epochs"]) for seed in SEEDS]
    largest = int(np.bincount(codes[:, 0]).max())
    classes = len(schema.label.classes)
    print(name, classes, round(mean(found)), flush=True)
    return {"many": name, "classes": classes, "mistakes": found, "majority": 1 - largest / len(codes)}


def _codes(table: Any, schema: Schema) -> NDArray[np.int16]:
    columns = [schema.label.column(), *schema.columns]
    with open_table(table) as opened:
        return np.concatenate(list(read_matrix(opened, columns)))


def _order(rows: int, seed: int) -> NDArray[np.int64]:
    random = np.random.default_rng(seed)
    return np.concatenate([random.permutation(rows) for _ in range(-(-REAL_HORIZON // rows))])[:REAL_HORIZON]


def _held(features: StreamFeatures, codes: NDArray[np.int16]) -> NDArray[np.bool_]:
    place = {column.name: i + 1 for i, column in enumerate(features.schema.columns)}
    return np.stack([one.truth()[codes[:, place[one.column.name]]] for one in features.literals], axis=1)


def _sums(features: StreamFeatures, codes: NDArray[np.int16], order: NDArray[np.int64]) -> Iterator[Any]:
    held = _held(features, codes)
    signs = np.where(codes[:, 0] == 1, 1, -1).astype(np.int8)
    for start in range(0, len(order), BLOCK):
        rows = order[start : start + BLOCK]
        block = DenseBlock(held[rows]) if features.width == 1 else ConditionBlock(held[rows], features.conditions)
        yield block, signs[rows]


def _lists(
    features: StreamFeatures, codes: NDArray[np.int16], order: NDArray[np.int64], settings: StreamSettings
) -> int:
    learner = EpochLearner.start(settings, features, os_bits)
    return list_mistakes(learner, _held(features, codes)[order], codes[order, 0])


def table(results: list[dict[str, Any]]) -> str:
    made_up = [
        [
            r["stream"],
            *(_spread(r["mistakes"][who]) for who in ("segment", "epochs", "no watch", "pure")),
            f"{mean(r['alarms']):.1f}",
        ]
        for r in results
        if "stream" in r
    ]
    real = [
        [r["set"], *(_spread(r["mistakes"][who]) for who in ("segment, width 1", "segment, width 2", "epochs"))]
        for r in results
        if "set" in r
    ]
    many = [
        [f"{r['many']} ({r['classes']} classes)", _spread(r["mistakes"]), f"{REAL_HORIZON * r['majority']:,.0f}"]
        for r in results
        if "many" in r
    ]
    first = [
        "mistakes in 200,000 rounds",
        "segment (delta 0)",
        "epochs",
        "epochs, no watch",
        "epochs, delta 0",
        "alarms",
    ]
    second = ["mistakes in 100,000 rounds", "segment, width 1", "segment, width 2", "epochs, width 2"]
    third = ["mistakes in 100,000 rounds", "epochs, width 2", "the largest class alone"]
    parts = [markdown(first, made_up), markdown(second, real), markdown(third, many)]
    return "\n\n".join(parts)


def _spread(values: list[int]) -> str:
    return f"{mean(values):,.0f} ({min(values):,} to {max(values):,})"
