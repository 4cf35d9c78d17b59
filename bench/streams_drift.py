"""Targets that change: how many mistakes learners make beyond those of the target itself.

Excess is counted round by round: mistakes in the rounds after a change, less the rounds in which the new target itself
is wrong because the label is noise. On streams without noise it is the number of mistakes. epsilon 1, replace
neighbours; segment has delta 0, the others 1e-6 and the parameters of their theorem, which know the margin and the
horizon, and nothing of switches.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

import numpy as np

from bench import stream_examples as examples
from bench.stream_examples import ExampleStream
from bench.streams import DELTA, EPSILON, private_mistakes
from bench.streams_lists import EPOCHS, PlainQuestions, list_mistakes
from bench.table import markdown
from dprules.learners.streams import (
    BatchedPolicy,
    DenseBlock,
    EpochLearner,
    PackedBlock,
    PaperPolicy,
    PrivateLearner,
    SegmentPolicy,
    StreamSettings,
    plan_stream,
)
from dprules.mechanisms import os_bits
from dprules.schema import Boolean, literals_of

SEEDS = range(5)
FLIPS = (20_000, 200_000, 1_000_000)
AFTER = 100_000
"""Rounds after a flip in which its excess is counted."""
FEATURES, NOISE = 30, 0.15
SIZE = 10_000
KNOWN = 1_000
"""Features of the streams with margin 1."""


class OneLife(PaperPolicy):
    """Batched without its restart, as it was: after K releases the last hypothesis stays for good."""

    first_only = False


@dataclass(frozen=True)
class Flip:
    """30 fair bits, the label is x0 or x1, 15% of the labels are noise; from a round on, the complement."""

    at: int

    def parts(self, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Make bits, whether the label is positive, and whether it is noise, a block at a time."""
        random = np.random.default_rng(seed)
        for start in range(0, self.at + AFTER, SIZE):
            bits = random.random((SIZE, FEATURES)) < 0.5
            noise = random.random(SIZE) < NOISE
            yield bits, (bits[:, 0] | bits[:, 1]) ^ (start >= self.at) ^ noise, noise

    def segment_excess(self, seed: int) -> int:
        """Count the excess of segment."""
        learner = PrivateLearner(SegmentPolicy.start(FEATURES + 1, EPSILON))
        blocks = (
            (DenseBlock(np.where(bits, 1, -1).astype(np.int8)), np.where(positive, 1, -1).astype(np.int8))
            for bits, positive, _ in self.parts(seed)
        )
        return int(private_mistakes(learner, blocks)[self.at :].sum()) - self._noise(seed)

    def epochs_excess(self, seed: int) -> int:
        """Count the excess of epochs, with its watch."""
        learner = start_epochs(FEATURES)
        wrong = [list_mistakes(learner, both_signs(bits), codes_of(positive)) for bits, positive, _ in self.parts(seed)]
        return sum(wrong[self.at // SIZE :]) - self._noise(seed)

    def _noise(self, seed: int) -> int:
        return int(sum(noise.sum() for *_, noise in list(self.parts(seed))[self.at // SIZE :]))


@dataclass(frozen=True)
class Part:
    """Rounds with one target; turned: the same target as at first, with its labels turned."""

    stream: ExampleStream
    turned: bool = False


@dataclass(frozen=True)
class MarginOne:
    """Labels are one feature of 1,000, another one (or its complement) in each part."""

    parts: tuple[Part, ...]

    @property
    def length(self) -> int:
        """Rounds."""
        return sum(part.stream.length for part in self.parts)

    @property
    def switches(self) -> int:
        """How often the target changes."""
        return len(self.parts) - 1

    def blocks(self, seed: int) -> Iterator[tuple[PackedBlock, np.ndarray]]:
        """Make the stream, a block at a time."""
        for place, part in enumerate(self.parts):
            target = seed if part.turned else 1_000 * place + seed
            for block, labels in part.stream.blocks(target):
                yield block, (-labels if part.turned else labels)

    def mistakes(self) -> dict[str, list[int]]:
        """Count the mistakes of all learners."""
        settings = StreamSettings(EPSILON, DELTA, "guarded", horizon=self.length, margin=1.0)
        guarded: Any = settings.policy(KNOWN + 1)
        batched: Any = replace(settings, algorithm="batched").policy(KNOWN + 1)
        policies = {
            "segment": guarded.first,
            "batched, one life": _end_after_one_life(batched),
            "batched": batched,
            "guarded, one life": replace(guarded, second=_end_after_one_life(guarded.second)),
            "guarded": guarded,
        }
        found = {
            who: [int(private_mistakes(PrivateLearner(policy), self.blocks(seed)).sum()) for seed in SEEDS]
            for who, policy in policies.items()
        }
        return found | {"epochs": [self._epochs_mistakes(seed) for seed in SEEDS]}

    def _epochs_mistakes(self, seed: int) -> int:
        learner = start_epochs(KNOWN)
        return sum(
            list_mistakes(learner, both_signs(_unpack(block, KNOWN)), codes_of(labels > 0))
            for block, labels in self.blocks(seed)
        )

    def bounds(self) -> dict[str, float]:
        """Return what is proved."""
        plan = plan_stream(KNOWN, 1.0, self.length, EPSILON, DELTA, switches=self.switches)
        return {"batched": plan.mistakes, "guarded": plan.guarded_mistakes}


_COINS = examples.disjunction(KNOWN, 1, 200_000)
_RUNS = examples.equal_blocks(KNOWN, 100_000, repeat=1_000)
KNOWN_STREAMS = {
    "one of 1,000 features, its complement after 200,000 rounds": MarginOne((Part(_COINS), Part(_COINS, turned=True))),
    "runs of 1,000 equal examples, another feature every 100,000 rounds": MarginOne((Part(_RUNS),) * 11),
}


def _end_after_one_life(policy: BatchedPolicy) -> OneLife:
    return OneLife(**vars(policy))


def start_epochs(features: int) -> EpochLearner:
    literals = tuple(one for j in range(features) for one in literals_of(Boolean(f"x{j}")))
    return EpochLearner.start(EPOCHS["epochs"], PlainQuestions(literals), os_bits)


def both_signs(bits: np.ndarray) -> np.ndarray:
    return np.stack([bits, ~bits], axis=2).reshape(len(bits), -1)


def codes_of(positive: np.ndarray) -> np.ndarray:
    return positive.astype(np.int16)


def _unpack(block: PackedBlock, features: int) -> np.ndarray:
    words = block._words.view(np.uint8)
    return np.unpackbits(words, axis=1, count=features, bitorder="little").astype(np.bool_)


def run() -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    for at in FLIPS:
        flip = Flip(at)
        excess = {
            "segment": [flip.segment_excess(seed) for seed in SEEDS],
            "epochs": [flip.epochs_excess(seed) for seed in SEEDS],
        }
        print(at, excess, flush=True)
        results.append({"flip": at, "after": AFTER, "excess": excess})
    for name, stream in KNOWN_STREAMS.items():
        found = stream.mistakes()
        print(name, found, flush=True)
        results.append({"stream": name, "rounds": stream.length, "mistakes": found, "bounds": stream.bounds()})
    return results


def table(results: list[dict[str, Any]]) -> str:
    flips = [[f"{r['flip']:,}", *(_spread(r["excess"][who]) for who in r["excess"])] for r in results if "flip" in r]
    learners = list(next(r["excess"] for r in results if "flip" in r))
    known = [
        [
            f"{r['stream']} ({r['rounds']:,} rounds)",
            *(f"{mean(found):,.0f}" for found in r["mistakes"].values()),
            *(f"{bound:,.0f}" for bound in r["bounds"].values()),
        ]
        for r in results
        if "stream" in r
    ]
    header = list(next(r["mistakes"] for r in results if "stream" in r))
    return (
        markdown([f"flip after so many rounds: excess in the next {AFTER:,}", *learners], flips)
        + "\n\n"
        + markdown(["mistakes", *header, "proved: batched", "guarded"], known)
    )


def _spread(found: list[int]) -> str:
    return f"{mean(found):,.0f} ({min(found):,} to {max(found):,})"
