"""Streams with a known margin, for tests, demos and benchmarks. They are made up: nothing in here is private."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dprules.errors import ParameterError
from dprules.learners.streams.blocks import PackedBlock
from dprules.learners.streams.winnow import Labels
from dprules.models.halfspace import from_labels
from dprules.tables import Words

BLOCK = 4096
Make = Callable[[Generator, int], tuple[Words, Labels]]


@dataclass(frozen=True)
class ExampleStream:
    """Blocks of Boolean examples and labels -1 or 1."""

    features: int
    length: int
    margin: float
    """Of the best halfspace with a bias, in -1/+1 coordinates and L1 norm 1; 0 if no halfspace fits."""
    target: Callable[[Generator], Make]
    """Chooses a target, and returns what makes a block of a given size."""

    def blocks(self, seed: int, size: int = BLOCK) -> Iterator[tuple[PackedBlock, Labels]]:
        """The stream, a block at a time."""
        random = np.random.default_rng(seed)
        make = self.target(random)
        for start in range(0, self.length, size):
            words, labels = make(random, min(size, self.length - start))
            yield PackedBlock(words, self.features), labels


def disjunction(features: int, relevant: int, length: int) -> ExampleStream:
    """True if one of k features is; these are true with probability 1 - 2^(-1/k), so that labels balance."""

    def target(random: Generator) -> Make:
        chosen = random.choice(features, relevant, replace=False)

        def make(random: Generator, size: int) -> tuple[Words, Labels]:
            bits = random.random((size, relevant)) < 1 - 2 ** (-1 / relevant)
            return _with(_coins(random, size, features), chosen, bits), _signs(np.asarray(bits.any(axis=1)))

        return make

    return ExampleStream(features, length, 1 / (2 * relevant - 1), target)


def decision_list(
    features: int, rules: int, alternations: int, length: int, chance: float | None = None
) -> ExampleStream:
    """A list with so many rules, whose labels (the default's included) change so many times, the last time at the end.

    Its features are true with a given chance, or else with 1 - 2^(-1/rules), so that half of the examples get the
    default.
    """
    often = 1 - 2 ** (-1 / rules) if chance is None else chance
    if not 1 <= alternations <= rules:
        raise ParameterError(f"alternations must lie between 1 and the number of rules; got {alternations}.")
    changes = np.zeros(rules + 1, dtype=np.int64)
    changes[[round(i * rules / alternations) for i in range(1, alternations + 1)]] = 1
    labels = np.where(np.cumsum(changes) % 2, -1, 1)

    def target(random: Generator) -> Make:
        chosen = random.choice(features, rules, replace=False)

        def make(random: Generator, size: int) -> tuple[Words, Labels]:
            bits = random.random((size, rules)) < often
            answers = np.full(size, labels[-1], dtype=np.int8)
            for at in range(rules - 1, -1, -1):
                answers[bits[:, at]] = labels[at]
            return _with(_coins(random, size, features), chosen, bits), answers

        return make

    return ExampleStream(features, length, from_labels(labels[:-1].tolist(), int(labels[-1])).margin, target)


def majority(features: int, relevant: int, length: int) -> ExampleStream:
    """True if more than half of an odd number of features are."""
    if relevant % 2 == 0:
        raise ParameterError(f"relevant must be odd, so that there are no ties; got {relevant}.")

    def target(random: Generator) -> Make:
        chosen = random.choice(features, relevant, replace=False)

        def make(random: Generator, size: int) -> tuple[Words, Labels]:
            bits = random.random((size, relevant)) < 0.5
            return _with(_coins(random, size, features), chosen, bits), _signs(2 * bits.sum(axis=1) > relevant)

        return make

    return ExampleStream(features, length, 1 / relevant, target)


def point_functions(features: int, length: int) -> ExampleStream:
    """One point of many has label 1: the embedding of the lower bound (theory B6), with margin 1.

    Point i is the vector with 1 at i and -1 elsewhere, so that coordinate j says whether the point is j.
    """

    def target(random: Generator) -> Make:
        point = int(random.integers(features))

        def make(random: Generator, size: int) -> tuple[Words, Labels]:
            shown = np.where(random.random(size) < 0.5, point, random.integers(features, size=size))
            words = np.zeros((size, (features + 63) // 64), dtype=np.uint64)
            words[np.arange(size), shown >> 6] = np.uint64(1) << (shown & 63).astype(np.uint64)
            return words, _signs(shown == point)

        return make

    return ExampleStream(features, length, 1.0, target)


def equal_blocks(features: int, length: int, repeat: int) -> ExampleStream:
    """Runs of equal examples whose label is one feature (theory B8): margin 1, and hard for learners that forget."""

    def target(random: Generator) -> Make:
        relevant = int(random.integers(features))
        row, more = _coins(random, 1, features), repeat

        def make(random: Generator, size: int) -> tuple[Words, Labels]:
            nonlocal row, more
            parts, labels, left = [], [], size
            while left:
                if more == 0:
                    row, more = _coins(random, 1, features), repeat
                now = min(more, left)
                more, left = more - now, left - now
                bit = bool((row[0, relevant >> 6] >> np.uint64(relevant & 63)) & np.uint64(1))
                parts.append(np.repeat(row, now, axis=0))
                labels.append(np.full(now, 1 if bit else -1, dtype=np.int8))
            return np.vstack(parts), np.concatenate(labels)

        return make

    return ExampleStream(features, length, 1.0, target)


def with_noise(stream: ExampleStream, share: float) -> ExampleStream:
    """The same with a share of the labels flipped; no halfspace fits."""

    def target(random: Generator) -> Make:
        make = stream.target(random)

        def noisy(random: Generator, size: int) -> tuple[Words, Labels]:
            words, labels = make(random, size)
            return words, np.where(random.random(size) < share, -labels, labels).astype(np.int8)

        return noisy

    return replace(stream, margin=0.0, target=target)


def with_drift(stream: ExampleStream, every: int) -> ExampleStream:
    """The same with a new target after so many rounds (rounded up to whole blocks); no halfspace fits."""

    def target(random: Generator) -> Make:
        make, rounds = stream.target(random), 0

        def drifting(random: Generator, size: int) -> tuple[Words, Labels]:
            nonlocal make, rounds
            if rounds >= every:
                make, rounds = stream.target(random), 0
            rounds += size
            return make(random, size)

        return drifting

    return replace(stream, margin=0.0, target=target)


def _coins(random: Generator, size: int, features: int) -> Words:
    """Fair bits; those beyond the last feature are 0."""
    words = random.integers(0, 2**64, (size, (features + 63) // 64), dtype=np.uint64)
    if features % 64:
        words[:, -1] &= np.uint64((1 << (features % 64)) - 1)
    return words


def _with(words: Words, chosen: NDArray[np.int64], bits: NDArray[np.bool_]) -> Words:
    """Set the chosen features."""
    for at, feature in enumerate(chosen.tolist()):
        word, bit = divmod(feature, 64)
        words[:, word] &= ~np.uint64(1 << bit)
        words[:, word] |= bits[:, at].astype(np.uint64) << np.uint64(bit)
    return words


def _signs(answers: NDArray[np.bool_]) -> Labels:
    return np.where(answers, 1, -1).astype(np.int8)
